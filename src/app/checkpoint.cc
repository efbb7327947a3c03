#include "app/checkpoint.h"

#include "base/crypto.h"
#include "base/log.h"

namespace mb::app {

namespace {
// In the data directory, so on the same file system: the store's files can be linked.
constexpr std::string_view kFolder = "checkpoints";
}  // namespace

Result<bool> serversRun(const Deployment& deployment) {
  if (deployment.identity != nullptr) return true;
  const store::Peers* peers = deployment.store.peers();
  return peers == nullptr ? Result<bool>(false) : peers->hasOthers();
}

Result<HeldCheckpoint> HeldCheckpoint::make(Deployment& deployment) {
  HeldCheckpoint made;
  if (deployment.embedded == nullptr) {
    TRY(const bool running, serversRun(deployment));
    TRY(made.image_, deployment.store.image(running));
    return made;
  }
  const std::filesystem::path folder = deployment.directory / kFolder;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return fail(ErrorCode::internal, fmt::format("cannot create {}: {}", folder.string(), failed.message()));
  }
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  made.path_ = folder / fmt::format("{:016x}", randomU64());
  RETURN_IF_ERROR(deployment.embedded->checkpoint(made.path_));
  TRY(auto files, store::StoreImage::open(made.path_));
  made.files_ = files.get();
  made.image_ = std::move(files);
  return made;
}

HeldCheckpoint::~HeldCheckpoint() {
  image_.reset();
  if (path_.empty()) return;
  std::error_code failed;
  std::filesystem::remove_all(path_, failed);
  if (failed) logWarn("checkpoint not removed", {{"path", path_.string()}, {"reason", failed.message()}});
}

void removeLeftCheckpoints(const std::filesystem::path& directory) {
  std::error_code failed;
  std::filesystem::remove_all(directory / kFolder, failed);
  if (failed) logWarn("old checkpoints not removed", {{"reason", failed.message()}});
}

}  // namespace mb::app

#include "app/checkpoint.h"

#include "base/crypto.h"
#include "base/log.h"

namespace mb::app {

namespace {
// In the data directory, so on the same file system: the store's files can be linked.
constexpr std::string_view kFolder = "checkpoints";
constexpr std::string_view kOnMongo =
    "this deployment is on MongoDB: its data is backed up by the tools of the database";
}  // namespace

Result<HeldCheckpoint> HeldCheckpoint::make(Deployment& deployment) {
  if (deployment.embedded == nullptr) return fail(ErrorCode::conflict, std::string(kOnMongo));
  const std::filesystem::path folder = deployment.directory / kFolder;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return fail(ErrorCode::internal, fmt::format("cannot create {}: {}", folder.string(), failed.message()));
  }
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  HeldCheckpoint made;
  made.path_ = folder / fmt::format("{:016x}", randomU64());
  RETURN_IF_ERROR(deployment.embedded->checkpoint(made.path_));
  TRY(made.image_, store::StoreImage::open(made.path_));
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

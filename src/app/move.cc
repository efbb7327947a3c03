// `manybase move`: copies a deployment that no server runs on to the other engine. The source stays as it is; the
// target is one that no server opens until everything was copied and compared.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "app/checkpoint.h"
#include "app/data_directory.h"
#include "app/move_target.h"
#include "app/transfer.h"
#include "cli/control_client.h"

namespace mb::app {

namespace {

namespace fs = std::filesystem;

// No server may write while the store is read, and none may have written that the copy does not hold.
Result<> checkAlone(const Deployment& deployment) {
  store::Peers* peers = deployment.store.peers();
  if (peers == nullptr) return {};
  TRY(const bool others, peers->hasOthers());
  if (!others) return {};
  return fail(ErrorCode::conflict,
              "a server runs on the database, or was killed within the last half minute: stop it first");
}

// The store in DIR/moving, which becomes DIR/store at the end.
class MovedDirectory {
 public:
  explicit MovedDirectory(const fs::path& directory) : directory_(directory), work_(directory / kMovingFolder) {}
  MovedDirectory(const MovedDirectory&) = delete;
  MovedDirectory& operator=(const MovedDirectory&) = delete;
  // Of a failed move nothing is left; what a killed one leaves is removed by the next.
  ~MovedDirectory() {
    std::error_code ignored;
    if (lock_.open()) fs::remove_all(work_, ignored);
    if (made_ && lock_.open()) fs::remove(directory_, ignored);
  }

  Result<> claim() {
    std::error_code failed;
    if (fs::exists(directory_ / "store", failed)) {
      return fail(ErrorCode::conflict, fmt::format("there is a store in {} already", directory_.string()));
    }
    if (fs::exists(directory_ / kRestoringFolder, failed)) {
      return fail(ErrorCode::conflict, fmt::format("a restore into {} did not end well", directory_.string()));
    }
    made_ = !fs::exists(directory_, failed);
    RETURN_IF_ERROR(prepareDataDirectory(directory_));
    if (::mkdir(work_.c_str(), 0700) != 0 && errno != EEXIST) return fileError("make", work_);
    Descriptor lock(::open(work_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock.open()) return fileError("open", work_);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      return fail(ErrorCode::conflict, fmt::format("another move fills {} now", directory_.string()));
    }
    lock_ = std::move(lock);
    fs::remove_all(work_ / "store", failed);
    return syncDirectory(directory_);
  }
  const fs::path& work() const { return work_; }
  Result<> publish() {
    if (::renameat2(AT_FDCWD, (work_ / "store").c_str(), AT_FDCWD, (directory_ / "store").c_str(), RENAME_NOREPLACE) !=
        0) {
      return fileError("make", directory_ / "store");
    }
    made_ = false;
    return syncDirectory(directory_);
  }

 private:
  const fs::path directory_;
  const fs::path work_;
  Descriptor lock_;  // of the work directory, while this fills it
  bool made_ = false;
};

Result<Transferred> moveTo(const MoveTarget& target, Deployment& deployment, Progress& progress) {
  if (!target.database) {
    if (deployment.embedded != nullptr && isSameDirectory(target.directory, deployment.directory)) {
      return fail(ErrorCode::conflict, "the source and the target are the same directory");
    }
    MovedDirectory directory(target.directory);
    RETURN_IF_ERROR(directory.claim());
    TRY(const HeldCheckpoint source, HeldCheckpoint::make(deployment));
    TRY(Transferred moved, fillDirectory(source.image(), directory.work(), progress));
    RETURN_IF_ERROR(checkAlone(deployment));
    RETURN_IF_ERROR(directory.publish());
    return moved;
  }
  store::MongoSettings settings;
  settings.uri = target.database->uri;
  settings.prefix = target.database->prefix;
  TRY(const HeldCheckpoint source, HeldCheckpoint::make(deployment));
  TRY(Transferred moved, fillDatabase(source.image(), settings, progress));
  RETURN_IF_ERROR(checkAlone(deployment));
  RETURN_IF_ERROR(store::MongoStore::complete(settings));
  return moved;
}

cli::Outcome outcomeOf(const Transferred& moved, const MoveTarget& target, const Deployment& deployment) {
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendString("to", target.database ? target.database->prefix : target.directory.string());
  result.appendString("engine", target.database ? "mongodb" : "embedded");
  result.beginDocument("counts");
  result.appendInteger("projects", static_cast<int64_t>(moved.projects));
  result.appendInteger("collections", static_cast<int64_t>(moved.collections));
  result.appendInteger("documents", static_cast<int64_t>(moved.documents));
  result.appendInteger("changes", static_cast<int64_t>(moved.changes));
  result.end();
  outcome.result = result.finish();
  outcome.text = fmt::format("moved {} projects, {} collections, {} documents, {} changes into {}; all were compared",
                             moved.projects, moved.collections, moved.documents, moved.changes, target.name());
  if (target.database) {
    outcome.text += fmt::format(
        "\nStart the server with MONGO_URL and the data directory {}, which keeps the secret and "
        "the files",
        deployment.directory.string());
  } else if (!isSameDirectory(target.directory, deployment.directory)) {
    outcome.text += fmt::format("\nThe secret and the files are still in {}: copy all but its store",
                                deployment.directory.string());
  }
  return outcome;
}

}  // namespace

Result<std::optional<cli::Outcome>> checkMove(const CommandContext& context, const cli::Arguments& arguments,
                                              Progress&) {
  RETURN_IF_ERROR(moveTargetOf(arguments));
  if (has(arguments, "project")) return std::optional<cli::Outcome>();
  for (const std::string_view option : {"to-data", "to-secret-file", "owner"}) {
    if (!has(arguments, std::string(option))) continue;
    return fail(ErrorCode::invalidParam, fmt::format("--{} needs --project", option));
  }
  TRY(const auto server, cli::ControlClient::connect(context.directory));
  if (!server) return std::optional<cli::Outcome>();
  return fail(ErrorCode::conflict, fmt::format("a server runs on {}: stop it first", context.directory.string()));
}

Result<cli::Outcome> move(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) {
  if (has(arguments, "project")) return moveProject(deployment, arguments, progress);
  // A request on the command socket passes no checkMove().
  if (deployment.identity != nullptr) return fail(ErrorCode::conflict, "a server runs: stop it first");
  TRY(const MoveTarget target, moveTargetOf(arguments));
  RETURN_IF_ERROR(checkAlone(deployment));
  TRY(const Transferred moved, moveTo(target, deployment, progress));
  return outcomeOf(moved, target, deployment);
}

}  // namespace mb::app

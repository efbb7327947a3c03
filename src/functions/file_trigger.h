// FileTrigger runs functions for uploads: {type: "storage", event: "fileUploaded", file}. Their runs are jobs in the
// commit that creates or replaces the file.
#pragma once

#include "functions/run_jobs.h"
#include "storage/file_follower.h"

namespace mb::functions {

// References outlive it.
struct FileTriggerDeps {
  snapshot::Snapshots& snapshots;
  snapshot::SlotKey<FunctionTable> slot;
  jobs::Queue& queue;
};

class FileTrigger final : public storage::FileFollower {
 public:
  explicit FileTrigger(FileTriggerDeps deps) : deps_(deps) {}

  Task<std::vector<store::Insert>> fileUploaded(store::ProjectNo project, std::string bucket, storage::FileRecord file,
                                                store::Actor by) override;

 private:
  const FileTriggerDeps deps_;
};

}  // namespace mb::functions

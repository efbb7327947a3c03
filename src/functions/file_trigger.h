// FileTrigger runs functions for uploads: {type: "storage", event: "fileUploaded", file}. Their runs are jobs in the
// commit that creates or replaces the file.
#pragma once

#include "functions/run_jobs.h"
#include "storage/file_follower.h"

namespace mb::functions {

class FileTrigger final : public storage::FileFollower {
 public:
  // References outlive it.
  struct Deps {
    snapshot::Snapshots& snapshots;
    snapshot::SlotKey<FunctionTable> slot;
    jobs::Queue& queue;
  };
  explicit FileTrigger(Deps deps) : deps_(deps) {}

  Task<std::vector<store::Insert>> fileUploaded(store::ProjectNo project, std::string bucket, storage::FileRecord file,
                                                store::Actor by) override;

 private:
  const Deps deps_;
};

}  // namespace mb::functions

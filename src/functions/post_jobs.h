// PostJobs creates jobs for the functions that follow changes of documents.
#pragma once

#include "events/consumer.h"
#include "functions/run_jobs.h"

namespace mb::functions {

// Bounds of one function's queued runs. Past them the oldest are skipped, with an entry in the function's log.
inline constexpr uint64_t kMaxWaiting = 100'000;
inline constexpr uint64_t kMaxWaitingBytes = 512 << 20;  // of the stored jobs

// References outlive it.
struct PostJobsDeps {
  snapshot::SlotKey<FunctionTable> slot;
  jobs::Queue& queue;
  FunctionRunner& runner;
};

class PostJobs final : public events::Consumer {
 public:
  explicit PostJobs(PostJobsDeps deps) : deps_(deps) {}

  bool follows(const snapshot::ProjectSnapshot& project) const override;
  void jobsFor(const snapshot::ProjectSnapshot& project, const store::ChangeEntry& change,
               std::vector<events::FollowUp>& jobs) const override;
  Async<void> committed(snapshot::SnapshotPtr project, std::vector<std::string> groups) override;

 private:
  // Skips the oldest jobs of a function until the others are within its bounds.
  Task<> dropOldest(snapshot::SnapshotPtr project, FunctionPtr function);
  const PostJobsDeps deps_;
};

}  // namespace mb::functions

// Calls to other services in a project's name: providers, what each may be asked, sealed secrets.
// Source: contract 2.12, 4.5; decisions 5 and 8.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "document/bson.h"
#include "snapshot/snapshot.h"

namespace mb::integrations {

inline constexpr std::chrono::milliseconds kMaxCallTime{10'000};

// Numbers 98 and 99 of the system collections belong to this module.
inline constexpr store::CollectionNo kIntegrations = 98;

// For runs of functions.
class Caller {
 public:
  virtual ~Caller() = default;
  // `op` of the integration `name` with `arguments`, validated before anything leaves; ends with `deadline` or
  // kMaxCallTime, whichever comes first. Fails with notFound (no such integration, or disabled), validation (no such
  // op, arguments), conflict (a secret that it takes is not there), upstreamFailed and its like, all with sentences
  // that hold no secret. Once `aborted` is asked to stop (the run has settled) the call ends at once, with an error
  // that nobody reads. Any core.
  virtual Task<doc::Value> call(snapshot::SnapshotPtr project, std::string name, std::string op,
                                doc::Document arguments, store::Deadline deadline, std::stop_token aborted) = 0;
  // Only what call() checks before it sends: for runs whose answers are stubs.
  virtual Task<> check(snapshot::SnapshotPtr project, std::string name, std::string op, doc::Document arguments) = 0;
};

}  // namespace mb::integrations

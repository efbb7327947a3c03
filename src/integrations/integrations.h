// Calls of other services for a project: providers, their operations, sealed secrets.
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

struct CallOptions {
  store::Deadline deadline;
  std::stop_token aborted = {};  // once it requests a stop the call ends at once, with an error that is not read
  std::string trace = {};        // sent with the call (base/trace_context.h); "" for none
};

// The interface for runs of functions.
class Caller {
 public:
  virtual ~Caller() = default;
  // Calls `op` of the integration `name` with `arguments`, validated before anything is sent; ends with `deadline` or
  // kMaxCallTime, whichever comes first. Fails with notFound (no such integration, or disabled), validation (no such
  // op, arguments), conflict (a secret that it needs is missing), upstreamFailed and similar codes; no message holds a
  // secret. Any core.
  virtual Task<doc::Value> call(snapshot::SnapshotPtr project, std::string name, std::string op,
                                doc::Document arguments, CallOptions options) = 0;
  // Only the checks of call() before it sends: for runs whose results are stubs.
  virtual Task<> check(snapshot::SnapshotPtr project, std::string name, std::string op, doc::Document arguments) = 0;
};

}  // namespace mb::integrations

// The CallLog of one run: its calls of ctx.db, ctx.lookup and ctx.integrations, in the order in which they began. It
// holds names and outcomes, never arguments or results, which may be documents or secrets.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "document/bson.h"
#include "functions/function_types.h"

namespace mb::functions {

inline constexpr size_t kMaxCalls = 200;
inline constexpr size_t kMaxCallBytes = 16 << 10;  // of the names and operations of a run's calls

// Must be used on the core of the run.
class CallLog {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Adds a call that begins `at`; the first kMaxCalls of a run, as long as they fit into kMaxCallBytes. Returns what
  // end() takes; nullopt where the call is not logged. `operation` and `arguments` are those of Bridge::call.
  std::optional<size_t> begin(std::string_view operation, doc::DocumentView arguments, Time at);
  // Sets how a call ended; `error` is null for one that succeeded.
  void end(size_t call, const Error* error, Time at);
  // All calls. One that has not ended has the outcome "unfinished" and the time until `at`.
  std::vector<RunCall> calls(Time at) const;

 private:
  struct Entry {
    RunCall call;
    Time begun;
    bool ended = false;
  };
  std::vector<Entry> entries_;
  size_t bytes_ = 0;
};

}  // namespace mb::functions

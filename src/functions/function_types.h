// The types of functions: stored records, request bodies and responses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/shape.h"
#include "store/store.h"

namespace mb::functions {

// Numbers 90 to 97 of the system collections belong to this module.
inline constexpr store::CollectionNo kFunctions = 90;  // id: the name
inline constexpr store::CollectionNo kVersions = 91;   // the last 50 of each
inline constexpr store::CollectionNo kRuns = 92;       // the last 50 of each (run_log.h)
inline constexpr store::CollectionNo kStats = 93;      // of each function, and of each month (run_log.h)
inline constexpr store::CollectionNo kTimetable = 94;  // when a cron function fires next (cron.h)
inline constexpr store::CollectionNo kRunInputs = 95;  // of the runs in kRuns that can be repeated (run_log.h)

// How often, and after which pauses, a background run that failed is run again.
struct RetryPolicy {
  int64_t attempts = 1;        // 1 to 10, including the first
  int64_t backoffSeconds = 1;  // 1 to 3600; doubled after each further attempt, an hour at most
  static constexpr auto shape() {
    return doc::shape<RetryPolicy>("FunctionRetry", doc::field("attempts", &RetryPolicy::attempts),
                                   doc::field("backoffSeconds", &RetryPolicy::backoffSeconds));
  }
  bool operator==(const RetryPolicy&) const = default;
};

struct FunctionRecord {
  std::string id;          // the name
  std::string functionId;  // "fn_…": a later function of the same name has another one
  doc::Document trigger;   // as in the API
  // The number of the trigger's collection when the function was last bound. The function follows this collection while
  // it exists, also after a rename. 0 if it did not exist, or the trigger names none.
  int64_t collectionNo = 0;
  std::string timing;  // "pre" or "post"
  bool enabled = false;
  std::optional<int64_t> timeoutMs;
  std::optional<RetryPolicy> retry;
  std::string code;  // as it was written, or compiled from the flow
  std::string runs;  // the code that runs: types stripped
  std::string map;   // source map from `runs` to `code`; in a FunctionTable both are only in Function::module
  doc::Nullable<doc::Document> flow;
  std::vector<doc::Document> tests;
  // Unique in the project: "GET /orders/:". Absent without an http trigger, and during an import that assigns its path
  // to another function.
  std::optional<std::string> route;
  int64_t version = 0;
  int64_t after = 0;  // it gets no changes up to and including this position
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<FunctionRecord>(
        "FunctionRecord", doc::field("id", &FunctionRecord::id), doc::field("functionId", &FunctionRecord::functionId),
        doc::field("trigger", &FunctionRecord::trigger), doc::field("collectionNo", &FunctionRecord::collectionNo),
        doc::field("timing", &FunctionRecord::timing), doc::field("enabled", &FunctionRecord::enabled),
        doc::field("timeoutMs", &FunctionRecord::timeoutMs), doc::field("retry", &FunctionRecord::retry),
        doc::field("code", &FunctionRecord::code), doc::field("runs", &FunctionRecord::runs),
        doc::field("map", &FunctionRecord::map), doc::field("flow", &FunctionRecord::flow),
        doc::field("tests", &FunctionRecord::tests), doc::field("route", &FunctionRecord::route),
        doc::field("version", &FunctionRecord::version), doc::field("after", &FunctionRecord::after),
        doc::field("createdAt", &FunctionRecord::createdAt), doc::field("updatedAt", &FunctionRecord::updatedAt));
  }
};

struct FunctionView {
  std::string name;
  doc::Document trigger;
  std::string timing;
  bool enabled = false;
  doc::Nullable<int64_t> timeoutMs;
  std::optional<RetryPolicy> retry;
  std::string code;
  doc::Nullable<doc::Document> flow;
  std::vector<doc::Document> tests;
  int64_t version = 0;
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<FunctionView>(
        "Function", doc::field("name", &FunctionView::name), doc::field("trigger", &FunctionView::trigger),
        doc::field("timing", &FunctionView::timing), doc::field("enabled", &FunctionView::enabled),
        doc::field("timeoutMs", &FunctionView::timeoutMs), doc::field("retry", &FunctionView::retry),
        doc::field("code", &FunctionView::code), doc::field("flow", &FunctionView::flow),
        doc::field("tests", &FunctionView::tests), doc::field("version", &FunctionView::version),
        doc::field("createdAt", &FunctionView::createdAt), doc::field("updatedAt", &FunctionView::updatedAt));
  }
};

// Either code or a flow.
struct NewFunction {
  std::string name;
  doc::Document trigger;
  std::optional<std::string> timing;  // default "post"
  std::optional<bool> enabled;        // default true
  std::optional<int64_t> timeoutMs;
  std::optional<std::string> code;
  std::optional<doc::Document> flow;
  std::optional<std::vector<doc::Document>> tests;
  std::optional<RetryPolicy> retry = {};
  static constexpr auto shape() {
    return doc::shape<NewFunction>(
        "NewFunction", doc::field("name", &NewFunction::name), doc::field("trigger", &NewFunction::trigger),
        doc::field("timing", &NewFunction::timing), doc::field("enabled", &NewFunction::enabled),
        doc::field("timeoutMs", &NewFunction::timeoutMs), doc::field("code", &NewFunction::code),
        doc::field("flow", &NewFunction::flow), doc::field("tests", &NewFunction::tests),
        doc::field("retry", &NewFunction::retry));
  }
};

// Absent fields are unchanged; null removes the timeout, the flow or the retries.
struct FunctionPatch {
  std::optional<doc::Document> trigger;
  std::optional<std::string> timing;
  std::optional<bool> enabled;
  doc::Patch<int64_t> timeoutMs;
  std::optional<std::string> code;
  doc::Patch<doc::Document> flow;
  std::optional<std::vector<doc::Document>> tests;
  doc::Patch<RetryPolicy> retry;
  static constexpr auto shape() {
    return doc::shape<FunctionPatch>(
        "FunctionPatch", doc::field("trigger", &FunctionPatch::trigger), doc::field("timing", &FunctionPatch::timing),
        doc::field("enabled", &FunctionPatch::enabled), doc::field("timeoutMs", &FunctionPatch::timeoutMs),
        doc::field("code", &FunctionPatch::code), doc::field("flow", &FunctionPatch::flow),
        doc::field("tests", &FunctionPatch::tests), doc::field("retry", &FunctionPatch::retry));
  }
};

// A version of a function, in a ring of kMaxVersions rows.
struct VersionRecord {
  std::string id;  // versionKey()
  int64_t version = 0;
  doc::Document trigger;
  int64_t collectionNo = 0;
  std::string timing;
  std::optional<int64_t> timeoutMs;
  std::string code;
  doc::Nullable<doc::Document> flow;
  Timestamp createdAt;
  std::string createdBy;
  static constexpr auto shape() {
    return doc::shape<VersionRecord>(
        "FunctionVersionRecord", doc::field("id", &VersionRecord::id), doc::field("version", &VersionRecord::version),
        doc::field("trigger", &VersionRecord::trigger), doc::field("collectionNo", &VersionRecord::collectionNo),
        doc::field("timing", &VersionRecord::timing), doc::field("timeoutMs", &VersionRecord::timeoutMs),
        doc::field("code", &VersionRecord::code), doc::field("flow", &VersionRecord::flow),
        doc::field("createdAt", &VersionRecord::createdAt), doc::field("createdBy", &VersionRecord::createdBy));
  }
};

struct VersionView {
  int64_t version = 0;
  doc::Document trigger;
  std::string timing;
  doc::Nullable<int64_t> timeoutMs;
  std::string code;
  Timestamp createdAt;
  std::string createdBy;  // user_… or key_…
  static constexpr auto shape() {
    return doc::shape<VersionView>(
        "FunctionVersion", doc::field("version", &VersionView::version), doc::field("trigger", &VersionView::trigger),
        doc::field("timing", &VersionView::timing), doc::field("timeoutMs", &VersionView::timeoutMs),
        doc::field("code", &VersionView::code), doc::field("createdAt", &VersionView::createdAt),
        doc::field("createdBy", &VersionView::createdBy));
  }
};

struct RollbackBody {
  int64_t version = 0;
  static constexpr auto shape() {
    return doc::shape<RollbackBody>("FunctionRollback", doc::field("version", &RollbackBody::version));
  }
};

struct RunLine {
  std::string level;  // log info warn error debug
  std::string message;
  Timestamp at;
  static constexpr auto shape() {
    return doc::shape<RunLine>("FunctionRunLine", doc::field("level", &RunLine::level),
                               doc::field("message", &RunLine::message), doc::field("at", &RunLine::at));
  }
};

// A call that a run made of the server (call_log.h).
struct RunCall {
  std::string kind;    // db integration
  std::string name;    // of the collection or the integration; "" for text that is not a name
  std::string detail;  // the operation
  double ms = 0;
  std::string outcome;  // "ok", an error code, or "unfinished" at the end of the run
  static constexpr auto shape() {
    return doc::shape<RunCall>("FunctionRunCall", doc::field("kind", &RunCall::kind),
                               doc::field("name", &RunCall::name), doc::field("detail", &RunCall::detail),
                               doc::field("ms", &RunCall::ms), doc::field("outcome", &RunCall::outcome));
  }
};

// One run, as it is logged and returned by invoke.
struct RunView {
  std::string id;       // "run_…"
  std::string trigger;  // database auth storage http cron manual
  std::string status;   // success error timeout aborted skipped
  Timestamp startedAt;
  int64_t durationMs = 0;
  std::vector<RunLine> logs;
  std::optional<std::string> error;
  std::optional<doc::Value> result;  // not logged if it is larger than 16 KiB
  // Of runs that are or may be retried: from 1 on.
  std::optional<int64_t> attempt = {};
  std::optional<std::string> retryOf = {};         // the id of the run that this one repeats, the attempt before
  std::optional<std::vector<RunCall>> calls = {};  // absent for a run without calls
  static constexpr auto shape() {
    return doc::shape<RunView>("FunctionRun", doc::field("id", &RunView::id), doc::field("trigger", &RunView::trigger),
                               doc::field("status", &RunView::status), doc::field("startedAt", &RunView::startedAt),
                               doc::field("durationMs", &RunView::durationMs), doc::field("logs", &RunView::logs),
                               doc::field("error", &RunView::error), doc::field("result", &RunView::result),
                               doc::field("attempt", &RunView::attempt), doc::field("retryOf", &RunView::retryOf),
                               doc::field("calls", &RunView::calls));
  }
};

}  // namespace mb::functions

// Validation of functions, except for their code and flow.
#pragma once

#include "functions/function_types.h"

namespace mb::functions {

inline constexpr size_t kMaxCodeBytes = 256 << 10;
inline constexpr size_t kMaxFlowBytes = 256 << 10;  // as JSON
inline constexpr size_t kMaxTests = 20;
inline constexpr size_t kMaxTestBytes = 256 << 10;  // of all cases of a function, as JSON
inline constexpr int64_t kMaxVersions = 50;         // kept of a function
inline constexpr int64_t kMaxRunAttempts = 10;
inline constexpr int64_t kMaxBackoffSeconds = 3600;
inline constexpr std::string_view kNoHookRetry = "must be absent with the timing pre: a write waits for its hook";

// "^[a-z][a-z0-9-]{1,63}$"
bool isFunctionName(std::string_view name);

// All problems, paths relative to the function; empty if it is valid. Having both `code` and `flow` is not a problem.
std::vector<ErrorDetail> problemsOf(const NewFunction& function);
// The same as an error.
Result<> check(const NewFunction& function);
// `problems` as a validation error. REQUIRES: `problems` is not empty.
Error asError(std::vector<ErrorDetail> problems);

// The stored form of a flow or a test case: only types of JSON, with dates and similar types as {"$date": …} in its
// canonical form, whether the value came as that or as the type. Fails with validation if it is malformed.
Result<doc::Document> jsonForm(doc::DocumentView given);
// jsonForm() and canonicalTest() of each; problems at "/tests/<n>".
Result<std::vector<doc::Document>> canonicalTests(const std::vector<doc::Document>& tests);

// Fields and events in the documented order, each event once. REQUIRES: the trigger is valid.
doc::Document canonicalTrigger(doc::DocumentView trigger);
// FunctionRecord::route. REQUIRES: the trigger is valid.
std::optional<std::string> routeOf(doc::DocumentView trigger);

}  // namespace mb::functions

// What a function may be, but for what its code and its flow hold.
#pragma once

#include "functions/function_types.h"

namespace mb::functions {

inline constexpr size_t kMaxCodeBytes = 256 << 10;
inline constexpr size_t kMaxFlowBytes = 256 << 10;  // as JSON
inline constexpr size_t kMaxTests = 20;
inline constexpr size_t kMaxTestBytes = 256 << 10;  // of all cases of a function, as JSON
inline constexpr int64_t kMaxVersions = 50;         // of a function, the last

// "^[a-z][a-z0-9-]{1,63}$"
bool isFunctionName(std::string_view name);

// All that is wrong with it, paths relative to the function; empty where nothing is. `code` beside `flow` is not asked.
std::vector<ErrorDetail> problemsOf(const NewFunction& function);
// The same as an error.
Result<> check(const NewFunction& function);
// `problems` as a validation error; requires that there are some.
Error asError(std::vector<ErrorDetail> problems);

// A flow or a test case in the types of JSON alone, as it is stored: what stands for dates and their like ({"$date":
// …}) in its one form, whether it came as that or as the type. Fails with validation where it is malformed.
Result<doc::Document> settled(doc::DocumentView given);
// Each settled and canonicalTest(); what is wrong at "/tests/<n>".
Result<std::vector<doc::Document>> settledTests(const std::vector<doc::Document>& tests);

// A trigger without problems: fields in the contract's order, events in that of the interface, each once.
doc::Document canonicalTrigger(doc::DocumentView trigger);
// FunctionRecord::route of a trigger without problems.
std::optional<std::string> routeOf(doc::DocumentView trigger);

}  // namespace mb::functions

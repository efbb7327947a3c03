// What is wrong with a request, or went wrong in a field: an entry of the answer's `errors`.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace mb::graphql {

using PathStep = std::variant<std::string, size_t>;

struct Problem {
  std::string message;
  std::vector<uint32_t> at = {};  // offsets in the source
  ErrorCode code = ErrorCode::validation;
  std::vector<PathStep> path = {};  // of a field in the answer
  std::vector<ErrorDetail> details = {};
};
using Problems = std::vector<Problem>;

template <class T>
using Parsed = std::expected<T, Problem>;

// A message that quotes what a client sent, cut where it becomes long: problems are many, and each may quote it all.
std::string shortened(std::string message);

// A failure as an entry. Those that are ours are logged here, with their cause.
Problem problemOf(const Error& error, const std::string& requestId);

// Appends `problems` as a JSON array, with line and column in `source` for each offset.
void writeProblems(std::string& out, const Problems& problems, std::string_view source);

}  // namespace mb::graphql

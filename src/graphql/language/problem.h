// A Problem is an entry of the response's `errors`: an error of the request or of a field.
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
  std::vector<PathStep> path = {};  // of a field in the response
  std::vector<ErrorDetail> details = {};
};
using Problems = std::vector<Problem>;

template <class T>
using Parsed = std::expected<T, Problem>;

// Truncates a message that quotes input of the client: each of many problems may quote all of it.
std::string shortened(std::string message);

// Converts an error to a problem. Logs errors of the server with their cause.
Problem problemOf(const Error& error, const std::string& requestId);

// Appends `problems` as a JSON array, with line and column in `source` for each offset.
void writeProblems(std::string& out, const Problems& problems, std::string_view source);

}  // namespace mb::graphql

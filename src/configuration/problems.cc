#include "configuration/problems.h"

#include <fmt/format.h>

#include <algorithm>

namespace mb::configuration {

std::vector<ErrorDetail> detailsOf(const Error& error) {
  if (!error.details().empty()) return error.details();
  return {{"", error.message()}};
}

void Problems::add(std::string pointer, std::string message) {
  if (found_.size() == kMaxListed) {
    ++more_;
    return;
  }
  // One problem for each pointer: a secret is not a known field either.
  if (std::ranges::any_of(found_, [&](const ErrorDetail& each) { return each.path == pointer; })) return;
  found_.push_back({std::move(pointer), std::move(message)});
}

void Problems::add(const std::string& pointer, const Error& error) {
  for (const ErrorDetail& each : detailsOf(error)) add(pointer + each.path, each.message);
}

Error Problems::asError() && {
  std::string message = fmt::format("{}: {}", found_.front().path, found_.front().message);
  if (const size_t others = found_.size() - 1 + more_) message += fmt::format(" (and {} more)", others);
  return Error(ErrorCode::validation, std::move(message)).withDetails(std::move(found_));
}

}  // namespace mb::configuration

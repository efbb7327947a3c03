// What trials about documents and about files share: refusals of the trial itself, and of its request.
#pragma once

#include <fmt/format.h>

#include "data/policy_trial.h"

namespace mb::data {

inline Error missingPart(ErrorCode code, std::string_view part) {
  return Error(code, fmt::format("/{} is required for this operation", part))
      .withDetail(fmt::format("/{}", part), "is required for this operation");
}

inline Error notAnOperation() {
  return Error(ErrorCode::validation, "/operation must be read, list, create, update or delete")
      .withDetail("/operation", "must be read, list, create, update or delete");
}

// Sets status, code and `hidden` to those of a request that fails with `error`. Fails with it where the server is at
// fault, which shows nothing about the request. `found`: what the request is about exists.
inline Result<> refuse(TrialResult& result, Error error, bool found) {
  const ErrorMeaning meaning = meaningOf(error.code());
  if (meaning.status >= 500) return fail(std::move(error));
  result.status = meaning.status;
  result.code = std::string(meaning.wire);
  result.hidden = found && error.code() == ErrorCode::notFound;
  return {};
}

}  // namespace mb::data

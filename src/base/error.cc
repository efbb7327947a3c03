#include "base/error.h"

#include <array>

#include "base/json_text.h"

namespace mb {

namespace {

struct Row {
  ErrorCode code;
  ErrorMeaning meaning;
};

// Maps codes to HTTP, in the order of the enumeration (docs/api.md, "Errors").
constexpr std::array kTable = {
    Row{ErrorCode::validation, {400, "VALIDATION"}},
    Row{ErrorCode::invalidJson, {400, "INVALID_JSON"}},
    Row{ErrorCode::invalidParam, {400, "INVALID_PARAM"}},
    Row{ErrorCode::invalidFilter, {400, "INVALID_FILTER"}},
    Row{ErrorCode::invalidBody, {400, "INVALID_BODY"}},
    Row{ErrorCode::invalidUpdate, {400, "INVALID_UPDATE"}},
    Row{ErrorCode::invalidCursor, {400, "INVALID_CURSOR"}},
    Row{ErrorCode::queryTooCostly, {400, "QUERY_TOO_COSTLY"}},
    Row{ErrorCode::missingProject, {400, "MISSING_PROJECT"}},
    Row{ErrorCode::projectMismatch, {400, "PROJECT_MISMATCH"}},
    Row{ErrorCode::billingDisabled, {400, "BILLING_DISABLED"}},
    Row{ErrorCode::unauthenticated, {401, "UNAUTHENTICATED"}},
    Row{ErrorCode::invalidCredentials, {401, "INVALID_CREDENTIALS"}},
    Row{ErrorCode::forbidden, {403, "FORBIDDEN"}},
    Row{ErrorCode::userInactive, {403, "USER_INACTIVE"}},
    Row{ErrorCode::userBlocked, {403, "USER_BLOCKED"}},
    Row{ErrorCode::emailUnverified, {403, "EMAIL_UNVERIFIED"}},
    Row{ErrorCode::projectSuspended, {403, "PROJECT_SUSPENDED"}},
    Row{ErrorCode::planLimit, {403, "PLAN_LIMIT"}},
    Row{ErrorCode::notFound, {404, "NOT_FOUND"}},
    Row{ErrorCode::methodNotAllowed, {405, "METHOD_NOT_ALLOWED"}},
    Row{ErrorCode::requestTimeout, {408, "REQUEST_TIMEOUT"}},
    Row{ErrorCode::conflict, {409, "CONFLICT"}},
    Row{ErrorCode::emailTaken, {409, "EMAIL_TAKEN"}},
    Row{ErrorCode::testsFailed, {409, "TESTS_FAILED"}},
    Row{ErrorCode::preconditionFailed, {412, "PRECONDITION_FAILED"}},
    Row{ErrorCode::unsupportedVersion, {412, "UNSUPPORTED_VERSION"}},
    Row{ErrorCode::payloadTooLarge, {413, "PAYLOAD_TOO_LARGE"}},
    Row{ErrorCode::unsupportedMediaType, {415, "UNSUPPORTED_MEDIA_TYPE"}},
    Row{ErrorCode::rangeNotSatisfiable, {416, "RANGE_NOT_SATISFIABLE"}},
    Row{ErrorCode::upgradeRequired, {426, "UPGRADE_REQUIRED"}},
    Row{ErrorCode::rateLimited, {429, "RATE_LIMITED"}},
    Row{ErrorCode::planRunLimit, {429, "PLAN_LIMIT"}},
    Row{ErrorCode::headersTooLarge, {431, "HEADERS_TOO_LARGE"}},
    Row{ErrorCode::internal, {500, "INTERNAL"}},
    Row{ErrorCode::upstreamFailed, {502, "UPSTREAM_FAILED"}},
    Row{ErrorCode::upstreamTimeout, {502, "UPSTREAM_FAILED"}},
    Row{ErrorCode::upstreamRefused, {502, "UPSTREAM_FAILED"}},
    Row{ErrorCode::upstreamRejected, {502, "UPSTREAM_FAILED"}},
    Row{ErrorCode::unavailable, {503, "UNAVAILABLE"}},
    Row{ErrorCode::functionsBusy, {503, "FUNCTIONS_BUSY"}},
    Row{ErrorCode::staleCatalogue, {503, "UNAVAILABLE"}},
    Row{ErrorCode::retry, {503, "UNAVAILABLE"}},
};

constexpr bool inOrder() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].code) != i) return false;
  }
  return true;
}
static_assert(inOrder() && kTable.size() == static_cast<size_t>(ErrorCode::retry) + 1);

}  // namespace

ErrorMeaning meaningOf(ErrorCode code) {
  return kTable[static_cast<size_t>(code)].meaning;
}

Error::Error(ErrorCode code, std::string message) : rep_(std::make_unique<Rep>()) {
  rep_->code = code;
  rep_->message = std::move(message);
}

Error&& Error::withDetail(std::string path, std::string message) && {
  rep_->details.push_back({std::move(path), std::move(message)});
  return std::move(*this);
}

Error&& Error::withDetails(std::vector<ErrorDetail> details) && {
  rep_->details = std::move(details);
  return std::move(*this);
}

Error&& Error::withCause(std::string cause) && {
  rep_->cause = std::move(cause);
  return std::move(*this);
}

Error&& Error::withRetryAfter(int seconds) && {
  rep_->retryAfterSeconds = seconds;
  return std::move(*this);
}

Error&& Error::withAllow(std::string methods) && {
  rep_->allow = std::move(methods);
  return std::move(*this);
}

Error&& Error::withViolation(Violation violation) && {
  rep_->violation = std::move(violation);
  return std::move(*this);
}

Error Error::clone() const {
  Error copy(code(), message());
  *copy.rep_ = *rep_;
  return copy;
}

std::string errorBody(const Error& error) {
  std::string out = R"({"error":{"code":")";
  out += meaningOf(error.code()).wire;
  out += R"(","message":)";
  appendJsonString(out, error.message());
  if (!error.details().empty()) {
    out += R"(,"details":[)";
    bool first = true;
    for (const ErrorDetail& detail : error.details()) {
      if (!first) out += ',';
      first = false;
      out += R"({"path":)";
      appendJsonString(out, detail.path);
      out += R"(,"message":)";
      appendJsonString(out, detail.message);
      out += '}';
    }
    out += ']';
  }
  out += "}}";
  return out;
}

}  // namespace mb

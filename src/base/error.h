// The one error type. A failure is an Error inside a Result; exceptions are for bugs and are caught at the connection's
// edge. One table (error.cc) maps a code to its HTTP status and wire code; no other code writes a status.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mb {

// All failures. Wire code and status: error.cc; docs/api.md, "Errors".
enum class ErrorCode {
  validation,
  invalidJson,
  invalidParam,
  invalidFilter,
  invalidBody,
  invalidUpdate,
  invalidCursor,   // of another query, altered, or expired
  queryTooCostly,  // more work than a request may do on a core or under locks
  missingProject,
  projectMismatch,
  billingDisabled,
  unauthenticated,
  invalidCredentials,
  forbidden,
  userInactive,
  userBlocked,
  emailUnverified,
  projectSuspended,
  planLimit,
  notFound,
  methodNotAllowed,
  requestTimeout,
  conflict,
  emailTaken,
  testsFailed,         // stored tests fail with a configuration that was to be applied
  preconditionFailed,  // if-match, if-none-match
  unsupportedVersion,  // of a protocol over HTTP (tus)
  payloadTooLarge,
  unsupportedMediaType,
  rangeNotSatisfiable,
  upgradeRequired,
  rateLimited,
  planRunLimit,  // of function runs in a month
  headersTooLarge,
  internal,
  // Calls out, all the same on the wire: failed; too slow; never made, since the address or URL is not allowed;
  // rejected permanently by the other side (a mail server that does not know the address).
  upstreamFailed,
  upstreamTimeout,
  upstreamRefused,
  upstreamRejected,
  unavailable,
  functionsBusy,  // no worker was free in time to run a function
  // Never sent to a client. staleCatalogue: the catalogue changed during a write, which is computed again on the new
  // snapshot. retry: other data that a write was prepared from changed, and it is prepared again (store/retry.h).
  staleCatalogue,
  retry,
};

// The HTTP status and wire code of an ErrorCode.
struct ErrorMeaning {
  int status;             // HTTP status
  std::string_view wire;  // the `code` of the error body
};
ErrorMeaning meaningOf(ErrorCode code);

// One entry of `details`: where in the input (a JSON pointer such as "/title") and what is wrong there.
struct ErrorDetail {
  std::string path;
  std::string message;
};

// Which stored data refused a write, for callers with a message of their own.
struct Violation {
  enum class Kind { index, condition, limit } kind = Kind::index;
  std::string name;   // of the unique index, the condition or the counter
  size_t target = 0;  // of an index: the position of the document in the write
};

// A code, a message for the caller, and a private cause for the log. Move-only and one pointer wide, so that a Result
// costs little on success.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const { return rep_->code; }
  const std::string& message() const { return rep_->message; }
  const std::vector<ErrorDetail>& details() const { return rep_->details; }
  // Logged with the request id, never sent.
  const std::string& cause() const { return rep_->cause; }
  std::optional<int> retryAfterSeconds() const { return rep_->retryAfterSeconds; }
  // The `allow` header of methodNotAllowed; empty otherwise.
  const std::string& allow() const { return rep_->allow; }
  // Null unless stored data refused a write.
  const Violation* violation() const { return rep_->violation ? &*rep_->violation : nullptr; }

  Error&& withDetail(std::string path, std::string message) &&;
  Error&& withDetails(std::vector<ErrorDetail> details) &&;
  Error&& withCause(std::string cause) &&;
  Error&& withRetryAfter(int seconds) &&;
  Error&& withAllow(std::string methods) &&;
  Error&& withViolation(Violation violation) &&;
  Error clone() const;

 private:
  struct Rep {
    ErrorCode code;
    std::string message;
    std::vector<ErrorDetail> details;
    std::string cause;
    std::optional<int> retryAfterSeconds;
    std::string allow;
    std::optional<Violation> violation;
  };
  std::unique_ptr<Rep> rep_;
};

template <class T = void>
using Result = std::expected<T, Error>;

// fail(ErrorCode::notFound, "no such document") in a return statement of any Result.
inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error(code, std::move(message)));
}
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

// The {"error": {...}} response body (docs/api.md, "Errors") as JSON text.
std::string errorBody(const Error& error);

}  // namespace mb

// TRY(auto x, f()) declares x from the value of a Result, or returns its error. CO_TRY is the same in a coroutine
// (CO_TRY(auto x, co_await f())). RETURN_IF_ERROR and CO_RETURN_IF_ERROR are for results without a value, or whose
// value is not wanted. Each is one statement, also as the branch of an unbraced `if`; TRY's value is a statement
// expression (GCC manual, "Statements and Declarations in Expressions").
#define MB_CONCAT_(a, b) a##b
#define MB_CONCAT(a, b) MB_CONCAT_(a, b)

#define MB_VALUE_OR_(tmp, returns, ...)                                     \
  ({                                                                        \
    auto tmp = (__VA_ARGS__);                                               \
    if (!tmp) returns std::unexpected<::mb::Error>(std::move(tmp).error()); \
    *std::move(tmp);                                                        \
  })
#define TRY(decl, ...) decl = MB_VALUE_OR_(MB_CONCAT(try_result_, __COUNTER__), return, __VA_ARGS__)
#define CO_TRY(decl, ...) decl = MB_VALUE_OR_(MB_CONCAT(try_result_, __COUNTER__), co_return, __VA_ARGS__)

#define MB_IF_ERROR_(tmp, returns, ...)                                                               \
  do {                                                                                                \
    if (auto tmp = (__VA_ARGS__); !tmp) returns std::unexpected<::mb::Error>(std::move(tmp).error()); \
  } while (false)
#define RETURN_IF_ERROR(...) MB_IF_ERROR_(MB_CONCAT(try_result_, __COUNTER__), return, __VA_ARGS__)
#define CO_RETURN_IF_ERROR(...) MB_IF_ERROR_(MB_CONCAT(try_result_, __COUNTER__), co_return, __VA_ARGS__)

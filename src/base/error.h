// The one error type. A failure is a value of Error inside a Result; exceptions are for bugs and are caught at the
// connection's edge. One table (error.cc) turns a code into its HTTP status and wire code; nobody else writes a status.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mb {

// Every failure there is. Wire code and status: error.cc. Source: contract 7, decisions 1, 3, 7 and 8.
enum class ErrorCode {
  validation,
  invalidJson,
  invalidParam,
  invalidFilter,
  invalidBody,
  invalidUpdate,
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
  unsupportedVersion,  // of a protocol over HTTP (tus)
  payloadTooLarge,
  unsupportedMediaType,
  rangeNotSatisfiable,
  upgradeRequired,
  rateLimited,
  headersTooLarge,
  internal,
  // Calls out, all the same on the wire: failed; too slow; never made, since the address or URL is not allowed; turned
  // down for good by the other side (a mail server that knows no such address).
  upstreamFailed,
  upstreamTimeout,
  upstreamRefused,
  upstreamRejected,
  unavailable,
  functionsBusy,  // no worker was free in time to run a function
  // Neither reaches a client. The catalogue changed under a write, which is to be computed again on the new snapshot;
  // something else that a write was prepared from changed, and it is to be prepared again (store/retry.h).
  staleCatalogue,
  retry,
};

// What a code is on the wire.
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

// What of the stored data refused a write, for callers with a message of their own.
struct Violation {
  enum class Kind { index, condition, limit } kind = Kind::index;
  std::string name;   // of the unique index, the condition or the counter
  size_t target = 0;  // of an index: the position of the document in the write
};

// A code, a message for the caller, and a private cause for the log. Move-only and one pointer wide, so that a Result
// costs little on the way that succeeds.
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
  // Null where it was nothing stored that refused.
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

// The {"error": {...}} body of decisions 1, as JSON text.
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

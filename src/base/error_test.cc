#include "base/error.h"

#include <gtest/gtest.h>

#include <set>

namespace mb {
namespace {

using namespace std::string_literals;

struct Row {
  ErrorCode code;
  int status;
  std::string_view wire;
};

// The statuses and codes of docs/api.md, independent of the order of the enumeration.
constexpr Row kExpected[] = {
    {ErrorCode::validation, 400, "VALIDATION"},
    {ErrorCode::invalidJson, 400, "INVALID_JSON"},
    {ErrorCode::invalidParam, 400, "INVALID_PARAM"},
    {ErrorCode::invalidFilter, 400, "INVALID_FILTER"},
    {ErrorCode::invalidBody, 400, "INVALID_BODY"},
    {ErrorCode::invalidUpdate, 400, "INVALID_UPDATE"},
    {ErrorCode::invalidCursor, 400, "INVALID_CURSOR"},
    {ErrorCode::queryTooCostly, 400, "QUERY_TOO_COSTLY"},
    {ErrorCode::missingProject, 400, "MISSING_PROJECT"},
    {ErrorCode::projectMismatch, 400, "PROJECT_MISMATCH"},
    {ErrorCode::billingDisabled, 400, "BILLING_DISABLED"},
    {ErrorCode::unauthenticated, 401, "UNAUTHENTICATED"},
    {ErrorCode::invalidCredentials, 401, "INVALID_CREDENTIALS"},
    {ErrorCode::forbidden, 403, "FORBIDDEN"},
    {ErrorCode::userInactive, 403, "USER_INACTIVE"},
    {ErrorCode::userBlocked, 403, "USER_BLOCKED"},
    {ErrorCode::emailUnverified, 403, "EMAIL_UNVERIFIED"},
    {ErrorCode::projectSuspended, 403, "PROJECT_SUSPENDED"},
    {ErrorCode::planLimit, 403, "PLAN_LIMIT"},
    {ErrorCode::notFound, 404, "NOT_FOUND"},
    {ErrorCode::methodNotAllowed, 405, "METHOD_NOT_ALLOWED"},
    {ErrorCode::requestTimeout, 408, "REQUEST_TIMEOUT"},
    {ErrorCode::conflict, 409, "CONFLICT"},
    {ErrorCode::emailTaken, 409, "EMAIL_TAKEN"},
    {ErrorCode::testsFailed, 409, "TESTS_FAILED"},
    {ErrorCode::preconditionFailed, 412, "PRECONDITION_FAILED"},
    {ErrorCode::unsupportedVersion, 412, "UNSUPPORTED_VERSION"},
    {ErrorCode::payloadTooLarge, 413, "PAYLOAD_TOO_LARGE"},
    {ErrorCode::unsupportedMediaType, 415, "UNSUPPORTED_MEDIA_TYPE"},
    {ErrorCode::rangeNotSatisfiable, 416, "RANGE_NOT_SATISFIABLE"},
    {ErrorCode::upgradeRequired, 426, "UPGRADE_REQUIRED"},
    {ErrorCode::rateLimited, 429, "RATE_LIMITED"},
    {ErrorCode::planRunLimit, 429, "PLAN_LIMIT"},
    {ErrorCode::headersTooLarge, 431, "HEADERS_TOO_LARGE"},
    {ErrorCode::internal, 500, "INTERNAL"},
    {ErrorCode::upstreamFailed, 502, "UPSTREAM_FAILED"},
    {ErrorCode::upstreamTimeout, 502, "UPSTREAM_FAILED"},
    {ErrorCode::upstreamRefused, 502, "UPSTREAM_FAILED"},
    {ErrorCode::upstreamRejected, 502, "UPSTREAM_FAILED"},
    {ErrorCode::unavailable, 503, "UNAVAILABLE"},
    {ErrorCode::functionsBusy, 503, "FUNCTIONS_BUSY"},
    {ErrorCode::staleCatalogue, 503, "UNAVAILABLE"},
    {ErrorCode::retry, 503, "UNAVAILABLE"},
};

TEST(Error, CodesHaveTheirStatusAndWord) {
  std::set<ErrorCode> told;
  for (const Row& row : kExpected) {
    EXPECT_EQ(meaningOf(row.code).status, row.status) << row.wire;
    EXPECT_EQ(meaningOf(row.code).wire, row.wire);
    told.insert(row.code);
  }
  EXPECT_EQ(told.size(), static_cast<size_t>(ErrorCode::retry) + 1);
}

TEST(Error, BodyHoldsCodeAndMessageOnly) {
  const Error error = Error(ErrorCode::notFound, "no such document").withCause("a secret of the store");
  EXPECT_EQ(errorBody(error), R"({"error":{"code":"NOT_FOUND","message":"no such document"}})");
}

TEST(Error, BodyListsDetails) {
  const Error error =
      Error(ErrorCode::validation, "bad").withDetail("/title", "too long").withDetail("/a~1b", "missing");
  EXPECT_EQ(errorBody(error), R"({"error":{"code":"VALIDATION","message":"bad","details":[)"
                              R"({"path":"/title","message":"too long"},{"path":"/a~1b","message":"missing"}]}})");
}

TEST(Error, BodyIsValidJsonWhateverTheMessageQuotes) {
  const std::pair<std::string, std::string> cases[] = {
      {"say \"no\" \\ now", R"(say \"no\" \\ now)"},
      {"nul\0tab\tnewline\n"s, R"(nul\u0000tab\u0009newline\u000a)"},
      {"é € 😀", "é € 😀"},
      {"\x7f", "\x7f"},
      {"cut \xE2\x82", "cut \xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\x80 alone", "\xEF\xBF\xBD alone"},
      {"\xC0\xAF overlong", "\xEF\xBF\xBD\xEF\xBF\xBD overlong"},
      {"\xE0\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xED\xA0\x80 surrogate", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD surrogate"},
      {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (const auto& [message, escaped] : cases) {
    EXPECT_EQ(errorBody(Error(ErrorCode::internal, message)),
              R"({"error":{"code":"INTERNAL","message":")" + escaped + R"("}})");
  }
}

TEST(Error, CloneKeepsEverything) {
  const Error error = Error(ErrorCode::rateLimited, "slow down")
                          .withRetryAfter(7)
                          .withCause("why")
                          .withAllow("GET")
                          .withDetail("/a", "b");
  const Error copy = error.clone();
  EXPECT_EQ(copy.code(), ErrorCode::rateLimited);
  EXPECT_EQ(copy.message(), "slow down");
  EXPECT_EQ(copy.retryAfterSeconds(), 7);
  EXPECT_EQ(copy.cause(), "why");
  EXPECT_EQ(copy.allow(), "GET");
  ASSERT_EQ(copy.details().size(), 1U);
  EXPECT_EQ(copy.details()[0].path, "/a");
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::validation, "odd");
  return number / 2;
}

Result<int> quarter(int number) {
  TRY(const int first, half(number));
  RETURN_IF_ERROR(half(first));
  return half(first);
}

TEST(Error, TryReturnsTheFirstFailure) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(7).error().message(), "odd");
  EXPECT_EQ(quarter(6).error().code(), ErrorCode::validation);
}

}  // namespace
}  // namespace mb

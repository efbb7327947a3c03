#include "openapi/docs.h"

namespace mb::openapi {

namespace {

constexpr ErrorDoc kErrorDocs[] = {
    {ErrorCode::validation, "the body is not valid; `details` name each problem"},
    {ErrorCode::invalidJson, "the body is not valid JSON, or a key occurs twice in it"},
    {ErrorCode::invalidParam, "a query parameter is not valid"},
    {ErrorCode::invalidFilter, "the filter is not a JSON object of known operators"},
    {ErrorCode::invalidBody, "a replacement holds update operators"},
    {ErrorCode::invalidUpdate, "an update operator is unknown or misused"},
    {ErrorCode::invalidCursor, "the cursor is altered, older than 7 days, or of another query"},
    {ErrorCode::queryTooCostly, "the request takes more work than is allowed; use a smaller pattern, filter or value"},
    {ErrorCode::missingProject, "name the project in `x-service-project`"},
    {ErrorCode::projectMismatch, "the token belongs to another project than `x-service-project` names"},
    {ErrorCode::unauthenticated, "the token is missing or not valid"},
    {ErrorCode::invalidCredentials, "the address, password, code or token is wrong"},
    {ErrorCode::forbidden, "the caller may not do this"},
    {ErrorCode::userInactive, "this user was deactivated"},
    {ErrorCode::userBlocked, "this user is blocked"},
    {ErrorCode::emailUnverified, "the caller has not verified their address"},
    {ErrorCode::projectSuspended, "this project is suspended"},
    {ErrorCode::planLimit, "a limit of the plan is reached"},
    {ErrorCode::notFound, "it does not exist, or the caller may not know of it"},
    {ErrorCode::methodNotAllowed, "this path does not allow the method"},
    {ErrorCode::conflict, "it conflicts with the current state"},
    {ErrorCode::emailTaken, "this address is registered already"},
    {ErrorCode::testsFailed, "stored tests fail with this configuration, `details` names each; nothing was changed"},
    {ErrorCode::preconditionFailed, "the document's version is not what `if-match` or `if-none-match` demands"},
    {ErrorCode::unsupportedVersion, "the version of resumable uploads must be 1.0.0"},
    {ErrorCode::payloadTooLarge, "the body, the response or the project's configuration is too large"},
    {ErrorCode::unsupportedMediaType, "the content type of the body is not supported"},
    {ErrorCode::rangeNotSatisfiable, "the range is beyond the end of the file"},
    {ErrorCode::upgradeRequired, "this path needs a WebSocket upgrade"},
    {ErrorCode::rateLimited, "too many attempts; try again after `retry-after`"},
    {ErrorCode::planRunLimit, "the function runs of the plan are used up in this month"},
    {ErrorCode::upstreamFailed, "the other service failed, or may not be called"},
    {ErrorCode::unavailable, "the server is busy or stopping; try again"},
    {ErrorCode::functionsBusy, "no worker was free to run the function in time; try again"},
};

}  // namespace

std::span<const ErrorDoc> errorDocs() {
  return kErrorDocs;
}

std::string_view errorMeaning(ErrorCode code) {
  for (const ErrorDoc& doc : kErrorDocs) {
    if (doc.code == code) return doc.meaning;
  }
  return {};
}

}  // namespace mb::openapi

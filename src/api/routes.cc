#include "api/routes.h"

namespace mb::api {

namespace {

constexpr std::string_view kJson = "application/json";

// "application/json", any "+json", parameters aside.
bool isJson(std::string_view contentType) {
  std::string_view type = contentType.substr(0, contentType.find(';'));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.remove_suffix(1);
  if (http::equalsIgnoreCase(type, kJson)) return true;
  return type.size() > 5 && http::equalsIgnoreCase(type.substr(type.size() - 5), "+json");
}

}  // namespace

Gate open() {
  return {Plane::open, "", "", ""};
}
Gate authPublic(std::string_view rateAction) {
  return {Plane::authPublic, "", "", rateAction};
}
Gate endUser(std::string_view rateAction) {
  return {Plane::endUser, "", "", rateAction};
}
Gate data(std::string_view scope) {
  return {Plane::data, scope, "", ""};
}
Gate dataOrPublic(std::string_view scope) {
  return {Plane::dataOrPublic, scope, "", ""};
}
Gate dataOrAnonymous(std::string_view scope, std::optional<policy::Operation> operation) {
  return {Plane::dataOrAnonymous, scope, "", "", operation};
}
Gate admin(policy::RequiredPermission permission) {
  return {Plane::admin, "admin", permission, ""};
}
Gate control(std::string_view rateAction) {
  return {Plane::control, "", "", rateAction};
}
Gate controlPublic(std::string_view rateAction) {
  return {Plane::open, "", "", rateAction};
}
Gate controlCookie(std::string_view rateAction) {
  Gate gate = controlPublic(rateAction);
  gate.countsCookies = true;
  return gate;
}
Gate operators() {
  return {Plane::operators, "", "", ""};
}

Result<doc::Document> readBody(const RequestContext& context, doc::ExtendedJson extended) {
  const http::Request& request = context.request;
  if (request.body.empty()) return fail(ErrorCode::validation, "this request needs a body: send a JSON object");
  // A body without a content type is read as JSON.
  const auto contentType = request.header("content-type");
  if (contentType && !isJson(*contentType)) {
    return fail(ErrorCode::unsupportedMediaType, "the body must be application/json");
  }
  const doc::JsonLimits limits{.extended = extended};
  Result<doc::Document> object = doc::parseJson(request.body, limits);
  const size_t start = request.body.find_first_not_of(" \t\r\n");
  const bool isOther = !object && start != std::string_view::npos && request.body[start] != '{';
  if (isOther && doc::parseJsonValue(request.body, limits)) {
    return fail(ErrorCode::validation, "the body must be a JSON object");
  }
  return object;
}

Task<doc::Document> parseBody(RequestContext& context, doc::ExtendedJson extended) {
  co_return co_await context.parsed([&context, extended] { return readBody(context, extended); });
}

Task<Reply> failedReply(Error error) {
  co_return fail(std::move(error));
}

}  // namespace mb::api

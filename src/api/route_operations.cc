#include "api/route_operations.h"

#include <algorithm>

#include "base/text.h"
#include "openapi/docs.h"

namespace mb::api {

namespace {

using openapi::Operation;
using openapi::Parameter;
using In = openapi::Parameter::In;

constexpr std::string_view kAnyCollection = "/api/v1/:collection!";
constexpr std::string_view kAdminDocuments = "/api/v1/admin/collections/:name/documents";
constexpr std::string_view kApi = "/api/v1/";
constexpr std::string_view kControlPaths = "/api/v1/control/";
constexpr std::string_view kAdmin = "/api/v1/admin/";

std::vector<std::string_view> segmentsOf(std::string_view pattern) {
  std::vector<std::string_view> segments;
  std::string_view left = pattern.substr(1);
  while (!left.empty()) {
    const size_t slash = left.find('/');
    segments.push_back(left.substr(0, slash));
    left = slash == std::string_view::npos ? std::string_view() : left.substr(slash + 1);
  }
  return segments;
}

bool isParameter(std::string_view segment) {
  return segment.starts_with(':') || segment.starts_with('*');
}

// ":collection!" is "collection".
std::string_view bare(std::string_view segment) {
  if (isParameter(segment)) segment.remove_prefix(1);
  if (segment.ends_with('!')) segment.remove_suffix(1);
  return segment;
}

void addQuery(Operation& operation, std::string_view name) {
  if (const auto* doc = openapi::queryDoc(name)) {
    operation.parameters.push_back({In::query, std::string(name), doc->meaning, doc->schema});
  }
}

void addHeader(Operation& operation, std::string_view name) {
  if (const auto* doc = openapi::headerDoc(name)) {
    operation.parameters.push_back({In::header, std::string(name), doc->meaning, doc->schema});
  }
}

void addParameters(Operation& operation, const Route& route, const RouteDoc& doc) {
  std::string_view before;
  for (const std::string_view segment : segmentsOf(route.pattern)) {
    if (isParameter(segment)) {
      if (const auto* words = openapi::pathDoc(before, bare(segment))) {
        operation.parameters.push_back({In::path, std::string(bare(segment)), words->meaning, words->schema});
      }
    }
    before = bare(segment);
  }
  for (const std::string_view name : doc.query) addQuery(operation, name);
  const bool named = std::find(doc.query.begin(), doc.query.end(), "project") != doc.query.end();
  if (route.gate.plane == Plane::authPublic && !named) addQuery(operation, "project");
  if (route.gate.traits().needsProject()) addHeader(operation, "x-service-project");
  for (const std::string_view name : doc.extra.headers) addHeader(operation, name);
}

// "data::0:list" with the name of the first parameter in place of ":0".
std::string permissionOf(const Route& route) {
  std::string permission(route.gate.permission);
  const size_t at = permission.find(":0");
  if (at == std::string::npos) return permission;
  for (const std::string_view segment : segmentsOf(route.pattern)) {
    if (isParameter(segment)) return permission.replace(at, 2, "{" + std::string(bare(segment)) + "}");
  }
  return permission;
}

void addSecurity(Operation& operation, const Route& route, const RouteDoc& doc) {
  if (!doc.extra.security.empty()) {
    operation.security = doc.extra.security;
    return;
  }
  const std::string scope(route.gate.scope);
  switch (route.gate.plane) {
    case Plane::open:
    case Plane::authPublic:
      return;
    case Plane::endUser:
      operation.security = {{"endUser", ""}};
      return;
    case Plane::data:
      operation.security = {{"endUser", ""}, {"member", ""}, {"apiKey", scope}};
      return;
    case Plane::dataOrPublic:
    case Plane::dataOrAnonymous:
      operation.security = {{"", ""}, {"endUser", ""}, {"member", ""}, {"apiKey", scope}};
      return;
    case Plane::admin:
      operation.security = {{"member", permissionOf(route)}, {"apiKey", scope}};
      return;
    case Plane::control:
      operation.security = {{"control", ""}};
      return;
    case Plane::operators:
      operation.security = {{"operator", ""}};
      return;
  }
}

bool holds(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool hasClosedQuery(const Route& route, const RouteDoc& doc) {
  const bool strict = route.pattern.starts_with(kControlPaths) || route.pattern.starts_with(kAdmin);
  return strict && !doc.extra.openQuery;
}

// Adds the errors that follow from the declaration: gates, path, query and body.
void addErrors(Operation& operation, const Route& route, const RouteDoc& doc) {
  std::vector<ErrorCode>& errors = operation.errors;
  errors = doc.errors;
  if (!route.pattern.starts_with(kApi) && !doc.responses.empty()) {
    if (route.pattern.find(':') != std::string::npos) errors.push_back(ErrorCode::notFound);
    return;
  }
  const Gate& gate = route.gate;
  const PlaneTraits& plane = gate.traits();
  const bool token = plane.token != PlaneToken::none;
  if (token) errors.push_back(ErrorCode::unauthenticated);
  if (plane.needsProject()) errors.push_back(ErrorCode::projectSuspended);
  if (plane.needsProject() && token) {
    errors.insert(errors.end(), {ErrorCode::projectMismatch, ErrorCode::forbidden, ErrorCode::notFound});
  }
  if (plane.lookup != ProjectLookup::none && !plane.publicRules) {
    errors.insert(errors.end(), {ErrorCode::missingProject, ErrorCode::notFound, ErrorCode::invalidParam});
  }
  if (plane.callers == PlaneCallers::operators)
    errors.insert(errors.end(), {ErrorCode::forbidden, ErrorCode::notFound});
  if (gate.plane == Plane::data || plane.publicRules) errors.push_back(ErrorCode::notFound);
  if (route.pattern.starts_with(kControlPaths)) errors.push_back(ErrorCode::notFound);
  if (!gate.rateAction.empty() || gate.countsPublic(route.method)) errors.push_back(ErrorCode::rateLimited);
  if (route.pattern.find_first_of(":*") != std::string::npos) errors.push_back(ErrorCode::notFound);
  if (!doc.query.empty() || hasClosedQuery(route, doc)) errors.push_back(ErrorCode::invalidParam);
  if (holds(doc.query, "filter")) errors.push_back(ErrorCode::invalidFilter);
  if (route.pattern.starts_with(kAnyCollection) || route.pattern.starts_with(kAdminDocuments)) {
    errors.push_back(ErrorCode::queryTooCostly);
  }
  const auto isJson = [](const openapi::Content& body) { return !body.none() && body.type == "application/json"; };
  if (isJson(operation.body) || isJson(operation.otherBody)) {
    errors.insert(errors.end(), {ErrorCode::validation, ErrorCode::invalidJson, ErrorCode::unsupportedMediaType});
  }
  // The server reads a body on any route, and refuses one that is too large.
  errors.insert(errors.end(), {ErrorCode::payloadTooLarge, ErrorCode::unavailable});
}

Operation operationOf(const Route& route, const RouteDoc& doc) {
  Operation operation;
  operation.method = lowerAscii(http::methodName(route.method));
  operation.path = openApiPath(route.pattern);
  operation.id = doc.id;
  operation.tag = openapi::tagDoc(operation.path)->tag;
  operation.summary = route.summary;
  operation.more = doc.extra.more;
  operation.ofCollection = route.pattern.starts_with(kAnyCollection);
  operation.body = doc.extra.body;
  if (route.bodyShape != nullptr) operation.body.shape = route.bodyShape;
  operation.otherBody = doc.extra.otherBody;
  operation.bodyRequired = !doc.extra.bodyOptional;
  operation.responses = doc.responses;
  operation.mentions = doc.extra.mentions;
  addParameters(operation, route, doc);
  addSecurity(operation, route, doc);
  addErrors(operation, route, doc);
  return operation;
}

}  // namespace

const RouteDoc* docOf(const Route& route, std::span<const RouteDoc> docs) {
  for (const RouteDoc& doc : docs) {
    if (doc.method == route.method && doc.pattern == route.pattern) return &doc;
  }
  return nullptr;
}

std::string openApiPath(std::string_view pattern) {
  std::string path;
  for (const std::string_view segment : segmentsOf(pattern)) {
    path += '/';
    path += isParameter(segment) ? "{" + std::string(bare(segment)) + "}" : std::string(segment);
  }
  if (pattern.size() > 1 && pattern.ends_with('/')) path += '/';
  return path;
}

std::vector<Operation> operationsOf(const RouteTable& routes, std::span<const RouteDoc> docs) {
  std::vector<Operation> operations;
  for (const Route& route : routes.all()) {
    const RouteDoc* doc = docOf(route, docs);
    if (doc != nullptr && !doc->responses.empty() && !route.refuses) operations.push_back(operationOf(route, *doc));
  }
  return operations;
}

void declareQueries(RouteTable& routes, std::span<const RouteDoc> docs) {
  for (Route& route : routes.all()) {
    const RouteDoc* doc = docOf(route, docs);
    if (doc != nullptr && hasClosedQuery(route, *doc)) route.query = doc->query;
  }
}

}  // namespace mb::api

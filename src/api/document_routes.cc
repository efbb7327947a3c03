#include "api/document_routes.h"

#include <charconv>
#include <limits>

#include "api/document_conditions.h"
#include "api/document_list.h"
#include "base/cancellation.h"
#include "http/conditional.h"

namespace mb::api {
namespace {

// Size of a document whose JSON is written on the core; omitting fields takes longer than writing them.
constexpr size_t kWrittenInline = 256 << 10;

Result<uint64_t> readCount(std::string_view name, std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool tooLarge = error == std::errc::result_out_of_range;
  if (text.empty() || end != text.data() + text.size() || (error != std::errc() && !tooLarge)) {
    return fail(ErrorCode::invalidParam, std::string(name) + " must be a non-negative integer");
  }
  return tooLarge ? std::numeric_limits<int64_t>::max() : value;
}

std::vector<std::string> readExpand(std::string_view text) {
  std::vector<std::string> fields;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view field = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ')) field.remove_suffix(1);
    if (!field.empty()) fields.emplace_back(field);
  }
  return fields;
}

Reply documentReply(int status, const data::VisibleDocument& visible) {
  return Reply::entity(status, "document", visible.document, visible.hidden.get());
}

bool isLarge(const data::VisibleDocument& visible) {
  return visible.document.size() > kWrittenInline;
}

// documentReply() off the core. `isChange`: the document was written.
Task<Reply> largeReply(RequestContext& context, int status, const data::VisibleDocument& visible, bool isChange) {
  const auto write = [&]() -> Result<Reply> { return documentReply(status, visible); };
  const std::string& project = context.project->info().id.str();
  if (isChange) co_return co_await context.parsing.runOrHere(project, write);
  co_return co_await context.parsing.run(project, write);
}

}  // namespace

Result<data::ReadQuery> readQuery(std::string_view rawQuery) {
  data::ReadQuery query;
  if (rawQuery.empty()) return query;
  TRY(const http::QueryParams params, http::QueryParams::parse(rawQuery));
  if (const auto limit = params.get("limit")) {
    TRY(query.limit, readCount("limit", *limit));
  }
  if (const auto skip = params.get("skip")) {
    TRY(query.skip, readCount("skip", *skip));
  }
  if (const auto filter = params.get("filter")) {
    auto parsed = doc::parseJson(*filter);
    if (!parsed) {
      return fail(ErrorCode::invalidFilter, "filter must be a JSON object: " + parsed.error().message());
    }
    query.filter = *std::move(parsed);
  }
  if (const auto expand = params.get("expand")) query.expand = readExpand(*expand);
  return query;
}

DocumentRoutes::DocumentRoutes(data::Documents& documents)
    : byPolicies_(documents, data::Authority::policies), byAdmins_(documents, data::Authority::admin) {}

void DocumentRoutes::addTo(RouteTable& routes) {
  using Plane = DocumentPlane;
  const std::string many = "/api/v1/:collection!";
  const std::string one = "/api/v1/:collection!/:id";
  routes.get(many, dataOrAnonymous("read", policy::Operation::list), &byPolicies_, &Plane::list,
             "List the documents that the policy allows to read");
  routes.post(many, dataOrAnonymous("write", policy::Operation::create), &byPolicies_, &Plane::create,
              "Create a document");
  routes.get(one, dataOrAnonymous("read", policy::Operation::read), &byPolicies_, &Plane::get, "Read a document");
  routes.patch(one, data("write"), &byPolicies_, &Plane::update, "Change fields of a document");
  routes.put(one, data("write"), &byPolicies_, &Plane::replace, "Replace a document");
  routes.remove(one, data("write"), &byPolicies_, &Plane::remove, "Delete a document");

  const std::string adminMany = "/api/v1/admin/collections/:name/documents";
  const std::string adminOne = "/api/v1/admin/collections/:name/documents/:id";
  routes.get(adminMany, admin("data::0:list"), &byAdmins_, &Plane::list, "List documents, without policies");
  routes.post(adminMany, admin("data::0:create"), &byAdmins_, &Plane::create, "Create a document");
  routes.get(adminOne, admin("data::0:read"), &byAdmins_, &Plane::get, "Read a document");
  routes.patch(adminOne, admin("data::0:update"), &byAdmins_, &Plane::update, "Change fields of a document");
  routes.put(adminOne, admin("data::0:update"), &byAdmins_, &Plane::replace, "Replace a document");
  routes.remove(adminOne, admin("data::0:delete"), &byAdmins_, &Plane::remove, "Delete a document");
}

data::Access DocumentPlane::accessOf(const RequestContext& context) const {
  return {context.caller, context.project, authority_, context.deadline};
}

Task<Reply> DocumentPlane::changedReply(RequestContext& context, const data::Access& access,
                                        data::VisibleDocument changed) {
  const bool preferred = prefersRepresentation(context.request);
  const std::optional<store::DocumentVersion> version = changed.version;
  std::optional<data::VisibleDocument> shown;
  if (authority_ == data::Authority::admin) {
    shown = std::move(changed);
  } else if (preferred) {
    CO_TRY(shown, co_await documents_.readable(access, context.param(0), std::move(changed)));
  }
  Reply reply = Reply::noContent();
  if (shown && isLarge(*shown)) {
    CO_TRY(reply, co_await largeReply(context, 200, *shown, true));
  } else if (shown) {
    reply = documentReply(200, *shown);
  }
  if (shown && preferred) reply.response.headers.emplace_back("preference-applied", "return=representation");
  // A PUT is not stored as it was sent (updatedAt), so that without the document its response has no tag (RFC 9110,
  // 9.3.4).
  const bool tagged = shown || context.request.method != http::Method::put;
  if (version && tagged) addVersion(reply.response, data::etagOf(*version));
  co_return reply;
}

Task<Reply> DocumentPlane::createdReply(RequestContext& context, const data::VisibleDocument& created) {
  Reply reply;
  if (isLarge(created)) {
    CO_TRY(reply, co_await largeReply(context, 201, created, true));
  } else {
    reply = documentReply(201, created);
  }
  if (created.version) addVersion(reply.response, data::etagOf(*created.version));
  co_return reply;
}

Task<Reply> DocumentPlane::list(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(data::ReadQuery query, readQuery(context.request.query));
  query.explain = authority_ == data::Authority::admin && context.request.header("x-service-explain") == "1";
  const data::Access access = accessOf(context);
  CO_TRY(const data::VisibleDocuments found, co_await documents_.list(access, context.param(0), query));
  std::string body;
  CO_RETURN_IF_ERROR(co_await writeDocuments(body, found.documents));
  if (authority_ == data::Authority::admin) {
    CO_TRY(const uint64_t total, co_await documents_.count(access, context.param(0), query));
    body += ",\"total\":" + std::to_string(total);
    if (query.explain) writeExplain(body, found.explain);
  }
  body += '}';
  co_return Reply{http::Response::json(200, std::move(body))};
}

Task<Reply> DocumentPlane::get(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(const data::ReadQuery query, readQuery(context.request.query));
  const data::Access access = accessOf(context);
  CO_TRY(const data::VisibleDocument found, co_await documents_.get(access, context.param(0), context.param(1), query));
  Reply reply;
  std::string etag = found.version ? data::etagOf(*found.version) : std::string();
  if (found.version && http::isNotModified(context.request, etag)) {
    reply.response = http::Response::empty(304);
  } else if (isLarge(found)) {
    CO_TRY(reply, co_await largeReply(context, 200, found, false));
  } else {
    reply = documentReply(200, found);
  }
  if (found.version) addVersion(reply.response, std::move(etag));
  co_return reply;
}

Task<Reply> DocumentPlane::create(RequestContext& context, doc::Document body) {
  const data::Access access = accessOf(context);
  CO_TRY(const data::VisibleDocument created, co_await documents_.create(access, context.param(0), std::move(body)));
  co_return co_await createdReply(context, created);
}

Task<Reply> DocumentPlane::update(RequestContext& context, doc::Document body) {
  CO_TRY(data::WriteCondition condition, writeConditionOf(context.request));
  const data::Access access = accessOf(context);
  CO_TRY(data::VisibleDocument changed,
         co_await documents_.update(access, context.param(0), context.param(1), std::move(body), std::move(condition)));
  co_return co_await changedReply(context, access, std::move(changed));
}

Task<Reply> DocumentPlane::replace(RequestContext& context, doc::Document body) {
  CO_TRY(data::WriteCondition condition, writeConditionOf(context.request));
  const bool creates = condition.demandsAbsence();
  const data::Access access = accessOf(context);
  CO_TRY(data::VisibleDocument changed, co_await documents_.replace(access, context.param(0), context.param(1),
                                                                    std::move(body), std::move(condition)));
  if (creates) co_return co_await createdReply(context, changed);
  co_return co_await changedReply(context, access, std::move(changed));
}

Task<Reply> DocumentPlane::remove(RequestContext& context) {
  CO_TRY(data::WriteCondition condition, writeConditionOf(context.request));
  const data::Access access = accessOf(context);
  CO_RETURN_IF_ERROR(co_await documents_.remove(access, context.param(0), context.param(1), std::move(condition)));
  co_return Reply::noContent();
}

}  // namespace mb::api

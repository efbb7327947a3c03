#include "api/query_routes.h"

#include "api/document_list.h"
#include "base/cancellation.h"
#include "data/schema_references.h"

namespace mb::api {
namespace {

// The JSON body as a T; without a body, a T without members.
template <class T>
Task<T> optionalBody(RequestContext& context) {
  if (context.request.body.empty()) co_return T();
  CO_TRY(const doc::Document body, co_await parseBody(context, doc::ExtendedJson::accept));
  co_return doc::decode<T>(body);
}

Task<Reply> pageReply(const data::DocumentPage& page, bool explains) {
  std::string body;
  CO_RETURN_IF_ERROR(co_await writeDocuments(body, page.documents));
  // Cursors are base64url, which JSON needs no escapes for.
  if (page.next) body += fmt::format(R"(,"next":"{}")", *page.next);
  if (page.total) body += fmt::format(R"(,"total":{})", *page.total);
  if (explains) writeExplain(body, page.explain);
  body += '}';
  co_return Reply{http::Response::json(200, std::move(body))};
}

Result<> requirePermission(const policy::Caller& caller, std::string_view permission) {
  if (caller.may(permission)) return {};
  return fail(ErrorCode::forbidden, fmt::format("this needs the permission {}", permission));
}

Result<> requireReading(const policy::Caller& caller, const std::vector<std::string>& collections) {
  for (const std::string& each : collections) {
    const bool profiles = each == data::kEndUsers;
    RETURN_IF_ERROR(requirePermission(
        caller, profiles ? std::string(policy::RequiredPermission("users:read")) : fmt::format("data:{}:read", each)));
  }
  return {};
}

}  // namespace

void QueryRoutes::addTo(RouteTable& routes) {
  using Routes = QueryRoutes;
  const std::string many = "/api/v1/:collection!";
  const Gate list = dataOrAnonymous("read", policy::Operation::list);
  routes.post(many + "/query", list, this, &Routes::query,
              "List documents sorted, by pages, with chosen fields and a total");
  routes.post(many + "/count", list, this, &Routes::count, "Count the documents that the policy allows to list");
  const std::string adminMany = "/api/v1/admin/collections/:name";
  routes.post(adminMany + "/query", admin("data::0:list"), this, &Routes::adminQuery,
              "List documents sorted and by pages, without policies or as another caller");
  routes.post(adminMany + "/count", admin("data::0:list"), this, &Routes::adminCount,
              "Count documents, without policies");
}

Task<Reply> QueryRoutes::query(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(data::QueryRequest request, co_await optionalBody<data::QueryRequest>(context));
  CO_TRY(const data::DocumentQuery query, data::parseQuery(std::move(request)));
  const data::Access access{context.caller, context.project, data::Authority::policies, context.deadline};
  CO_TRY(const data::DocumentPage page, co_await documents_.query(access, context.param(0), query));
  co_return co_await pageReply(page, false);
}

Task<Reply> QueryRoutes::adminQuery(RequestContext& context) {
  co_await endWithClient();
  CO_TRY(AdminQueryRequest request, co_await optionalBody<AdminQueryRequest>(context));
  std::optional<identity::CallerDescription> as = std::move(request.as);
  CO_TRY(data::DocumentQuery query, data::parseQuery(std::move(request)));
  query.read.explain = true;
  if (as) {
    CO_TRY(const data::DocumentPage page, co_await queryAs(context, query, *std::move(as)));
    co_return co_await pageReply(page, true);
  }
  const data::Access access{context.caller, context.project, data::Authority::admin, context.deadline};
  CO_TRY(const data::DocumentPage page, co_await documents_.query(access, context.param(0), query));
  co_return co_await pageReply(page, true);
}

// A member who looks through another caller's eyes must be allowed to read all that the result may follow from.
Task<data::DocumentPage> QueryRoutes::queryAs(RequestContext& context, const data::DocumentQuery& query,
                                              identity::CallerDescription as) const {
  std::vector<ErrorDetail> problems = identity::descriptionProblems(as, identity::DescribedBy::records, "/as");
  if (!problems.empty()) {
    std::string message = fmt::format("{} {}", problems.front().path, problems.front().message);
    co_return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
  }
  const std::string& collection = context.param(0);
  if (const auto described = identity::permissionFor(as)) {
    CO_RETURN_IF_ERROR(requirePermission(context.caller, std::string_view(*described)));
  }
  CO_RETURN_IF_ERROR(requireReading(context.caller, {collection}));
  CO_TRY(const std::vector<std::string> read,
         trials_.collectionsRead(*context.project, collection, policy::Operation::list));
  CO_RETURN_IF_ERROR(requireReading(context.caller, read));
  CO_TRY(const std::vector<std::string> expanded,
         documents_.expandedCollections(*context.project, collection, query.read.expand));
  CO_RETURN_IF_ERROR(requireReading(context.caller, expanded));
  for (const std::string& each : expanded) {
    // References to end users, and to collections that do not exist, follow no rule.
    const auto behind = trials_.collectionsRead(*context.project, each, policy::Operation::read);
    if (behind) CO_RETURN_IF_ERROR(requireReading(context.caller, *behind));
  }

  CO_TRY(const policy::Caller caller, co_await callers_.find(context.project, std::move(as), "/as"));
  if (caller.kind == policy::CallerKind::apiKey && !caller.hasScope("read")) {
    co_return fail(ErrorCode::forbidden, "this key lacks the scope read");
  }
  const data::Access access{caller, context.project, data::Authority::policies, context.deadline};
  auto page = co_await documents_.query(access, collection, query);
  // The member's own token is valid.
  if (!page && page.error().code() == ErrorCode::unauthenticated) {
    co_return fail(ErrorCode::forbidden,
                   "without a token the collection may not be listed: it has no public list rule");
  }
  co_return page;
}

Task<Reply> QueryRoutes::countAs(RequestContext& context, data::Authority authority) {
  co_await endWithClient();
  CO_TRY(data::CountRequest request, co_await optionalBody<data::CountRequest>(context));
  data::ReadQuery query;
  query.filter = std::move(request.filter);
  const data::Access access{context.caller, context.project, authority, context.deadline};
  CO_TRY(const uint64_t count, co_await documents_.count(access, context.param(0), query));
  co_return Reply{http::Response::json(200, fmt::format(R"({{"count":{}}})", count))};
}

Task<Reply> QueryRoutes::count(RequestContext& context) {
  return countAs(context, data::Authority::policies);
}

Task<Reply> QueryRoutes::adminCount(RequestContext& context) {
  return countAs(context, data::Authority::admin);
}

}  // namespace mb::api

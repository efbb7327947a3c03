#include "api/vector_routes.h"

#include <algorithm>

#include "api/search_hits.h"
#include "base/cancellation.h"
#include "document/keep_fields.h"

namespace mb::api {

namespace {

constexpr size_t kMaxFields = 100;

vectors::Access vectorAccess(const RequestContext& context) {
  return {context.caller, context.project};
}

struct SearchBody {
  vectors::SearchRequest request;
  std::optional<doc::FieldSet> fields;  // fields of the hits to return; unset: all
};

Result<uint64_t> limitOf(doc::ValueView value) {
  const auto limit = value.isNumber() ? value.toInteger() : std::nullopt;
  if (!limit || *limit < 0) return fail(ErrorCode::invalidParam, "limit must be a non-negative integer");
  return static_cast<uint64_t>(*limit);
}

std::optional<doc::FieldSet> fieldsOf(doc::ValueView value, std::vector<ErrorDetail>& problems) {
  if (value.type() != doc::BsonType::array) {
    problems.push_back({"/fields", "must be an array of field names"});
    return std::nullopt;
  }
  std::vector<std::string> paths{"id"};
  for (const auto& [index, each] : value.asDocument()) {
    const std::string pointer = fmt::format("/fields/{}", index);
    if (paths.size() > kMaxFields) {
      problems.push_back({"/fields", fmt::format("must name at most {} fields", kMaxFields)});
      return std::nullopt;
    }
    if (each.type() != doc::BsonType::string) {
      problems.push_back({pointer, "must be a string"});
      return std::nullopt;
    }
    if (const auto path = doc::FieldPath::parse(each.asString()); !path) {
      problems.push_back({pointer, path.error().message()});
      return std::nullopt;
    }
    paths.emplace_back(each.asString());
  }
  return doc::FieldSet(std::move(paths));
}

std::optional<std::string> textOf(doc::ValueView value, std::string path, std::vector<ErrorDetail>& problems) {
  if (value.type() == doc::BsonType::string) return std::string(value.asString());
  problems.push_back({std::move(path), "must be a string"});
  return std::nullopt;
}

Result<SearchBody> readSearch(doc::DocumentView source) {
  SearchBody body;
  std::vector<ErrorDetail> problems;
  for (const auto& [key, value] : source) {
    if (value.type() == doc::BsonType::null) continue;
    if (key == "text") {
      body.request.text = textOf(value, "/text", problems);
    } else if (key == "vector") {
      body.request.vector = doc::Value(value);
    } else if (key == "field") {
      body.request.field = textOf(value, "/field", problems);
    } else if (key == "limit") {
      TRY(body.request.limit, limitOf(value));
    } else if (key == "filter") {
      if (value.type() != doc::BsonType::document)
        return fail(ErrorCode::invalidFilter, "filter must be a JSON object");
      body.request.filter = doc::Document(value.asDocument());
    } else if (key == "fields") {
      body.fields = fieldsOf(value, problems);
    } else {
      problems.push_back({"/" + std::string(key), "is not a known field"});
    }
  }
  if (problems.empty()) return body;
  std::string message = problems.front().path + " " + problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

std::string hitsJson(const vectors::SearchResult& result, const std::optional<doc::FieldSet>& fields) {
  std::string out = "{\"results\":[";
  for (size_t i = 0; i < result.hits.size(); ++i) {
    const vectors::SearchHit& hit = result.hits[i];
    const doc::Document kept = fields ? doc::keepFields(hit.document, *fields) : doc::Document();
    const doc::Document shown = withScore(fields ? kept.view() : hit.document.view(), hit.score);
    if (i > 0) out += ',';
    doc::writeJson(out, shown);
  }
  out += "]}";
  return out;
}

}  // namespace

void VectorRoutes::addTo(RouteTable& routes) {
  using Routes = VectorRoutes;
  const Gate read = admin("collections:read");
  const Gate manage = admin("collections:manage");
  const std::string config = "/api/v1/admin/collections/:name/vector-config";
  routes.get("/api/v1/admin/vector-configs", read, this, &Routes::list, "List the vector configs of all collections");
  routes.get(config, read, this, &Routes::config, "Read a collection's vector config, and the state of its indexes");
  routes.put(config, manage, this, &Routes::setConfig, "Set a collection's vector config");
  routes.remove(config, manage, this, &Routes::clearConfig, "Remove a collection's vector config");
  routes.post("/api/v1/:collection!/search", dataOrAnonymous("read", policy::Operation::read), this, &Routes::search,
              "Find the documents that are nearest to a vector or text");
}

Task<Reply> VectorRoutes::list(RequestContext& context) {
  co_return Reply::list("configs", vectors_.list(*context.project));
}

Task<Reply> VectorRoutes::config(RequestContext& context) {
  CO_TRY(const vectors::ConfigView view, co_await vectors_.view(context.project, context.param(0)));
  co_return Reply::object(200, view);
}

Task<Reply> VectorRoutes::setConfig(RequestContext& context, vectors::VectorConfig body) {
  CO_RETURN_IF_ERROR(co_await vectors_.set(vectorAccess(context), context.param(0), std::move(body)));
  co_return Reply::noContent();
}

Task<Reply> VectorRoutes::clearConfig(RequestContext& context) {
  CO_RETURN_IF_ERROR(co_await vectors_.clear(vectorAccess(context), context.param(0)));
  co_return Reply::noContent();
}

Task<Reply> VectorRoutes::search(RequestContext& context, doc::Document body) {
  co_await endWithClient();
  const data::Access reader{context.caller, context.project, data::Authority::policies, context.deadline};
  CO_RETURN_IF_ERROR(vectors_.search().allowed(reader, context.param(0)));
  CO_TRY(SearchBody asked, readSearch(body));
  CO_TRY(const vectors::SearchResult result,
         co_await vectors_.search().search(reader, context.param(0), std::move(asked.request)));
  co_return Reply{http::Response::json(200, hitsJson(result, asked.fields))};
}

}  // namespace mb::api

#include "graphql/graphql.h"

#include <algorithm>

#include "base/cancellation.h"
#include "graphql/executor.h"
#include "graphql/language/parser.h"
#include "graphql/language/validator.h"
#include "graphql/language/values.h"

namespace mb::graphql {

namespace {

std::string refusal(const Problems& problems, std::string_view source) {
  std::string out = "{\"errors\":";
  writeProblems(out, problems, source);
  out += '}';
  return out;
}

struct RequestBody {
  std::string query;
  doc::Document variables;
  std::optional<std::string> operation;
};

Parsed<RequestBody> parseBody(doc::DocumentView body) {
  const auto wrong = [](std::string message) { return std::unexpected(Problem{std::move(message)}); };
  RequestBody request;
  bool hasQuery = false;
  for (const doc::Element& each : body) {
    const doc::BsonType type = each.value.type();
    const bool null = type == doc::BsonType::null;
    if (each.key == "query") {
      if (type != doc::BsonType::string) return wrong("`query` must be a string.");
      request.query = each.value.asString();
      hasQuery = true;
    } else if (each.key == "variables") {
      if (!null && type != doc::BsonType::document) return wrong("`variables` must be an object or null.");
      if (!null) request.variables = doc::Document(each.value.asDocument());
    } else if (each.key == "operationName") {
      if (!null && type != doc::BsonType::string) return wrong("`operationName` must be a string or null.");
      if (!null) request.operation = std::string(each.value.asString());
    } else if (each.key == "extensions") {
      if (!null && type != doc::BsonType::document) return wrong("`extensions` must be an object or null.");
    }
  }
  if (!hasQuery) return wrong("Must provide query string.");
  return request;
}

Parsed<const Operation*> selectOperation(const Request& request, const std::optional<std::string>& name) {
  const auto wrong = [](std::string message) { return std::unexpected(Problem{std::move(message)}); };
  if (request.operations.empty()) return wrong("Must provide an operation.");
  if (!name) {
    if (request.operations.size() == 1) return &request.operations.front();
    return wrong("Must provide operation name if query contains multiple operations.");
  }
  const auto found = std::ranges::find(request.operations, *name, &Operation::name);
  if (found == request.operations.end()) return wrong(fmt::format("Unknown operation named \"{}\".", *name));
  return &*found;
}

// An API key needs a scope for the kind of operation; other callers need permissions only.
std::optional<Problem> outOfScope(const policy::Caller& caller, OperationKind kind) {
  if (caller.kind != policy::CallerKind::apiKey) return std::nullopt;
  const std::string_view needed = kind == OperationKind::mutation ? "write" : "read";
  if (caller.hasScope(needed)) return std::nullopt;
  return Problem{"this key lacks the scope " + std::string(needed), {}, ErrorCode::forbidden};
}

// The cache key of a text under a schema.
std::string keyOf(const Schema& schema, const std::string& query) {
  return fmt::format("{} {}", schema.number(), query);
}

}  // namespace

Graphql::Graphql(snapshot::Snapshots& snapshots, data::Data& data, Search* search)
    : documents_(data.documents()),
      search_(search),
      source_(data.slot()),
      slot_(snapshots.addSlot<SchemaSlot>(source_)) {
  if (search) source_.setSearch(*search);
}

std::shared_ptr<const Graphql::PreparedRequest> Graphql::findCached(const Schema& schema, const std::string& query) {
  if (query.size() > kMaxCachedBytes) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto* found = cached_.find(keyOf(schema, query));
  return found ? *found : nullptr;
}

void Graphql::preparePlans(const Schema& schema, PreparedRequest& prepared) {
  for (size_t i = 0; i < prepared.plans.size(); ++i) {
    auto planned = plan(schema, prepared.request, prepared.request.operations[i], {});
    if (planned && planned->fixed && planned->all <= kMaxCachedFields) prepared.plans[i] = *std::move(planned);
  }
}

std::expected<std::shared_ptr<const Graphql::PreparedRequest>, Problems> Graphql::requestOf(const Schema& schema,
                                                                                            const std::string& query) {
  if (auto cached = findCached(schema, query)) return cached;
  Parsed<Request> parsed = parse(query);
  if (!parsed) return std::unexpected(Problems{std::move(parsed).error()});
  auto prepared = std::make_shared<PreparedRequest>(*std::move(parsed));
  Problems problems = validate(schema, prepared->request);
  if (!problems.empty()) return std::unexpected(std::move(problems));
  prepared->plans.resize(prepared->request.operations.size());
  if (query.size() > kMaxCachedBytes) return prepared;
  preparePlans(schema, *prepared);
  const std::lock_guard lock(mutex_);
  cached_.put(keyOf(schema, query), prepared);
  return prepared;
}

Task<std::shared_ptr<const Schema>> Graphql::schemaOf(const data::Access& access) {
  const SchemaSlot& slot = access.project->get(slot_);
  if (auto known = slot.known(access.caller)) co_return known;
  co_return co_await pool_.run(access.project->info().id.str(), [&]() -> Result<std::shared_ptr<const Schema>> {
    return slot.schemaFor(*access.project, access.caller);
  });
}

Task<std::string> Graphql::answer(const data::Access& access, doc::Document body) {
  Parsed<RequestBody> parsed = parseBody(body);
  if (!parsed) co_return refusal({parsed.error()}, "");
  const auto found = co_await schemaOf(access);
  if (!found) co_return refusal({problemOf(found.error(), access.caller.requestId)}, parsed->query);
  const std::shared_ptr<const Schema>& schema = *found;
  const auto valid = requestOf(*schema, parsed->query);
  if (!valid) co_return refusal(valid.error(), parsed->query);
  const Request& request = (*valid)->request;
  const Parsed<const Operation*> operation = selectOperation(request, parsed->operation);
  if (!operation) co_return refusal({operation.error()}, *request.source);
  if (auto problem = outOfScope(access.caller, (*operation)->kind)) co_return refusal({*problem}, *request.source);
  const auto variables = coerceVariables(*schema, **operation, parsed->variables);
  if (!variables) co_return refusal(variables.error(), *request.source);
  const auto index = static_cast<size_t>(*operation - request.operations.data());
  const std::optional<Plan>& cached = (*valid)->plans[index];
  const auto own = cached ? Parsed<Plan>() : plan(*schema, request, **operation, *variables);
  if (!own) co_return refusal({own.error()}, *request.source);
  const Plan& steps = cached ? *cached : *own;
  const auto arguments = Arguments::coerced(steps, *variables);
  if (!arguments) co_return refusal({arguments.error()}, *request.source);

  if ((*operation)->kind == OperationKind::query) co_await endWithClient();
  std::string out = "{\"data\":";
  Executor executor(*schema, documents_, search_, pool_, access, *arguments);
  const Result<> done = co_await executor.run(steps.fields, (*operation)->kind, out);
  Problems& problems = executor.problems();
  if (!done && done.error().code() == ErrorCode::requestTimeout) co_return clientLeft();
  if (!done) {
    out = "{\"data\":null";
    problems = {problemOf(done.error(), access.caller.requestId)};
  }
  if (!problems.empty()) {
    out += ",\"errors\":";
    writeProblems(out, problems, *request.source);
  }
  out += '}';
  co_return out;
}

}  // namespace mb::graphql

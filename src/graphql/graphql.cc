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

// What the body of a request says.
struct Asked {
  std::string query;
  doc::Document variables;
  std::optional<std::string> operation;
};

Parsed<Asked> asked(doc::DocumentView body) {
  const auto wrong = [](std::string message) { return std::unexpected(Problem{std::move(message)}); };
  Asked request;
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

Parsed<const Operation*> chosen(const Request& request, const std::optional<std::string>& name) {
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

// Of a key its scopes say what it may begin; of everybody else their permissions say what they may do.
std::optional<Problem> outOfScope(const policy::Caller& caller, OperationKind kind) {
  if (caller.kind != policy::CallerKind::apiKey) return std::nullopt;
  const std::string_view needed = kind == OperationKind::mutation ? "write" : "read";
  const bool held =
      std::ranges::any_of(caller.scopes, [&](const std::string& scope) { return scope == needed || scope == "admin"; });
  if (held) return std::nullopt;
  return Problem{"this key lacks the scope " + std::string(needed), {}, ErrorCode::forbidden};
}

// Of a text under one schema.
std::string keyOf(const Schema& schema, const std::string& query) {
  return fmt::format("{} {}", schema.number(), query);
}

}  // namespace

Graphql::Graphql(snapshot::Snapshots& snapshots, data::Data& data, Search* search)
    : documents_(data.documents()),
      search_(search),
      source_(data.slot()),
      slot_(snapshots.addSlot<SchemaPlace>(source_)) {
  if (search) source_.setSearch(*search);
}

std::shared_ptr<const Graphql::Ready> Graphql::known(const Schema& schema, const std::string& query) {
  if (query.size() > kKnownBytes) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto* found = known_.find(keyOf(schema, query));
  return found ? *found : nullptr;
}

void Graphql::planAhead(const Schema& schema, Ready& ready) {
  for (size_t i = 0; i < ready.plans.size(); ++i) {
    auto made = plan(schema, ready.request, ready.request.operations[i], {});
    if (made && made->fixed && made->all <= kKnownFields) ready.plans[i] = *std::move(made);
  }
}

std::expected<std::shared_ptr<const Graphql::Ready>, Problems> Graphql::requestOf(const Schema& schema,
                                                                                  const std::string& query) {
  if (auto before = known(schema, query)) return before;
  Parsed<Request> parsed = parse(query);
  if (!parsed) return std::unexpected(Problems{std::move(parsed).error()});
  auto ready = std::make_shared<Ready>(*std::move(parsed));
  Problems problems = validate(schema, ready->request);
  if (!problems.empty()) return std::unexpected(std::move(problems));
  ready->plans.resize(ready->request.operations.size());
  if (query.size() > kKnownBytes) return ready;
  planAhead(schema, *ready);
  const std::lock_guard lock(mutex_);
  known_.put(keyOf(schema, query), ready);
  return ready;
}

Task<std::shared_ptr<const Schema>> Graphql::schemaOf(const data::Access& access) {
  const SchemaPlace& place = access.project->get(slot_);
  if (auto known = place.known(access.caller)) co_return known;
  co_return co_await pool_.run(access.project->info().id.str(), [&]() -> Result<std::shared_ptr<const Schema>> {
    return place.schemaFor(*access.project, access.caller);
  });
}

Task<std::string> Graphql::answer(const data::Access& access, doc::Document body) {
  Parsed<Asked> wanted = asked(body);
  if (!wanted) co_return refusal({wanted.error()}, "");
  const auto found = co_await schemaOf(access);
  if (!found) co_return refusal({problemOf(found.error(), access.caller.requestId)}, wanted->query);
  const std::shared_ptr<const Schema>& schema = *found;
  const auto valid = requestOf(*schema, wanted->query);
  if (!valid) co_return refusal(valid.error(), wanted->query);
  const Request& request = (*valid)->request;
  const Parsed<const Operation*> operation = chosen(request, wanted->operation);
  if (!operation) co_return refusal({operation.error()}, *request.source);
  if (auto problem = outOfScope(access.caller, (*operation)->kind)) co_return refusal({*problem}, *request.source);
  const auto variables = coerceVariables(*schema, **operation, wanted->variables);
  if (!variables) co_return refusal(variables.error(), *request.source);
  const auto index = static_cast<size_t>(*operation - request.operations.data());
  const std::optional<Plan>& ahead = (*valid)->plans[index];
  const auto now = ahead ? Parsed<Plan>() : plan(*schema, request, **operation, *variables);
  if (!now) co_return refusal({now.error()}, *request.source);
  const Plan& steps = ahead ? *ahead : *now;
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

// Parses the bodies of writes, before the document is read.
#include "base/work_budget.h"
#include "data/reserved.h"
#include "data/write.h"

namespace mb::data {
namespace {

Error notAnId() {
  return Error(ErrorCode::validation, "id must match ^[A-Za-z0-9_-]{1,64}$")
      .withDetail("/id", "must match ^[A-Za-z0-9_-]{1,64}$");
}

Result<> readInsert(WriteRequest& request) {
  if (request.idIsGiven) return isDocumentId(request.id) ? Result<>() : fail(notAnId());
  const auto given = request.body.view().find("id");
  if (!given) return {};
  if (given->type() != doc::BsonType::string || !isDocumentId(given->asString())) return fail(notAnId());
  request.id = given->asString();
  return {};
}

bool isOperator(const doc::Element& element) {
  return element.key.starts_with("$");
}

Result<> readUpdate(WriteRequest& request, const Grant& grant) {
  const doc::DocumentView body = request.body;
  request.update.reset();
  if (body.empty()) return {};
  size_t operators = 0;
  size_t fields = 0;
  for (const doc::Element& each : body) ++(isOperator(each) ? operators : fields);
  if (operators != 0 && fields != 0) {
    return fail(ErrorCode::invalidUpdate, "the body must hold either fields to set or update operators, not both");
  }
  doc::UpdateOptions options = request.options;
  options.coercion = &grant.collection->coercion();
  const WorkBudget work(kCoreWork);  // a $pull may hold a pattern, and there may be many
  auto update = operators != 0 ? doc::Update::parse(body, options) : doc::Update::set(body, options);
  RETURN_IF_ERROR(work.check());
  TRY(request.update, std::move(update));
  Result<> guarded = guardDeniedFields(body, operators != 0, grant);
  RETURN_IF_ERROR(work.check());
  return guarded;
}

Result<> readReplacement(const WriteRequest& request, const Grant& grant) {
  for (const doc::Element& field : request.body.view()) {
    if (isOperator(field)) {
      return fail(ErrorCode::invalidBody, "a replacement must be a whole document without update operators");
    }
  }
  const WorkBudget work(kCoreWork);
  Result<> guarded = guardReplacement(request.body, grant);
  RETURN_IF_ERROR(work.check());
  return guarded;
}

}  // namespace

WriteRequest insertRequest(doc::Document body, const DataDeps& deps, store::ProjectNo project) {
  WriteRequest request;
  request.event = WriteEvent::insert;
  request.body = std::move(body);
  if (!request.body.view().find("id")) {
    request.id = deps.store.newId(project, deps.ids);
    request.idIsNew = true;
  }
  return request;
}

Result<> parseWriteRequest(WriteRequest& request, const Grant& grant) {
  if (!grant.collection->schemaProblem.empty() && request.event != WriteEvent::remove) {
    return fail(Error(ErrorCode::unavailable, "the schema of this collection cannot be used: set it again")
                    .withCause(grant.collection->schemaProblem));
  }
  if (request.event == WriteEvent::insert) return readInsert(request);
  if (request.event == WriteEvent::update) RETURN_IF_ERROR(readUpdate(request, grant));
  if (request.event == WriteEvent::replace) RETURN_IF_ERROR(readReplacement(request, grant));
  // No document can have such an id; the store would return another error.
  if (!isDocumentId(request.id)) return fail(ErrorCode::notFound, "no such document");
  return {};
}

}  // namespace mb::data

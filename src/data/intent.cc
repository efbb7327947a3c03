// Bodies of writes, read before the document is known.
#include "base/work_budget.h"
#include "data/reserved.h"
#include "data/write.h"

namespace mb::data {
namespace {

Result<> readInsert(Intent& intent) {
  const auto given = intent.body.view().find("id");
  if (!given) return {};
  if (given->type() != doc::BsonType::string || !isDocumentId(given->asString())) {
    return fail(Error(ErrorCode::validation, "id must match ^[A-Za-z0-9_-]{1,64}$")
                    .withDetail("/id", "must match ^[A-Za-z0-9_-]{1,64}$"));
  }
  intent.id = given->asString();
  return {};
}

bool isOperator(const doc::Element& element) {
  return element.key.starts_with("$");
}

Result<> readUpdate(Intent& intent, const Grant& grant) {
  const doc::DocumentView body = intent.body;
  intent.update.reset();
  if (body.empty()) return {};
  size_t operators = 0;
  size_t fields = 0;
  for (const doc::Element& each : body) ++(isOperator(each) ? operators : fields);
  if (operators != 0 && fields != 0) {
    return fail(ErrorCode::invalidUpdate, "a body is either fields to set or update operators, not both");
  }
  doc::UpdateOptions options = intent.options;
  options.coercion = &grant.collection->coercion();
  const WorkBudget work(kCoreWork);  // a $pull may hold a pattern, and there may be many
  auto update = operators != 0 ? doc::Update::parse(body, options) : doc::Update::set(body, options);
  CHECK(work.check());
  TRY(intent.update, std::move(update));
  Result<> guarded = guardDeniedFields(body, operators != 0, grant);
  CHECK(work.check());
  return guarded;
}

Result<> readReplacement(const Intent& intent, const Grant& grant) {
  for (const doc::Element& field : intent.body.view()) {
    if (isOperator(field)) {
      return fail(ErrorCode::invalidBody, "a replacement is a whole document, it takes no update operators");
    }
  }
  const WorkBudget work(kCoreWork);
  Result<> guarded = guardReplacement(intent.body, grant);
  CHECK(work.check());
  return guarded;
}

}  // namespace

Result<> readIntent(Intent& intent, const Grant& grant) {
  if (!grant.collection->damage.empty() && intent.event != WriteEvent::remove) {
    return fail(Error(ErrorCode::unavailable, "the schema of this collection cannot be used, set it anew")
                    .withCause(grant.collection->damage));
  }
  if (intent.event == WriteEvent::insert) return readInsert(intent);
  if (intent.event == WriteEvent::update) CHECK(readUpdate(intent, grant));
  if (intent.event == WriteEvent::replace) CHECK(readReplacement(intent, grant));
  // No document has such an id, and the store would say so in other words.
  if (!isDocumentId(intent.id)) return fail(ErrorCode::notFound, "no such document");
  return {};
}

}  // namespace mb::data

#include "data/schema_check.h"

#include "base/cancellation.h"
#include "base/work_budget.h"
#include "data/collections.h"
#include "data/data_deps.h"

namespace mb::data {

namespace {

// Below what makes a query a scan of the store.
constexpr uint64_t kCheckedPage = 400;
constexpr size_t kCheckedPageBytes = 1 << 20;
// A check ends after this, with what it has found.
constexpr std::chrono::seconds kCheckTime{10};
// A turn of the pool, which other projects share.
constexpr std::chrono::milliseconds kCheckTurn{20};
// The breaches of one example; further ones are left out.
constexpr size_t kMaxDetailBytes = 64 << 10;

// What a write that stored the document again would fail with; empty if it would pass.
std::vector<ErrorDetail> breachesOf(const doc::Schema& schema, doc::DocumentView document) {
  const WorkBudget work(kCoreWork);
  std::vector<ErrorDetail> details;
  auto prepared = schema.prepare(document, false);
  if (prepared) {
    details = schema.validate(*prepared);
  } else {
    details = prepared.error().details();
    if (details.empty()) details.push_back({"", prepared.error().message()});
  }
  if (!work.check()) details.assign(1, {"", "takes too long to validate against this schema"});
  return details;
}

FailingDocument exampleOf(doc::DocumentView document, std::vector<ErrorDetail> details) {
  FailingDocument example{std::string(document.stringOr("id")), {}};
  size_t bytes = 0;
  for (ErrorDetail& each : details) {
    bytes += each.path.size() + each.message.size();
    if (bytes > kMaxDetailBytes) break;
    example.details.push_back({std::move(each.path), std::move(each.message)});
  }
  return example;
}

// Validates documents from the position `next` on, for a turn; returns the next position.
Result<size_t> validateSome(const doc::Schema& schema, const std::vector<doc::Document>& documents, size_t next,
                            SchemaCheck& check) {
  const auto end = std::chrono::steady_clock::now() + kCheckTurn;
  while (next < documents.size()) {
    const doc::DocumentView document = documents[next++];
    std::vector<ErrorDetail> details = breachesOf(schema, document);
    ++check.checked;
    if (!details.empty()) {
      ++check.failing;
      if (check.examples.size() < kMaxFailingExamples) {
        check.examples.push_back(exampleOf(document, std::move(details)));
      }
    }
    if (std::chrono::steady_clock::now() >= end) break;
  }
  return next;
}

}  // namespace

Task<SchemaCheck> Collections::checkDocuments(AdminAccess access, std::string name, SchemaCheckRequest request,
                                              store::Deadline deadline) const {
  const int64_t limit = request.limit.value_or(kMaxCheckedDocuments);
  if (limit < 1 || limit > kMaxCheckedDocuments) {
    std::string message = fmt::format("must be 1 to {}", kMaxCheckedDocuments);
    co_return fail(Error(ErrorCode::validation, "/limit " + message).withDetail("/limit", std::move(message)));
  }
  CO_TRY(const CollectionPtr collection, require(*access.project, name));
  CO_TRY(const std::shared_ptr<const doc::Schema> schema, co_await checkSchema(access.project, request.schema));
  CO_RETURN_IF_ERROR(checkFit(*access.project, *collection, request.schema, *schema));

  const auto end = std::chrono::steady_clock::now() + kCheckTime;
  const std::string project = access.project->info().id.str();
  SchemaCheck check;
  std::string after;
  while (check.checked < limit) {
    store::Query page;
    page.collection = collection->ref;
    page.limit = std::min(kCheckedPage, static_cast<uint64_t>(limit - check.checked));
    page.deadline = deadline;
    page.paged = page.seesMore = true;
    page.maxBytes = kCheckedPageBytes;
    page.after = std::move(after);
    CO_TRY(store::QueryResult found, co_await deps_.store.find(std::move(page)));
    for (size_t next = 0; next < found.documents.size();) {
      CO_TRY(next, co_await pool_.run(project, [&documents = std::as_const(found.documents), &schema, &check, next] {
        return validateSome(*schema, documents, next, check);
      }));
      CO_RETURN_IF_ERROR(co_await yieldCore());
      if (next < found.documents.size() && std::chrono::steady_clock::now() >= end) co_return check;
    }
    check.complete = !found.more;
    if (check.complete || std::chrono::steady_clock::now() >= end) break;
    after = std::move(found.next);
  }
  co_return check;
}

}  // namespace mb::data

#include "data/visible_documents.h"

#include <chrono>

#include "base/cancellation.h"
#include "base/work_budget.h"
#include "document/strip_fields.h"
#include "policy/policy.h"

namespace mb::data {

namespace {

// Documents are at most 1 MiB, and a call to the store brings at most 16 MiB: so many never fail for their size, which
// would reveal documents and fields that the caller cannot read.
constexpr size_t kBatch = 16;

// Resets what the filter does not show, and leaves the fields in `hidden` out of the rest (null for none). The work
// that it took.
Result<int64_t> show(const doc::Filter& filter, const doc::FieldSet* hidden, std::optional<doc::Document>& document,
                     int64_t max) {
  const WorkBudget work(std::min(max, kCoreWork));
  if (!filter.matches(*document)) {
    document.reset();
  } else if (hidden) {
    std::string bytes = (*std::move(document)).takeBytes();
    doc::stripFields(*hidden, bytes);
    document = doc::Document::fromTrusted(std::move(bytes));
  }
  RETURN_IF_ERROR(work.check());
  return work.spent();
}

}  // namespace

Task<std::vector<std::optional<doc::Document>>> readVisible(store::DocumentStore& store, const Visibility& visibility,
                                                            std::span<const std::string> ids, ReadBudget& budget,
                                                            store::Deadline deadline) {
  std::vector<std::optional<doc::Document>> shown;
  shown.reserve(ids.size());
  // The store leaves out what the filter does not look at.
  const bool early = visibility.hidden && policy::refuseDeniedFields(visibility.filter, *visibility.hidden);
  const doc::FieldSet* late = early ? nullptr : visibility.hidden.get();
  int64_t sinceTurn = 0;
  for (size_t at = 0; at < ids.size(); at += kBatch) {
    if (std::chrono::steady_clock::now() > deadline) {
      co_return fail(ErrorCode::unavailable, "reading the documents takes too long: lower `limit`");
    }
    const std::span<const std::string> part = ids.subspan(at, std::min(kBatch, ids.size() - at));
    CO_TRY(
        std::vector<std::optional<doc::Document>> found,
        co_await store.getMany(visibility.collection, {part.begin(), part.end()}, early ? visibility.hidden : nullptr));
    for (std::optional<doc::Document>& document : found) {
      if (document) {
        if (sinceTurn > kCoreWork / 2) {
          sinceTurn = 0;
          CO_RETURN_IF_ERROR(co_await yieldCore());
        }
        CO_TRY(const int64_t spent, show(visibility.filter, late, document, budget.work));
        sinceTurn += spent;
        budget.work -= spent;
      }
      if (document && document->size() > budget.bytes) {
        co_return fail(ErrorCode::payloadTooLarge, "the answer is too large: lower `limit`");
      }
      if (document) budget.bytes -= document->size();
      shown.push_back(std::move(document));
    }
  }
  co_return shown;
}

}  // namespace mb::data

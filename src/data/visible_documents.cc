#include "data/visible_documents.h"

#include <chrono>

#include "base/cancellation.h"
#include "base/work_budget.h"
#include "document/strip_fields.h"
#include "policy/policy.h"

namespace mb::data {

namespace {

// Documents are at most 1 MiB, and a call to the store returns at most 16 MiB: a batch of this size never fails for its
// size, which would reveal documents and fields that the caller cannot read.
constexpr size_t kBatch = 16;

// Resets a document that does not match the filter; removes the fields in `hidden` (null for none) from one that does.
// Returns the work that it took.
Result<int64_t> applyVisibility(const doc::Filter& filter, const doc::FieldSet* hidden,
                                std::optional<doc::Document>& document, int64_t max) {
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
  std::vector<std::optional<doc::Document>> visible;
  visible.reserve(ids.size());
  // The store removes the hidden fields if the filter does not read them.
  const bool early = visibility.hidden && policy::refuseDeniedFields(visibility.filter, *visibility.hidden);
  const doc::FieldSet* late = early ? nullptr : visibility.hidden.get();
  int64_t sinceYield = 0;
  for (size_t at = 0; at < ids.size(); at += kBatch) {
    if (std::chrono::steady_clock::now() > deadline) {
      co_return fail(ErrorCode::unavailable, "reading the documents takes too long: lower `limit`");
    }
    const std::span<const std::string> part = ids.subspan(at, std::min(kBatch, ids.size() - at));
    CO_TRY(std::vector<std::optional<doc::Document>> found,
           co_await store.getMany(visibility.collection, {part.begin(), part.end()},
                                  early ? visibility.hidden : nullptr, {deadline}));
    for (std::optional<doc::Document>& document : found) {
      if (document) {
        if (sinceYield > kCoreWork / 2) {
          sinceYield = 0;
          CO_RETURN_IF_ERROR(co_await yieldCore());
        }
        CO_TRY(const int64_t spent, applyVisibility(visibility.filter, late, document, budget.work));
        sinceYield += spent;
        budget.work -= spent;
      }
      if (document && document->size() > budget.bytes) {
        co_return fail(ErrorCode::payloadTooLarge, "the result is too large: lower `limit`");
      }
      if (document) budget.bytes -= document->size();
      visible.push_back(std::move(document));
    }
  }
  co_return visible;
}

}  // namespace mb::data

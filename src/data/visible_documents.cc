#include "data/visible_documents.h"

#include <boost/asio/deferred.hpp>

#include "base/work_budget.h"

namespace mb::data {

namespace {

// The work that it took.
Result<int64_t> hideUnmatchedOne(const doc::Filter& filter, std::optional<doc::Document>& document, int64_t most) {
  const WorkBudget work(std::min(most, kCoreWork));
  const bool visible = filter.matches(*document);
  CHECK(work.check());
  if (!visible) document.reset();
  return work.spent();
}

}  // namespace

Task<> hideUnmatched(const doc::Filter& filter, std::vector<std::optional<doc::Document>>& documents, int64_t& work) {
  if (filter.matchesAll()) co_return Result<>();
  int64_t sinceTurn = 0;
  for (std::optional<doc::Document>& document : documents) {
    if (!document) continue;
    if (sinceTurn > kCoreWork / 2) {
      sinceTurn = 0;
      co_await asio::post(asio::deferred);
    }
    CO_TRY(const int64_t spent, hideUnmatchedOne(filter, document, work));
    sinceTurn += spent;
    work -= spent;
  }
  co_return Result<>();
}

Result<> stripHidden(const doc::FieldSet& hidden, doc::Document& document, int64_t& work) {
  // All of the document is walked, and what stays is copied.
  work -= static_cast<int64_t>(document.view().bytes().size());
  if (work < 0) return tooCostly();
  document = hidden.strip(document);
  return {};
}

}  // namespace mb::data

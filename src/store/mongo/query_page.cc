#include "store/mongo/query_page.h"

#include "document/keep_fields.h"
#include "store/plain_sort.h"

namespace mb::store::mongo {

QueryPage::QueryPage(const Query& query, PageOrder order, bool matchesAll, uint64_t skipped)
    : query_(query), order_(std::move(order)), matchesAll_(matchesAll), skipped_(skipped) {}

Result<bool> QueryPage::add(doc::Document document, std::string place, const doc::Document* sorted) {
  if (!matchesAll_ && !query_.filter.matches(document)) return true;
  std::optional<doc::Document> position;
  if (!order_.sort.empty()) {
    const doc::DocumentView keyed = sorted ? *sorted : document;
    if (sorting::hasTwoArrays(order_.sort, keyed)) return fail(ErrorCode::validation, std::string(kTwoArrays));
    position = sorting::sortPosition(order_.sort, keyed);
    const bool before =
        order_.after && sorting::comparePositions(order_.sort, *position, *order_.after, order_.idsAreUnique) <= 0;
    if (before) return true;
  }
  if (skipped_ < query_.skip) {
    ++skipped_;
    return true;
  }
  if (isFull()) {
    result_.more = query_.paged && query_.seesMore;
    return false;
  }
  if (query_.projection != Projection::documents) document = idDocument(document.view().stringOr("id"));
  if (query_.hidden) document = query_.hidden->strip(document);
  if (query_.fields) document = doc::keepFields(document, *query_.fields);
  bytes_ += document.size();
  if (bytes_ > query_.maxBytes && !query_.paged) {
    return fail(ErrorCode::payloadTooLarge, "the result would be larger than 16 MiB: use a smaller limit");
  }
  if (bytes_ > query_.maxBytes && !result_.documents.empty()) {
    result_.more = true;
    return false;
  }
  result_.documents.push_back(std::move(document));
  if (query_.paged) result_.next = position ? std::string(position->bytes()) : std::move(place);
  return query_.seesMore || !isFull();
}

Result<doc::Document> positionOf(const std::vector<SortKey>& sort, const std::string& after) {
  auto position = doc::Document::fromUntrusted(after);
  const auto values = position ? position->view().find("v") : std::nullopt;
  bool fits = values && values->type() == doc::BsonType::array && position->view().find("id").has_value();
  if (fits) {
    const doc::DocumentView all = values->asDocument();
    fits = all.count() == sort.size();
    for (const doc::Element& each : all) fits = fits && each.value.type() == doc::BsonType::document;
  }
  if (fits) return position;
  return fail(ErrorCode::invalidParam, "the page does not begin in this order");
}

Result<std::optional<doc::Document>> startOf(const Query& query) {
  if (query.after.empty()) return std::nullopt;
  if (sorting::isOfIds(query.sort)) return sorting::sortPosition(query.sort, idDocument(query.after));
  return positionOf(query.sort, query.after);
}

}  // namespace mb::store::mongo

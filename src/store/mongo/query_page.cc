#include "store/mongo/query_page.h"

#include "document/keep_fields.h"
#include "store/mongo/names.h"
#include "store/plain_sort.h"

namespace mb::store::mongo {

QueryPage::QueryPage(const Query& query, bool matchesAll, uint64_t skipped, std::optional<doc::Document> after)
    : query_(query),
      matchesAll_(matchesAll),
      ofIds_(sorting::isOfIds(query.sort)),
      after_(std::move(after)),
      skipped_(skipped) {}

Result<bool> QueryPage::add(doc::DocumentView stored) {
  TRY(Unstored read, unstored(query_.collection.number, stored));
  ++result_.explain.documentsExamined;
  doc::Document& document = read.document;
  if (!matchesAll_ && !query_.filter.matches(document)) return true;
  std::optional<doc::Document> position;
  if (!ofIds_) {
    if (sorting::hasTwoArrays(query_.sort, document)) return fail(ErrorCode::validation, std::string(kTwoArrays));
    position = sorting::sortPosition(query_.sort, document);
    if (after_ && sorting::comparePositions(query_.sort, *position, *after_) <= 0) return true;
  }
  if (skipped_ < query_.skip) {
    ++skipped_;
    return true;
  }
  if (isFull()) {
    result_.more = query_.paged && query_.seesMore;
    return false;
  }
  std::string id(document.view().stringOr("id"));
  if (query_.projection != Projection::documents) document = idDocument(id);
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
  if (query_.paged) result_.next = ofIds_ ? std::move(id) : std::string(position->bytes());
  return query_.seesMore || !isFull();
}

Result<std::optional<doc::Document>> startOf(const Query& query) {
  if (query.after.empty()) return std::nullopt;
  if (sorting::isOfIds(query.sort)) return sorting::sortPosition(query.sort, idDocument(query.after));
  auto position = doc::Document::fromUntrusted(query.after);
  const auto values = position ? position->view().find("v") : std::nullopt;
  bool fits = values && values->type() == doc::BsonType::array && position->view().find("id").has_value();
  if (fits) {
    const doc::DocumentView all = values->asDocument();
    fits = all.count() == query.sort.size();
    for (const doc::Element& each : all) fits = fits && each.value.type() == doc::BsonType::document;
  }
  if (fits) return *std::move(position);
  return fail(ErrorCode::invalidParam, "the page does not begin in this order");
}

}  // namespace mb::store::mongo

#include "store/record_pages.h"

#include <algorithm>
#include <iterator>

#include "store/record_query.h"

namespace mb::store {

namespace {

constexpr uint64_t kUsualPage = 200;
constexpr uint64_t kSafePage = 7;  // a record is at most 2 MiB, and a result 16 MiB

Query pageAfter(CollectionRef collection, std::string_view prefix, std::string_view id, uint64_t limit) {
  doc::BsonWriter filter;
  filter.beginDocument("id");
  filter.appendString("$gt", id);
  if (!prefix.empty()) filter.appendString("$lt", std::string(prefix) + '\x7f');  // what follows a prefix is ASCII
  filter.end();
  Query query;
  query.collection = collection;
  query.filter = *doc::Filter::parse(filter.finish());
  query.limit = limit;
  query.deadline = readDeadline();
  return query;
}

}  // namespace

Task<std::vector<doc::Document>> allRecords(DocumentStore& store, CollectionRef collection) {
  return recordsWithPrefix(store, collection, "");
}

Task<std::vector<doc::Document>> recordsWithPrefix(DocumentStore& store, CollectionRef collection, std::string prefix) {
  std::vector<doc::Document> all;
  std::string last = prefix;
  uint64_t limit = kUsualPage;
  while (true) {
    Result<QueryResult> page = co_await store.find(pageAfter(collection, prefix, last, limit));
    if (!page && page.error().code() == ErrorCode::payloadTooLarge && limit != kSafePage) {
      limit = kSafePage;
      continue;
    }
    if (!page) co_return fail(std::move(page).error());
    const bool isLast = page->documents.size() < limit;
    std::ranges::move(page->documents, std::back_inserter(all));
    if (isLast) co_return all;
    last = all.back().view().stringOr("id");
  }
}

}  // namespace mb::store

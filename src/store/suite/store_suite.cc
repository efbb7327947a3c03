#include "store/suite/store_suite.h"

#include "document/json.h"
#include "store/testing/writing.h"

namespace mb::store::suite {

std::vector<SystemCollection> systemCollections() {
  return {{kThings, "__things", {uniqueIndex({{"email", 1}}), index({{"owner", 1}})}, false, "owner"},
          {kAudit, "__audit", {}},
          {.number = kMeasured,
           .name = "__measured",
           .indexes = {},
           .counters = {{kBytes, "bytes", "size"}, {kOwned, "documents", "", "owner"}},
           .marked = {"owner"}},
          {.number = kReserved, .name = "__reserved", .indexes = {}, .counters = {{kBytes, "bytes", "reserved"}}},
          {kSized, "__functions", {}},
          {kCounted, "__buckets", {}}};
}

doc::Document json(std::string_view text) {
  auto document = doc::parseJson(text);
  EXPECT_TRUE(document) << text << (document ? "" : document.error().message());
  return document ? *std::move(document) : doc::Document();
}

doc::Filter filterOf(std::string_view text) {
  auto filter = doc::Filter::parse(json(text));
  EXPECT_TRUE(filter) << text << (filter ? "" : filter.error().message());
  return filter ? *std::move(filter) : doc::Filter();
}

std::string text(const doc::Document& document) {
  return doc::toJson(document);
}

std::string refusingIndex(const Result<WriteOutcome>& written) {
  const Violation* violation = written ? nullptr : written.error().violation();
  return violation && violation->kind == Violation::Kind::index ? violation->name : "";
}

std::string joinIds(const std::vector<doc::Document>& documents) {
  std::string ids;
  for (const doc::Document& document : documents) {
    if (!ids.empty()) ids += ' ';
    ids += document.view().stringOr("id");
  }
  return ids;
}

IndexSpec index(std::vector<IndexKey> keys) {
  IndexSpec spec;
  spec.keys = std::move(keys);
  return spec;
}

IndexSpec uniqueIndex(std::vector<IndexKey> keys) {
  IndexSpec spec = index(std::move(keys));
  spec.unique = true;
  return spec;
}

Deadline soon() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(30);
}

Query page(uint64_t skip, uint64_t limit) {
  Query query;
  query.skip = skip;
  query.limit = limit;
  return query;
}

WriteOptions writeOptions() {
  WriteOptions options;
  options.deadline = soon();
  options.actor = {ActorKind::user, "u1"};
  return options;
}

void StoreSuite::SetUp() {
  engine_ = GetParam().make(systemCollections());
  project_ = must(store().allocateProject());
}

CollectionRef StoreSuite::makeCollection(const std::string& name) {
  const CollectionInfo info = must(store().createCollection(project_, name, {}, {}));
  return {project_, info.number, info.version};
}

CollectionRef StoreSuite::current(CollectionRef collection) {
  for (const CollectionInfo& info : must(store().collections(collection.project))) {
    if (info.number == collection.number) collection.version = info.version;
  }
  return collection;
}

IndexInfo StoreSuite::makeIndex(CollectionRef& collection, IndexSpec spec) {
  const IndexInfo info = must(store().createIndex(collection, std::move(spec), {}));
  collection = current(collection);
  return info;
}

Result<WriteOutcome> StoreSuite::put(CollectionRef collection, std::string_view text) {
  return putAll(collection, {std::string(text)});
}

Result<WriteOutcome> StoreSuite::putAll(CollectionRef collection, std::vector<std::string> jsons) {
  std::vector<doc::Document> documents;
  for (const std::string& each : jsons) documents.push_back(json(each));
  return run(testing::putAll(store(), collection, std::move(documents), writeOptions()));
}

Result<WriteOutcome> StoreSuite::remove(CollectionRef collection, std::string_view id) {
  return run(testing::remove(store(), collection, std::string(id), writeOptions()));
}

std::string StoreSuite::get(CollectionRef collection, std::string_view id) {
  const auto document = must(store().get(collection, std::string(id)));
  return document ? text(*document) : "";
}

QueryResult StoreSuite::find(CollectionRef collection, std::string_view filter, Query query) {
  query.collection = collection;
  query.filter = filterOf(filter);
  query.deadline = soon();
  query.explain = engine().plansQueries();
  return must(store().find(std::move(query)));
}

std::string StoreSuite::ids(CollectionRef collection, std::string_view filter, Query query) {
  return joinIds(find(collection, filter, std::move(query)).documents);
}

uint64_t StoreSuite::count(CollectionRef collection, std::string_view filter) {
  return must(store().count(collection, filterOf(filter), soon()));
}

}  // namespace mb::store::suite

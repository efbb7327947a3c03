#include "store/own/router.h"

#include "document/fields.h"
#include "document/keep_fields.h"
#include "store/write_steps.h"

namespace mb::store::own {

namespace {

bool isOfUsers(const CollectionRef& collection) {
  return collection.number >= kFirstUserCollection;
}

std::unexpected<Error> stale() {
  return fail(ErrorCode::staleCatalogue, "the collection changed concurrently: try again");
}

}  // namespace

Router::Router(std::unique_ptr<MainStore> main, Databases& databases) : main_(std::move(main)), databases_(databases) {}

Router::~Router() {
  close();
}

bool Router::isElsewhere(const CollectionRef& collection) const {
  return databases_.any() && isOfUsers(collection) && databases_.find(collection.project) != nullptr;
}

Task<std::shared_ptr<const Router::Names>> Router::namesOf(ProjectNo project) {
  const Epoch epoch = main_->epoch(project);
  {
    const std::lock_guard lock(mutex_);
    const auto known = names_.find(project);
    if (known != names_.end() && epoch == known->second->epoch) co_return known->second;
  }
  auto names = std::make_shared<Names>();
  names->epoch = epoch.value;
  if (!epoch.fresh) CO_TRY(names->epoch, co_await main_->epochNow(project));
  CO_TRY(const std::vector<CollectionInfo> collections, co_await main_->collections(project));
  for (const CollectionInfo& each : collections) {
    const std::string_view source = each.config.view().stringOr(kSourceField, each.name);
    names->byNumber[each.number] = {each.version, std::string(source)};
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(names_, [&](const auto& each) { return databases_.find(each.first) == nullptr; });
  names_[project] = names;
  co_return names;
}

Task<std::optional<Collection>> Router::resolve(CollectionRef collection) {
  std::shared_ptr<Database> database = databases_.find(collection.project);
  if (!database) co_return fail(unreachable());
  CO_TRY(const auto names, co_await namesOf(collection.project));
  const auto found = names->byNumber.find(collection.number);
  if (found == names->byNumber.end()) co_return std::nullopt;
  co_return Collection{std::move(database), found->second.second};
}

Task<Collection> Router::resolveCurrent(CollectionRef collection) {
  std::shared_ptr<Database> database = databases_.find(collection.project);
  if (!database) co_return fail(unreachable());
  CO_TRY(const auto names, co_await namesOf(collection.project));
  const auto now = names->byNumber.find(collection.number);
  if (now == names->byNumber.end() || now->second.first != collection.version) co_return stale();
  co_return Collection{std::move(database), now->second.second};
}

Task<std::optional<VersionedDocument>> Router::getVersioned(CollectionRef collection, std::string id,
                                                            ReadOptions options) {
  if (!isElsewhere(collection)) return main_->getVersioned(collection, std::move(id), options);
  return getVersionedElsewhere(collection, std::move(id), options);
}

Task<std::optional<VersionedDocument>> Router::getVersionedElsewhere(CollectionRef collection, std::string id,
                                                                     ReadOptions options) {
  CO_TRY(std::optional<Collection> there, co_await resolve(collection));
  if (!there) co_return std::nullopt;
  CO_TRY(auto found, co_await getStored(*std::move(there), {std::move(id)}, options.deadline));
  if (!found.front()) co_return std::nullopt;
  const DocumentVersion version = versionOf(found.front()->stored);
  co_return VersionedDocument{std::move(found.front()->shown), version};
}

Task<std::optional<doc::Document>> Router::get(CollectionRef collection, std::string id, ReadOptions options) {
  if (!isElsewhere(collection)) return main_->get(collection, std::move(id), options);
  return getElsewhere(collection, std::move(id), options);
}

Task<std::optional<doc::Document>> Router::getElsewhere(CollectionRef collection, std::string id, ReadOptions options) {
  CO_TRY(std::optional<VersionedDocument> found, co_await getVersionedElsewhere(collection, std::move(id), options));
  if (!found) co_return std::nullopt;
  co_return std::move(found->document);
}

Task<std::vector<std::optional<doc::Document>>> Router::getMany(CollectionRef collection, std::vector<std::string> ids,
                                                                std::shared_ptr<const doc::FieldSet> hidden,
                                                                ReadOptions options) {
  if (!isElsewhere(collection)) return main_->getMany(collection, std::move(ids), std::move(hidden), options);
  return getManyElsewhere(collection, std::move(ids), std::move(hidden), options);
}

Task<std::vector<std::optional<doc::Document>>> Router::getManyElsewhere(CollectionRef collection,
                                                                         std::vector<std::string> ids,
                                                                         std::shared_ptr<const doc::FieldSet> hidden,
                                                                         ReadOptions options) {
  std::vector<std::optional<doc::Document>> out(ids.size());
  CO_TRY(std::optional<Collection> there, co_await resolve(collection));
  if (!there) co_return out;
  CO_TRY(const auto found, co_await getStored(*std::move(there), std::move(ids), options.deadline));
  size_t bytes = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    out[i] = hidden ? hidden->strip(found[i]->shown) : found[i]->shown;
    bytes += out[i]->size();
    if (bytes > kMaxResultBytes) co_return fail(ErrorCode::payloadTooLarge, "the result would be larger than 16 MiB");
  }
  co_return out;
}

Task<QueryResult> Router::find(Query query) {
  if (!isElsewhere(query.collection)) return main_->find(std::move(query));
  return findElsewhere(std::move(query));
}

Task<QueryResult> Router::findElsewhere(Query query) {
  CO_TRY(std::optional<Collection> there, co_await resolve(query.collection));
  if (!there) co_return QueryResult();
  co_return co_await own::find(*std::move(there), std::move(query));
}

Task<uint64_t> Router::count(CollectionRef collection, doc::Filter filter, Deadline deadline) {
  if (!isElsewhere(collection)) return main_->count(collection, std::move(filter), deadline);
  return countElsewhere(collection, std::move(filter), deadline);
}

Task<uint64_t> Router::countElsewhere(CollectionRef collection, doc::Filter filter, Deadline deadline) {
  CO_TRY(std::optional<Collection> there, co_await resolve(collection));
  if (!there) co_return 0;
  co_return co_await own::count(*std::move(there), std::move(filter), deadline);
}

Task<CollectionStats> Router::stats(CollectionRef collection, ReadOptions options) {
  if (!isElsewhere(collection)) co_return co_await main_->stats(collection, options);
  CO_TRY(std::optional<Collection> there, co_await resolve(collection));
  if (!there) co_return CollectionStats();
  co_return co_await own::stats(*std::move(there), options.deadline);
}

Task<CollectionStats> Router::statsByField(CollectionRef collection, std::string value, ReadOptions options) {
  return main_->statsByField(collection, std::move(value), options);
}

Task<std::vector<CollectionUsage>> Router::usage(ProjectNo project, ReadOptions options) {
  if (!isElsewhere({project, kFirstUserCollection, 0})) co_return co_await main_->usage(project, options);
  CO_TRY(const std::vector<CollectionInfo> collections, co_await main_->collections(project));
  std::vector<CollectionUsage> usage;
  for (const CollectionInfo& each : collections) {
    CollectionUsage one;
    one.number = each.number;
    CO_TRY(one.stats, co_await stats({project, each.number, each.version}, options));
    for (const IndexInfo& index : each.indexes) one.indexes.push_back({index.number, one.stats.documents, 0, true});
    usage.push_back(std::move(one));
  }
  co_return usage;
}

// Others change documents there without our notice, so nothing may be kept.
Mark Router::mark(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const {
  if (!isElsewhere({project, collection, 0})) return main_->mark(project, collection, path, value);
  static std::atomic<uint32_t> counter{0};
  const Mark changed(counter);
  counter.fetch_add(1);
  return changed;
}

Task<> Router::markPath(ProjectNo project, CollectionNo collection, std::string path) {
  if (isElsewhere({project, collection, 0})) co_return Result<>();
  co_return co_await main_->markPath(project, collection, std::move(path));
}

std::string Router::newId(ProjectNo project, IdGenerator& ids) const {
  const std::shared_ptr<Database> database = databases_.any() ? databases_.find(project) : nullptr;
  if (!database) return main_->newId(project, ids);
  Cover cover(database->coverKey());
  return cover.of(newObjectId());
}

}  // namespace mb::store::own

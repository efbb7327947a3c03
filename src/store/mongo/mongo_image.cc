#include "store/mongo/mongo_image.h"

#include "document/fields.h"
#include "store/mongo/attempt.h"
#include "store/mongo/engine.h"
#include "store/mongo/log_entry.h"

namespace mb::store::mongo {

namespace {

constexpr int32_t kPage = 1000;  // documents; the server ends a page at 16 MB, too
// Codes of the server: the moment is older than what it keeps, or than the collection.
constexpr int kSnapshotTooOld = 239;
constexpr int kSnapshotUnavailable = 246;

Error readingError(const CommandError& error) {
  if (error.code != kSnapshotTooOld && error.code != kSnapshotUnavailable) return unavailableError(error);
  return Error(ErrorCode::unavailable,
               "the database no longer has the moment that was read: stop the servers, or raise its parameter "
               "minSnapshotHistoryWindowInSeconds")
      .withCause(fmt::format("{}: {}", error.code, error.message));
}

Result<> visitDocument(CollectionNo collection, doc::DocumentView stored, const Image::Visit& visit) {
  TRY(const Unstored document, unstored(collection, stored));
  return visit(document.document);
}

}  // namespace

MongoImage::MongoImage(const std::string& uri, Names names, std::vector<SystemCollection> system)
    : names_(std::move(names)), states_(names_, std::move(system)), connection_(uri) {}

Result<std::unique_ptr<MongoImage>> MongoImage::open(const std::string& uri, const Names& names,
                                                     std::vector<SystemCollection> system, bool atOneMoment) {
  std::unique_ptr<MongoImage> image(new MongoImage(uri, names, std::move(system)));
  RETURN_IF_ERROR(image->load(atOneMoment));
  return image;
}

Result<> MongoImage::load(bool atOneMoment) {
  if (atOneMoment) {
    doc::BsonWriter out;
    out.appendString("find", kMeta);
    out.appendInt32("limit", 1);
    out.appendBool("singleBatch", true);
    out.beginDocument("readConcern");
    out.appendString("level", "snapshot");
    out.end();
    const auto reply = connection_.run(names_.shared(), out.finish());
    if (!reply) return fail(readingError(reply.error()));
    const auto moment = doc::containerOr(reply->view(), "cursor").find("atClusterTime");
    if (!moment) return fail(ErrorCode::unavailable, "the database cannot be read as of one moment: stop the servers");
    moment_.emplace(*moment);
  }
  RETURN_IF_ERROR(loadHeads());
  RETURN_IF_ERROR(loadCatalogue());
  RETURN_IF_ERROR(loadCounts());
  return loadNumbers();
}

void MongoImage::appendConcern(doc::BsonWriter& out) const {
  if (!moment_) return;
  out.beginDocument("readConcern");
  out.appendString("level", "snapshot");
  out.append("atClusterTime", *moment_);
  out.end();
}

Result<doc::Document> MongoImage::read(const std::string& database, doc::DocumentView command) const {
  auto reply = moment_ ? connection_.run(database, command) : connection_.read(database, command);
  if (!reply) return fail(readingError(reply.error()));
  return *std::move(reply);
}

Result<doc::Document> MongoImage::page(const std::string& database, std::string_view collection, const Append& filter,
                                       std::string_view sort) const {
  doc::BsonWriter out;
  out.appendString("find", collection);
  out.beginDocument("filter");
  filter(out);
  out.end();
  out.beginDocument("sort");
  if (!sort.empty()) out.appendInt32(sort, 1);
  out.appendInt32("_id", 1);
  out.end();
  out.appendInt32("limit", kPage);
  out.appendInt32("batchSize", kPage);
  out.appendBool("singleBatch", true);
  appendConcern(out);
  return read(database, out.finish());
}

Result<> MongoImage::eachRow(std::string_view rows, const std::function<void(doc::DocumentView)>& visit) const {
  std::optional<doc::Value> last;
  while (true) {
    const auto after = [&last](doc::BsonWriter& out) {
      if (!last) return;
      out.beginDocument("_id");
      out.append("$gt", *last);
      out.end();
    };
    TRY(const doc::Document reply, page(names_.shared(), rows, after, ""));
    const Batch found = batchOf(reply);
    if (found.documents.empty()) return {};
    for (const doc::DocumentView each : found.documents) visit(each);
    const auto id = found.documents.back().find("_id");
    if (!id) return fail(ErrorCode::internal, "a row of the database has no _id");
    last.emplace(*id);
  }
}

Result<> MongoImage::loadHeads() {
  return eachRow(kHeads, [this](doc::DocumentView view) {
    const Head head = decodeHead(view);
    if (!head.dead) heads_.emplace(static_cast<ProjectNo>(doc::integerOr(view, "_id")), head);
  });
}

Result<> MongoImage::loadCatalogue() {
  return eachRow(kCatalogue, [this](doc::DocumentView view) {
    const auto project = static_cast<ProjectNo>(doc::integerOr(doc::containerOr(view, "_id"), "p"));
    CollectionInfo info = decodeCollection(view);
    catalogue_.emplace(std::pair(project, info.number), std::move(info));
  });
}

Result<> MongoImage::loadCounts() {
  return eachRow(kCounts, [this](doc::DocumentView view) {
    if (!view.stringOr("g").empty()) return;
    const std::pair key(static_cast<ProjectNo>(doc::integerOr(view, "p")),
                        static_cast<CollectionNo>(doc::integerOr(view, "c")));
    counts_[key] = {static_cast<uint64_t>(doc::integerOr(view, "n")),
                    static_cast<uint64_t>(doc::integerOr(view, "bytes"))};
  });
}

Result<> MongoImage::loadNumbers() {
  RETURN_IF_ERROR(eachRow(kMeta, [this](doc::DocumentView view) {
    const std::string_view id = view.stringOr("_id");
    if (id == "projects") numbers_.nextProject = static_cast<ProjectNo>(doc::integerOr(view, "last")) + 1;
    if (id == "ids") numbers_.idFloorMs = std::max(numbers_.idFloorMs, doc::integerOr(view, "ms"));
  }));
  return eachRow(kBeats, [this](doc::DocumentView view) {
    numbers_.idFloorMs = std::max(numbers_.idFloorMs, doc::integerOr(view, "ids"));
  });
}

std::vector<ProjectNo> MongoImage::projects() const {
  std::vector<ProjectNo> numbers;
  for (const auto& [number, _] : heads_) numbers.push_back(number);
  return numbers;
}

ProjectNumbers MongoImage::numbersOf(ProjectNo project) const {
  const auto found = heads_.find(project);
  if (found == heads_.end()) return {};
  const Head& head = found->second;
  return {head.epoch, head.nextNumber, head.position, head.lostUpTo};
}

std::vector<CollectionInfo> MongoImage::collections(ProjectNo project) const {
  std::vector<CollectionInfo> infos;
  for (const SystemCollection& each : states_.systemCollections()) {
    CollectionInfo& info = infos.emplace_back();
    info.number = each.number;
    info.name = each.name;
    for (const IndexSpec& spec : each.indexes) info.indexes.push_back({0, spec, true});
  }
  std::ranges::sort(infos, {}, &CollectionInfo::number);
  for (auto at = catalogue_.lower_bound({project, 0}); at != catalogue_.end() && at->first.first == project; ++at) {
    infos.push_back(at->second);
  }
  return infos;
}

Result<CollectionStats> MongoImage::stats(ProjectNo project, CollectionNo collection) const {
  if (!isCounted(states_, collection)) {
    doc::BsonWriter ours;
    ours.appendInt64("_p", project);
    TRY(const doc::Document reply,
        read(names_.shared(), sumCommand(Names::collectionOf(collection), ours.finish(),
                                         [this](doc::BsonWriter& out) { appendConcern(out); })));
    const Batch found = batchOf(reply);
    if (found.documents.empty()) return CollectionStats();
    return CollectionStats{static_cast<uint64_t>(doc::integerOr(found.documents.front(), "n")),
                           static_cast<uint64_t>(doc::integerOr(found.documents.front(), "bytes"))};
  }
  const auto found = counts_.find({project, collection});
  return found == counts_.end() ? CollectionStats() : found->second;
}

Result<std::optional<doc::Document>> MongoImage::get(ProjectNo project, CollectionNo collection,
                                                     std::string_view id) const {
  const auto one = [&](doc::BsonWriter& out) { out.appendString("_id", storedId(project, collection, id)); };
  TRY(const doc::Document reply,
      page(names_.databaseOf(project, collection), Names::collectionOf(collection), one, ""));
  const Batch found = batchOf(reply);
  if (found.documents.empty()) return std::optional<doc::Document>();
  TRY(Unstored document, unstored(collection, found.documents.front()));
  return std::optional(std::move(document.document));
}

Result<> MongoImage::each(ProjectNo project, CollectionNo collection, const Visit& visit) const {
  std::string last = storedId(project, collection, "");
  while (true) {
    const auto after = [&](doc::BsonWriter& out) {
      out.beginDocument("_id");
      out.appendString("$gt", last);
      if (isSystem(collection)) out.appendString("$lt", storedId(project + 1, collection, ""));
      out.end();
    };
    TRY(const doc::Document reply,
        page(names_.databaseOf(project, collection), Names::collectionOf(collection), after, ""));
    const Batch found = batchOf(reply);
    if (found.documents.empty()) return {};
    for (const doc::DocumentView each : found.documents) RETURN_IF_ERROR(visitDocument(collection, each, visit));
    last = found.documents.back().stringOr("_id");
  }
}

// Pages continue after a value and an `_id`; an index of several keys has no caller.
Result<> MongoImage::eachBy(ProjectNo project, CollectionNo collection, std::string_view name,
                            const Visit& visit) const {
  const std::vector<CollectionInfo> all = collections(project);
  const auto info = std::ranges::find(all, collection, &CollectionInfo::number);
  if (info == all.end()) return {};
  const auto index = std::ranges::find_if(info->indexes, [&](const IndexInfo& each) {
    return each.ready && (each.spec.name.empty() ? defaultIndexName(each.spec.keys) : each.spec.name) == name;
  });
  if (index == info->indexes.end() || index->spec.keys.size() != 1 || index->spec.keys.front().direction != 1) {
    return fail(ErrorCode::notFound, fmt::format("there is no index {}", name));
  }
  const std::string path = storedPath(index->spec.keys.front().path);
  std::optional<std::pair<doc::Value, std::string>> last;
  while (true) {
    const auto after = [&](doc::BsonWriter& out) {
      if (isSystem(collection)) out.appendInt64("_p", project);
      if (index->spec.sparse) {
        out.beginDocument(path);
        out.appendBool("$exists", true);
        out.end();
      }
      if (!last) return;
      out.beginArray("$or");
      out.beginDocument("0");
      out.beginDocument(path);
      out.append("$gt", last->first);
      out.end();
      out.end();
      out.beginDocument("1");
      out.append(path, last->first);
      out.beginDocument("_id");
      out.appendString("$gt", last->second);
      out.end();
      out.end();
      out.end();
    };
    TRY(const doc::Document reply,
        page(names_.databaseOf(project, collection), Names::collectionOf(collection), after, path));
    const Batch found = batchOf(reply);
    if (found.documents.empty()) return {};
    for (const doc::DocumentView each : found.documents) RETURN_IF_ERROR(visitDocument(collection, each, visit));
    const auto value = found.documents.back().find(path);
    if (!value) return fail(ErrorCode::internal, fmt::format("the index {} is of a path within documents", name));
    last.emplace(doc::Value(*value), std::string(found.documents.back().stringOr("_id")));
  }
}

Result<> MongoImage::eachChange(ProjectNo project, const VisitChange& visit) const {
  uint64_t last = numbersOf(project).lostUpTo;
  while (true) {
    const auto after = [&](doc::BsonWriter& out) {
      out.beginDocument("_id");
      out.appendBinary("$gt", logId(project, last));
      out.appendBinary("$lte", logId(project, UINT64_MAX));
      out.end();
    };
    TRY(const doc::Document reply, page(names_.shared(), kLog, after, ""));
    const Batch found = batchOf(reply);
    if (found.documents.empty()) return {};
    for (const doc::DocumentView each : found.documents) {
      TRY(const ChangeEntry entry, decodeLogEntry(each));
      last = entry.position;
      RETURN_IF_ERROR(visit(entry));
    }
  }
}

Result<ChainHead> MongoImage::chainHead(ProjectNo project, CollectionNo collection) const {
  const std::string id = countId(project, collection, "");
  const auto one = [&](doc::BsonWriter& out) { out.appendString("_id", id); };
  TRY(const doc::Document reply, page(names_.shared(), kChains, one, ""));
  const Batch found = batchOf(reply);
  return found.documents.empty() ? ChainHead() : decodeChain(found.documents.front());
}

Result<std::unique_ptr<Image>> Engine::image(bool atOneMoment) {
  TRY(std::unique_ptr<Image> made, MongoImage::open(settings_.uri, names_, states_.systemCollections(), atOneMoment));
  return made;
}

}  // namespace mb::store::mongo

// A database with the frame of another store: everything but documents and what follows from them. It is written while
// no instance has it open, and marked as incomplete from the first write on (server_check.h).
#include "document/fields.h"
#include "store/chain.h"
#include "store/mongo/attempt.h"
#include "store/mongo/engine.h"
#include "store/mongo/log_entry.h"
#include "store/mongo/server_check.h"

namespace mb::store::mongo {

namespace {

constexpr size_t kLogBytes = 4 << 20;  // of one command
// Longer than the time between two beats of an instance, several times.
constexpr std::chrono::milliseconds kBeatsApart{1500};

doc::Document markStatement() {
  doc::BsonWriter out;
  out.appendString("_id", kIncomplete);
  return out.finish();
}

// Documents of one collection of the shared database, inserted in commands of a bounded size.
class Rows {
 public:
  Rows(Connection& connection, const Names& names, std::string_view collection)
      : connection_(connection), names_(names), collection_(collection) {}
  Result<> add(doc::Document row) {
    bytes_ += row.size();
    rows_.push_back(std::move(row));
    return bytes_ >= kLogBytes || rows_.size() >= kCommandStatements ? flush() : Result<>();
  }
  Result<> flush() {
    if (rows_.empty()) return {};
    const auto done = connection_.write(names_.shared(), insertCommand(collection_, rows_));
    rows_.clear();
    bytes_ = 0;
    return done ? Result<>() : fail(unavailableError(done.error()));
  }

 private:
  Connection& connection_;
  const Names& names_;
  const std::string_view collection_;
  std::vector<doc::Document> rows_;
  size_t bytes_ = 0;
};

class Creation {
 public:
  Creation(const Image& source, const MongoSettings& settings, Progress& progress)
      : source_(source), names_(settings.prefix), progress_(progress), connection_(settings.uri) {}

  Result<> run() {
    RETURN_IF_ERROR(checkServer(connection_, names_, Content::empty));
    RETURN_IF_ERROR(checkIdle());
    RETURN_IF_ERROR(dropLeft());
    RETURN_IF_ERROR(mark());
    const std::vector<ProjectNo> projects = source_.projects();
    for (size_t i = 0; i < projects.size(); ++i) {
      progress_.at("projects", i, projects.size());
      RETURN_IF_ERROR(project(projects[i]));
    }
    for (Rows* rows : {&heads_, &catalogue_, &log_}) RETURN_IF_ERROR(rows->flush());
    return {};
  }

 private:
  // Another process may fill it now.
  Result<> checkIdle() {
    std::map<std::string, int64_t> before;
    TRY(before, beats());
    if (before.empty()) return {};
    std::this_thread::sleep_for(kBeatsApart);
    TRY(const auto after, beats());
    if (before == after) return {};
    return fail(ErrorCode::conflict,
                fmt::format("another move or restore fills the database \"{}\" now", names_.shared()));
  }
  Result<std::map<std::string, int64_t>> beats() {
    std::map<std::string, int64_t> found;
    const auto read = [&](doc::DocumentView command) { return connection_.read(names_.shared(), command); };
    const auto done = eachDocument(read, kBeats, findAll(kBeats), [&](doc::DocumentView row) {
      found.emplace(row.stringOr("_id"), doc::integerOr(row, "n"));
      return true;
    });
    if (!done) return fail(unavailableError(done.error()));
    return found;
  }

  // Drops what was left incomplete. Without its mark, databases of projects are those of something else.
  Result<> dropLeft() {
    const std::string id(kIncomplete);
    const auto reply = connection_.read(names_.shared(), findByIds(kMeta, std::span(&id, 1)));
    if (!reply) return fail(unavailableError(reply.error()));
    const bool marked = !batchOf(*reply).documents.empty();
    TRY(const std::vector<std::string> left, projectDatabases());
    if (!marked) {
      if (left.empty()) return {};
      return fail(ErrorCode::conflict,
                  fmt::format("the database \"{}\" exists: drop it, or name another database", left.front()));
    }
    for (const std::string& database : left) RETURN_IF_ERROR(drop(database));
    return drop(names_.shared());
  }
  Result<std::vector<std::string>> projectDatabases() {
    doc::BsonWriter out;
    out.appendInt32("listDatabases", 1);
    out.appendBool("nameOnly", true);
    const auto reply = connection_.run("admin", out.finish());
    if (!reply) return fail(unavailableError(reply.error()));
    std::vector<std::string> found;
    const std::string prefix = names_.shared() + "_p";
    for (const doc::Element& each : doc::containerOr(reply->view(), "databases")) {
      const std::string_view name = each.value.isContainer() ? each.value.asDocument().stringOr("name") : "";
      if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
      const std::string_view number = name.substr(prefix.size());
      if (number.find_first_not_of("0123456789") == std::string_view::npos) found.emplace_back(name);
    }
    return found;
  }
  Result<> drop(const std::string& database) {
    doc::BsonWriter out;
    out.appendInt32("dropDatabase", 1);
    const auto done = connection_.write(database, out.finish());
    return done ? Result<>() : fail(unavailableError(done.error()));
  }

  Result<> mark() {
    const doc::Document first = markStatement();
    if (const auto done = connection_.write(names_.shared(), insertCommand(kMeta, std::span(&first, 1))); !done) {
      return fail(unavailableError(done.error()));
    }
    const StoreNumbers numbers = source_.numbers();
    Rows meta(connection_, names_, kMeta);
    doc::BsonWriter layout;
    layout.appendString("_id", "layout");
    layout.appendInt64("number", kLayout);
    RETURN_IF_ERROR(meta.add(layout.finish()));
    doc::BsonWriter projects;
    projects.appendString("_id", "projects");
    projects.appendInt64("last", numbers.nextProject - 1);
    RETURN_IF_ERROR(meta.add(projects.finish()));
    doc::BsonWriter ids;
    ids.appendString("_id", "ids");
    ids.appendInt64("ms", numbers.idFloorMs);
    RETURN_IF_ERROR(meta.add(ids.finish()));
    return meta.flush();
  }

  Result<> project(ProjectNo number) {
    const ProjectNumbers numbers = source_.numbersOf(number);
    Head head{.position = numbers.lastPosition,
              .epoch = numbers.epoch,
              .catalogue = 1,
              .nextNumber = numbers.nextNumber,
              .lostUpTo = numbers.lostUpTo};
    for (const CollectionInfo& collection : source_.collections(number)) {
      if (progress_.stopped()) return fail(ErrorCode::unavailable, "stopped");
      TRY(const ChainHead chain, source_.chainHead(number, collection.number));
      if (chain.seq > 0) RETURN_IF_ERROR(putChain(number, collection.number, chain));
      if (collection.number >= kFirstUserCollection) RETURN_IF_ERROR(make(number, collection));
    }
    RETURN_IF_ERROR(source_.eachChange(number, [&](const ChangeEntry& entry) -> Result<> {
      if (progress_.stopped()) return fail(ErrorCode::unavailable, "stopped");
      head.logged += bytesOf(entry);
      return log_.add(encodeLogEntry(number, entry, head.logged));
    }));
    return heads_.add(encodeHead(number, head));
  }

  Result<> putChain(ProjectNo project, CollectionNo collection, const ChainHead& head) {
    const doc::Document statement = chainStatement(countId(project, collection, ""), head);
    const auto done = connection_.write(names_.shared(), updateCommand(kChains, statement));
    return done ? Result<>() : fail(unavailableError(done.error()));
  }

  Result<> make(ProjectNo project, const CollectionInfo& collection) {
    RETURN_IF_ERROR(catalogue_.add(encodeCollection(project, collection)));
    const std::string database = names_.databaseOf(project, collection.number);
    const std::string name = Names::collectionOf(collection.number);
    doc::BsonWriter create;
    create.appendString("create", name);
    if (const auto done = connection_.write(database, create.finish()); !done) {
      return fail(unavailableError(done.error()));
    }
    for (const IndexInfo& index : collection.indexes) {
      const auto refused = [&](std::string_view reason) {
        return fail(ErrorCode::validation, fmt::format("project {}: MongoDB cannot keep the index \"{}\" of \"{}\": {}",
                                                       project, index.spec.name, collection.name, reason));
      };
      const auto form = serverIndex({project, collection.number, 0}, index.spec, indexName(index.number));
      if (!form) return refused(kUniqueFilters);
      doc::BsonWriter out;
      out.appendString("createIndexes", name);
      out.beginArray("indexes");
      out.appendDocument("0", *form);
      out.end();
      const auto done = connection_.write(database, out.finish());
      if (done) continue;
      if (done.error().code == CommandError::kDriver || done.error().transient) {
        return fail(unavailableError(done.error()));
      }
      return refused(done.error().code == CommandError::kIndexOptionsConflict ? "another one has the same fields"
                                                                              : done.error().message);
    }
    return {};
  }

  const Image& source_;
  const Names names_;
  Progress& progress_;
  Connection connection_;
  Rows heads_{connection_, names_, kHeads};
  Rows catalogue_{connection_, names_, kCatalogue};
  Rows log_{connection_, names_, kLog};
};

}  // namespace

}  // namespace mb::store::mongo

namespace mb::store {

Result<> MongoStore::createLike(const Image& source, const MongoSettings& settings, Progress& progress) {
  return mongo::Creation(source, settings, progress).run();
}

Result<> MongoStore::complete(const MongoSettings& settings) {
  mongo::Connection connection(settings.uri);
  const doc::Document statement = mongo::removeStatement(mongo::kIncomplete);
  const auto done = connection.write(settings.prefix, mongo::deleteCommand(mongo::kMeta, statement));
  return done ? Result<>() : fail(mongo::unavailableError(done.error()));
}

}  // namespace mb::store

#include "store/own/writing.h"

#include <set>

#include "document/fields.h"
#include "store/document_limits.h"
#include "store/mongo/commands.h"
#include "store/mongo/query_command.h"

namespace mb::store::own {

namespace {

using mongo::CommandError;
using mongo::Outcome;

constexpr int kRefusedByValidator = 121;
constexpr int kTooLarge = 10334;
// After these the statement has surely had no effect.
constexpr std::array kRefused = {CommandError::kDuplicateKey, kRefusedByValidator, kTooLarge};
constexpr std::chrono::seconds kUnknownTime{5};
// By how much the server's own fields may let a document grow.
constexpr size_t kServerFields = 128;

void appendKey(doc::BsonWriter& out, std::string_view stored) {
  doc::appendShown(out, "_id", *elementOf(stored, "_id"));
}

// {_id, $expr: the document is `before`}
void appendUnchanged(doc::BsonWriter& out, const Statement& statement) {
  appendKey(out, statement.before);
  out.beginDocument("$expr");
  out.beginArray("$eq");
  out.appendString("0", "$$ROOT");
  out.beginDocument("1");
  out.appendDocument("$literal", doc::DocumentView(statement.before));
  out.end();
  out.end();
  out.end();
}

// A replacement must not have names that begin with "$", a pipeline may set them.
void appendReplacement(doc::BsonWriter& out, doc::DocumentView after) {
  bool isPlain = true;
  for (const doc::Element& each : after) isPlain = isPlain && !each.key.starts_with('$');
  if (isPlain) return out.appendDocument("u", after);
  out.beginArray("u");
  out.beginDocument("0");
  out.beginDocument("$replaceWith");
  out.appendDocument("$literal", after);
  out.end();
  out.end();
  out.end();
}

// `unchanged`: the statement checks itself that its document is as it was read.
doc::Document commandOf(const Statement& statement, bool unchanged) {
  if (statement.kind == Statement::Kind::insert) {
    const doc::Document document = doc::Document::fromTrusted(statement.after);
    return mongo::insertCommand(statement.collection.name, std::span(&document, 1));
  }
  doc::BsonWriter out;
  out.beginDocument("q");
  if (unchanged)
    appendUnchanged(out, statement);
  else
    appendKey(out, statement.before);
  out.end();
  appendCollation(out);
  if (statement.kind == Statement::Kind::remove) {
    out.appendInt32("limit", 1);
    return mongo::deleteCommand(statement.collection.name, out.finish());
  }
  appendReplacement(out, doc::DocumentView(statement.after));
  return mongo::updateCommand(statement.collection.name, out.finish());
}

Error unknownOutcome() {
  return Error(ErrorCode::unavailable, "the outcome of the write is not known");
}

class Application {
 public:
  Application(mongo::Connection& connection, const std::vector<Statement>& statements, Deadline deadline)
      : connection_(connection),
        statements_(statements),
        database_(*statements.front().collection.database),
        deadline_(deadline) {}

  Applied run() {
    if (auto refused = checkChosenIds()) return {0, false, std::move(*refused), false};
    const bool single = statements_.size() == 1 && statements_.front().kind != Statement::Kind::hold;
    const bool transactions = database_.capabilities().transactions;
    if (single || !transactions) {
      Applied applied = oneByOne();
      // A server may find a document other than itself: a transaction compares its bytes.
      if (!transactions || !applied.raced) return noted(std::move(applied));
    }
    Applied applied = inTransaction();
    connection_.abort();
    return noted(std::move(applied));
  }

 private:
  // Writes that take effect show that the database takes them.
  Applied noted(Applied applied) {
    if (applied.count > 0 && !applied.error) database_.wrote();
    return applied;
  }

  // Without a unique index, two documents could get the id that clients choose.
  std::optional<Error> checkChosenIds() {
    std::set<std::string> looked;
    for (const Statement& each : statements_) {
      if (each.kind != Statement::Kind::insert || !each.choosesId) continue;
      if (!looked.insert(each.collection.name).second) continue;
      auto unique = hasUniqueIds(connection_, each.collection);
      if (!unique) return std::move(unique).error();
      if (!*unique) return Error(ErrorCode::conflict, "the collection needs backfill");
    }
    return std::nullopt;
  }

  Applied oneByOne() {
    Applied applied;
    for (const Statement& each : statements_) {
      if (each.kind == Statement::Kind::hold) {
        ++applied.count;
        continue;
      }
      const auto reply = connection_.write(database_.name(), commandOf(each, true));
      if (!reply) return failed(std::move(applied), reply.error(), each);
      if (doc::integerOr(*reply, "n") == 0) {
        applied.raced = true;
        return applied;
      }
      ++applied.count;
    }
    return applied;
  }

  Applied inTransaction() {
    if (auto begun = connection_.begin(); !begun) return failed({}, begun.error(), statements_.front());
    const Reading read = [&](doc::DocumentView command) {
      return connection_.inTransaction(database_.name(), command);
    };
    for (const Statement& each : statements_) {
      if (each.before.empty()) continue;
      const auto same = isUnchanged(read, each);
      if (!same) return failed({}, same.error(), each);
      if (!*same) return {0, true, {}, false};
    }
    for (const Statement& each : statements_) {
      if (each.kind == Statement::Kind::hold) continue;
      const auto reply = connection_.inTransaction(database_.name(), commandOf(each, false));
      if (!reply) return failed({}, reply.error(), each);
      if (doc::integerOr(*reply, "n") == 0) return {0, true, {}, false};
    }
    if (auto done = connection_.commit(std::min(deadline_, std::chrono::steady_clock::now() + kUnknownTime)); !done) {
      if (done.error().unknownCommit) return {0, false, unknownOutcome(), true};
      return failed({}, done.error(), statements_.front());
    }
    return {statements_.size(), false, {}, false};
  }

  Outcome<bool> isUnchanged(const Reading& read, const Statement& statement) {
    doc::BsonWriter out;
    out.appendString("find", statement.collection.name);
    out.beginDocument("filter");
    appendKey(out, statement.before);
    out.end();
    out.appendInt32("limit", 1);
    out.appendBool("singleBatch", true);
    appendCollation(out);
    bool same = false;
    auto done = mongo::eachDocument(read, statement.collection.name, out.finish(), [&](doc::DocumentView now) {
      same = now.bytes() == statement.before;
      return true;
    });
    if (!done) return std::unexpected(std::move(done).error());
    return same;
  }

  Applied failed(Applied applied, const CommandError& error, const Statement& statement) {
    // Another write inserted the document that did not exist.
    const bool sameId = error.code == CommandError::kDuplicateKey && statement.kind == Statement::Kind::insert &&
                        (error.index == kIdIndex || error.index == "_id_");
    if (sameId || error.transient || error.code == CommandError::kWriteConflict) {
      applied.raced = true;
      return applied;
    }
    applied.error = errorOf(error, statement);
    applied.isUnknown = std::ranges::find(kRefused, error.code) == kRefused.end();
    return applied;
  }

  Error errorOf(const CommandError& error, const Statement& statement) {
    if (error.code == CommandError::kDuplicateKey) {
      const std::string& index = error.index;
      const bool own = index.starts_with(kIndexPrefix);
      return uniqueViolation(own ? index.substr(kIndexPrefix.size()) : index, statement.target);
    }
    if (error.code == kRefusedByValidator) return Error(ErrorCode::validation, "the database refused the document");
    if (error.code == kTooLarge) return Error(ErrorCode::payloadTooLarge, "the document is too large");
    Error away = database_.failed(error);
    // The statement may have been sent.
    return error.code < 0 && !error.notSent ? unknownOutcome().withCause(away.cause()) : std::move(away);
  }

  mongo::Connection& connection_;
  const std::vector<Statement>& statements_;
  Database& database_;
  const Deadline deadline_;
};

}  // namespace

Task<Applied> apply(std::vector<Statement> statements, Deadline deadline) {
  const std::shared_ptr<Database> database = statements.front().collection.database;
  co_return co_await database->run(
      deadline, [statements = std::move(statements), deadline](mongo::Connection& connection) -> Result<Applied> {
        return Application(connection, statements, deadline).run();
      });
}

Result<std::optional<Statement>> statementOf(const Collection& collection, const WriteTarget& target,
                                             const std::optional<StoredDocument>& before, const Change& change,
                                             size_t position) {
  Statement statement;
  statement.collection = collection;
  statement.target = position;
  if (before) statement.before = before->stored;
  switch (change.kind) {
    case Change::Kind::keep:
      // A document that does not exist cannot be held: nothing of ours is written there.
      if (target.access == Access::peek || !before) return std::nullopt;
      return statement;
    case Change::Kind::remove:
      if (!before) return std::nullopt;
      statement.kind = Statement::Kind::remove;
      return statement;
    case Change::Kind::put:
      break;
  }
  if (change.after.view().find("_id")) {
    return fail(ErrorCode::invalidBody, "\"_id\" belongs to the project's database and cannot be set");
  }
  const size_t was = before ? before->shown.size() + kServerFields : 0;
  if (change.after.size() > kMaxDocument && change.after.size() > was) {
    return fail(ErrorCode::payloadTooLarge, "a document is at most 1 MiB");
  }
  if (before) {
    statement.kind = Statement::Kind::replace;
    TRY(statement.after, changedStored(before->stored, change.after, change.replaces));
    return statement;
  }
  statement.kind = Statement::Kind::insert;
  statement.choosesId = !target.idIsNew;
  Cover cover(collection.database->coverKey());
  statement.after = newStored(change.after, cover).bytes();
  return statement;
}

}  // namespace mb::store::own

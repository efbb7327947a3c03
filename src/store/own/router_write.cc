// Writes of the Router: their pending writes in the main store, what they change in the database of a project's owner,
// then the rest in the main store.
#include <set>

#include "base/crypto.h"
#include "base/work_budget.h"
#include "store/document_limits.h"
#include "store/own/pending_writes.h"
#include "store/own/router.h"
#include "store/retry.h"
#include "store/write_steps.h"

namespace mb::store::own {

namespace {

// Runs that lose against other writers, before the write fails.
constexpr int kMaxRounds = 3;
constexpr std::chrono::seconds kWriteTime{10};
// The time for what follows in the main store: the documents are written, so it is not refused for a deadline.
constexpr std::chrono::seconds kFollowTime{10};

// A write that names documents of an owner's database.
struct Split {
  WriteOptions options;
  std::vector<Absence> conditions;
  std::vector<Insert> inserts;
  std::vector<WriteTarget> targets;                   // those of the inserts last
  std::vector<std::optional<Collection>> there;       // by target; nullopt for one of the main store
  std::vector<std::optional<StoredDocument>> stored;  // of those
  std::vector<std::optional<doc::Document>> before;
  std::vector<DocumentVersion> versions;

  size_t named() const { return targets.size() - inserts.size(); }
  // That whose documents are written there.
  ProjectNo project() const {
    const auto first = std::ranges::find_if(there, [](const auto& each) { return each.has_value(); });
    return targets[static_cast<size_t>(first - there.begin())].collection.project;
  }
  bool writesThere() const {
    for (size_t i = 0; i < targets.size(); ++i) {
      if (there[i] && targets[i].access == Access::write) return true;
    }
    return false;
  }
};

// A document that a write does not change must not be changed by its callback.
Result<> checkAccess(const Split& split, std::span<const Change> changes) {
  for (size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].kind == Change::Kind::keep || split.targets[i].access == Access::write) continue;
    return fail(Error(ErrorCode::internal, "the changes could not be applied")
                    .withCause("a document that is only held or peeked at is changed: " + split.targets[i].id));
  }
  return {};
}

Result<> checkDistinct(const std::vector<WriteTarget>& targets) {
  std::set<std::tuple<ProjectNo, CollectionNo, std::string>> written;
  for (const WriteTarget& each : targets) {
    if (each.access != Access::write) continue;
    if (written.emplace(each.collection.project, each.collection.number, each.id).second) continue;
    return fail(Error(ErrorCode::internal, "the changes could not be applied")
                    .withCause("a document is named twice: " + each.id));
  }
  return {};
}

Result<> checkIds(const std::vector<WriteTarget>& targets) {
  const bool fit = std::ranges::all_of(
      targets, [](const WriteTarget& each) { return !each.id.empty() && each.id.size() <= kMaxId; });
  if (fit) return {};
  return fail(ErrorCode::validation, fmt::format("an id has 1 to {} bytes", kMaxId));
}

void addLocks(HeldStripes& locks, const Split& split) {
  for (size_t i = 0; i < split.targets.size(); ++i) {
    const WriteTarget& target = split.targets[i];
    if (!split.there[i] || target.access == Access::peek) continue;
    locks.add(fmt::format("{}/{}/{}", target.collection.project, target.collection.number, target.id),
              target.access == Access::write ? KeyLocks::Mode::exclusive : KeyLocks::Mode::shared);
  }
}

Result<std::vector<Change>> changesOf(const Split& split, const WriteCallback& callback) {
  std::vector<Change> changes(split.named());
  const std::span all(split.before);
  if (callback) {
    const PreImages before(all.first(split.named()), std::span(split.versions).first(split.named()));
    TRY(changes, computeChanges(callback, before, kCoreWork, 1));
  }
  RETURN_IF_ERROR(checkAccess(split, changes));
  const bool anything = !callback || changesAnything(changes, all);
  RETURN_IF_ERROR(addInserts(changes, split.inserts, anything, all));
  return changes;
}

// Reads the documents that are elsewhere; those of the main store too, if `all`.
Task<> readBefore(MainStore& main, Split& split, bool all) {
  const size_t count = split.targets.size();
  split.stored.assign(count, std::nullopt);
  split.before.assign(count, std::nullopt);
  split.versions.assign(count, 0);
  std::map<std::string, std::vector<size_t>> byName;
  for (size_t i = 0; i < count; ++i) {
    const WriteTarget& target = split.targets[i];
    if (target.idIsNew) continue;
    if (split.there[i]) {
      byName[split.there[i]->name].push_back(i);
    } else if (all) {
      CO_TRY(auto found, co_await main.getVersioned(target.collection, target.id, {split.options.deadline}));
      if (!found) continue;
      split.before[i] = std::move(found->document);
      split.versions[i] = found->version;
    }
  }
  size_t held = 0;
  for (const auto& [name, positions] : byName) {
    std::vector<std::string> ids;
    for (const size_t each : positions) ids.push_back(split.targets[each].id);
    CO_TRY(auto found, co_await getStored(*split.there[positions.front()], std::move(ids), split.options.deadline));
    for (size_t i = 0; i < positions.size(); ++i) {
      if (!found[i]) continue;
      if (split.targets[positions[i]].access == Access::hold) held += found[i]->shown.size();
      if (held > kMaxHeldBytes) co_return fail(heldTooLarge());
      split.before[positions[i]] = found[i]->shown;
      split.versions[positions[i]] = versionOf(found[i]->stored);
      split.stored[positions[i]] = std::move(found[i]);
    }
  }
  co_return Result<>();
}

// Where documents elsewhere are only read: a write of the main store, whose callback has them besides its own.
Task<WriteOutcome> writeBeside(MainStore& main, Split& split, const WriteCallback& callback) {
  Write write(split.options);
  std::vector<std::optional<Target>> own(split.named());
  for (size_t i = 0; i < split.named(); ++i) {
    if (!split.there[i]) own[i] = write.change(split.targets[i]);
  }
  for (const Absence& each : split.conditions) write.require(each);
  write.insert(split.inserts);
  std::vector<std::optional<doc::Document>> before(split.before.begin(), split.before.begin() + split.named());
  const auto merged = [&named = std::as_const(own), &read = std::as_const(before), &decide = std::as_const(callback),
                       &whole = std::as_const(split)](const PreImages& mine, Changes& changes) -> Result<> {
    std::vector<std::optional<doc::Document>> documents = read;
    std::vector<DocumentVersion> versions = whole.versions;
    for (size_t i = 0; i < named.size(); ++i) {
      if (!named[i]) continue;
      documents[i] = mine[*named[i]];
      versions[i] = mine.version(*named[i]);
    }
    Changes all(documents.size());
    RETURN_IF_ERROR(decide(PreImages(documents, versions), all));
    RETURN_IF_ERROR(checkAccess(whole, all.all()));
    for (size_t i = 0; i < named.size(); ++i) {
      if (named[i]) changes.set(*named[i], std::move(all.all()[i]));
    }
    return {};
  };
  if (!callback) co_return co_await main.write(std::move(write), nullptr);
  co_return co_await main.write(std::move(write), merged);
}

// What a statement is about to do.
Announcement announcementOf(const Split& split, const Statement& statement, const Change& change) {
  const WriteTarget& target = split.targets[statement.target];
  const auto key = elementOf(statement.before.empty() ? statement.after : statement.before, "_id");
  Announcement out;
  out.key = pendingWriteKey(target.collection.number, nameOfKey(*key));
  PendingWrite& pendingWrite = out.pendingWrite;
  pendingWrite.number = static_cast<int64_t>(randomU64() >> 1);
  if (statement.kind != Statement::Kind::remove) pendingWrite.after = static_cast<int64_t>(versionOf(statement.after));
  pendingWrite.collection = target.collection.number;
  pendingWrite.id = target.id;
  pendingWrite.before = split.before[statement.target];
  pendingWrite.existed = pendingWrite.before.has_value();
  pendingWrite.replaces = change.replaces;
  pendingWrite.silent = !split.options.logged;
  pendingWrite.actorKind = nameOf(split.options.actor.kind);
  pendingWrite.actorId = split.options.actor.id;
  pendingWrite.trace = split.options.trace;
  pendingWrite.at = SystemClock().now();
  return out;
}

struct Announced {
  std::map<size_t, Announcement> all;  // by target
  bool isCopied = false;               // whether the copier logs their changes
};

// Stores the pending writes of all statements that change something.
Task<Announced> announceAll(MainStore& main, const Split& split, const std::vector<Statement>& statements,
                            const std::vector<Change>& changes) {
  Announced announced;
  std::vector<Announcement> all;
  for (const Statement& each : statements) {
    if (each.kind == Statement::Kind::hold) continue;
    all.push_back(announcementOf(split, each, changes[each.target]));
    announced.all.emplace(each.target, all.back());
  }
  CO_TRY(announced.isCopied, co_await announce(main, split.project(), std::move(all), split.options.deadline));
  co_return announced;
}

// Removes the pending writes of the statements from `begin` on, which had no effect.
Async<void> retractFrom(MainStore& main, const Split& split, const std::vector<Statement>& statements,
                        const Announced& announced, size_t begin) {
  std::vector<Announcement> all;
  for (size_t i = begin; i < statements.size(); ++i) {
    const auto found = announced.all.find(statements[i].target);
    if (found != announced.all.end()) all.push_back(found->second);
  }
  if (!all.empty()) co_await retract(main, split.project(), std::move(all), split.options.deadline);
}

// A change that took effect in the database.
struct Effect {
  Announcement announced;
  ChangeEntry entry;
};

// Removes the pending writes of changes that this write logs itself. Fails with retry if one was logged concurrently.
Result<> settleAll(const PreImages& before, Changes& changes, Target stream,
                   const std::vector<std::pair<Target, int64_t>>& open) {
  TRY(const bool comes, mayBring(before[stream]));
  std::map<size_t, std::vector<int64_t>> numbers;
  for (const auto& [record, number] : open) {
    TRY(const bool isStillOpen, isOpen(before[record], number));
    if (!isStillOpen) return fail(ErrorCode::retry, "a change was logged concurrently");
    numbers[record.position()].push_back(number);
  }
  for (const auto& [record, number] : open) {
    auto found = numbers.find(record.position());
    if (found == numbers.end()) continue;
    TRY(Change change, settle(before[record], found->second, comes ? Settled::logged : Settled::removed));
    changes.set(record, std::move(change));
    numbers.erase(found);
  }
  return {};
}

// One try of follow(): the changes of records, and `effects`. `looks`: of these, only those that are not logged yet.
Task<WriteOutcome> followOnce(MainStore& main, const Split& split, const std::vector<Change>& changes,
                              const std::vector<Effect>& effects, bool looks) {
  Write write(split.options);
  write.options.deadline = std::chrono::steady_clock::now() + kFollowTime;
  write.options.limits.clear();
  const ProjectNo project = split.project();
  std::vector<std::pair<Target, int64_t>> open;
  for (const Effect& each : effects) {
    if (looks) {
      CO_TRY(const auto record, co_await main.get(pendingWritesOf(project), each.announced.key));
      CO_TRY(const bool isStillOpen, isOpen(record, each.announced.pendingWrite.number));
      if (!isStillOpen) continue;
    }
    open.emplace_back(write.change(pendingWritesOf(project), each.announced.key), each.announced.pendingWrite.number);
    if (split.options.logged) write.log(project, each.entry);
  }
  std::vector<std::pair<Target, Change>> own;
  for (size_t i = 0; i < changes.size(); ++i) {
    if (split.there[i] || changes[i].kind == Change::Kind::keep) continue;
    const Target target = write.change(split.targets[i]);
    own.emplace_back(target, changes[i]);
  }
  if (own.empty() && open.empty()) co_return WriteOutcome();
  const Target stream = write.peek(streamOf(project), std::string(kStreamId));
  const auto callback = [stream, &open = std::as_const(open), &changed = std::as_const(own)](const PreImages& before,
                                                                                             Changes& to) -> Result<> {
    RETURN_IF_ERROR(settleAll(before, to, stream, open));
    for (const auto& [target, change] : changed) to.set(target, change);
    return {};
  };
  co_return co_await main.write(std::move(write), callback);
}

// What follows in the main store after the documents were written: the changes of records, and the change log where no
// copier does that (`effects` is empty where one does).
Task<WriteOutcome> follow(MainStore& main, const Split& split, const std::vector<Change>& changes,
                          const std::vector<Effect>& effects) {
  Error lost(ErrorCode::unavailable, "the change could not be logged: it follows later");
  bool looks = false;
  co_return co_await retryWrite(kMaxRounds, std::move(lost),
                                [&] { return followOnce(main, split, changes, effects, std::exchange(looks, true)); });
}

}  // namespace

Task<WriteOutcome> Router::write(Write write, WriteCallback callback) {
  if (!databases_.any()) return main_->write(std::move(write), std::move(callback));
  std::vector<Insert> inserts = write.takeInserts();
  const bool elsewhere =
      std::ranges::any_of(write.targets(), [&](const WriteTarget& each) { return isElsewhere(each.collection); }) ||
      std::ranges::any_of(inserts, [&](const Insert& each) { return isElsewhere(each.collection); });
  write.insert(std::move(inserts));
  if (!elsewhere) return main_->write(std::move(write), std::move(callback));
  return writeElsewhere(std::move(write), std::move(callback));
}

Task<> Router::checkConditions(const std::vector<Absence>& conditions, const std::vector<CounterLimit>& limits,
                               Deadline deadline) {
  for (const Absence& each : conditions) {
    Query query;
    query.collection = each.collection;
    query.filter = doc::Filter::equals(each.path, each.value);
    query.limit = each.except.empty() ? 1 : 2;
    query.projection = Projection::ids;
    query.deadline = deadline;
    CO_TRY(const QueryResult found, co_await find(std::move(query)));
    const bool holds = std::ranges::any_of(found.documents, [&](const doc::Document& document) {
      return each.except.empty() || document.view().stringOr("id") != each.except;
    });
    if (holds) co_return fail(conditionViolation(each));
  }
  // The main store compares counters in its commit, which comes after the documents here.
  for (const CounterLimit& each : limits) {
    CO_TRY(const int64_t now, co_await main_->counter(each.counter));
    if (now >= each.max) co_return fail(limitViolation("this project", each.max));
  }
  co_return Result<>();
}

Task<WriteOutcome> Router::writeElsewhere(Write write, WriteCallback callback) {
  Split split;
  split.options = write.options;
  if (split.options.deadline == Deadline()) split.options.deadline = std::chrono::steady_clock::now() + kWriteTime;
  split.conditions = write.conditions();
  split.inserts = write.takeInserts();
  split.targets = write.takeTargets();
  addTargets(split.targets, split.inserts);
  CO_RETURN_IF_ERROR(checkNotices(split.options.notices));
  CO_RETURN_IF_ERROR(checkIds(split.targets));
  CO_RETURN_IF_ERROR(checkDistinct(split.targets));
  for (const WriteTarget& each : split.targets) {
    split.there.emplace_back();
    if (isElsewhere(each.collection)) CO_TRY(split.there.back(), co_await resolveCurrent(each.collection));
  }
  if (!split.writesThere()) {
    CO_RETURN_IF_ERROR(co_await readBefore(*main_, split, false));
    co_return co_await writeBeside(*main_, split, callback);
  }
  HeldStripes locks(locks_);
  addLocks(locks, split);
  if (!locks.tryAll()) {
    const bool granted = co_await locks.waitAll(split.options.deadline);
    if (!granted) co_return fail(ErrorCode::unavailable, "the document is locked by other writes: try again");
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    CO_RETURN_IF_ERROR(co_await readBefore(*main_, split, true));
    CO_TRY(std::vector<Change> changes, changesOf(split, callback));
    CO_RETURN_IF_ERROR(co_await checkConditions(split.conditions, split.options.limits, split.options.deadline));
    std::vector<Statement> statements;
    for (size_t i = 0; i < changes.size(); ++i) {
      if (!split.there[i]) continue;
      CO_TRY(auto statement, statementOf(*split.there[i], split.targets[i], split.stored[i], changes[i], i));
      if (statement) statements.push_back(*std::move(statement));
    }
    const bool changes_ =
        std::ranges::any_of(statements, [](const Statement& each) { return each.kind != Statement::Kind::hold; });
    std::vector<Effect> effects;
    WriteOutcome outcome;
    std::optional<Error> partial;
    if (changes_) {
      outcome.versions.resize(split.named());
      const std::vector<Statement> sent = statements;
      CO_TRY(const Announced announced, co_await announceAll(*main_, split, sent, changes));
      CO_TRY(Applied applied, co_await apply(std::move(statements), split.options.deadline));
      if (!applied.isUnknown) co_await retractFrom(*main_, split, sent, announced, applied.count);
      if (applied.count == 0 && applied.error) co_return fail(*std::move(applied.error));
      if (applied.count == 0) continue;
      for (size_t i = 0; i < applied.count; ++i) {
        const Statement& each = sent[i];
        if (each.kind == Statement::Kind::hold) continue;
        const bool removes = each.kind == Statement::Kind::remove;
        if (!removes && each.target < split.named()) outcome.versions[each.target] = versionOf(each.after);
        if (announced.isCopied) continue;
        const Announcement& said = announced.all.at(each.target);
        auto after = removes ? std::nullopt : std::optional(changes[each.target].after);
        ChangeEntry entry = entryOf(said.pendingWrite, std::move(after));
        effects.push_back({said, std::move(entry)});
      }
      partial = std::move(applied.error);
      if (applied.raced) partial = Error(ErrorCode::conflict, "some of the documents changed concurrently");
    }
    CO_TRY(const WriteOutcome followed, co_await follow(*main_, split, changes, effects));
    if (partial) co_return fail(*std::move(partial));
    outcome.position = followed.position;
    co_return outcome;
  }
  co_return fail(ErrorCode::conflict, "the document changed concurrently: try again");
}

}  // namespace mb::store::own

// How an attempt stores what its writes made.
#include "document/fields.h"
#include "store/big_endian.h"
#include "store/chain.h"
#include "store/mongo/attempt.h"
#include "store/mongo/drops.h"
#include "store/mongo/log_entry.h"
#include "store/mongo/watcher.h"

namespace mb::store::mongo {

namespace {

CommandError raced() {
  CommandError error(CommandError::kWriteConflict, "the project was changed by another instance");
  error.transient = true;
  return error;
}

}  // namespace

doc::Document counterStatement(const CounterKey& key, int64_t by) {
  return upsertStatement(counterId(key), [&](doc::BsonWriter& out) {
    out.beginDocument("$inc");
    out.appendInt64("n", by);
    out.end();
    out.beginDocument("$setOnInsert");
    out.appendInt64("p", key.project);
    out.appendInt64("k", key.counter);
    out.appendString("g", key.group);
    out.end();
  });
}

doc::Document chainStatement(const std::string& id, const ChainHead& head) {
  return upsertStatement(id, [&head](doc::BsonWriter& out) {
    out.beginDocument("$set");
    out.appendInt64("seq", static_cast<int64_t>(head.seq));
    out.appendString("hash", toHex(head.hash));
    out.end();
  });
}

std::string indexName(IndexNo number) {
  return fmt::format("i{}", number);
}

std::string catalogueName(std::string_view server, const CollectionInfo* info) {
  if (server == "_id_") return "";
  if (info == nullptr) return std::string(server);
  for (const IndexInfo& each : info->indexes) {
    if (indexName(each.number) == server) return each.spec.name;
  }
  return std::string(server);
}

Outcome<> Attempt::store(Deadline deadline) {
  for (const auto& [key, held] : documents_) {
    if (held.changed) addDerived(key, held);
  }
  using Step = Outcome<> (Attempt::*)();
  for (const Step step : {&Attempt::chainInserts, &Attempt::storeDocuments, &Attempt::storeGuards,
                          &Attempt::storeCounts, &Attempt::storeCounters, &Attempt::storeCatalogue,
                          &Attempt::storeNotices, &Attempt::storeHeads, &Attempt::storeLog}) {
    if (auto done = (this->*step)(); !done) return done;
  }
  if (auto done = transaction_.commit(deadline); !done) {
    CommandError error = std::move(done).error();
    // The driver repeats a commit whose response got lost; a server that was started again in between may say that
    // there is no such transaction, although it took place. The head shows that.
    if (error.code == CommandError::kNoSuchTransaction && moved_) error.unknownCommit = true;
    return std::unexpected(std::move(error));
  }
  committed_ = true;
  return {};
}

void Attempt::addDerived(const Key& key, const TargetState& held) {
  const SystemCollection* system = context_.states.system(key.collection);
  const std::vector<doc::FieldPath> marked = context_.states.markedPaths(key.project, key.collection);
  const auto add = [&](doc::DocumentView document, int sign) {
    const auto size = static_cast<int64_t>(document.bytes().size());
    if (isCounted(context_.states, key.collection)) {
      Count& count = counts_[{key.project, key.collection}];
      count.documents += sign;
      count.bytes += sign * size;
    }
    for (const doc::FieldPath& path : marked) {
      Marks::addStripes(key.project, key.collection, path, document, stripes_);
    }
    if (system == nullptr) return;
    for (const std::string& path : system->marked) {
      if (const auto parsed = doc::FieldPath::parse(path)) {
        Marks::addStripes(key.project, key.collection, *parsed, document, systemStripes_);
      }
    }
    const std::string_view group = system->countedBy.empty() ? "" : document.stringOr(system->countedBy);
    if (group.empty()) return;
    Count& count = groupCounts_[{key.project, key.collection, std::string(group)}];
    count.documents += sign;
    count.bytes += sign * size;
  };
  if (held.base) add(*held.base, -1);
  if (held.now) add(*held.now, 1);
}

Outcome<> Attempt::chainInserts() {
  std::map<std::string, ChainHead> heads;
  for (const Key& key : chained_) heads[countId(key.project, key.collection, "")] = {};
  if (heads.empty()) return {};
  std::vector<std::string> ids;
  for (const auto& [id, _] : heads) ids.push_back(id);
  auto read = transaction_.each(context_.names.shared(), kChains, findByIds(kChains, ids), [&](doc::DocumentView view) {
    const auto hash = digestOf(view.stringOr("hash"));
    heads[std::string(view.stringOr("_id"))] = {static_cast<uint64_t>(doc::integerOr(view, "seq")),
                                                hash.value_or(Digest{})};
  });
  if (!read) return read;
  for (const Key& key : chained_) {
    TargetState& held = documents_[key];
    if (!held.now) continue;
    const size_t plain = held.now->size();
    held.now = doc::Document::fromTrusted(chained(*held.now, heads[countId(key.project, key.collection, "")]));
    // The fields of the chain count as bytes, too.
    const auto counted = counts_.find({key.project, key.collection});
    if (counted != counts_.end()) counted->second.bytes += static_cast<int64_t>(held.now->size() - plain);
  }
  std::vector<doc::Document> statements;
  for (const auto& [id, head] : heads) {
    statements.push_back(chainStatement(id, head));
  }
  return transaction_.update(context_.names.shared(), kChains, statements);
}

Outcome<> Attempt::storeDocuments() {
  std::set<std::pair<ProjectNo, CollectionNo>> collections;
  for (const auto& [key, held] : documents_) {
    if (held.changed) collections.emplace(key.project, key.collection);
  }
  for (const auto& [project, collection] : collections) {
    if (auto done = storeDocumentsOf(project, collection); !done) return done;
  }
  return {};
}

Outcome<> Attempt::storeDocumentsOf(ProjectNo project, CollectionNo collection) {
  std::vector<doc::Document> removals;
  std::vector<doc::Document> updates;
  std::vector<doc::Document> inserts;
  std::vector<const Key*> updated;
  std::vector<const Key*> inserted;
  size_t changed = 0;
  bool unique = false;
  for (const auto& [key, held] : documents_) {
    if (!held.changed || key.project != project || key.collection != collection) continue;
    ++changed;
    for (const IndexSpec* spec : indexesOf({{project, collection, 0}, key.id})) unique = unique || spec->unique;
  }
  // Of several documents one may take a value that another had, so all are removed first.
  const bool anew = unique && changed > 1;
  for (const auto& [key, held] : documents_) {
    if (!held.changed || key.project != project || key.collection != collection) continue;
    const std::string id = storedId(project, collection, key.id);
    if (held.base && (!held.now || anew)) removals.push_back(removeStatement(id));
    if (!held.now) continue;
    doc::Document form = stored(project, collection, key.id, *held.now, held.version);
    if (held.base && !anew) {
      updates.push_back(replaceStatement(id, form));
      updated.push_back(&key);
    } else {
      inserts.push_back(std::move(form));
      inserted.push_back(&key);
    }
  }
  const std::string database = context_.names.databaseOf(project, collection);
  const std::string name = Names::collectionOf(collection);
  if (auto done = transaction_.remove(database, name, removals); !done) return done;
  if (auto done = transaction_.update(database, name, updates); !done) {
    noteRefusal(done.error(), updated);
    return done;
  }
  auto done = transaction_.insert(database, name, inserts);
  if (!done) noteRefusal(done.error(), inserted);
  return done;
}

void Attempt::noteRefusal(const CommandError& error, const std::vector<const Key*>& keys) {
  if (error.code != CommandError::kDuplicateKey || keys.empty()) return;
  const Key* key = error.statement && *error.statement < keys.size() ? keys[*error.statement]
                   : keys.size() == 1                                ? keys.front()
                                                                     : nullptr;
  if (key == nullptr) return;
  const TargetState& held = documents_[*key];
  const auto state = states_.find(key->project);
  const CollectionInfo* info = nullptr;
  if (state != states_.end() && state->second) {
    const auto found = state->second->collections.find(key->collection);
    if (found != state->second->collections.end()) info = found->second.get();
  }
  refused_ = {held.writer, held.target, catalogueName(error.index, info)};
}

// Documents that writes need unchanged. Those of user collections are kept by the head of their project, which each
// write of such a collection changes.
Outcome<> Attempt::storeGuards() {
  std::map<CollectionNo, std::vector<doc::Document>> present;
  std::vector<doc::Document> absent;
  for (const auto& [key, held] : documents_) {
    if (!held.held || held.changed || !isSystem(key.collection)) continue;
    const std::string id = storedId(key.project, key.collection, key.id);
    if (held.base) {
      doc::BsonWriter out;
      out.beginDocument("q");
      out.appendString("_id", id);
      out.end();
      out.beginDocument("u");
      out.beginDocument("$inc");
      out.appendInt64("_g", 1);
      out.end();
      out.end();
      present[key.collection].push_back(out.finish());
    } else {
      absent.push_back(upsertStatement(fmt::format("{}/{}", key.collection, id), [&](doc::BsonWriter& out) {
        out.beginDocument("$inc");
        out.appendInt64("n", 1);
        out.end();
        out.beginDocument("$set");
        out.appendDate("at", at_);
        out.end();
      }));
    }
  }
  for (const auto& [collection, statements] : present) {
    auto done = transaction_.update(context_.names.shared(), Names::collectionOf(collection), statements);
    if (!done) return done;
  }
  return transaction_.update(context_.names.shared(), kGuards, absent);
}

Outcome<> Attempt::storeCounts() {
  std::vector<doc::Document> statements;
  const auto add = [&](ProjectNo project, CollectionNo collection, const std::string& group, const Count& count) {
    statements.push_back(upsertStatement(countId(project, collection, group), [&](doc::BsonWriter& out) {
      out.beginDocument("$inc");
      out.appendInt64("n", count.documents);
      out.appendInt64("bytes", count.bytes);
      out.end();
      out.beginDocument("$max");
      out.appendDate("at", at_);
      out.end();
      out.beginDocument("$setOnInsert");
      out.appendInt64("p", project);
      out.appendInt64("c", collection);
      out.appendString("g", group);
      out.end();
    }));
  };
  for (const auto& [key, count] : counts_) add(key.first, key.second, "", count);
  for (const auto& [key, count] : groupCounts_) {
    if (count.documents != 0 || count.bytes != 0) add(std::get<0>(key), std::get<1>(key), std::get<2>(key), count);
  }
  return transaction_.update(context_.names.shared(), kCounts, statements);
}

Outcome<> Attempt::storeCounters() {
  std::vector<doc::Document> statements;
  for (const auto& [key, by] : sums_) {
    if (by == 0) continue;
    statements.push_back(counterStatement(key, by));
  }
  return transaction_.update(context_.names.shared(), kCounters, statements);
}

Outcome<> Attempt::storeCatalogue() {
  if (!next_) return {};
  const auto idOfCollection = [&](doc::BsonWriter& out, std::string_view key, CollectionNo number) {
    out.beginDocument(key);
    out.beginDocument("_id");
    out.appendInt64("p", project_);
    out.appendInt64("c", number);
    out.end();
    out.end();
  };
  std::vector<doc::Document> changed;
  std::vector<doc::Document> removed;
  std::vector<doc::Document> drops;
  if (next_->head.dead) drops.push_back(dropStatement({project_}));
  const auto& before = states_[project_]->collections;
  for (const auto& [number, info] : next_->collections) {
    const auto was = before.find(number);
    if (was != before.end() && was->second == info) continue;
    for (const IndexInfo& each : was == before.end() ? std::vector<IndexInfo>() : was->second->indexes) {
      const bool stays = std::ranges::find(info->indexes, each.number, &IndexInfo::number) != info->indexes.end();
      if (!stays) drops.push_back(dropStatement({project_, number, each.number}));
    }
    doc::BsonWriter out;
    idOfCollection(out, "q", number);
    out.appendDocument("u", encodeCollection(project_, *info));
    out.appendBool("upsert", true);
    changed.push_back(out.finish());
  }
  for (const auto& [number, _] : before) {
    if (next_->collections.contains(number)) continue;
    drops.push_back(dropStatement({project_, number}));
    doc::BsonWriter out;
    idOfCollection(out, "q", number);
    out.appendInt32("limit", 1);
    removed.push_back(out.finish());
  }
  if (auto done = transaction_.update(context_.names.shared(), kCatalogue, changed); !done) return done;
  if (auto done = transaction_.update(context_.names.shared(), kDrops, drops); !done) return done;
  return transaction_.remove(context_.names.shared(), kCatalogue, removed);
}

// What the other instances must receive besides the heads.
Outcome<> Attempt::storeNotices() {
  std::vector<Notice> notices;
  for (const Slot& slot : slots_) {
    if (!slot.effective) continue;
    notices.insert(notices.end(), slot.write->options.notices.begin(), slot.write->options.notices.end());
  }
  if (notices.empty() && systemStripes_.empty()) return {};
  const doc::Document document = encodeNotices(context_.instance, number_, at_, notices, systemStripes_);
  return transaction_.insert(context_.names.shared(), kNotices, std::span(&document, 1));
}

// The project's own head is compared with what the writes were computed from: its position, and its catalogue.
Outcome<> Attempt::storeHeads() {
  const bool own = needsHead_ || !log_.empty() || next_;
  std::set<ProjectNo> projects;
  if (own) projects.insert(project_);
  for (const auto& [project, _] : epochs_) projects.insert(project);
  if (projects.empty()) return {};
  moved_ = *projects.begin();
  for (const ChangeEntry& entry : log_) logBytes_ += bytesOf(entry);
  if (own) holder_ = context_.leases.next(project_, more_);
  std::vector<doc::Document> statements;
  for (const ProjectNo project : projects) {
    const bool compared = own && project == project_;
    const Head& head = states_[project]->head;
    const auto bumps = epochs_.find(project);
    doc::BsonWriter out;
    out.beginDocument("q");
    out.appendInt64("_id", project);
    if (compared) {
      out.appendInt64("pos", static_cast<int64_t>(head.position));
      out.appendInt64("cat", static_cast<int64_t>(head.catalogue));
    }
    out.end();
    out.beginDocument("u");
    out.beginDocument("$inc");
    out.appendInt64("n", 1);
    if (compared && !log_.empty()) {
      out.appendInt64("pos", static_cast<int64_t>(log_.size()));
      out.appendInt64("logged", static_cast<int64_t>(logBytes_));
    }
    if (bumps != epochs_.end()) out.appendInt64("epoch", static_cast<int64_t>(bumps->second));
    if (compared && next_) out.appendInt64("cat", 1);
    out.end();
    out.beginDocument("$set");
    out.appendInt64(fmt::format("{}{}", kGroupsPrefix, context_.instance), static_cast<int64_t>(number_));
    if (compared && holder_) out.appendString("lease", *holder_);
    if (compared && next_) {
      out.appendInt64("next", next_->head.nextNumber);
      out.appendBool("dead", next_->head.dead);
    }
    out.end();
    out.end();
    statements.push_back(out.finish());
  }
  uint64_t matched = 0;
  if (auto done = transaction_.update(context_.names.shared(), kHeads, statements, &matched); !done) return done;
  if (matched != statements.size()) {
    stale_ = true;
    return std::unexpected(raced());
  }
  if (!log_.empty()) positions_[project_] = states_[project_]->head.position + log_.size();
  if (epochs_.empty()) return {};
  doc::BsonWriter out;
  out.appendString("find", kHeads);
  out.beginDocument("filter");
  out.beginDocument("_id");
  out.beginArray("$in");
  size_t at = 0;
  for (const auto& [project, _] : epochs_) out.appendInt64(doc::arrayKey(at++), project);
  out.end();
  out.end();
  out.end();
  return transaction_.each(context_.names.shared(), kHeads, out.finish(), [&](doc::DocumentView view) {
    epochs_[static_cast<ProjectNo>(doc::integerOr(view, "_id"))] = static_cast<uint64_t>(doc::integerOr(view, "epoch"));
  });
}

Outcome<> Attempt::storeLog() {
  if (log_.empty()) return {};
  std::vector<doc::Document> entries;
  uint64_t position = states_[project_]->head.position;
  uint64_t logged = states_[project_]->head.logged;
  for (ChangeEntry& entry : log_) {
    entry.position = ++position;
    logged += bytesOf(entry);
    entries.push_back(encodeLogEntry(project_, entry, logged));
  }
  return transaction_.insert(context_.names.shared(), kLog, entries);
}

Outcome<std::optional<bool>> Attempt::settle() {
  if (!moved_) return std::nullopt;
  Transaction next(connection_);
  if (auto begun = next.begin(); !begun) return std::unexpected(std::move(begun).error());
  // A write, since the outcome of a transaction that only reads need not be one of a majority.
  doc::BsonWriter out;
  out.appendString("findAndModify", kHeads);
  out.beginDocument("query");
  out.appendInt64("_id", *moved_);
  out.end();
  out.beginDocument("update");
  out.beginDocument("$inc");
  out.appendInt64("n", 1);
  out.end();
  out.end();
  auto head = next.run(context_.names.shared(), out.finish());
  if (!head) return std::unexpected(std::move(head).error());
  if (auto done = next.commit(std::chrono::steady_clock::now()); !done) return std::unexpected(std::move(done).error());
  const doc::DocumentView groups = doc::containerOr(doc::containerOr(head->view(), "value"), kGroups);
  committed_ = static_cast<uint64_t>(doc::integerOr(groups, context_.instance)) == number_;
  return committed_;
}

void Attempt::publish() {
  context_.leases.committed(project_, holder_, more_);
  context_.marks.move(stripes_);
  context_.marks.move(systemStripes_);
  for (const auto& [project, epoch] : epochs_) context_.states.raiseEpoch(project, epoch);
  if (const auto position = positions_.find(project_); position != positions_.end() || next_) {
    auto next = next_ ? next_ : std::make_shared<ProjectState>(*states_[project_]);
    const uint64_t before = next->head.position;
    if (position != positions_.end()) next->head.position = position->second;
    next->head.logged += logBytes_;
    if (next_) ++next->head.catalogue;
    if (const auto epoch = epochs_.find(project_); epoch != epochs_.end()) next->head.epoch = epoch->second;
    context_.states.set(std::move(next));
    for (Slot& slot : slots_) {
      if (slot.outcome.position != 0) slot.outcome.position += before;
    }
  }
  notifyListeners();
}

void Attempt::notifyListeners() {
  context_.notices.notifyBatch([&](const auto& notify) {
    for (const Slot& slot : slots_) {
      if (!slot.effective) continue;
      for (const Notice& notice : slot.write->options.notices) notify(notice);
    }
  });
}

void Attempt::publishUnknown() {
  // Before the rest: its events may come now, or have come and been taken for known.
  context_.unknown.add(number_);
  context_.marks.moveAll();
  context_.states.forget(project_);
  for (const auto& [project, _] : epochs_) context_.states.forget(project);
  notifyListeners();
}

}  // namespace mb::store::mongo

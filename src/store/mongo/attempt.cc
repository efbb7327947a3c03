#include "store/mongo/attempt.h"

#include "document/fields.h"
#include "store/configuration_limits.h"
#include "store/document_limits.h"

namespace mb::store::mongo {

namespace {

Error staleError() {
  return Error(ErrorCode::staleCatalogue, "the collection changed concurrently: try again");
}

}  // namespace

std::string counterId(const CounterKey& key) {
  return fmt::format("{}/{}/{}", key.project, key.counter, key.group);
}

std::string countId(ProjectNo project, CollectionNo collection, std::string_view group) {
  return fmt::format("{}/{}/{}", project, collection, group);
}

bool isCounted(const ProjectStates& states, CollectionNo collection) {
  if (!isSystem(collection) || configurationPart(collection) != nullptr) return true;
  const SystemCollection* system = states.system(collection);
  return system != nullptr && !system->countedBy.empty();
}

Attempt::Attempt(const GroupContext& context, Connection& connection, ProjectNo project,
                 std::span<PendingWrite* const> writes, bool more, bool takesHeads)
    : context_(context),
      connection_(connection),
      transaction_(connection),
      project_(project),
      more_(more),
      takesHeads_(takesHeads),
      number_(context.groups.fetch_add(1) + 1),
      at_(context.clock.now()) {
  slots_.reserve(writes.size());
  for (PendingWrite* each : writes) slots_.emplace_back(each);
}

Outcome<> Attempt::run(Deadline deadline) {
  if (auto done = resolve(); !done) return done;
  if (std::ranges::all_of(slots_, [](const Slot& slot) { return slot.error.has_value(); })) return {};
  if (auto begun = transaction_.begin(); !begun) return begun;
  if (auto done = takeHeads(); !done) return done;
  if (auto done = readTargets(); !done) return done;
  if (auto done = readLimits(); !done) return done;
  if (auto done = checkConditions(); !done) return done;
  planWaves();
  int last = 0;
  for (const Slot& slot : slots_) last = std::max(last, slot.wave);
  for (int wave = 0; wave <= last; ++wave) evaluate(wave);
  if (slots_.size() == 1 && !slots_.front().error && slots_.front().effective) {
    auto refusal = configurationLimit();
    if (!refusal) return std::unexpected(std::move(refusal).error());
    if (*refusal) {
      slots_.front().error = *std::move(*refusal);
      slots_.front().effective = false;
    }
  }
  if (std::ranges::none_of(slots_, &Slot::effective)) return {};
  return store(deadline);
}

// ---- what the writes name

Outcome<std::optional<Error>> Attempt::resolveTarget(const WriteTarget& target) {
  if (target.id.empty() || target.id.size() > kMaxId) {
    return Error(ErrorCode::validation, fmt::format("an id has 1 to {} bytes", kMaxId));
  }
  const CollectionRef& ref = target.collection;
  if (!states_.contains(ref.project)) {
    auto state = context_.states.state(connection_, ref.project);
    if (!state) return std::unexpected(std::move(state).error());
    states_[ref.project] = *std::move(state);
  }
  for (int look = 1;; ++look) {
    const ProjectStatePtr& state = states_[ref.project];
    const bool there = state && !state->head.dead;
    if (there && isSystem(ref.number)) {
      if (context_.states.system(ref.number) != nullptr) return std::nullopt;
      return staleError();
    }
    const auto found = there ? state->collections.find(ref.number) : decltype(state->collections.end())();
    const bool current = there && found != state->collections.end() && found->second->version == ref.version;
    if (current) return std::nullopt;
    // What this instance knows may be old.
    if (look == 2 || !reloaded_.insert(ref.project).second) {
      if (!there) return Error(ErrorCode::notFound, "no such project");
      return staleError();
    }
    auto fresh = context_.states.reload(connection_, ref.project);
    if (!fresh) return std::unexpected(std::move(fresh).error());
    states_[ref.project] = *std::move(fresh);
  }
}

Outcome<> Attempt::resolve() {
  for (Slot& slot : slots_) {
    if (slot.write->alter) {
      auto fresh = context_.states.reload(connection_, project_);
      if (!fresh) return std::unexpected(std::move(fresh).error());
      states_[project_] = *std::move(fresh);
      if (!states_[project_] || states_[project_]->head.dead) {
        slot.error = Error(ErrorCode::notFound, "no such project");
        continue;
      }
    }
    std::set<Key> written;
    for (const WriteTarget& target : slot.write->targets) {
      auto refusal = resolveTarget(target);
      if (!refusal) return std::unexpected(std::move(refusal).error());
      if (*refusal) {
        slot.error = *std::move(*refusal);
        break;
      }
      if (target.access != Access::write || written.insert(keyOf(target)).second) continue;
      slot.error = Error(ErrorCode::internal, "the changes could not be applied")
                       .withCause("a document is named twice: " + target.id);
      break;
    }
    if (slot.error) continue;
    std::vector<ProjectNo> further = slot.write->options.bumpEpochs;
    if (!slot.write->logged.empty()) further.push_back(project_);
    for (const ProjectNo project : further) {
      if (states_.contains(project)) continue;
      auto state = context_.states.state(connection_, project);
      if (!state) return std::unexpected(std::move(state).error());
      states_[project] = *std::move(state);
    }
    if (slot.write->logged.empty()) continue;
    const ProjectStatePtr& own = states_[project_];
    if (!own || own->head.dead) slot.error = Error(ErrorCode::notFound, "no such project");
  }
  return {};
}

Outcome<> Attempt::takeHeads() {
  if (!takesHeads_) return {};
  std::set<ProjectNo> projects{project_};
  for (const Slot& slot : slots_) {
    const std::vector<ProjectNo>& bumped = slot.write->options.bumpEpochs;
    projects.insert(bumped.begin(), bumped.end());
  }
  std::vector<doc::Document> statements;
  for (const ProjectNo project : projects) {
    doc::BsonWriter out;
    out.beginDocument("q");
    out.appendInt64("_id", project);
    out.end();
    out.beginDocument("u");
    out.beginDocument("$inc");
    out.appendInt64("n", 1);
    out.end();
    out.end();
    statements.push_back(out.finish());
  }
  return transaction_.update(context_.names.shared(), kHeads, statements);
}

// ---- what is read

Outcome<> Attempt::readDocuments(ProjectNo project, CollectionNo collection, std::vector<std::string> ids) {
  const std::string database = context_.names.databaseOf(project, collection);
  const std::string name = Names::collectionOf(collection);
  std::optional<Error> corrupt;
  for (size_t from = 0; from < ids.size(); from += kCommandStatements) {
    const size_t to = std::min(ids.size(), from + kCommandStatements);
    const doc::Document command = findByIds(name, std::span(ids).subspan(from, to - from), [](doc::BsonWriter& out) {
      out.appendInt32("batchSize", static_cast<int32_t>(kCommandStatements));
    });
    auto read = transaction_.each(database, name, command, [&](doc::DocumentView view) {
      auto found = unstored(collection, view);
      if (!found) {
        corrupt = std::move(found).error();
        return;
      }
      const Key key{project, collection, std::string(idOf(collection, view.stringOr("_id")))};
      TargetState& held = documents_[key];
      held.base = std::move(found->document);
      held.baseVersion = found->version;
      held.now = held.base;
      held.version = held.baseVersion;
    });
    if (!read) return read;
  }
  if (corrupt) return std::unexpected(CommandError(CommandError::kDriver, corrupt->message()));
  return {};
}

Outcome<> Attempt::readTargets() {
  std::map<std::pair<ProjectNo, CollectionNo>, std::set<std::string>> wanted;
  for (const Slot& slot : slots_) {
    if (slot.error) continue;
    for (const WriteTarget& target : slot.write->targets) {
      TargetState& held = documents_[keyOf(target)];
      if (target.idIsNew || held.read) continue;
      held.read = true;
      wanted[{target.collection.project, target.collection.number}].insert(
          storedId(target.collection.project, target.collection.number, target.id));
    }
  }
  for (const auto& [collection, ids] : wanted) {
    auto read = readDocuments(collection.first, collection.second, {ids.begin(), ids.end()});
    if (!read) return read;
  }
  return {};
}

Outcome<> Attempt::readLimits() {
  std::map<std::string, CounterKey> wanted;
  for (const Slot& slot : slots_) {
    if (slot.error) continue;
    for (const CounterLimit& limit : slot.write->options.limits) {
      wanted.emplace(counterId(limit.counter), limit.counter);
      counters_[limit.counter] = 0;
    }
  }
  if (wanted.empty()) return {};
  std::vector<std::string> ids;
  for (const auto& [id, _] : wanted) ids.push_back(id);
  return transaction_.each(context_.names.shared(), kCounters, findByIds(kCounters, ids), [&](doc::DocumentView view) {
    const auto found = wanted.find(std::string(view.stringOr("_id")));
    if (found != wanted.end()) counters_[found->second] = doc::integerOr(view, "n");
  });
}

// A write with conditions is alone in its group, so what is stored is what they see.
Outcome<> Attempt::checkConditions() {
  for (Slot& slot : slots_) {
    for (const Absence& condition : slot.write->conditions) {
      if (slot.error) break;
      const std::string name = Names::collectionOf(condition.collection.number);
      doc::BsonWriter out;
      out.appendString("find", name);
      out.beginDocument("filter");
      if (isSystem(condition.collection.number)) out.appendInt64("_p", condition.collection.project);
      out.append(storedPath(condition.path), condition.value);
      out.end();
      out.beginDocument("projection");
      out.appendInt32("_id", 1);
      out.end();
      out.appendInt64("limit", condition.except.empty() ? 1 : 2);
      bool holds = false;
      auto read =
          transaction_.each(context_.names.databaseOf(condition.collection.project, condition.collection.number), name,
                            out.finish(), [&](doc::DocumentView view) {
                              const std::string_view id = idOf(condition.collection.number, view.stringOr("_id"));
                              holds = holds || condition.except.empty() || id != condition.except;
                            });
      if (!read) return read;
      if (holds) slot.error = conditionViolation(condition);
    }
  }
  return {};
}

}  // namespace mb::store::mongo

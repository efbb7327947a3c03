// What the callbacks of an attempt make of its documents.
#include <latch>

#include "base/crypto.h"
#include "base/work_budget.h"
#include "document/fields.h"
#include "store/chain.h"
#include "store/configuration_limits.h"
#include "store/document_limits.h"
#include "store/mongo/attempt.h"
#include "store/mongo/index_fit.h"
#include "store/write_steps.h"

namespace mb::store::mongo {

namespace {

bool isLogged(CollectionNo collection) {
  return collection >= kFirstUserCollection;
}

}  // namespace

// A write that sees what an earlier one of the group may change runs in a later wave.
void Attempt::planWaves() {
  std::map<Key, int> writtenIn;
  for (Slot& slot : slots_) {
    if (slot.error) continue;
    for (const WriteTarget& target : slot.write->targets) {
      const auto earlier = writtenIn.find(keyOf(target));
      if (earlier != writtenIn.end()) slot.wave = std::max(slot.wave, earlier->second + 1);
    }
    for (const WriteTarget& target : slot.write->targets) {
      if (target.access == Access::write) writtenIn[keyOf(target)] = slot.wave;
    }
  }
}

void Attempt::callBack(Slot& slot) {
  const PendingWrite& write = *slot.write;
  const bool system =
      std::ranges::all_of(write.targets, [](const WriteTarget& each) { return isSystem(each.collection.number); });
  std::vector<Change> changes(write.named());
  const std::span<const std::optional<doc::Document>> before(slot.before);
  if (write.callback) {
    auto computed = computeChanges(
        write.callback,
        PreImages(before.first(write.named()), std::span<const DocumentVersion>(slot.versions).first(write.named())),
        system ? INT64_MAX : kCoreWork, context_.callbackRuns);
    if (!computed) {
      slot.error = std::move(computed).error();
      return;
    }
    changes = *std::move(computed);
  }
  const bool anything = !write.callback || changesAnything(changes, before);
  std::vector<Insert> inserts;
  inserts.reserve(write.inserts.size());
  for (const Insert& each : write.inserts) inserts.push_back(each);
  if (auto added = addInserts(changes, std::move(inserts), anything, before); !added) {
    slot.error = std::move(added).error();
    return;
  }
  slot.changes = std::move(changes);
}

void Attempt::evaluate(int wave) {
  std::vector<Slot*> due;
  for (Slot& slot : slots_) {
    if (slot.error || slot.wave != wave) continue;
    size_t held = 0;
    slot.before.clear();
    slot.versions.clear();
    for (const WriteTarget& target : slot.write->targets) {
      const TargetState& document = documents_[keyOf(target)];
      slot.before.push_back(document.now);
      slot.versions.push_back(isSystem(target.collection.number) ? 0 : document.version);
      const bool counts = target.access == Access::hold && isLogged(target.collection.number) && document.now;
      if (counts) held += document.now->size();
    }
    if (held > kMaxHeldBytes) {
      slot.error = heldTooLarge();
      continue;
    }
    due.push_back(&slot);
  }
  if (due.empty()) return;
  std::latch left(static_cast<std::ptrdiff_t>(due.size()));
  for (Slot* slot : due) {
    asio::post(slot->write->executor, [this, slot, &left] {
      callBack(*slot);
      left.count_down();
    });
  }
  left.wait();
  for (Slot* slot : due) {
    if (!slot->error) apply(*slot);
  }
}

std::vector<const IndexSpec*> Attempt::indexesOf(const WriteTarget& target) const {
  std::vector<const IndexSpec*> specs;
  if (isSystem(target.collection.number)) {
    for (const IndexSpec& spec : context_.states.system(target.collection.number)->indexes) specs.push_back(&spec);
    return specs;
  }
  const auto state = states_.find(target.collection.project);
  if (state == states_.end() || !state->second) return specs;
  const auto info = state->second->collections.find(target.collection.number);
  if (info == state->second->collections.end()) return specs;
  for (const IndexInfo& each : info->second->indexes) specs.push_back(&each.spec);
  return specs;
}

Result<> Attempt::checkChange(const WriteTarget& target, const Slot& slot, size_t at) {
  const Change& change = slot.changes[at];
  if (target.access != Access::write) {
    return fail(Error(ErrorCode::internal, "the changes could not be applied")
                    .withCause("a document that is only held or peeked at is changed: " + target.id));
  }
  if (change.kind != Change::Kind::put) return {};
  const bool system = isSystem(target.collection.number);
  if (change.after.size() > (system ? kMaxRecord : kMaxDocument)) {
    return fail(ErrorCode::payloadTooLarge, system ? "a record is at most 2 MiB" : "a document is at most 1 MiB");
  }
  const SystemCollection* collection = context_.states.system(target.collection.number);
  const bool links = collection != nullptr && collection->chained && slot.write->options.logged && !slot.before[at];
  if (links && namesPlace(change.after)) {
    return fail(Error(ErrorCode::internal, "the changes could not be applied").withCause("it has chain fields"));
  }
  for (const IndexSpec* spec : indexesOf(target)) RETURN_IF_ERROR(checkFits(*spec, change.after));
  return {};
}

Result<> Attempt::checkCounterLimits(const Slot& slot, const std::map<CounterKey, int64_t>& sums) {
  for (const CounterLimit& limit : slot.write->options.limits) {
    const auto by = sums.find(limit.counter);
    const int64_t increase = by == sums.end() ? 0 : by->second;
    if (increase <= 0) continue;
    if (counters_[limit.counter] + reserved_[limit.counter] + increase <= limit.max) continue;
    std::string name;
    for (const SystemCollection& system : context_.states.systemCollections()) {
      for (const CounterSource& source : system.counters) {
        if (source.counter == limit.counter.counter) name = source.name;
      }
    }
    return fail(limitViolation(name, limit.max));
  }
  return {};
}

Result<> Attempt::applyChanges(Slot& slot) {
  const PendingWrite& write = *slot.write;
  for (size_t at = 0; at < slot.changes.size(); ++at) {
    const Change& change = slot.changes[at];
    const bool nothing = change.kind == Change::Kind::keep || (change.kind == Change::Kind::remove && !slot.before[at]);
    if (change.kind == Change::Kind::keep) continue;
    RETURN_IF_ERROR(checkChange(write.targets[at], slot, at));
    slot.effective = slot.effective || !nothing;
  }
  slot.effective = slot.effective || !write.logged.empty();
  if (!slot.effective) return {};
  std::map<CounterKey, int64_t> sums;
  for (size_t at = 0; at < slot.changes.size(); ++at) {
    const Change& change = slot.changes[at];
    if (change.kind == Change::Kind::keep) continue;
    const WriteTarget& target = write.targets[at];
    const SystemCollection* system = context_.states.system(target.collection.number);
    if (system == nullptr) continue;
    for (const CounterSource& source : system->counters) {
      const auto add = [&](doc::DocumentView document, int sign) {
        if (auto counted = countedOf(source, document)) {
          sums[{target.collection.project, source.counter, std::move(counted->first)}] += sign * counted->second;
        }
      };
      if (slot.before[at]) add(*slot.before[at], -1);
      if (change.kind == Change::Kind::put) add(change.after, 1);
    }
  }
  RETURN_IF_ERROR(checkCounterLimits(slot, sums));
  for (const auto& [key, by] : sums) {
    if (by > 0) reserved_[key] += by;
    sums_[key] += by;
  }
  return {};
}

void Attempt::apply(Slot& slot) {
  const PendingWrite& write = *slot.write;
  if (write.alter) {
    next_ = std::make_shared<ProjectState>(*states_[project_]);
    if (auto altered = write.alter(*next_); !altered) {
      slot.error = std::move(altered).error();
      return;
    }
    slot.effective = true;
    ++epochs_[project_];
  }
  const bool removes =
      std::ranges::all_of(slot.changes, [](const Change& each) { return each.kind != Change::Kind::put; });
  const bool system =
      std::ranges::all_of(write.targets, [](const WriteTarget& each) { return isSystem(each.collection.number); });
  {
    const WorkBudget work(removes || system ? INT64_MAX : kIndexWork);
    Result<> applied = applyChanges(slot);
    if (applied) applied = work.check();
    if (!applied) {
      slot.error = std::move(applied).error();
      slot.effective = false;
      return;
    }
  }
  if (!slot.effective) return;
  for (size_t at = 0; at < slot.changes.size(); ++at) {
    Change& change = slot.changes[at];
    const WriteTarget& target = write.targets[at];
    const Key key = keyOf(target);
    TargetState& held = documents_[key];
    const bool nothing = change.kind == Change::Kind::keep || (change.kind == Change::Kind::remove && !held.now);
    if (nothing) {
      if (target.access != Access::peek) held.held = true;
      if (target.access != Access::peek && isLogged(target.collection.number)) needsHead_ = true;
      continue;
    }
    std::optional<doc::Document> before = std::exchange(held.now, std::nullopt);
    if (change.kind == Change::Kind::put) held.now = std::move(change.after);
    held.changed = true;
    held.writer = slot.write;
    held.target = at;
    held.version = held.now ? (randomU64() >> 1) + 1 : 0;
    const SystemCollection* chain = context_.states.system(target.collection.number);
    if (chain != nullptr && chain->chained && write.options.logged && !before) chained_.push_back(key);
    if (!isLogged(target.collection.number)) continue;
    needsHead_ = true;
    if (held.now) {
      slot.outcome.versions.resize(write.targets.size());
      slot.outcome.versions[at] = held.version;
    }
    if (!write.options.logged) continue;
    using Kind = ChangeEntry::Kind;
    ChangeEntry entry;
    entry.collection = target.collection.number;
    entry.id = target.id;
    entry.kind = !held.now ? Kind::remove : !before ? Kind::insert : change.replaces ? Kind::replace : Kind::update;
    entry.before = std::move(before);
    entry.after = held.now;
    entry.actor = write.options.actor;
    entry.at = at_;
    entry.trace = write.options.trace;
    log_.push_back(std::move(entry));
    slot.outcome.position = log_.size();  // counted from the head, which storeHeads() adds
  }
  for (ChangeEntry entry : write.logged) {
    needsHead_ = true;
    entry.at = at_;
    entry.trace = write.options.trace;
    log_.push_back(std::move(entry));
    slot.outcome.position = log_.size();
  }
  for (const ProjectNo bumped : write.options.bumpEpochs) {
    const auto state = states_.find(bumped);
    if (state != states_.end() && state->second && !state->second->head.dead) ++epochs_[bumped];
  }
}

// Of a write that is alone in its group.
Outcome<std::optional<Error>> Attempt::configurationLimit() {
  const PendingWrite& write = *slots_.front().write;
  if (!write.options.logged || isUpkeep(write.options.actor) || epochs_.empty()) return std::nullopt;
  std::map<CollectionNo, Count> grown;
  std::optional<ProjectNo> project;
  int64_t growth = 0;
  for (const auto& [key, held] : documents_) {
    if (!held.changed || configurationPart(key.collection) == nullptr) continue;
    Count& part = grown[key.collection];
    part.documents += (held.now ? 1 : 0) - (held.base ? 1 : 0);
    const int64_t by =
        static_cast<int64_t>(held.now ? held.now->size() : 0) - static_cast<int64_t>(held.base ? held.base->size() : 0);
    part.bytes += by;
    growth += by;
    project = key.project;
  }
  if (next_) {
    growth +=
        static_cast<int64_t>(next_->configuredBytes()) - static_cast<int64_t>(states_[project_]->configuredBytes());
    project = project_;
  }
  if (!project) return std::nullopt;
  std::vector<std::string> ids;
  for (const ConfigurationPart& part : kConfigurationParts) ids.push_back(countId(*project, part.collection, ""));
  std::map<CollectionNo, Count> stored;
  auto read = transaction_.each(context_.names.shared(), kCounts, findByIds(kCounts, ids), [&](doc::DocumentView view) {
    stored[static_cast<CollectionNo>(doc::integerOr(view, "c"))] = {doc::integerOr(view, "n"),
                                                                    doc::integerOr(view, "bytes")};
  });
  if (!read) return std::unexpected(std::move(read).error());
  for (const auto& [collection, by] : grown) {
    const ConfigurationPart& part = *configurationPart(collection);
    if (part.limit == 0 || by.documents <= 0) continue;
    if (static_cast<uint64_t>(stored[collection].documents + by.documents) > part.limit + part.uncounted) {
      return tooMany(part);
    }
  }
  if (growth <= 0) return std::nullopt;
  const ProjectStatePtr& state = states_[*project];
  uint64_t before = state ? state->configuredBytes() : 0;
  std::vector<PartSize> parts{{kCollectionsPart, next_ ? next_->configuredBytes() : before}};
  for (const ConfigurationPart& part : kConfigurationParts) {
    const int64_t bytes = stored[part.collection].bytes;
    before += static_cast<uint64_t>(std::max<int64_t>(0, bytes));
    parts.push_back({part.name, static_cast<uint64_t>(std::max<int64_t>(0, bytes + grown[part.collection].bytes))});
  }
  if (!passesConfigurationLimit(before, before + static_cast<uint64_t>(growth))) return std::nullopt;
  return configurationTooLarge(std::move(parts));
}

}  // namespace mb::store::mongo

#include "store/mongo/project_states.h"

#include "document/fields.h"
#include "store/configuration_limits.h"
#include "store/index_rules.h"
#include "store/mongo/transaction.h"

namespace mb::store::mongo {

Head decodeHead(doc::DocumentView view) {
  Head head;
  head.position = static_cast<uint64_t>(doc::integerOr(view, "pos"));
  head.epoch = static_cast<uint64_t>(doc::integerOr(view, "epoch"));
  head.catalogue = static_cast<uint64_t>(doc::integerOr(view, "cat"));
  head.nextNumber = static_cast<uint32_t>(doc::integerOr(view, "next", kFirstUserCollection));
  head.lostUpTo = static_cast<uint64_t>(doc::integerOr(view, "lost"));
  head.logged = static_cast<uint64_t>(doc::integerOr(view, "logged"));
  head.dead = doc::boolOr(view, "dead");
  return head;
}

doc::Document encodeHead(ProjectNo project, const Head& head) {
  doc::BsonWriter out;
  out.appendInt64("_id", project);
  out.appendInt64("pos", static_cast<int64_t>(head.position));
  out.appendInt64("epoch", static_cast<int64_t>(head.epoch));
  out.appendInt64("cat", static_cast<int64_t>(head.catalogue));
  out.appendInt64("next", head.nextNumber);
  out.appendInt64("lost", static_cast<int64_t>(head.lostUpTo));
  out.appendInt64("logged", static_cast<int64_t>(head.logged));
  out.appendInt64("n", 0);
  out.appendBool("dead", head.dead);
  return out.finish();
}

uint64_t ProjectState::configuredBytes() const {
  uint64_t bytes = 0;
  for (const auto& [_, info] : collections) bytes += store::configuredBytes(*info);
  return bytes;
}

doc::Document encodeCollection(ProjectNo project, const CollectionInfo& info) {
  doc::BsonWriter out;
  out.beginDocument("_id");
  out.appendInt64("p", project);
  out.appendInt64("c", info.number);
  out.end();
  out.appendString("name", info.name);
  out.appendInt64("version", static_cast<int64_t>(info.version));
  // As bytes, since names of fields in a configuration may begin with a dollar sign.
  out.appendBinary("config", info.config.bytes());
  out.beginArray("indexes");
  for (size_t i = 0; i < info.indexes.size(); ++i) {
    IndexInfo index = info.indexes[i];
    const std::optional<doc::Document> partial = std::exchange(index.spec.partialFilter, std::nullopt);
    out.beginDocument(doc::arrayKey(i));
    appendIndexInfo(out, index);
    if (partial) out.appendBinary("partial", partial->bytes());
    out.end();
  }
  out.end();
  return out.finish();
}

CollectionInfo decodeCollection(doc::DocumentView view) {
  CollectionInfo info;
  info.number = static_cast<CollectionNo>(doc::integerOr(doc::containerOr(view, "_id"), "c"));
  info.name = view.stringOr("name");
  info.version = static_cast<uint64_t>(doc::integerOr(view, "version"));
  const auto binaryAt = [](doc::DocumentView in, std::string_view key) -> std::optional<doc::Document> {
    const auto bytes = in.find(key);
    if (!bytes || bytes->type() != doc::BsonType::binary) return std::nullopt;
    auto document = doc::Document::fromUntrusted(std::string(bytes->asBinary()));
    return document ? std::optional(*std::move(document)) : std::nullopt;
  };
  if (auto config = binaryAt(view, "config")) info.config = *std::move(config);
  for (const doc::Element& each : doc::containerOr(view, "indexes")) {
    if (!each.value.isContainer()) continue;
    IndexInfo index = decodeIndexInfo(each.value.asDocument());
    index.spec.partialFilter = binaryAt(each.value.asDocument(), "partial");
    info.indexes.push_back(std::move(index));
  }
  return info;
}

ProjectStates::ProjectStates(const Names& names, std::vector<SystemCollection> system)
    : names_(names), system_(std::move(system)) {}

const SystemCollection* ProjectStates::system(CollectionNo collection) const {
  const auto found = std::ranges::find(system_, collection, &SystemCollection::number);
  return found == system_.end() ? nullptr : &*found;
}

ProjectStatePtr ProjectStates::known(ProjectNo project) const {
  const std::lock_guard lock(mutex_);
  const auto found = states_.find(project);
  return found == states_.end() ? nullptr : found->second;
}

Outcome<ProjectStatePtr> ProjectStates::state(Connection& connection, ProjectNo project) {
  if (ProjectStatePtr held = known(project)) return held;
  return reload(connection, project);
}

Outcome<ProjectStatePtr> ProjectStates::reload(Connection& connection, ProjectNo project) {
  Transaction transaction(connection);
  if (auto begun = transaction.begin(); !begun) return std::unexpected(std::move(begun).error());
  auto state = std::make_shared<ProjectState>();
  state->number = project;
  bool exists = false;
  auto read = transaction.each(names_.shared(), kHeads, findWhere(kHeads, "_id", project), [&](doc::DocumentView view) {
    exists = true;
    state->head = decodeHead(view);
  });
  if (!read) return std::unexpected(std::move(read).error());
  if (!exists) return ProjectStatePtr();
  read = transaction.each(names_.shared(), kCatalogue, findWhere(kCatalogue, "_id.p", project),
                          [&](doc::DocumentView view) {
                            auto info = std::make_shared<CollectionInfo>(decodeCollection(view));
                            state->collections.emplace(info->number, std::move(info));
                          });
  if (!read) return std::unexpected(std::move(read).error());
  set(state);
  return state;
}

void ProjectStates::set(ProjectStatePtr state) {
  const std::lock_guard lock(mutex_);
  ProjectStatePtr& held = states_[state->number];
  uint64_t& epoch = epochs_[state->number];
  epoch = std::max(epoch, state->head.epoch);
  uint64_t& position = positions_[state->number];
  position = std::max(position, state->head.position);
  if (held && (held->head.position > state->head.position || held->head.catalogue > state->head.catalogue)) return;
  held = std::move(state);
}

void ProjectStates::forget(ProjectNo project) {
  const std::lock_guard lock(mutex_);
  states_.erase(project);
  epochs_.erase(project);
}

Outcome<std::map<ProjectNo, uint64_t>> ProjectStates::loadHeads(Connection& connection) {
  std::map<ProjectNo, uint64_t> grown;
  const auto read = [&](doc::DocumentView command) { return connection.read(names_.shared(), command); };
  auto done = eachDocument(read, kHeads, findAll(kHeads), [&](doc::DocumentView view) {
    const auto project = static_cast<ProjectNo>(doc::integerOr(view, "_id"));
    noteHead(project, view);
    if (const auto position = takeGrowth(project)) grown[project] = *position;
    return true;
  });
  if (!done) return std::unexpected(std::move(done).error());
  return grown;
}

void ProjectStates::noteHead(ProjectNo project, doc::DocumentView fields) {
  const std::lock_guard lock(mutex_);
  const auto numberAt = [&](std::string_view key, uint64_t fallback) {
    return static_cast<uint64_t>(doc::integerOr(fields, key, static_cast<int64_t>(fallback)));
  };
  const uint64_t position = numberAt("pos", 0);
  uint64_t& epoch = epochs_[project];
  epoch = std::max(epoch, numberAt("epoch", 0));
  if (const auto held = states_.find(project); held != states_.end() && held->second) {
    const Head& head = held->second->head;
    const uint64_t lost = numberAt("lost", 0);
    const bool sameCatalogue =
        numberAt("cat", head.catalogue) <= head.catalogue && doc::boolOr(fields, "dead", head.dead) == head.dead;
    if (!sameCatalogue) {
      // The next use reads it.
      states_.erase(held);
    } else if (position > head.position || lost > head.lostUpTo) {
      auto next = std::make_shared<ProjectState>(*held->second);
      next->head.epoch = epoch;
      next->head.lostUpTo = std::max(head.lostUpTo, lost);
      if (position > head.position) {
        next->head.position = position;
        next->head.logged = numberAt("logged", head.logged);
      }
      held->second = std::move(next);
    }
  }
  uint64_t& last = positions_[project];
  last = std::max(last, position);
}

std::optional<uint64_t> ProjectStates::takeGrowth(ProjectNo project) {
  const std::lock_guard lock(mutex_);
  const auto last = positions_.find(project);
  uint64_t& notified = notified_[project];
  if (last == positions_.end() || last->second <= notified) return std::nullopt;
  notified = last->second;
  return notified;
}

void ProjectStates::raiseEpoch(ProjectNo project, uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  uint64_t& held = epochs_[project];
  held = std::max(held, epoch);
}

std::optional<uint64_t> ProjectStates::epoch(ProjectNo project) const {
  const std::lock_guard lock(mutex_);
  const auto found = epochs_.find(project);
  return found == epochs_.end() ? std::nullopt : std::optional(found->second);
}

uint64_t ProjectStates::lastPosition(ProjectNo project) const {
  const std::lock_guard lock(mutex_);
  const auto found = positions_.find(project);
  return found == positions_.end() ? 0 : found->second;
}

void ProjectStates::markPath(ProjectNo project, CollectionNo collection, doc::FieldPath path) {
  const std::lock_guard lock(mutex_);
  std::vector<doc::FieldPath>& paths = marked_[{project, collection}];
  if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
}

std::vector<doc::FieldPath> ProjectStates::markedPaths(ProjectNo project, CollectionNo collection) const {
  const std::lock_guard lock(mutex_);
  const auto found = marked_.find({project, collection});
  return found == marked_.end() ? std::vector<doc::FieldPath>() : found->second;
}

bool ProjectStates::hasMarkedPaths(ProjectNo project) const {
  const std::lock_guard lock(mutex_);
  const auto first = marked_.lower_bound({project, 0});
  return first != marked_.end() && first->first.first == project;
}

}  // namespace mb::store::mongo

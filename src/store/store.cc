#include "store/store.h"

namespace mb::store {

std::string DocumentStore::newId(ProjectNo /*project*/, IdGenerator& ids) const {
  return ids.next();
}

std::string defaultIndexName(const std::vector<IndexKey>& keys) {
  std::string name;
  for (const IndexKey& key : keys) {
    if (!name.empty()) name += '_';
    name += key.path;
    name += key.direction < 0 ? "_-1" : "_1";
  }
  return name;
}

std::string foldedName(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return folded;
}

doc::Document idDocument(std::string_view id) {
  doc::BsonWriter out;
  out.appendString("id", id);
  return out.finish();
}

namespace {
constexpr std::array<std::string_view, 9> kActorKinds = {"",         "anonymous", "user",     "member",  "apikey",
                                                         "platform", "server",    "function", "external"};
}  // namespace

std::string_view nameOf(ActorKind kind) {
  return kActorKinds[static_cast<size_t>(kind)];
}

ActorKind actorKindOf(std::string_view name) {
  const auto found = std::ranges::find(kActorKinds, name);
  return found == kActorKinds.end() ? ActorKind::none : static_cast<ActorKind>(found - kActorKinds.begin());
}

std::optional<std::pair<std::string, int64_t>> countedOf(const CounterSource& source, doc::DocumentView document) {
  if (!source.where.empty()) {
    const auto held = document.find(source.where);
    if (!held || held->type() == doc::BsonType::null) return std::nullopt;
  }
  std::string group;
  if (!source.groupedBy.empty()) {
    const auto held = document.find(source.groupedBy);
    if (!held || held->type() != doc::BsonType::string) return std::nullopt;
    group = held->asString();
  }
  if (source.summed.empty()) return std::pair(std::move(group), int64_t{1});
  const auto value = document.find(source.summed);
  const int64_t amount = value ? value->toInteger().value_or(0) : 0;
  return std::pair(std::move(group), amount);
}

void addLogFloor(const LogFloor& fields, doc::DocumentView document, std::map<ProjectNo, uint64_t>& floors) {
  const auto project = document.find(fields.project);
  const auto position = document.find(fields.position);
  if (!project || !position) return;
  const auto after = static_cast<uint64_t>(position->toInteger().value_or(0));
  const auto [floor, isFirst] = floors.try_emplace(static_cast<ProjectNo>(project->toInteger().value_or(0)), after);
  if (!isFirst) floor->second = std::min(floor->second, after);
}

}  // namespace mb::store

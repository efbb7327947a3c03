#include "configuration/listed_kind.h"

#include <fmt/format.h>

namespace mb::configuration {

std::optional<doc::DocumentView> entryIn(doc::DocumentView document, std::string_view section, std::string_view name) {
  const auto entries = document.find(section);
  if (!entries || entries->type() != doc::BsonType::array) return std::nullopt;
  for (const doc::Element& each : entries->asDocument()) {
    if (each.value.type() != doc::BsonType::document) continue;
    const doc::DocumentView entry = each.value.asDocument();
    if (entry.stringOr("name") == name) return entry;
  }
  return std::nullopt;
}

std::vector<std::string> ListedKind::permissionsFor(const Change& change) const {
  if (change.action == Action::unchanged) return {};
  return {std::string(std::string_view(permission()))};
}

Task<> ListedKind::prepare(Target, std::vector<Change>) {
  co_return Result<>();
}

Task<> ListedKind::apply(Target target, std::vector<Change> changes) {
  CO_RETURN_IF_ERROR(co_await prepare(target, changes));
  for (Change& change : changes) {
    CO_RETURN_IF_ERROR(checkTime(target));
    const std::string name = change.name;
    const Result<> done = co_await applyOne(target, std::move(change));
    if (!done) co_return fail(about(fmt::format("{}/{}", section(), name), done.error()));
  }
  co_return Result<>();
}

UniqueNameSet::UniqueNameSet(const std::vector<Entry>& current, Fold fold, std::string_view field, NameTexts texts)
    : fold_(fold), field_(field), texts_(texts) {
  for (const Entry& entry : current) current_.emplace(fold_(entry.name), &entry);
}

const Entry* UniqueNameSet::take(const std::string& name, const std::string& pointer, Problems& problems) {
  const std::string key = fold_(name);
  const std::string at = fmt::format("{}/{}", pointer, field_);
  const auto [first, isNew] = seen_.emplace(key, name);
  if (!isNew) {
    problems.add(at, first->second == name ? fmt::format("\"{}\" {}", name, texts_.twice)
                                           : fmt::format("\"{}\" and \"{}\" are too similar", first->second, name));
  }
  const auto existing = current_.find(key);
  if (existing == current_.end()) {
    if (isNew) ++created_;
    return nullptr;
  }
  if (existing->second->name != name) {
    problems.add(at, fmt::format("is too similar to \"{}\" of the project", existing->second->name));
  }
  return existing->second;
}

void UniqueNameSet::checkCount(std::string_view section, size_t max, std::string_view plural,
                               Problems& problems) const {
  if (created_ == 0 || current_.size() + created_ <= max) return;
  problems.add(fmt::format("/{}", section), fmt::format("{} {} {}", texts_.tooMany, max, plural));
}

}  // namespace mb::configuration

#include "configuration/settings_kind.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "identity/project_settings.h"
#include "projects/project_rules.h"

namespace mb::configuration {

namespace {

// The settings of the section, in the order of the document.
constexpr std::array<std::string_view, 3> kConfigured = {"profileFields", "requireTests", "tokenClaims"};

bool isConfigured(std::string_view setting) {
  return std::ranges::find(kConfigured, setting) != kConfigured.end();
}

// Whether the document has the entry that uses a claim, with the field that does. Its kind checks it.
bool brings(doc::DocumentView document, const projects::ClaimUse& use) {
  const auto entry = entryIn(document, use.section, use.name);
  return entry && entry->find(use.field);
}

}  // namespace

ClaimChange claimChange(const ResourceKind::Source& source) {
  const std::vector<std::string> now = identity::tokenClaimsOf(source.project->info());
  const auto section = source.document.find("settings");
  const bool given = section && section->type() == doc::BsonType::document;
  const auto list = given ? section->asDocument().find("tokenClaims") : std::nullopt;
  if (!list || list->type() != doc::BsonType::array) return {now, {}};
  ClaimChange change;
  for (const doc::Element& each : list->asDocument()) {
    if (each.value.type() == doc::BsonType::string) change.after.emplace_back(each.value.asString());
  }
  std::ranges::copy_if(now, std::back_inserter(change.removed), [&](const std::string& claim) {
    return std::ranges::find(change.after, claim) == change.after.end();
  });
  return change;
}

bool requiresTests(const snapshot::ProjectInfo& project) {
  const auto settings = project.record.view().find("settings");
  if (!settings || settings->type() != doc::BsonType::document) return false;
  const auto value = settings->asDocument().find("requireTests");
  return value && value->type() == doc::BsonType::boolean && value->asBool();
}

Task<std::vector<Entry>> SettingsKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  const auto settings = project->info().record.view().find("settings");
  if (!settings || settings->type() != doc::BsonType::document) co_return entries;
  for (const std::string_view name : kConfigured) {
    if (const auto value = settings->asDocument().find(name))
      entries.push_back({std::string(name), doc::Value(*value)});
  }
  co_return entries;
}

void SettingsKind::append(doc::BsonWriter& out, const std::vector<Entry>& entries) const {
  out.beginDocument(section());
  for (const Entry& entry : entries) out.append(entry.name, entry.value);
  out.end();
}

Task<std::vector<Entry>> SettingsKind::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  std::vector<Entry> merged;
  const doc::DocumentView section = source.section.asDocument();
  for (const doc::Element& each : section) {
    if (!isConfigured(each.key)) problems.add(fmt::format("/settings/{}", each.key), "is not a known field");
  }
  const auto patch = entryAt<projects::SettingsPatch>(
      source.section, "/settings", problems,
      [](const projects::SettingsPatch& given) { return projects::configuredProblems(given, ""); });
  if (!patch) co_return merged;
  // In the form in which the project's record has them.
  projects::ProjectSettings settings;
  projects::applySettings(settings, *patch);
  const doc::Document encoded = doc::encode(settings);
  for (const std::string_view name : kConfigured) {
    const auto given = section.find(name);
    if (!given || given->type() == doc::BsonType::null) continue;
    const bool isSet = std::ranges::find(current, name, &Entry::name) != current.end();
    if (const auto value = encoded.view().find(name)) {
      merged.push_back({std::string(name), doc::Value(*value)});
    } else if (isSet) {
      merged.push_back({std::string(name), doc::Value(*given)});
    }
  }
  CO_RETURN_IF_ERROR(co_await checkRemoved(source, claimChange(source).removed, problems));
  co_return merged;
}

Result<> SettingsKind::draft(ProjectDraft& draft, const std::vector<Change>& changes) const {
  const doc::DocumentView record = draft.project->info().record;
  const auto stored = record.find("settings");
  const auto isChanged = [&](std::string_view name) {
    return std::ranges::find(changes, name, &Change::name) != changes.end();
  };
  doc::BsonWriter out;
  for (const auto& [key, value] : record) {
    if (key != "settings") out.append(key, value);
  }
  out.beginDocument("settings");
  if (stored && stored->type() == doc::BsonType::document) {
    for (const auto& [key, value] : stored->asDocument()) {
      if (!isChanged(key)) out.append(key, value);
    }
  }
  for (const Change& change : changes) out.append(change.name, change.after);
  out.end();
  draft.project = draft.project->withRecord(out.finish());
  return {};
}

Task<> SettingsKind::checkRemoved(const Source& source, std::vector<std::string> removed, Problems& problems) const {
  if (removed.empty()) co_return Result<>();
  CO_TRY(const std::vector<projects::ClaimUse> uses, co_await claimUses_(source.project, std::move(removed)));
  CooperativeYielder yielder;
  for (const projects::ClaimUse& use : uses) {
    if (!brings(source.document, use)) problems.add("/settings/tokenClaims", use.text + ": change that too");
    co_await yielder.maybeYield();
  }
  co_return Result<>();
}

Task<> SettingsKind::applyOne(Target target, Change change) {
  doc::BsonWriter out;
  out.append(change.name, change.after);
  CO_TRY(projects::SettingsPatch patch, doc::decode<projects::SettingsPatch>(out.finish()));
  co_return co_await write_(target.project, std::move(patch), target.caller, target.deadline);
}

}  // namespace mb::configuration

#include "configuration/policy_set_kind.h"

#include "configuration/canonical_form.h"
#include "store/configuration_limits.h"

namespace mb::configuration {
namespace {

constexpr std::string_view kSection = "policySets";

// Adds those that the document brings, in place of those of the same name; the import of the collection reports what is
// wrong with them.
void addIndexes(std::vector<store::IndexSpec>& indexes, doc::DocumentView collection) {
  const auto given = collection.find("indexes");
  if (!given || given->type() != doc::BsonType::array) return;
  for (const doc::Element& each : given->asDocument()) {
    if (each.value.type() != doc::BsonType::document) continue;
    const doc::DocumentView index = each.value.asDocument();
    if (const std::string_view name = index.stringOr("name"); !name.empty()) {
      std::erase_if(indexes, [&](const store::IndexSpec& spec) { return spec.name == name; });
    }
    const auto keys = index.find("keys");
    if (!keys || keys->type() != doc::BsonType::document || keys->asDocument().empty()) continue;
    store::IndexSpec spec;
    spec.keys.push_back({std::string(keys->asDocument().begin()->key), 1});
    if (const auto partial = index.find("partialFilter"); partial && partial->type() == doc::BsonType::document) {
      spec.partialFilter.emplace(partial->asDocument());
    }
    indexes.push_back(std::move(spec));
  }
}

}  // namespace

std::vector<std::string> policySetNames(doc::DocumentView document) {
  std::vector<std::string> names;
  const auto section = document.find(kSection);
  if (!section || section->type() != doc::BsonType::array) return names;
  for (const doc::Element& each : section->asDocument()) {
    if (each.value.type() == doc::BsonType::document) names.emplace_back(each.value.asDocument().stringOr("name"));
  }
  return names;
}

PolicySetKind::PolicySetKind(data::PolicySets& sets, snapshot::SlotKey<data::CollectionTable> slot)
    : NamedKind({.section = kSection,
                 .permission = "policies:manage",
                 .name = &data::PolicySet::name,
                 .fold = UniqueNameSet::exact,
                 .limit = store::kMaxPolicySets,
                 .plural = "sets",
                 .plainJson = true}),
      sets_(sets),
      slot_(slot) {}

std::vector<data::PolicySet> PolicySetKind::stored(const snapshot::ProjectSnapshot& project) const {
  return sets_.list(project);
}

std::vector<ErrorDetail> PolicySetKind::problemsIn(const data::PolicySet& set) const {
  if (const auto named = policy::checkSetName(set.name); !named) return detailsOf(named.error());
  std::vector<ErrorDetail> problems;
  policy::CallerSet::compile(set.where, set.value, nullptr, problems);
  return problems;
}

void PolicySetKind::complete(data::PolicySet& set, const Incoming& incoming) const {
  const data::CollectionPtr* current = incoming.source.project->get(slot_).find(set.collection);
  const std::optional<doc::DocumentView> entry = entryIn(incoming.source.document, "collections", set.collection);
  if (current == nullptr && !entry) {
    return incoming.problems.add(incoming.pointer + "/collection",
                                 "must name a collection of the project or the document");
  }
  const doc::DocumentView given = entry.value_or(doc::DocumentView());
  std::vector<store::IndexSpec> indexes;
  if (current != nullptr) indexes = data::indexesOf((*current)->info);
  addIndexes(indexes, given);
  // A schema that the document brings is checked once it is set.
  const bool keepsSchema = current != nullptr && !given.find("schema");
  const auto checked = data::checkPolicySet(set, keepsSchema ? (*current)->schema.get() : nullptr, indexes);
  if (!checked) incoming.problems.add(incoming.pointer, checked.error());
}

data::PolicySet PolicySetKind::canonical(data::PolicySet set) const {
  set.where = canonicalFilter(set.where);
  return set;
}

Result<> PolicySetKind::draft(ProjectDraft& draft, const std::vector<Change>& changes) const {
  for (const Change& change : changes) {
    TRY(draft.policies.sets.emplace_back(), doc::decode<data::PolicySet>(change.after.view().asDocument()));
  }
  return {};
}

Task<> PolicySetKind::save(Target target, data::PolicySet set, bool /*exists*/) {
  co_return co_await sets_.set({target.caller, target.project}, std::move(set));
}

}  // namespace mb::configuration

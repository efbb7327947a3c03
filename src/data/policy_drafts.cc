// PolicyTrials::withDrafts(): the checks of the saves, and the table that the project would have.
#include <algorithm>

#include "data/collection_config.h"
#include "data/default_policy.h"
#include "data/new_schema.h"
#include "data/policy_claims.h"
#include "data/policy_trial.h"
#include "data/revealing_rules.h"
#include "store/configuration_limits.h"

namespace mb::data {
namespace {

using PatchState = doc::Patch<doc::Document>::State;

// New collections have the highest numbers, which the store gives to none.
store::CollectionNo draftNumber(size_t position) {
  return UINT32_MAX - static_cast<store::CollectionNo>(position);
}

class DraftedTable {
 public:
  DraftedTable(const snapshot::ProjectSnapshot& project, const CollectionTable& table, PolicyDrafts drafts)
      : project_(project),
        table_(table),
        drafts_(std::move(drafts)),
        setNames_(table.setNames()),
        defaultPolicy_(table.defaultPolicy) {
    for (const PolicySet& set : drafts_.sets) {
      if (std::ranges::find(setNames_, set.name) == setNames_.end()) setNames_.push_back(set.name);
    }
  }

  Result<std::shared_ptr<const CollectionTable>> build() {
    TableDrafts result;
    result.setsNeedIndexes = !drafts_.onGivenDocuments;
    for (const auto& draft : drafts_.collections) {
      if (draft.name == kDefaultPolicyName) {
        addDefaultPolicy(draft, result);
      } else {
        RETURN_IF_ERROR(addCollection(draft, result));
      }
    }
    for (size_t i = 0; i < drafts_.sets.size(); ++i) addSet(drafts_.sets[i], fmt::format("/sets/{}", i), result);
    if (setNames_.size() > store::kMaxPolicySets) {
      problems_.push_back({"/sets", fmt::format("a project has at most {} sets", store::kMaxPolicySets)});
    }
    if (problems_.empty()) return draftedTable(project_.info(), table_, std::move(result));
    std::string message = fmt::format("{}: {}", problems_.front().path, problems_.front().message);
    return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems_)));
  }

 private:
  using Draft = PolicyDrafts::DraftCollection;

  std::string pointerTo(const Draft& draft, std::string_view part) const {
    return drafts_.onGivenDocuments ? fmt::format("/collections/{}/{}", draft.name, part) : fmt::format("/{}", part);
  }
  template <class T>
  bool passes(const Result<T>& checked, const std::string& pointer) {
    if (checked) return true;
    const Error& error = checked.error();
    for (const ErrorDetail& each : error.details()) problems_.push_back({pointer + each.path, each.message});
    if (error.details().empty()) problems_.push_back({pointer, error.message()});
    return false;
  }

  void addDefaultPolicy(const Draft& draft, TableDrafts& result) {
    if (!draft.policy.given()) return;
    result.defaultPolicy.emplace();
    defaultPolicy_ = nullptr;
    if (draft.policy.state != PatchState::value) return;
    const std::string pointer = pointerTo(draft, "policy");
    passes(policy::checkClaims(draft.policy.value, claimNamesOf(project_), pointer), "");
    const auto compiled = compileDefaultPolicy(draft.policy.value, &setNames_);
    if (!passes(compiled, pointer)) return;
    for (const auto& [name, collection] : table_.byName) {
      if (!isDrafted(name)) passes(checkInheritor(*collection, **compiled), pointer);
    }
    defaultPolicy_ = *compiled;
    *result.defaultPolicy = draft.policy.value;
  }

  // Fails with notFound.
  Result<> addCollection(const Draft& draft, TableDrafts& result) {
    const CollectionPtr* known = table_.find(draft.name);
    if (!known && !drafts_.onGivenDocuments) return fail(ErrorCode::notFound, "no such collection");
    store::CollectionInfo info;
    info.name = draft.name;
    info.number = draftNumber(result.collections.size());
    if (known) info = (*known)->info;
    CollectionConfig config = CollectionConfig::read(info.config);
    std::shared_ptr<const doc::Schema> schema = known ? (*known)->schema : nullptr;
    if (draft.schema.given()) {
      config.schema.reset();
      config.references.clear();
      schema = nullptr;
    }
    if (draft.schema.state == PatchState::value) {
      auto compiled = compileNewSchema(draft.schema.value);
      if (passes(compiled, pointerTo(draft, "schema"))) schema = *std::move(compiled);
      config.schema = draft.schema.value;
    }
    if (draft.policy.given()) config.policy.reset();
    if (draft.policy.state == PatchState::value) config.policy = draft.policy.value;
    checkPolicy(draft, config, schema.get());
    info.config = config.write();
    schemas_.emplace_back(draft.name, std::move(schema));
    result.collections.push_back(std::move(info));
    return {};
  }

  // Of its own, or the default one.
  void checkPolicy(const Draft& draft, const CollectionConfig& config, const doc::Schema* schema) {
    const std::string pointer = pointerTo(draft, "policy");
    std::shared_ptr<const policy::Policy> policy = defaultPolicy_;
    if (config.policy) {
      auto compiled = policy::compilePolicy(*config.policy, schema, {.sets = &setNames_});
      if (draft.policy.given()) passes(policy::checkClaims(*config.policy, claimNamesOf(project_), pointer), "");
      if (!passes(compiled, pointer)) return;
      policy = *std::move(compiled);
    }
    if (schema && policy) passes(refuseRevealingRules(*config.schema, *policy, RevealedIn::policy), pointer);
  }

  void addSet(const PolicySet& set, const std::string& pointer, TableDrafts& result) {
    const auto drafted = std::ranges::find(result.collections, set.collection, &store::CollectionInfo::name);
    const CollectionPtr* known = table_.find(set.collection);
    if (drafted == result.collections.end() && !known) {
      problems_.push_back({pointer + "/collection", "must name a collection of the project"});
      return;
    }
    const store::CollectionInfo& info = drafted == result.collections.end() ? (*known)->info : *drafted;
    const auto compiled = std::ranges::find(schemas_, set.collection, &Schema::first);
    const doc::Schema* schema = compiled != schemas_.end() ? compiled->second.get() : (*known)->schema.get();
    const bool passed = drafts_.onGivenDocuments ? passes(compilePolicySet(set, schema), pointer)
                                                 : passes(checkPolicySet(set, schema, indexesOf(info)), pointer);
    if (std::ranges::find(result.sets, set.name, &PolicySetRecord::id) != result.sets.end()) {
      problems_.push_back({pointer + "/name", "is the name of another set of the list"});
    } else if (passed) {
      result.sets.push_back({set.name, set.collection, info.number, set.where, set.value});
    }
  }

  bool isDrafted(std::string_view name) const {
    return std::ranges::find(drafts_.collections, name, &Draft::name) != drafts_.collections.end();
  }

  using Schema = std::pair<std::string, std::shared_ptr<const doc::Schema>>;

  const snapshot::ProjectSnapshot& project_;
  const CollectionTable& table_;
  const PolicyDrafts drafts_;
  std::vector<std::string> setNames_;                    // saved and drafted ones
  std::shared_ptr<const policy::Policy> defaultPolicy_;  // the drafted one, or the saved one
  std::vector<Schema> schemas_;                          // of drafted collections
  std::vector<ErrorDetail> problems_;
};

}  // namespace

Task<snapshot::SnapshotPtr> PolicyTrials::withDrafts(snapshot::SnapshotPtr project, PolicyDrafts drafts) const {
  if (drafts.collections.empty() && drafts.sets.empty()) co_return project;
  // First, as collections may inherit it.
  std::ranges::partition(drafts.collections, [](const auto& each) { return each.name == kDefaultPolicyName; });
  CO_TRY(std::shared_ptr<const CollectionTable> table,
         co_await pool_.run(project->info().id.str(), [&]() -> Result<std::shared_ptr<const CollectionTable>> {
           return DraftedTable(*project, project->get(slot_), std::move(drafts)).build();
         }));
  co_return project->with(slot_, std::move(table));
}

}  // namespace mb::data

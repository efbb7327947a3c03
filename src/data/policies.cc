#include <boost/asio/deferred.hpp>

#include "data/collection_config.h"
#include "data/collections.h"
#include "data/data_deps.h"
#include "data/default_policy.h"
#include "data/policy_claims.h"
#include "data/policy_fields.h"
#include "data/revealing_rules.h"

namespace mb::data {
namespace {

// Checks that the default policy fits the schemas of the collections that inherit it.
Task<> checkInheriting(const CollectionTable& table, const policy::Policy& policy) {
  if (policy.deniedReadFields(policy::ReaderKind::signedIn).empty()) co_return Result<>();
  for (const std::string& name : table.names()) {
    CO_RETURN_IF_ERROR(checkInheritor(**table.find(name), policy));
    co_await asio::post(asio::deferred);
  }
  co_return Result<>();
}

}  // namespace

Result<> checkInheritor(const Collection& collection, const policy::Policy& policy) {
  if (collection.policySource == PolicySource::own || !collection.schema) return {};
  const auto fits = refuseRevealingRules(collection.schemaSource, policy, RevealedIn::policy);
  if (fits) return {};
  return fail(Error(ErrorCode::validation, "collection \"" + collection.name() + "\": " + fits.error().message())
                  .withDetails(fits.error().details()));
}

Result<std::shared_ptr<const policy::Policy>> compileDefaultPolicy(doc::DocumentView source,
                                                                   const std::vector<std::string>* sets) {
  if (source.find("public")) {
    return fail(Error(ErrorCode::validation, "/public: the default policy has no public rules: set them per collection")
                    .withDetail("/public", "is not allowed in the default policy: set it per collection"));
  }
  return policy::compilePolicy(source, nullptr, {.sets = sets});
}

Result<PolicyInForce> Collections::policy(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  if (name == kDefaultPolicyName) {
    const CollectionTable& there = table(project);
    const bool set = there.defaultPolicy != nullptr;
    return PolicyInForce{there.defaultPolicySource, set ? PolicySource::own : PolicySource::none};
  }
  TRY(const CollectionPtr collection, require(project, name));
  switch (collection->policySource) {
    case PolicySource::own:
      return PolicyInForce{*CollectionConfig::read(collection->info.config).policy, PolicySource::own};
    case PolicySource::inherited:
      return PolicyInForce{collection->policy->source(), PolicySource::inherited};
    case PolicySource::none:
      break;
  }
  return PolicyInForce{};
}

Task<> Collections::setPolicy(AdminAccess access, std::string name, doc::Document policy,
                              std::vector<std::string> newSets) {
  if (name == kDefaultPolicyName) {
    std::vector<std::string> sets = table(*access.project).setNames();
    sets.insert(sets.end(), newSets.begin(), newSets.end());
    CO_TRY(const auto compiled, compileDefaultPolicy(policy, &sets));
    CO_RETURN_IF_ERROR(policy::checkClaims(policy, claimNamesOf(*access.project)));
    const auto& all = table(*access.project).byName;
    const bool isElsewhere = std::ranges::any_of(
        all, [](const auto& each) { return !CollectionConfig::read(each.second->info.config).source.empty(); });
    if (isElsewhere) CO_RETURN_IF_ERROR(refuseKeyFilters(policy));
    CO_RETURN_IF_ERROR(co_await checkInheriting(table(*access.project), *compiled));
    co_return co_await writeDefaultPolicy(std::move(access), "policy.set", std::move(policy));
  }
  ConfigChange change;
  change.policy = {doc::Patch<doc::Document>::State::value, std::move(policy)};
  change.newSets = std::move(newSets);
  co_return co_await configure(std::move(access), std::move(name), std::move(change));
}

Task<std::vector<projects::ClaimUse>> Collections::claimUses(snapshot::SnapshotPtr project,
                                                             std::vector<std::string> claims) {
  const CollectionTable& all = table(*project);
  std::vector<projects::ClaimUse> uses;
  const auto add = [&](std::string_view name, const std::string& policy, const std::string& claim) {
    if (claim.empty()) return;
    uses.push_back(
        {"collections", std::string(name), "policy", fmt::format("{} uses the claim \"{}\"", policy, claim)});
  };
  add(kDefaultPolicyName, "the default policy", policy::claimAmong(claims, all.defaultPolicySource));
  for (const std::string& name : all.names()) {
    co_await asio::post(asio::deferred);
    const Collection& collection = **all.find(name);
    if (collection.policySource == PolicySource::own && collection.policy) {
      add(name, fmt::format("the policy of \"{}\"", name), policy::claimAmong(claims, collection.policy->source()));
    }
  }
  co_return uses;
}

Task<> Collections::clearPolicy(AdminAccess access, std::string name) {
  if (name == kDefaultPolicyName) {
    co_return co_await writeDefaultPolicy(std::move(access), "policy.clear", std::nullopt);
  }
  ConfigChange change;
  change.policy.state = doc::Patch<doc::Document>::State::null;
  co_return co_await configure(std::move(access), std::move(name), std::move(change));
}

Result<std::vector<doc::Document>> Collections::policyTests(const snapshot::ProjectSnapshot& project,
                                                            std::string_view name) const {
  TRY(const CollectionPtr collection, require(project, name));
  return CollectionConfig::read(collection->info.config).policyTests;
}

Task<> Collections::setPolicyTests(AdminAccess access, std::string name, std::vector<PolicyTest> tests) {
  ConfigChange change;
  change.policyTests = std::move(tests);
  return configure(std::move(access), std::move(name), std::move(change));
}

Task<> Collections::writeDefaultPolicy(AdminAccess access, std::string action, std::optional<doc::Document> policy) {
  const store::ProjectNo project = access.project->info().number;
  const std::vector<store::Insert> entries = auditEntry(access, std::move(action), std::string(kDefaultPolicyName));
  store::WriteOptions options;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  options.actor = {store::ActorKind::server, ""};
  options.bumpEpochs = {project};
  store::Write write(std::move(options));
  const store::Target target = write.change(policyCollection(project), std::string(kDefaultPolicyId));
  // Not inserts of the write: a clear is audited even if there was no policy.
  std::vector<store::Target> entryTargets;
  for (const store::Insert& entry : entries) entryTargets.push_back(write.create(entry.collection, entry.id()));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, &policy = std::as_const(policy), entryTargets = std::move(entryTargets),
       &entries = std::as_const(entries)](const store::PreImages&, store::Changes& changes) -> Result<> {
        if (policy) {
          doc::BsonWriter stored;
          stored.appendString("id", kDefaultPolicyId);
          stored.appendDocument("policy", *policy);
          changes.put(target, stored.finish());
        } else {
          changes.remove(target);
        }
        for (size_t i = 0; i < entries.size(); ++i) changes.put(entryTargets[i], entries[i].document);
        return {};
      }));
  for (const auto& [name, collection] : table(*access.project).byName) {
    if (collection->policySource != PolicySource::own) holdPolicyFields(*collection, policy.value_or(doc::Document()));
  }
  co_return Result<>();
}

}  // namespace mb::data

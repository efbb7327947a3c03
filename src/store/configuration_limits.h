// The limits of one project's configuration: counts, and the bytes of all of it. A store checks both in the commit, so
// of parallel saves exactly those that fit succeed.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "store/store.h"

namespace mb::store {

inline constexpr uint64_t kMaxConfigurationBytes = 8 << 20;

inline constexpr uint64_t kMaxRoles = 200;  // per kind
inline constexpr uint64_t kMaxApiKeys = 500;
inline constexpr uint64_t kMaxOauthProviders = 50;
inline constexpr uint64_t kMaxWebhooks = 100;
inline constexpr uint64_t kMaxFunctions = 200;
inline constexpr uint64_t kMaxIntegrations = 100;
inline constexpr uint64_t kMaxBuckets = 100;
inline constexpr uint64_t kMaxPolicySets = 16;
inline constexpr uint64_t kMaxVariables = 200;
inline constexpr uint64_t kMaxVectorConfigs = 50;    // collections that have one
inline constexpr size_t kMaxConfiguredHeaders = 20;  // of an integration or a webhook, secret ones included
// Collections: kMaxCollections (store.h).

// A system collection whose documents are configuration. The module that owns it asserts its number.
struct ConfigurationPart {
  CollectionNo collection;
  std::string_view name;  // in messages
  uint64_t limit;         // 0: bounded by its bytes only
  std::string_view counted = name;
  uint64_t uncounted = 0;  // documents in addition to those that the limit counts
};
inline constexpr std::string_view kApiKeysPart = "API keys";
inline constexpr std::array kConfigurationParts = std::to_array<ConfigurationPart>({
    {12, "roles", kMaxRoles, "roles of each kind"},
    {13, "end-user roles", kMaxRoles, "roles of each kind"},
    {14, kApiKeysPart, kMaxApiKeys},
    // The allowed redirects are a document of their own, which exists once there is a provider.
    {19, "sign-in providers", kMaxOauthProviders, "sign-in providers", 1},
    {50, "default policy", 0},
    {51, "policy sets", kMaxPolicySets},
    {86, "webhooks", kMaxWebhooks},
    {90, "functions", kMaxFunctions},
    {98, "integrations", kMaxIntegrations},
    {120, "buckets", kMaxBuckets},
    {140, "variables", kMaxVariables},
});
constexpr bool isConfigurationPart(CollectionNo collection, std::string_view name) {
  return std::ranges::any_of(kConfigurationParts, [&](const ConfigurationPart& part) {
    return part.collection == collection && part.name == name;
  });
}
// The field of CollectionInfo::config with the collections that a schema's references are bound to. The modules that
// use the store maintain it, so its bytes do not count: a rename may bind an unbound reference.
inline constexpr std::string_view kReferencesField = "refs";
// The actor of upkeep: small writes that the server makes in configuration records on its own, so that another change
// can succeed. No limit refuses them; else a project above a limit could not make the change that brings it below.
Actor upkeepActor();
bool isUpkeep(const Actor& actor);

// Null if the collection's documents are not configuration.
const ConfigurationPart* configurationPart(CollectionNo collection);

// The part that consists of the user collections: schemas, policies, indexes, vector configs.
inline constexpr std::string_view kCollectionsPart = "collections";
// The field of CollectionInfo::config that holds a vector config.
inline constexpr std::string_view kVectorConfigField = "vectors";
inline constexpr std::string_view kVectorConfigs = "vector configs";  // in messages

struct PartSize {
  std::string_view name;
  uint64_t bytes;
};

// Fails with conflict; names the limit.
Error tooMany(uint64_t limit, std::string_view counted);
Error tooMany(const ConfigurationPart& part);
// Fails with payloadTooLarge; names the largest of `parts`, which are the sizes after the save.
Error configurationTooLarge(std::vector<PartSize> parts);
// Whether a save that changes the size from `before` to `after` bytes is refused. A configuration above the limit may
// shrink.
bool passesConfigurationLimit(uint64_t before, uint64_t after);

// The current sizes of the parts; empty parts are omitted.
Task<std::vector<PartSize>> configurationSizes(DocumentStore& store, ProjectNo project);

// The bytes of a user collection: this (without kReferencesField), and each of its indexes.
uint64_t configuredBytes(std::string_view name, const doc::Document& config);
uint64_t configuredBytes(const IndexSpec& index);
uint64_t configuredBytes(const CollectionInfo& collection);

}  // namespace mb::store

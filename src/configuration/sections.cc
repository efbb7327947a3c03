#include "configuration/sections.h"

#include <algorithm>
#include <array>

#include "store/configuration_limits.h"

namespace mb::configuration {

namespace {

constexpr auto kSections = std::to_array<Section>({
    // name, file, folder, key, optional, applied, part, route, pruned
    {"variables", "variables.json", "", "name", true, 0, "variables", "", 0},
    {"collections", "", "collections", "name", false, 1, store::kCollectionsPart, "", 0},
    {"policySets", "policy-sets.json", "", "name", true, 2, "policy sets", "policies/sets", 6},
    {"roles", "roles.json", "", "name", false, 4, "roles", "roles", 4},
    {"enduserRoles", "enduser-roles.json", "", "name", false, 5, "end-user roles", "enduser-roles", 5},
    {"functions", "", "functions", "name", false, 7, "functions", "functions", 2},
    {"integrations", "", "integrations", "name", false, 6, "integrations", "integrations", 3},
    {"webhooks", "", "webhooks", "name", false, 8, "webhooks", "webhooks", 1},
    {"vectors", "", "vectors", "collection", true, 3, store::kCollectionsPart, "", 0},
    {"buckets", "", "buckets", "name", true, 9, "buckets", "", 0},
    {"oauth", "oauth.json", "", "", true, 10, "sign-in providers", "", 0},
    // First: policies may name its claims.
    {"settings", "settings.json", "", "", true, 0, "settings", "", 0},
});

}  // namespace

std::span<const Section> sections() {
  return kSections;
}

const Section* sectionNamed(std::string_view name) {
  const auto* found = std::ranges::find(kSections, name, &Section::name);
  return found == kSections.end() ? nullptr : found;
}

std::vector<const Section*> prunedSections() {
  std::vector<const Section*> out;
  for (const Section& section : kSections) {
    if (!section.route.empty()) out.push_back(&section);
  }
  std::ranges::sort(out, {}, [](const Section* section) { return section->pruned; });
  return out;
}

std::string bundleFileOf(const Section& section, std::string_view entry) {
  if (section.folder.empty()) return std::string(section.file);
  return std::string(section.folder) + "/" + std::string(entry == kDefaultEntry ? kDefaultFile : entry) + ".json";
}

}  // namespace mb::configuration

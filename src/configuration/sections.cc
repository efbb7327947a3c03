#include "configuration/sections.h"

#include <algorithm>
#include <array>

namespace mb::configuration {

namespace {

constexpr std::array<Section, 9> kSections = {{
    {"collections", "", "collections", "name", false},
    {"roles", "roles.json", "", "name", false},
    {"enduserRoles", "enduser-roles.json", "", "name", false},
    {"functions", "", "functions", "name", false},
    {"integrations", "", "integrations", "name", false},
    {"webhooks", "", "webhooks", "name", false},
    {"vectors", "", "vectors", "collection", true},
    {"buckets", "", "buckets", "name", true},
    {"oauth", "oauth.json", "", "", true},
}};

}  // namespace

std::span<const Section> sections() {
  return kSections;
}

const Section* sectionNamed(std::string_view name) {
  const auto* found = std::ranges::find(kSections, name, &Section::name);
  return found == kSections.end() ? nullptr : found;
}

}  // namespace mb::configuration

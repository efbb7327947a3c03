#include "store/configuration_limits.h"

#include <algorithm>

namespace mb::store {

namespace {

constexpr size_t kNamedParts = 3;
constexpr std::string_view kUpkeep = "upkeep";
// Added for an index and for each of its keys to names, paths and filters.
constexpr uint64_t kIndexOverhead = 64;

std::string mebibytes(uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

const ConfigurationPart* configurationPart(CollectionNo collection) {
  const auto* found = std::ranges::find(kConfigurationParts, collection, &ConfigurationPart::collection);
  return found == kConfigurationParts.end() ? nullptr : found;
}

Error tooMany(uint64_t limit, std::string_view counted) {
  return Error(ErrorCode::conflict, fmt::format("a project has at most {} {}: delete one first", limit, counted));
}

Error tooMany(const ConfigurationPart& part) {
  return tooMany(part.limit, part.counted);
}

Error configurationTooLarge(std::vector<PartSize> parts) {
  uint64_t total = 0;
  for (const PartSize& part : parts) total += part.bytes;
  std::ranges::sort(parts, std::ranges::greater(), &PartSize::bytes);
  std::string largest;
  for (const PartSize& part : std::span(parts).first(std::min(parts.size(), kNamedParts))) {
    if (part.bytes == 0) continue;
    largest += fmt::format("{}{} {}", largest.empty() ? "" : ", ", part.name, mebibytes(part.bytes));
  }
  return Error(ErrorCode::payloadTooLarge,
               fmt::format("a project's configuration is at most {} MiB in all, this save would make it {} bytes: "
                           "shrink or delete some of the largest parts ({})",
                           kMaxConfigurationBytes >> 20, total, largest));
}

bool passesConfigurationLimit(uint64_t before, uint64_t after) {
  return after > before && after > kMaxConfigurationBytes;
}

Actor upkeepActor() {
  return {ActorKind::server, std::string(kUpkeep)};
}

bool isUpkeep(const Actor& actor) {
  return actor.kind == ActorKind::server && actor.id == kUpkeep;
}

uint64_t configuredBytes(std::string_view name, const doc::Document& config) {
  const auto references = config.view().find(kReferencesField);
  // Its type byte, its name and the zero byte after it are included.
  const uint64_t uncounted = references ? 1 + kReferencesField.size() + 1 + references->raw().size() : 0;
  return name.size() + config.size() - uncounted;
}

uint64_t configuredBytes(const IndexSpec& index) {
  uint64_t bytes = kIndexOverhead + index.name.size();
  for (const IndexKey& key : index.keys) bytes += kIndexOverhead + key.path.size();
  for (const std::string& path : index.include) bytes += path.size();
  if (index.partialFilter) bytes += index.partialFilter->size();
  return bytes;
}

uint64_t configuredBytes(const CollectionInfo& collection) {
  uint64_t bytes = configuredBytes(collection.name, collection.config);
  for (const IndexInfo& index : collection.indexes) bytes += configuredBytes(index.spec);
  return bytes;
}

Task<std::vector<PartSize>> configurationSizes(DocumentStore& store, ProjectNo project) {
  std::vector<PartSize> sizes;
  for (const ConfigurationPart& part : kConfigurationParts) {
    CO_TRY(const CollectionStats stats, co_await store.stats({project, part.collection, 0}));
    if (stats.bytes > 0) sizes.push_back({part.name, stats.bytes});
  }
  CO_TRY(const std::vector<CollectionInfo> collections, co_await store.collections(project));
  uint64_t bytes = 0;
  for (const CollectionInfo& collection : collections) bytes += configuredBytes(collection);
  if (bytes > 0) sizes.push_back({kCollectionsPart, bytes});
  co_return sizes;
}

}  // namespace mb::store

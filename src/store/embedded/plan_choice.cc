#include "store/embedded/plan_choice.h"

#include <bit>

#include "store/embedded/range_reader.h"

namespace mb::store::embedded {

namespace {

// The keys counted per plan before the cheapest is taken: on a core, and where blocking is allowed (kPatientCap).
constexpr std::array<uint64_t, 2> kCaps = {32, 512};
constexpr uint64_t kPatientCap = 8192;
// The cost of reading a document, in keys; less for one that is next in reading order.
constexpr uint64_t kFetchCost = 4;
constexpr uint64_t kReadCost = 2;
// The cost, in keys, of the seek at the start of each range of a merged reading.
constexpr uint64_t kSeekCost = 8;
// The approximate size of an index entry in a file.
constexpr uint64_t kEntryBytes = 48;
constexpr size_t kMaxEstimated = 64;
// A remembered choice is used until it reads this many times the expected keys.
constexpr uint64_t kTrust = 8;
constexpr uint64_t kMinTrust = 256;

void mix(uint64_t& hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  hash ^= hash >> 29;
}

}  // namespace

Result<std::optional<Plan>> PlanChoice::choose(Candidates candidates, CollectionRef collection, PlanMemory& memory) {
  std::vector<Plan> plans;
  TRY(const bool flat, flatten(candidates, plans));
  if (!flat) return std::nullopt;
  if (plans.size() == 1) return std::move(plans.front());
  const uint64_t shape = shapeOf(plans, collection);
  const auto known = purpose_.trusting ? memory.recall(shape) : std::nullopt;
  if (known && known->plan < plans.size()) {
    distrustAfter_ = std::max(known->keys * kTrust, kMinTrust);
    return std::move(plans[known->plan]);
  }
  TRY(const std::optional<size_t> best, cheapest(plans));
  if (!best) return std::nullopt;
  memory.remember(shape, {static_cast<uint16_t>(*best), expected_});
  return std::move(plans[*best]);
}

// Builds one list of plans: a union contributes the best path for each branch. False as for choose().
Result<bool> PlanChoice::flatten(Candidates& candidates, std::vector<Plan>& plans) {
  plans = std::move(candidates.plans);
  for (Union& branches : candidates.unions) {
    std::vector<Plan> taken;
    for (std::vector<Plan>& branch : branches) {
      size_t at = 0;
      if (branch.size() > 1) {
        TRY(const std::optional<size_t> best, cheapest(branch));
        if (!best) return false;
        at = *best;
      }
      taken.push_back(std::move(branch[at]));
    }
    plans.push_back(unite(std::move(taken)));
  }
  return true;
}

Result<std::optional<size_t>> PlanChoice::cheapest(std::vector<Plan>& plans) {
  std::vector<Scored> all;
  for (Plan& plan : plans) all.push_back({&plan});
  std::vector<uint64_t> caps(kCaps.begin(), kCaps.end());
  if (purpose_.tier == Tier::disk) caps.push_back(kPatientCap);
  for (const uint64_t cap : caps) {
    uint64_t min = UINT64_MAX;
    for (Scored& scored : all) {
      if (!scored.counted) {
        TRY(const bool read, count(scored, cap));
        if (!read) return std::nullopt;
      }
      if (cap == kPatientCap && !scored.counted) estimate(scored);
      min = std::min(min, scored.keys);
    }
    size_t best = 0;
    auto lowest = std::tuple(UINT64_MAX, true, true, true);
    for (size_t i = 0; i < all.size(); ++i) {
      const Plan& plan = *all[i].plan;
      const auto rank = std::tuple(costOf(all[i], min), !plan.inOrder, !plan.exact, plan.mayRepeat);
      if (rank >= lowest) continue;
      lowest = rank;
      best = i;
    }
    if (!isKnown(all[best]) && cap != kPatientCap) continue;
    expected_ = keysOf(all[best], min);
    return best;
  }
  return std::nullopt;
}

// The keys that the plan would read; a lower bound if they are not all counted.
uint64_t PlanChoice::keysOf(const Scored& scored, uint64_t minKeys) const {
  if (!scored.plan->inOrder || purpose_.counting || purpose_.enough >= UINT32_MAX) return scored.keys;
  // The other plans bound how rare matches are, and so how many keys are read until enough are found.
  const uint64_t rarity = scored.plan->exact ? 1 : purpose_.documents / std::max<uint64_t>(minKeys, 1);
  return std::min(scored.keys, purpose_.enough * std::max<uint64_t>(rarity, 1));
}

// The cost of the keys and of the documents to read.
uint64_t PlanChoice::costOf(const Scored& scored, uint64_t minKeys) const {
  const Plan& plan = *scored.plan;
  const uint64_t keys = keysOf(scored, minKeys);
  if (plan.kind == Plan::Kind::documents) return keys * kReadCost;
  uint64_t fetched = keys;
  const bool decides = plan.exact || plan.decides;
  if (decides && (purpose_.counting || purpose_.keysOnly)) fetched = 0;
  // Without a sort the ids are gathered first, and only the requested documents are read.
  if (decides && !purpose_.sorted) fetched = std::min(fetched, purpose_.enough);
  // In a covering index most documents are next to their keys, as long as these are read in their order.
  const bool beside = plan.inOrder || purpose_.sorted || purpose_.counting;
  const bool covering =
      std::ranges::all_of(plan.accessPaths, [](const AccessPath& p) { return p.index && p.index->spec.covering; });
  const uint64_t seeks = plan.reading == Reading::merged ? std::max<size_t>(plan.rangeCount(), 1) - 1 : 0;
  return keys + seeks * kSeekCost + fetched * (covering && beside ? kReadCost - 1 : kFetchCost);
}

// Whether costOf() is more than a lower bound: all keys are counted, or as many as the query reads.
bool PlanChoice::isKnown(const Scored& scored) const {
  if (scored.counted) return true;
  const Plan& plan = *scored.plan;
  return plan.exact && plan.inOrder && !purpose_.counting && purpose_.enough <= scored.keys;
}

// False if the keys are not in memory.
Result<bool> PlanChoice::count(Scored& scored, uint64_t cap) {
  const Plan& plan = *scored.plan;
  const Family family = plan.kind == Plan::Kind::documents ? Family::documents : Family::indexes;
  scored.keys = 0;
  for (const AccessPath& path : plan.accessPaths) {
    scored.keys += path.ids.size();
    if (path.ranges.empty()) continue;
    RangeReader reader(database_, family, options_, path.ranges);
    for (const KeyRange& range : path.ranges) {
      for (reader.seek(range.from); scored.keys < cap && reader.isBelow(range.to); reader.next()) ++scored.keys;
      if (scored.keys >= cap) return true;
      if (reader.status().IsIncomplete()) return false;
      if (!reader.status().ok()) return fail(readError(reader.status()));
    }
  }
  scored.counted = true;
  return true;
}

void PlanChoice::estimate(Scored& scored) {
  const Plan& plan = *scored.plan;
  const bool documents = plan.kind == Plan::Kind::documents;
  uint64_t keys = 0;
  for (const AccessPath& path : plan.accessPaths) {
    const size_t measured = std::min(path.ranges.size(), kMaxEstimated);
    std::vector<rocksdb::Range> ranges;
    for (size_t i = 0; i < measured; ++i) ranges.emplace_back(slice(path.ranges[i].from), slice(path.ranges[i].to));
    std::vector<uint64_t> sizes(measured);
    rocksdb::SizeApproximationOptions options;
    options.include_memtables = true;
    options.include_files = true;
    options.files_size_error_margin = 0.1;
    if (measured == 0) continue;
    const rocksdb::Status status =
        database_.db().GetApproximateSizes(options, database_.family(documents ? Family::documents : Family::indexes),
                                           ranges.data(), static_cast<int>(measured), sizes.data());
    if (!status.ok()) continue;
    uint64_t sum = 0;
    for (const uint64_t size : sizes) sum += size;
    const bool covering = path.index && path.index->spec.covering;
    const uint64_t each = kEntryBytes + (covering ? purpose_.bytes / std::max<uint64_t>(purpose_.documents, 1) : 0);
    keys += sum * path.ranges.size() / measured / each;
  }
  // An estimate is at least the counted number.
  scored.keys = std::max(scored.keys, documents ? purpose_.documents : keys);
}

uint64_t PlanChoice::shapeOf(const std::vector<Plan>& plans, const CollectionRef& collection) const {
  uint64_t hash = collection.project;
  mix(hash, collection.number);
  mix(hash, collection.version);
  mix(hash, static_cast<uint64_t>(std::bit_width(purpose_.enough)) << 2 | (purpose_.counting ? 1 : 0) |
                (purpose_.keysOnly ? 2 : 0));
  for (const Plan& plan : plans) {
    for (const AccessPath& path : plan.accessPaths) {
      mix(hash, path.index ? path.index->number : 0);
      mix(hash, std::bit_width(path.ranges.size()) + 64 * std::bit_width(path.ids.size()));
      mix(hash, static_cast<uint64_t>(plan.kind) << 4 | (plan.decides ? 8 : 0) | (plan.exact ? 4 : 0) |
                    (plan.inOrder ? 2 : 0) | (plan.mayRepeat ? 1 : 0));
    }
  }
  return hash;
}

}  // namespace mb::store::embedded

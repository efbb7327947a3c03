#include "introspection/analysis.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "introspection/inferred_schema.h"
#include "introspection/problems.h"
#include "store/own/documents.h"

namespace mb::introspection {

namespace {

using doc::BsonType;

constexpr size_t kLargeDocument = 1 << 20;

// Whether the document is shown once it has no `id`: its `_id` is an ObjectId, or has the form of an id.
bool isShownByKey(const std::optional<doc::ForeignElement>& key) {
  if (!key) return false;
  return key->is(BsonType::objectId) || (key->is(BsonType::string) && store::own::isShownId(key->text()));
}

class IdSurvey {
 public:
  void add(std::string_view document) {
    const auto id = store::own::elementOf(document, "id");
    const auto key = store::own::elementOf(document, "_id");
    const bool isString = id && id->is(BsonType::string);
    const bool isShown = isString && store::own::isShownId(id->text());
    ++(isString ? counts_.strings : id ? counts_.others : counts_.missing);
    if (isString && !isShown) ++counts_.malformed;
    if (!isShown && !isShownByKey(key)) ++counts_.hidden;
    if (!isString) return;
    // A sample may hold a document twice.
    const std::string_view value = key ? key->value : std::string_view();
    const auto [found, isNew] = holders_.emplace(id->text(), value);
    if (!isNew && found->second != value) hasDuplicates_ = true;
  }

  const IdCounts& counts() const { return counts_; }
  bool hasDuplicates() const { return hasDuplicates_; }

 private:
  IdCounts counts_;
  std::map<std::string_view, std::string_view> holders_;  // of ids, by their `_id`
  bool hasDuplicates_ = false;
};

int64_t scaled(int64_t part, size_t sampled, int64_t documents) {
  if (sampled == 0) return 0;
  return std::llround(static_cast<double>(part) / static_cast<double>(sampled) * static_cast<double>(documents));
}

// Of all documents, from those of the sample.
IdCounts scaledIds(const IdCounts& sample, size_t sampled, int64_t documents) {
  IdCounts all;
  all.missing = scaled(sample.missing, sampled, documents);
  all.others = scaled(sample.others, sampled, documents);
  all.malformed = scaled(sample.malformed, sampled, documents);
  all.hidden = scaled(sample.hidden, sampled, documents);
  all.strings = std::max<int64_t>(0, documents - all.missing - all.others);
  return all;
}

StatsReport statsOf(const CollectionFacts& facts) {
  StatsReport stats;
  // The sum of exact counts where they are there: the database's own count may lag behind.
  stats.count = facts.ids ? facts.ids->strings + facts.ids->missing + facts.ids->others : facts.documents;
  stats.sizeBytes = facts.bytes;
  stats.averageSizeBytes = stats.count > 0 ? stats.sizeBytes / stats.count : 0;
  for (const IndexFacts& each : facts.indexes) stats.indexes.push_back({each.name, each.keys, each.unique});
  return stats;
}

}  // namespace

Report analyze(const std::vector<std::string>& samples, const CollectionFacts& facts) {
  const SampledFields fields(samples);
  const PathList paths(fields);
  IdSurvey survey;
  for (const std::string& each : samples) survey.add(each);

  Report report;
  report.collection = facts.name;
  report.stats = statsOf(facts);
  report.sampled = static_cast<int64_t>(samples.size());
  report.schema = inferredSchema(fields, paths);
  report.fields = paths.fields();
  const IdCounts ids =
      facts.ids ? *facts.ids : scaledIds(survey.counts(), samples.size(), std::max<int64_t>(0, facts.documents));
  report.ids.withId = ids.strings;
  report.ids.withoutId = ids.missing;
  if (!facts.ids) report.ids.estimated = true;

  SampleFacts sample;
  sample.ids = survey.counts();
  sample.hasDuplicateIds = survey.hasDuplicates();
  sample.hasLarge = std::ranges::any_of(samples, [](const std::string& each) { return each.size() > kLargeDocument; });
  sample.hasDotted = fields.hasDotted();
  sample.hasOthers = fields.hasOthers();
  sample.isDeep = fields.isDeep();
  sample.wasCut = fields.wasCut() || paths.wasCut();
  report.problems = problemsOf(facts, sample, ids);
  if (hasErrors(report.problems)) {
    report.verdict = kIncompatible;
  } else {
    report.verdict = ids.missing > 0 || !hasUniqueIds(facts) ? "needs-backfill" : "ready";
  }
  return report;
}

}  // namespace mb::introspection

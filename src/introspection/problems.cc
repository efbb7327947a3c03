#include "introspection/problems.h"

#include <algorithm>

#include "data/reserved.h"

namespace mb::introspection {

namespace {

constexpr std::string_view kError = "error";
constexpr std::string_view kWarning = "warning";
constexpr std::string_view kInfo = "info";

Problem problem(std::string_view code, std::string_view severity, std::string message,
                std::optional<std::string> path = std::nullopt) {
  return {std::string(code), std::string(severity), std::move(message), std::move(path)};
}

// "1 document has", "1234 documents have"
std::string documentsHave(int64_t count) {
  return count == 1 ? "1 document has" : std::to_string(count) + " documents have";
}

// Whether a partial index holds all documents whose `id` is a string.
bool holdsStrings(doc::DocumentView filter) {
  const auto condition = filter.find("id");
  if (filter.empty()) return true;
  if (filter.count() != 1 || !condition || condition->type() != doc::BsonType::document) return false;
  const doc::DocumentView id = condition->asDocument();
  const auto exists = id.find("$exists");
  const bool isExists = exists && exists->type() == doc::BsonType::boolean && exists->asBool();
  return id.count() == 1 && (id.stringOr("$type") == "string" || isExists);
}

void addForm(const CollectionFacts& facts, std::vector<Problem>& out) {
  const auto add = [&](bool there, std::string_view code, std::string_view message) {
    if (there) out.push_back(problem(code, kError, std::string(message)));
  };
  add(facts.view, "view", "a view cannot be written to");
  add(facts.timeSeries, "time-series", "documents of a time series cannot be changed one by one");
  add(facts.capped, "capped", "a capped collection removes documents by itself");
  add(!data::isCollectionName(facts.name), "name", "the collection's name must match ^[A-Za-z][A-Za-z0-9_-]{0,63}$");
  add(data::isReservedCollection(facts.name), "name", "the collection's name is reserved");
  add(facts.clustered, "clustered", "a clustered collection is not supported");
  add(facts.encrypted, "queryable-encryption", "the collection has encrypted fields");
}

void addIds(const SampleFacts& sample, const IdCounts& ids, std::vector<Problem>& out) {
  if (ids.others > 0 || sample.ids.others > 0) {
    out.push_back(problem("id-not-string", kError, "some documents have an id that is not a string", "/id"));
  }
  if (sample.hasDuplicateIds) out.push_back(duplicateIds());
  if (ids.malformed > 0 || sample.ids.malformed > 0) {
    out.push_back(problem("id-not-addressable", kError,
                          "some documents have an id that does not match ^[A-Za-z0-9_-]{1,64}$", "/id"));
  }
}

void addWarnings(const CollectionFacts& facts, const SampleFacts& sample, std::vector<Problem>& out) {
  const auto add = [&](bool there, std::string_view code, std::string_view message) {
    if (there) out.push_back(problem(code, kWarning, std::string(message)));
  };
  const bool expires =
      std::ranges::any_of(facts.indexes, [](const IndexFacts& each) { return each.expireAfterSeconds.has_value(); });
  add(sample.hasLarge, "large-documents", "some documents are larger than 1 MiB: they can be read, and must not grow");
  add(facts.hasCollation, "default-collation",
      "the collection has a default collation, which filters and sorts do not follow");
  add(expires, "ttl-index", "an index of the database deletes documents without the project's pre-hooks");
  add(facts.hasValidator, "validator", "the collection has a validator, which may refuse writes");
  add(sample.hasDotted, "dotted-fields",
      "some names of fields hold a \".\" or \"$\", are empty or not UTF-8: they can be read only");
  add(sample.hasOthers, "non-json-types",
      "some values have a type without a form in JSON: a replacement keeps them not");
  add(sample.isDeep, "deep", "some documents are deeper than the report: it shows 8 levels");
  add(!facts.keepsPreImages, kNoPreImages,
      "the collection keeps no pre-images: changes by others have no earlier state");
}

}  // namespace

std::optional<std::string> reasonAgainst(const CollectionFacts& facts) {
  if (facts.view) return "view";
  if (facts.timeSeries) return "time-series";
  if (facts.capped) return "capped";
  if (facts.encrypted) return "encrypted";
  if (facts.clustered) return "clustered";
  if (!data::isCollectionName(facts.name)) return "name";
  if (data::isReservedCollection(facts.name)) return "reserved";
  return std::nullopt;
}

Problem duplicateIds() {
  return problem("id-duplicate", kError, "some documents have the same id", "/id");
}

std::vector<Problem> problemsOf(const CollectionFacts& facts, const SampleFacts& sample, const IdCounts& ids) {
  std::vector<Problem> out;
  addForm(facts, out);
  addIds(sample, ids, out);
  addWarnings(facts, sample, out);
  if (ids.missing > 0) {
    out.push_back(problem("some-without-id", kInfo, documentsHave(ids.missing) + " no id", "/id"));
  }
  if (ids.hidden > 0) {
    out.push_back(problem("hidden-until-backfill", kInfo, documentsHave(ids.hidden) + " no id that could be shown"));
  }
  if (sample.wasCut) {
    out.push_back(problem("fields-cut", kInfo, "the collection has more fields than the report shows"));
  }
  return out;
}

bool hasErrors(const std::vector<Problem>& problems) {
  return std::ranges::any_of(problems, [](const Problem& each) { return each.severity == kError; });
}

bool hasUniqueIds(const CollectionFacts& facts) {
  return std::ranges::any_of(facts.indexes, [](const IndexFacts& each) {
    return each.unique && each.keys.view().count() == 1 && (*each.keys.view().begin()).key == "id" &&
           holdsStrings(each.partialFilter);
  });
}

}  // namespace mb::introspection

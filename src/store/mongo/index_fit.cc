#include "store/mongo/index_fit.h"

#include <unordered_set>

#include "store/document_limits.h"
#include "store/shared_arrays.h"
#include "store/value_key.h"

namespace mb::store::mongo {

namespace {

// The number of distinct values at the path; more than kMaxEntries are not counted on.
size_t distinctValues(doc::DocumentView document, const doc::FieldPath& path) {
  std::unordered_set<std::string> keys;
  doc::walkPath(document, path, doc::Leaf::elementsToo, [&](std::optional<doc::ValueView> value) {
    if (value && value->type() == doc::BsonType::array) return false;
    std::string key;
    if (value) appendValueKey(key, *value, false, kNoCap);
    keys.insert(std::move(key));
    return keys.size() > kMaxEntries;
  });
  return keys.size();
}

std::unexpected<Error> tooMany(const IndexSpec& spec) {
  return fail(ErrorCode::validation, fmt::format("the index \"{}\" would hold more than {} entries for this document",
                                                 spec.name, kMaxEntries));
}

}  // namespace

Result<> checkFits(const IndexSpec& spec, doc::DocumentView document) {
  if (spec.partialFilter) {
    TRY(const doc::Filter partial, doc::Filter::parse(*spec.partialFilter));
    if (!partial.matches(document)) return {};
  }
  std::vector<doc::FieldPath> paths;
  for (const IndexKey& key : spec.keys) {
    TRY(doc::FieldPath path, doc::FieldPath::parse(key.path));
    if (distinctValues(document, path) > kMaxEntries) return tooMany(spec);
    paths.push_back(std::move(path));
  }
  if (paths.size() < 2) return {};
  SharedArrays tuples(paths, [](size_t) { return false; });
  switch (tuples.collect(document, kMaxEntries)) {
    case SharedArrays::Outcome::ok:
      return {};
    case SharedArrays::Outcome::tooMany:
      return tooMany(spec);
    case SharedArrays::Outcome::apart:
      break;
  }
  return fail(ErrorCode::validation,
              fmt::format("the index \"{}\" covers two arrays of this document; it can cover one", spec.name));
}

}  // namespace mb::store::mongo

#include "configuration/collection_entry.h"

#include "configuration/canonical_form.h"
#include "configuration/sections.h"
#include "data/collection_config.h"
#include "data/default_policy.h"
#include "data/revealing_rules.h"
#include "data/schema_references.h"

namespace mb::configuration {

namespace {

constexpr size_t kMaxIndexes = 64;
constexpr size_t kMaxConfig = 1 << 20;  // what the store stores of a collection in addition to its documents

std::optional<doc::Document> documentAt(doc::DocumentView from, std::string_view key) {
  const auto found = from.find(key);
  return found ? std::optional(doc::Document(found->asDocument())) : std::nullopt;
}

// Whether the store accepts all of it, and the schema's references to collections.
bool fits(const CollectionEntry& entry) {
  data::CollectionConfig config{entry.schema, entry.policy, {}, {}, entry.policyTests};
  if (entry.schema) {
    for (const std::string& name : data::referencedCollections(*entry.schema)) {
      config.bind(name, std::numeric_limits<store::CollectionNo>::max());
    }
  }
  return config.write().size() <= kMaxConfig;
}

void mergeIndexes(CollectionEntry& entry, const std::vector<data::NewIndex>& given, const doc::FilterCoercion& coercion,
                  const std::string& pointer, Problems& problems) {
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string at = fmt::format("{}/indexes/{}", pointer, i);
    const auto index = data::Collections::checkIndex(given[i], coercion);
    if (!index) {
      problems.add(at, index.error());
      continue;
    }
    if (const auto [first, isNew] = seen.emplace(index->name, i); !isNew) {
      problems.add(at + "/name", fmt::format("is also the name of index {}", first->second));
    }
    entry.indexes[index->name] = indexEntry(*index);
  }
  if (entry.indexes.size() > kMaxIndexes) {
    problems.add(pointer + "/indexes", fmt::format("would exceed {} indexes", kMaxIndexes));
  }
}

void mergeTests(CollectionEntry& entry, const std::vector<data::PolicyTest>& given, const std::string& pointer,
                Problems& problems) {
  for (ErrorDetail& each : data::policyTestProblems(given, pointer + "/policyTests")) {
    problems.add(std::move(each.path), std::move(each.message));
  }
  entry.policyTests.clear();
  for (const data::PolicyTest& test : given) entry.policyTests.push_back(doc::encode(test));
}

void checkRevealing(const CollectionEntry& entry, const policy::Policy& policy, const IncomingCollection& given,
                    const std::string& pointer, Problems& problems) {
  if (!entry.schema) return;
  const bool bySchema = given.schema.given();
  const auto fits =
      data::refuseRevealingRules(*entry.schema, policy, bySchema ? data::RevealedIn::schema : data::RevealedIn::policy);
  if (!fits) problems.add(pointer + (bySchema ? "/schema" : "/policy"), fits.error());
}

}  // namespace

bool CollectionEntry::isDefault() const {
  return name == kDefaultEntry;
}

doc::Value CollectionEntry::write() const {
  doc::BsonWriter out;
  out.beginDocument("");
  out.appendString("name", name);
  if (schema) out.appendDocument("schema", *schema);
  if (policy) out.appendDocument("policy", *policy);
  if (!policyTests.empty()) doc::encodeValue(out, "policyTests", policyTests);
  if (!isDefault()) {
    out.beginArray("indexes");
    size_t i = 0;
    for (const auto& [each, index] : indexes) out.appendDocument(doc::arrayKey(i++), index);
    out.end();
  }
  out.end();
  const doc::Document whole = out.finish();
  return doc::Value(whole.view().begin()->value);
}

CollectionEntry CollectionEntry::read(doc::ValueView written) {
  const doc::DocumentView from = written.asDocument();
  CollectionEntry entry{std::string(from.stringOr("name")), documentAt(from, "schema"), documentAt(from, "policy"), {}};
  if (const auto tests = from.find("policyTests")) {
    for (const doc::Element& each : tests->asDocument()) entry.policyTests.emplace_back(each.value.asDocument());
  }
  if (const auto indexes = from.find("indexes")) {
    for (const doc::Element& each : indexes->asDocument()) {
      const doc::DocumentView index = each.value.asDocument();
      entry.indexes.emplace(index.stringOr("name"), index);
    }
  }
  return entry;
}

doc::Document indexEntry(const data::IndexView& index) {
  doc::BsonWriter out;
  out.appendString("name", index.name);
  out.appendDocument("keys", index.keys);
  if (index.unique) out.appendBool("unique", true);
  if (index.sparse.value_or(false)) out.appendBool("sparse", true);
  if (index.partialFilter) out.appendDocument("partialFilter", canonicalFilter(*index.partialFilter));
  if (index.expireAfterSeconds) out.appendInteger("expireAfterSeconds", *index.expireAfterSeconds);
  if (index.covering.value_or(false)) out.appendBool("covering", true);
  if (index.include && !index.include->empty()) {
    out.beginArray("include");
    for (size_t i = 0; i < index.include->size(); ++i) out.appendString(doc::arrayKey(i), (*index.include)[i]);
    out.end();
  }
  return out.finish();
}

Result<data::NewIndex> newIndex(doc::DocumentView written) {
  return doc::decode<data::NewIndex>(written);
}

void mergeCollection(CollectionEntry& entry, const IncomingCollection& given, const CompiledSchema& newSchema,
                     const data::Collection* current, const std::vector<std::string>& sets, const std::string& pointer,
                     Problems& problems) {
  using State = doc::Patch<doc::Document>::State;
  std::shared_ptr<const doc::Schema> schema = current ? current->schema : nullptr;
  if (given.schema.given()) {
    schema = nullptr;
    entry.schema.reset();
  }
  if (given.schema.state == State::value) {
    if (!newSchema) return problems.add(pointer + "/schema", newSchema.error());
    schema = *newSchema;
    entry.schema = canonicalSchema(given.schema.value);
  }
  if (given.policy.given()) entry.policy.reset();
  if (given.policy.state == State::value) {
    const auto compiled = entry.isDefault() ? data::compileDefaultPolicy(given.policy.value, &sets)
                                            : policy::compilePolicy(given.policy.value, schema.get(), {.sets = &sets});
    if (!compiled) problems.add(pointer + "/policy", compiled.error());
    entry.policy = canonicalPolicy(given.policy.value);
    if (compiled) checkRevealing(entry, **compiled, given, pointer, problems);
  } else if (entry.policy && given.schema.given()) {
    const auto compiled = policy::compilePolicy(*entry.policy, schema.get());
    if (compiled) {
      checkRevealing(entry, **compiled, given, pointer, problems);
    } else {
      problems.add(pointer + "/schema",
                   fmt::format("does not fit the policy of the collection: {}", compiled.error().message()));
    }
  }
  if (given.policyTests.given()) mergeTests(entry, given.policyTests.value, pointer, problems);
  if (!fits(entry)) problems.add(pointer, "is too large: schema, policy and tests have at most 1 MiB together");
  const doc::FilterCoercion& coercion = schema ? schema->coercion() : doc::defaultCoercion();
  if (given.indexes) mergeIndexes(entry, *given.indexes, coercion, pointer, problems);
}

}  // namespace mb::configuration

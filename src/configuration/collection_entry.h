// The entry of a collection in a document, and its merge in an import. Private to configuration/.
#pragma once

#include <map>
#include <optional>

#include "configuration/resource_kind.h"
#include "data/collections.h"

namespace mb::configuration {

// The entry of a collection in canonical form; absent schema, policy and tests are omitted, and so are options of an
// index that are not set. The default policy has only a name and a policy.
struct CollectionEntry {
  std::string name;
  std::optional<doc::Document> schema;
  std::optional<doc::Document> policy;
  std::map<std::string, doc::Document> indexes;  // by name, in the form of a document
  std::vector<doc::Document> policyTests = {};   // in their stored form

  doc::Value write() const;
  // Reads the output of write().
  static CollectionEntry read(doc::ValueView written);
  bool isDefault() const;
};

// The entry of an index, and the reverse.
doc::Document indexEntry(const data::IndexView& index);
Result<data::NewIndex> newIndex(doc::DocumentView written);

// The input of an import for one collection: absent stays unchanged, null clears.
struct IncomingCollection {
  std::string name;
  doc::Patch<doc::Document> schema;
  doc::Patch<doc::Document> policy;
  std::optional<std::vector<data::NewIndex>> indexes;
  doc::Patch<std::vector<data::PolicyTest>> policyTests;
  static constexpr auto shape() {
    return doc::shape<IncomingCollection>("CollectionEntry", doc::field("name", &IncomingCollection::name),
                                          doc::field("schema", &IncomingCollection::schema),
                                          doc::field("policy", &IncomingCollection::policy),
                                          doc::field("policyTests", &IncomingCollection::policyTests),
                                          doc::field("indexes", &IncomingCollection::indexes));
  }
};

using CompiledSchema = Result<std::shared_ptr<const doc::Schema>>;

// Changes `entry` to its state after the import of `given`, whose schema, if it has one, is `newSchema`. `current` is
// the stored collection, null for a new one; `sets` are the names of the sets of the project and the document. Problems
// begin at `pointer`.
void mergeCollection(CollectionEntry& entry, const IncomingCollection& given, const CompiledSchema& newSchema,
                     const data::Collection* current, const std::vector<std::string>& sets, const std::string& pointer,
                     Problems& problems);

}  // namespace mb::configuration

// A collection as a document shows it, and what an import makes of one. Private to configuration/.
#pragma once

#include <map>
#include <optional>

#include "configuration/resource_kind.h"
#include "data/collections.h"

namespace mb::configuration {

// The entry of a collection in canonical form; schema and policy are left out where there is none, and so are the
// options of an index that are not set. The default policy has its name and policy alone.
struct CollectionEntry {
  std::string name;
  std::optional<doc::Document> schema;
  std::optional<doc::Document> policy;
  std::map<std::string, doc::Document> indexes;  // by name, as they are shown

  doc::Value write() const;
  // What write() made.
  static CollectionEntry read(doc::ValueView written);
  bool isDefault() const;
};

// An index as an entry shows it, and back.
doc::Document indexEntry(const data::IndexView& index);
Result<data::NewIndex> newIndex(doc::DocumentView written);

// What an import gives for one collection: absent stays as it is, null clears.
struct IncomingCollection {
  std::string name;
  doc::Patch<doc::Document> schema;
  doc::Patch<doc::Document> policy;
  std::optional<std::vector<data::NewIndex>> indexes;
  static constexpr auto shape() {
    return doc::shape<IncomingCollection>("CollectionEntry", doc::field("name", &IncomingCollection::name),
                                          doc::field("schema", &IncomingCollection::schema),
                                          doc::field("policy", &IncomingCollection::policy),
                                          doc::field("indexes", &IncomingCollection::indexes));
  }
};

using CompiledSchema = Result<std::shared_ptr<const doc::Schema>>;

// `entry` as it is after the import of `given`, whose schema, where it brings one, is `newSchema`. `standing` is the
// collection as it is now, null where there is none. Problems begin at `pointer`.
void mergeCollection(CollectionEntry& entry, const IncomingCollection& given, const CompiledSchema& newSchema,
                     const data::Collection* current, const std::string& pointer, Problems& problems);

}  // namespace mb::configuration

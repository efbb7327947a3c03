// A ResponseWriter writes documents to the response: JSON directly from BSON, with nulls and problems as in the
// October 2021 specification, 6.4.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/key_index.h"
#include "base/lru_cache.h"
#include "graphql/language/selections.h"

namespace mb::graphql {

// Documents that relations refer to, by id; nullopt or no entry: the caller cannot see it. `failure`: the collection
// could not be read.
struct Related {
  std::unordered_map<std::string, std::optional<doc::Document>, StringHash, std::equal_to<>> documents;
  std::optional<Problem> failure;
};
using RelatedDocuments = std::unordered_map<std::string, Related, StringHash, std::equal_to<>>;

// Calls `use` with each id in a relation's value, in order, until it returns false.
template <class Use>
void eachReference(doc::ValueView value, const Use& use) {
  if (value.type() == doc::BsonType::string) use(value.asString());
  if (value.type() != doc::BsonType::array) return;
  for (const doc::Element& each : value.asDocument()) {
    if (each.value.type() == doc::BsonType::string && !use(each.value.asString())) return;
  }
}

class ResponseWriter {
 public:
  static constexpr size_t kMaxBytes = 32 << 20;

  ResponseWriter(std::string& out, Problems& problems, const RelatedDocuments& related)
      : out_(out), problems_(problems), related_(related) {}

  // Writes the documents of a list, or one document, of a root field of a nullable type.
  void list(const Planned& root, const std::vector<doc::Document>& documents);
  void document(const Planned& root, const doc::Document& document);
  // Whether more than kMaxBytes were written: the rest is omitted, and the response must be discarded.
  bool overflowed() const { return out_.size() > kMaxBytes; }
  // The document of `id`, or null if the caller may not see it; `target` may be null.
  static const doc::Document* lookUp(const Related* target, std::string_view id);

 private:
  enum class Outcome { written, null, failed };
  // Finds fields of one document: fast if they are requested in the order of storage. Builds an index after
  // kSearches lookups in another order.
  class Finder {
   public:
    explicit Finder(doc::DocumentView document) : document_(document), next_(document.begin()) {}
    std::optional<doc::ValueView> find(std::string_view key);
    doc::DocumentView document() const { return document_; }

   private:
    static constexpr int kSearches = 4;  // without an index

    doc::ValueView take();
    std::optional<doc::ValueView> lookUp(std::string_view key);
    doc::DocumentView document_;
    doc::DocumentView::Iterator next_;
    int searches_ = 0;  // from the start
    std::vector<doc::Element> fields_;
    std::optional<KeyIndex> byName_;  // of fields_
  };
  // A step of the current path in the response.
  struct Step {
    const Planned* field = nullptr;  // null: an index
    size_t index = 0;
  };

  // False: an enclosing value must be null.
  bool object(const std::vector<Planned>& fields, doc::DocumentView document);
  bool field(const Planned& field, Finder& in);
  // The fast path: writes a scalar value that fits its type. False: nothing was written, and value() handles it.
  bool plain(const Type& type, doc::ValueView value);
  bool value(const Planned& field, const Type& type, std::optional<doc::ValueView> value);
  Outcome inner(const Planned& field, const Type& type, std::optional<doc::ValueView> value);
  Outcome elements(const Planned& field, const Type& type, doc::ValueView list);
  Outcome leaf(const Planned& field, const Type& type, doc::ValueView value);
  Outcome relation(const Planned& field, std::optional<doc::ValueView> value);
  Outcome related(const Planned& field, const Related* target, doc::ValueView ids);
  void rest(doc::DocumentView document);
  Outcome fail(const Planned& field, std::string message);
  void addProblem(const Planned& field, Problem problem);

  std::string& out_;
  Problems& problems_;
  const RelatedDocuments& related_;
  std::vector<Step> path_;
};

}  // namespace mb::graphql

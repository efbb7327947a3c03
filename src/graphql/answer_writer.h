// Documents to the answer: JSON straight from BSON, nulls and problems as October 2021 specification, 6.4 has them.
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

// Documents that relations lead to, by collection and id; nullopt, or none: the caller cannot see it. `failure`: it
// could not be read at all.
struct Related {
  std::unordered_map<std::string, std::optional<doc::Document>, StringHash, std::equal_to<>> documents;
  std::optional<Problem> failure;
};
using RelatedDocuments = std::unordered_map<std::string, Related, StringHash, std::equal_to<>>;

// Calls `use` with each id that a relation's value holds, in order, until it returns false.
template <class Use>
void eachReference(doc::ValueView value, const Use& use) {
  if (value.type() == doc::BsonType::string) use(value.asString());
  if (value.type() != doc::BsonType::array) return;
  for (const doc::Element& each : value.asDocument()) {
    if (each.value.type() == doc::BsonType::string && !use(each.value.asString())) return;
  }
}

class AnswerWriter {
 public:
  static constexpr size_t kMaxBytes = 32 << 20;

  AnswerWriter(std::string& out, Problems& problems, const RelatedDocuments& related)
      : out_(out), problems_(problems), related_(related) {}

  // The documents of a list, or one document, under a root field of a type that may be null.
  void list(const Planned& root, const std::vector<doc::Document>& documents);
  void document(const Planned& root, const doc::Document& document);
  // Whether more than kMaxBytes were written: the rest is left out, and the answer is to be thrown away.
  bool overflowed() const { return out_.size() > kMaxBytes; }
  // The document of `id`, where the caller may see it; `target` may be null.
  static const doc::Document* lookUp(const Related* target, std::string_view id);

 private:
  enum class Outcome { written, null, failed };
  // Finds fields of one document, quickly where they are asked for in the order in which they are stored. Where they
  // often are not, it makes an index of them.
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
  // Where the writing is.
  struct Place {
    const Planned* field = nullptr;  // null: an index
    size_t index = 0;
  };

  // false: null must stand further up.
  bool object(const std::vector<Planned>& fields, doc::DocumentView document);
  bool field(const Planned& field, Finder& in);
  // Writes a value that is a scalar as its type has it: nearly all are. false: nothing was written, and value() says
  // why.
  bool plain(const Type& type, doc::ValueView value);
  bool value(const Planned& field, const Type& type, std::optional<doc::ValueView> value);
  Outcome inner(const Planned& field, const Type& type, std::optional<doc::ValueView> value);
  Outcome elements(const Planned& field, const Type& type, doc::ValueView list);
  Outcome leaf(const Planned& field, const Type& type, doc::ValueView value);
  Outcome relation(const Planned& field, std::optional<doc::ValueView> value);
  Outcome related(const Planned& field, const Related* target, doc::ValueView ids);
  void rest(doc::DocumentView document);
  Outcome fail(const Planned& field, std::string message);
  void note(const Planned& field, Problem problem);

  std::string& out_;
  Problems& problems_;
  const RelatedDocuments& related_;
  std::vector<Place> places_;
};

}  // namespace mb::graphql

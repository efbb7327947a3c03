// What of a filter the server evaluates. Our semantics hold: where the server's differ, the condition is
// left out, so that the server returns more, and the engine evaluates the whole filter on what it returns.
#pragma once

#include "document/filter.h"
#include "store/store_types.h"

namespace mb::store::mongo {

struct PushedFilter {
  doc::Document document;  // on stored documents
  bool exact = true;       // false: the server may return documents that do not match
};

// How documents are stored, as far as filters see it.
class StoredForm {
 public:
  using Node = std::shared_ptr<const doc::FilterNode>;

  virtual ~StoredForm() = default;
  // The path of a stored document that holds the value at `path` of the document, which is not its id.
  virtual std::string path(std::string_view path) const = 0;
  // The condition on stored documents for one on the id; null without one. `exact`: set to false if it also holds
  // for others.
  virtual Node ofId(const doc::FilterNode& condition, bool& exact) const = 0;
};

// `more`: conditions on stored documents that are added as they are.
PushedFilter pushFilter(const StoredForm& form, const doc::Filter& filter, std::vector<doc::Document> more);
// Of documents that this engine stores.
PushedFilter pushFilter(const CollectionRef& collection, const doc::Filter& filter,
                        std::vector<doc::Document> more = {});

}  // namespace mb::store::mongo

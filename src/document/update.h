// An Update is a parsed update, which can be applied to documents. Operators have MongoDB's semantics: numeric
// promotion, conflicts of a path with its parent refused, numeric steps into arrays (docs/policies.md, "Updates").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "document/bson.h"
#include "document/filter.h"

namespace mb::doc {

// Conditions on the elements that `$[name]` selects, by name; the paths of each filter begin with the name.
using ArrayFilters = std::vector<std::pair<std::string, Filter>>;

// Parses an `arrayFilters` array: one object for each name, whose paths (also inside $and, $or and $nor) all begin with
// it. Fails with invalidUpdate.
Result<ArrayFilters> parseArrayFilters(DocumentView source, const FilterCoercion* coercion = nullptr);

struct UpdateOptions {
  // Allows `$` and `$[name]` with arrayFilters, which only ctx.db.updateMany may use.
  bool positional = false;
  ArrayFilters arrayFilters;      // parseArrayFilters()
  const Filter* query = nullptr;  // resolves `$`
  // Converts values by the collection's schema (x-bson), as on create.
  const FilterCoercion* coercion = nullptr;
};

class Update {
 public:
  Update();
  ~Update();
  Update(Update&&) noexcept;
  Update& operator=(Update&&) noexcept;

  // Parses a body of update operators. Fails with invalidUpdate, naming the operator or path. An operator without a
  // field changes nothing.
  static Result<Update> parse(DocumentView source, const UpdateOptions& options = {});
  // {field: value, …} wrapped in $set; without fields it changes nothing.
  static Result<Update> set(DocumentView fields, const UpdateOptions& options = {});

  // The changed document, field order kept, new fields at the end. Fails with invalidUpdate if the document does not
  // allow the update ($inc of a string, a path through a scalar, overflow, a position more than 1,500 past the end of
  // its array, …), and with payloadTooLarge above 16 MiB. `inserting` applies $setOnInsert.
  Result<Document> apply(DocumentView before, Timestamp now, bool inserting = false) const;
  // The paths of the update ("a.b"), in order, without positional steps; both ends of a $rename.
  const std::vector<std::string>& paths() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::doc

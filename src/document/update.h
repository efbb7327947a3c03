// The update language: parsed once, applied to documents. Operators: decisions 4 (MongoDB's semantics: numeric
// promotion, conflicts of a path with its parent refused, numeric steps into arrays).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "document/bson.h"
#include "document/filter.h"

namespace mb::doc {

// Conditions on the elements that `$[name]` takes, each under its name; the paths of each filter begin with the name.
using ArrayFilters = std::vector<std::pair<std::string, Filter>>;

// The filters of an `arrayFilters` array: one object for each name, whose paths (inside $and, $or and $nor too) all
// begin with it. Fails with invalidUpdate.
Result<ArrayFilters> parseArrayFilters(DocumentView source, const FilterCoercion* coercion = nullptr);

struct UpdateOptions {
  // `$` and `$[name]` with arrayFilters, which only ctx.db.updateMany may use.
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

  // A body of update operators. Fails with invalidUpdate, naming the operator or path. An operator without a field
  // changes nothing.
  static Result<Update> parse(DocumentView source, const UpdateOptions& options = {});
  // {field: value, …} wrapped in $set; without fields it changes nothing.
  static Result<Update> set(DocumentView fields, const UpdateOptions& options = {});

  // The changed document, field order kept, new fields at the end. Fails with invalidUpdate for what depends on the
  // document ($inc of a string, a path through a scalar, overflow, a position more than 1,500 behind the end of its
  // array, …), and with payloadTooLarge past 16 MiB. `inserting` applies $setOnInsert.
  Result<Document> apply(DocumentView before, Timestamp now, bool inserting = false) const;
  // The paths the update names ("a.b"), in order, positional steps left out; both ends of a $rename.
  const std::vector<std::string>& paths() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::doc

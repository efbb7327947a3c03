// The actions of the update operators, by file: fields, numbers, arrays, pull.
#pragma once

#include "document/update.h"
#include "document/update_tree.h"

namespace mb::doc {

// One {path: value} of an operator.
struct ActionSource {
  std::string_view op;
  const std::string& path;
  const std::string& plainPath;  // without positional steps
  ValueView value;
  const FilterCoercion* coercion;
};
using MakeAction = Result<std::unique_ptr<UpdateAction>> (*)(const ActionSource& source);

Result<std::unique_ptr<UpdateAction>> makeSet(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeSetOnInsert(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeUnset(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeMin(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeMax(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeCurrentDate(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeInc(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeMul(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeBit(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makePush(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makeAddToSet(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makePop(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makePull(const ActionSource& source);
Result<std::unique_ptr<UpdateAction>> makePullAll(const ActionSource& source);

// The two ends of a $rename. `rename` is its index in ApplyContext::renamed.
std::unique_ptr<UpdateAction> makeRenameSource(size_t rename);
std::unique_ptr<UpdateAction> makeRenameTarget(size_t rename);

// `value` as it will be stored at `source`'s path: keys and nesting checked, types converted.
Result<Value> storedValue(const ActionSource& source, ValueView value);

}  // namespace mb::doc

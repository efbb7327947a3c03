// The result of a pre-hook: docs/functions.md, "Events".
#pragma once

#include <optional>
#include <string>

#include "document/bson.h"

namespace mb::functions {

struct HookResult {
  std::optional<std::string> abort;       // the reason; "" if the hook gave none
  std::optional<doc::Document> document;  // replaces the one to be written
};

// Fails with validation if `document` is not an object. Any other result that is not of a documented form allows the
// write.
Result<HookResult> hookResult(doc::ValueView result);

// `returned` with the types of `before` that JavaScript does not have: a value that equals the JavaScript form of the
// one in its place (a string for an object id or a decimal, a whole number for a double or a long) counts as unchanged.
doc::Document withOriginalTypes(doc::DocumentView before, doc::DocumentView returned);

}  // namespace mb::functions

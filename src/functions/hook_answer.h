// What a pre-hook returned. Source: contract 6.2.
#pragma once

#include <optional>
#include <string>

#include "document/bson.h"

namespace mb::functions {

struct HookAnswer {
  std::optional<std::string> abort;       // the reason; "" where none was given
  std::optional<doc::Document> document;  // in place of the one to be written
};

// Fails with validation for {document} that is no object. Whatever else is not of the contract's shapes allows.
Result<HookAnswer> hookAnswer(doc::ValueView result);

// `returned` with the types that JavaScript does not have, as `before` has them: where a value is what a hook was shown
// of the one in its place (a string for an object id or a decimal, a whole number for a double or a long), it is taken
// for unchanged.
doc::Document withOriginalTypes(doc::DocumentView before, doc::DocumentView returned);

}  // namespace mb::functions

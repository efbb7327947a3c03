// The text of a bundle's files. For kinds of resources too.
#pragma once

#include <string>

#include "document/bson.h"

namespace mb::configuration {

// `value` as JSON for people to read and to compare: two blanks a level, a line for each field and element, and one
// line break at the end.
std::string fileText(doc::ValueView value);

// `code` with exactly one line break at its end.
std::string codeText(std::string_view code);

}  // namespace mb::configuration

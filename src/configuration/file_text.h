// The text of a bundle's files. Also for kinds of resources.
#pragma once

#include <string>

#include "document/bson.h"

namespace mb::configuration {

// `value` as JSON that people can read and compare: indented by two blanks, one line for each field and element, and
// one line break at the end.
std::string fileText(doc::ValueView value);

// `code` with exactly one line break at its end.
std::string codeText(std::string_view code);

}  // namespace mb::configuration

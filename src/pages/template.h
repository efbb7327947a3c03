// Text with places: {{name}} is filled in escaped for HTML, {{{name}}} as it is. Private to pages/.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace mb::pages {

using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// A place without a value is a bug (aborts): templates are part of the program.
std::string fill(std::string_view text, Values values);

}  // namespace mb::pages

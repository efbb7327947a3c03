// Templates: {{name}} is replaced by the value escaped for HTML, {{{name}}} by the raw value. Private to pages/.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace mb::pages {

using Values = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Aborts on a placeholder without a value: templates are part of the program.
std::string fill(std::string_view text, Values values);

}  // namespace mb::pages

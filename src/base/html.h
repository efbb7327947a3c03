// Escaping of text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace mb {

// For text between tags and in quoted attributes.
std::string escapeHtml(std::string_view text);

}  // namespace mb

// Decodes bytes that may be UTF-8 or Latin-1.
#pragma once

#include <string>
#include <string_view>

namespace mb {

// Valid UTF-8 as it is; anything else decoded as Latin-1, which older HTTP headers use.
std::string asUtf8(std::string_view bytes);

}  // namespace mb

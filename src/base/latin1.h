// Bytes that may be text of the one or the other kind.
#pragma once

#include <string>
#include <string_view>

namespace mb {

// UTF-8 as it is; anything else as the Latin-1 that headers once were.
std::string asUtf8(std::string_view bytes);

}  // namespace mb

// JSON strings for the texts that this module writes: error bodies and log lines. Private to base/; other modules write
// JSON through document/json.h.
#pragma once

#include <string>
#include <string_view>

namespace mb {

// Appends `text` quoted and escaped. It may quote client input, so bytes that are not UTF-8 become U+FFFD.
void appendJsonString(std::string& out, std::string_view text);

}  // namespace mb

// JSON strings for what this module writes itself: error bodies and log lines. Private; everybody else writes JSON
// through document/json.h.
#pragma once

#include <string>
#include <string_view>

namespace mb {

// Appends `text` quoted and escaped. It may quote what a client sent, so bytes that are not UTF-8 become U+FFFD.
void appendJsonString(std::string& out, std::string_view text);

}  // namespace mb

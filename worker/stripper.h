// The library that strips TypeScript's types, bundled into one script that defines the global function stripTypes:
// (source) to {code, map} or {problem, line, column}. See stripper/.
#pragma once

#include <string_view>

namespace mb::worker {

extern const std::string_view kStripper;

}  // namespace mb::worker

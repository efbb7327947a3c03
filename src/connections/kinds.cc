#include "connections/kinds.h"

#include <algorithm>

namespace mb::connections {

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {{"github", "GitHub", {"owner"}, {"installationId"}}};
  return all;
}

const Kind* findKind(std::string_view name) {
  const auto found = std::ranges::find(kinds(), name, &Kind::kind);
  return found == kinds().end() ? nullptr : &*found;
}

}  // namespace mb::connections

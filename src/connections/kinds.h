// The kinds of connections, with their config and secret fields. A new kind is an entry of the table in kinds.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/shape.h"

namespace mb::connections {

// An entry of the catalog.
struct Kind {
  std::string kind;
  std::string label;
  std::vector<std::string> config;   // names of fields, each a text
  std::vector<std::string> secrets;  // likewise
  static constexpr auto shape() {
    return doc::shape<Kind>("ConnectionKind", doc::field("kind", &Kind::kind), doc::field("label", &Kind::label),
                            doc::field("config", &Kind::config), doc::field("secrets", &Kind::secrets));
  }
};

const std::vector<Kind>& kinds();
// Null for an unknown kind.
const Kind* findKind(std::string_view name);

}  // namespace mb::connections

// The kinds of connections there are: what each asks for, in the open and as a secret. A new kind is an entry of the
// table in kinds.cc. Source: contract 2.5; decisions 8 ("On the wire").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/shape.h"

namespace mb::connections {

// As the catalog shows it.
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
// Null where there is none.
const Kind* findKind(std::string_view name);

}  // namespace mb::connections

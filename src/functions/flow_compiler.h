// Flows: graphs of nodes that a project's people draw, compiled to a function's code. Source: decisions 5 and 8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "document/bson.h"

namespace mb::functions {

// The first line of compiled code.
inline constexpr std::string_view kFlowHeader =
    "// Generated from this function's flow. Edits are ignored on push, which compiles the flow again.\n";

struct CompiledFlow {
  std::string code;

  // Where the code of a code node stands, lines from 1.
  struct Part {
    size_t node = 0;  // in the flow's list
    std::string id;
    int first = 0;
    int last = 0;
  };
  std::vector<Part> parts;
};

// Fails with validation: everything that is wrong, at "/flow/…", with the node's id. The code is not checked as code:
// only what code nodes hold, and patterns, can be wrong there.
Result<CompiledFlow> compileFlow(doc::DocumentView flow);

// What the check of the compiled code says ("12:3: …"), told of the node that it belongs to.
Error aboutFlow(const CompiledFlow& flow, const Error& error);

}  // namespace mb::functions

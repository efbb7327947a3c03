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
    size_t begin = 0;  // of the empty line before its function, in the flow's code
    std::string code;
  };
  std::vector<Part> parts;
};

// Fails with validation: everything that is wrong, at "/flow/…", with the node's id. The code is not checked as code:
// only what code nodes hold, and patterns, can be wrong there.
Result<CompiledFlow> compileFlow(doc::DocumentView flow);

// What the check of the compiled code says ("12:3: …"), told of the node that it belongs to.
Error aboutFlow(const CompiledFlow& flow, const Error& error);

// The flow's code with a statement between its parts that can only stand outside of all of them: a part that goes on
// into the next one, which closes what it left open, is a syntax error there.
std::string apart(const CompiledFlow& flow);
// A node's code as a module of its own, and what the check of that says, told of the node.
std::string aloneOf(const CompiledFlow::Part& part);
Error aboutPart(const CompiledFlow::Part& part, const Error& error);

}  // namespace mb::functions

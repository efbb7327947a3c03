// Compiles a flow, a graph of nodes drawn by a project's users, to a function's code. See docs/functions.md, "Flows".
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

  // The position of a code node's code, lines from 1.
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

// Fails with validation: all problems, at "/flow/…", with the node's id. The syntax of the code is not checked: only
// the code of code nodes, and patterns, can be invalid.
Result<CompiledFlow> compileFlow(doc::DocumentView flow);

// Maps an error of the check of the compiled code ("12:3: …") to the node that it belongs to.
Error aboutFlow(const CompiledFlow& flow, const Error& error);

// The flow's code with a statement between its parts that is only valid outside of functions: a part that leaves a
// bracket open, which the next part closes, becomes a syntax error.
std::string apart(const CompiledFlow& flow);
// A node's code as a JS module of its own, and an error of its check mapped to the node.
std::string aloneOf(const CompiledFlow::Part& part);
Error aboutPart(const CompiledFlow::Part& part, const Error& error);

}  // namespace mb::functions

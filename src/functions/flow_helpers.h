// The JavaScript helpers appended to a flow's code, by which its expressions have their CEL meaning.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace mb::functions {

struct FlowHelper {
  std::string_view name;
  std::vector<std::string_view> needs;  // the helpers that it calls
  std::string_view code;                // ends with a line break
};

// In the order in which they occur in the code.
std::span<const FlowHelper> flowHelpers();

}  // namespace mb::functions

// The JavaScript that stands below a flow's own code, so that its expressions mean what CEL has them mean.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace mb::functions {

struct FlowHelper {
  std::string_view name;
  std::vector<std::string_view> needs;  // others that it calls
  std::string_view code;                // ends with a line break
};

// In the order in which they stand in the code.
std::span<const FlowHelper> flowHelpers();

}  // namespace mb::functions

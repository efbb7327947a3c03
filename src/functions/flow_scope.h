// A FlowScope is the state of a flow's compilation: the names that expressions may use, the helpers that the code
// needs, and the problems found.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "policy/cel/cel.h"

namespace mb::functions {

class FlowScope {
 public:
  // `names`: variables that nodes set.
  explicit FlowScope(const std::set<std::string>& names);

  const cel::Environment& environment() const { return environment_; }
  // The JavaScript of a variable of the environment; records its use.
  std::string variable(std::string_view name);
  bool usesNow() const { return usesNow_; }

  // Marks the helper as used; returns its name.
  std::string_view helper(std::string_view name);
  // The code of all used helpers, and of those that they call; "" if none is used.
  std::string helperCode() const;

  void problem(std::string path, std::string message) { problems_.push_back({std::move(path), std::move(message)}); }
  std::vector<ErrorDetail>& problems() { return problems_; }

 private:
  cel::Environment environment_;
  std::set<std::string, std::less<>> helpers_;
  std::set<std::string_view> short_;  // short names that no variable of the flow hides
  bool usesNow_ = false;
  std::vector<ErrorDetail> problems_;
};

// The rule that `name` breaks as the name of a flow's variable; nullopt if it is valid.
std::optional<std::string> variableProblem(std::string_view name);

}  // namespace mb::functions

// What a flow's compilation gathers while it goes along: names that expressions may use, helpers that the code needs,
// and what is wrong.
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
  // The JavaScript of a variable of the environment; notes its use.
  std::string variable(std::string_view name);
  bool usesNow() const { return usesNow_; }

  // Calls of it stand in the code from now on. Its name.
  std::string_view helper(std::string_view name);
  // The text of all helpers that are called, and of those that they call; "" where there are none.
  std::string helperCode() const;

  void problem(std::string path, std::string message) { problems_.push_back({std::move(path), std::move(message)}); }
  std::vector<ErrorDetail>& problems() { return problems_; }

 private:
  cel::Environment environment_;
  std::set<std::string, std::less<>> helpers_;
  std::set<std::string_view> short_;  // known names that no variable has taken
  bool usesNow_ = false;
  std::vector<ErrorDetail> problems_;
};

// Whether `name` may be the name of a flow's variable; what is wrong with it otherwise.
std::optional<std::string> variableProblem(std::string_view name);

}  // namespace mb::functions

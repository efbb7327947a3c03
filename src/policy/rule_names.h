// The names that a rule may use besides those of fields.
#pragma once

#include <string>
#include <vector>

namespace mb::policy {

struct RuleNames {
  // The names of the project's sets; null: any, as in rules that were stored (a set that does not exist denies).
  const std::vector<std::string>* sets = nullptr;
  // False for rules of callers without a token, who have no values.
  bool placeholders = true;
  // True for the rules of a bucket: their fields are those of a file (file_fields.h), and their expressions name the
  // record `file` instead of `document`.
  bool files = false;
};

}  // namespace mb::policy

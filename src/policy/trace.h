// A Trace records how an evaluation of permissions, rules and fields came to its outcome, one step after another
// (docs/policy-tests.md, "Explain"). The evaluators of requests take one, which is null in requests: what a trace says
// can not differ from what a request does.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "document/bson.h"

namespace mb::policy {

// A step that would be larger says `truncated: true` in place of its fields.
inline constexpr size_t kMaxStepBytes = 1 << 20;

class Trace {
 public:
  // Appends {step, passed} and the fields that `more` appends, which is called at once.
  void add(std::string_view step, bool passed, const std::function<void(doc::BsonWriter&)>& more = {});
  std::vector<doc::Document> take() { return std::move(steps_); }

 private:
  std::vector<doc::Document> steps_;
};

}  // namespace mb::policy

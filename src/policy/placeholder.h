// A Placeholder stands for a value in a policy's filter: "$auth.uid", "$auth.role", "$auth.pid",
// "$auth.token.<claim>", "$auth.sets.<name>".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/bson.h"
#include "policy/subject.h"

namespace mb::policy {

// Whether a string of a filter has the form of a placeholder, known or not.
bool looksLikePlaceholder(std::string_view text);

class Placeholder {
 public:
  enum class Takes { scalar, list };  // list: the operand is an array; a single value becomes an array of it

  // nullopt if `text` is not a known placeholder. A set is a list and nothing else.
  static std::optional<Placeholder> parse(std::string_view text, Takes takes);
  // The caller's value; nullopt if it has none, or an invalid one: empty, null, an object, an array with any of these
  // in it, or an array instead of a scalar. A set has a value even if it is empty.
  std::optional<doc::Value> resolve(const Subject& subject) const;
  // The name of the set that it stands for; "" for other placeholders.
  std::string_view set() const { return source_ == Source::set ? std::string_view(name_) : std::string_view(); }
  std::string text() const;  // "$auth.uid"
  bool operator==(const Placeholder&) const = default;

 private:
  enum class Source { uid, role, pid, claim, set };
  Source source_ = Source::uid;
  Takes takes_ = Takes::scalar;
  std::string name_;  // of the claim or set
};

}  // namespace mb::policy

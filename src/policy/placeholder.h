// "$auth.uid", "$auth.role", "$auth.pid", "$auth.token.<claim>": what a policy's filter says in place of a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "document/bson.h"
#include "policy/caller.h"

namespace mb::policy {

// Whether a string of a filter is meant as a placeholder, known or not.
bool looksLikePlaceholder(std::string_view text);

class Placeholder {
 public:
  enum class Takes { scalar, list };  // list: the place takes an array, or one value as an array of it

  // nullopt when `text` is not a placeholder that exists.
  static std::optional<Placeholder> parse(std::string_view text, Takes takes);
  // The caller's value; nullopt when there is none, or none that may stand here: empty, null, an object, an array with
  // any of these inside, or an array where one value belongs.
  std::optional<doc::Value> resolve(const Caller& caller) const;
  bool operator==(const Placeholder&) const = default;

 private:
  enum class Source { uid, role, pid, claim };
  Source source_ = Source::uid;
  Takes takes_ = Takes::scalar;
  std::string claim_;
};

}  // namespace mb::policy

// The claims of end users' tokens that rules name: $auth.token.<claim> in filters, auth.token.<claim> in expressions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "document/bson.h"

namespace mb::policy {

// The claims that every end user's token has.
bool isTokenClaim(std::string_view name);

// The claims that tokens of a project can hold: those of every token, and the project's own.
class ClaimNames {
 public:
  // `ofProject`: its setting tokenClaims.
  explicit ClaimNames(std::vector<std::string> ofProject = {}) : ofProject_(std::move(ofProject)) {}

  // Whether a token can hold `claim`, the text after "token.". One of the project's may be an object: a dotted path
  // into it counts.
  bool holds(std::string_view claim) const;
  std::string text() const;  // all of them: "sub, sid, …"

 private:
  std::vector<std::string> ofProject_;
};

struct ClaimUse {
  std::string pointer;  // into the rules: "/read/filter/team"
  std::string place;    // in an expression: "line 1, column 8: "; else ""
  std::string claim;
};

// The claims that rules by operation name (a policy), in order. Parts that do not compile name none.
std::vector<ClaimUse> claimsOf(doc::DocumentView rules);

// Fails with validation if the rules name a claim that `names` does not hold; each one is a detail, under `pointer`.
Result<> checkClaims(doc::DocumentView rules, const ClaimNames& names, std::string_view pointer = "");

// The first of `claims` that the rules name, by itself or by a path into it; "" if they name none.
std::string claimAmong(const std::vector<std::string>& claims, doc::DocumentView rules);

}  // namespace mb::policy

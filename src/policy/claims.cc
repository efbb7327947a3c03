#include "policy/claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "policy/cel/cel.h"

namespace mb::policy {
namespace {

constexpr std::string_view kPlaceholder = "$auth.token.";
constexpr std::array<std::string_view, 11> kOfEveryToken = {"sub", "sid", "pid",   "role",          "iss", "aud",
                                                            "iat", "exp", "email", "emailVerified", "name"};

std::string_view firstStep(std::string_view path) {
  return path.substr(0, path.find('.'));
}

void addFilter(std::vector<ClaimUse>& uses, doc::ValueView value, const std::string& pointer) {
  if (value.type() == doc::BsonType::string) {
    if (value.asString().starts_with(kPlaceholder)) {
      uses.push_back({pointer, "", std::string(value.asString().substr(kPlaceholder.size()))});
    }
    return;
  }
  if (!value.isContainer()) return;
  for (const auto& [key, each] : value.asDocument()) addFilter(uses, each, fmt::format("{}/{}", pointer, key));
}

// Types are checked where the rules are compiled; here only the names matter.
const cel::Environment& untyped() {
  static const cel::Environment environment = [] {
    cel::Environment all;
    for (const char* name : {"document", "previous", "file", "auth", "now"}) {
      all.declarations.push_back({name, "dyn", nullptr, {}});
    }
    return all;
  }();
  return environment;
}

void addExpression(std::vector<ClaimUse>& uses, doc::ValueView value, const std::string& pointer) {
  // Most expressions name no claim and need not be parsed.
  if (value.type() != doc::BsonType::string || !value.asString().contains("token")) return;
  const auto compiled = cel::Expression::compile(value.asString(), untyped());
  if (!compiled) return;
  for (cel::EntryName& entry : (*compiled)->entriesOf("auth", "token")) {
    uses.push_back({pointer, fmt::format("line {}, column {}: ", entry.line, entry.column), std::move(entry.name)});
  }
}

void addRules(std::vector<ClaimUse>& uses, doc::DocumentView rules, const std::string& at) {
  for (const auto& [operation, rule] : rules) {
    if (rule.type() != doc::BsonType::document) continue;
    const std::string pointer = fmt::format("{}/{}", at, operation);
    if (const auto filter = rule.asDocument().find("filter")) addFilter(uses, *filter, pointer + "/filter");
    if (const auto validate = rule.asDocument().find("validate")) addExpression(uses, *validate, pointer + "/validate");
  }
}

}  // namespace

bool isTokenClaim(std::string_view name) {
  return std::ranges::find(kOfEveryToken, name) != kOfEveryToken.end();
}

bool ClaimNames::holds(std::string_view claim) const {
  return isTokenClaim(claim) || std::ranges::find(ofProject_, firstStep(claim)) != ofProject_.end();
}

std::string ClaimNames::text() const {
  std::vector<std::string_view> all(kOfEveryToken.begin(), kOfEveryToken.end());
  all.insert(all.end(), ofProject_.begin(), ofProject_.end());
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<ClaimUse> claimsOf(doc::DocumentView rules) {
  std::vector<ClaimUse> uses;
  addRules(uses, rules, "");
  if (const auto open = rules.find("public"); open && open->type() == doc::BsonType::document) {
    addRules(uses, open->asDocument(), "/public");
  }
  return uses;
}

Result<> checkClaims(doc::DocumentView rules, const ClaimNames& names, std::string_view pointer) {
  std::vector<ErrorDetail> problems;
  for (const ClaimUse& use : claimsOf(rules)) {
    if (names.holds(use.claim)) continue;
    problems.push_back({std::string(pointer) + use.pointer,
                        fmt::format("{}no token of this project can hold the claim \"{}\": use {}, or add it to the "
                                    "project's setting tokenClaims",
                                    use.place, use.claim.substr(0, 100), names.text())});
  }
  if (problems.empty()) return {};
  std::string message = fmt::format("{}: {}", problems.front().path, problems.front().message);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

std::string claimAmong(const std::vector<std::string>& claims, doc::DocumentView rules) {
  if (claims.empty()) return "";
  for (const ClaimUse& use : claimsOf(rules)) {
    const std::string_view first = firstStep(use.claim);
    // A claim of every token is not the project's, whatever the project lists.
    if (!isTokenClaim(use.claim) && std::ranges::find(claims, first) != claims.end()) return std::string(first);
  }
  return "";
}

}  // namespace mb::policy

#include "storage/bucket_rules.h"

namespace mb::storage {

std::optional<doc::Document> rulesIn(const doc::Patch<doc::Document>& patch) {
  if (patch.state != doc::Patch<doc::Document>::State::value || patch.value.view().empty()) return std::nullopt;
  return patch.value;
}

std::optional<ErrorDetail> publicAndRead(std::string_view access, const doc::Document* rules, std::string pointer) {
  if (access != "public" || rules == nullptr || !rules->view().find("read")) return std::nullopt;
  return ErrorDetail{std::move(pointer), "a public bucket has no rule \"read\": any client reads its files"};
}

std::vector<ErrorDetail> ruleProblems(std::string_view access, const doc::Document* rules, ProjectNames names) {
  std::vector<ErrorDetail> problems;
  if (rules == nullptr) return problems;
  const auto compiled = policy::compileFileRules(*rules, {.sets = names.sets});
  if (!compiled) {
    for (const ErrorDetail& each : compiled.error().details()) problems.push_back({"/rules" + each.path, each.message});
  }
  if (names.claims != nullptr) {
    if (const auto checked = policy::checkClaims(*rules, *names.claims, "/rules"); !checked) {
      problems.insert(problems.end(), checked.error().details().begin(), checked.error().details().end());
    }
  }
  if (auto both = publicAndRead(access, rules, "/rules/read")) problems.push_back(*std::move(both));
  return problems;
}

Result<> checkRules(std::string_view access, const doc::Document* rules, ProjectNames names) {
  std::vector<ErrorDetail> problems = ruleProblems(access, rules, names);
  if (problems.empty()) return {};
  std::string message = fmt::format("{}: {}", problems.front().path, problems.front().message);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

}  // namespace mb::storage

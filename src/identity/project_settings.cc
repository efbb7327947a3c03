#include "identity/project_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "document/path.h"
#include "policy/claims.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxClaimName = 64;
constexpr size_t kMaxFieldPath = 200;
constexpr std::string_view kMetadataPrefix = "metadata.";

std::vector<std::string> textsAt(const snapshot::ProjectInfo& project, std::string_view setting) {
  std::vector<std::string> texts;
  const auto settings = project.record.view().find("settings");
  if (!settings || settings->type() != doc::BsonType::document) return texts;
  const auto list = settings->asDocument().find(setting);
  if (!list || list->type() != doc::BsonType::array) return texts;
  for (const doc::Element& each : list->asDocument()) {
    if (each.value.type() == doc::BsonType::string) texts.emplace_back(each.value.asString());
  }
  return texts;
}

bool isClaimName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= kMaxClaimName && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

bool isProfileField(std::string_view path) {
  if (path == "name" || path == "email") return true;
  return path.starts_with(kMetadataPrefix) && path.size() <= kMaxFieldPath &&
         path.find_first_of("$*") == std::string::npos && doc::FieldPath::parse(path).has_value();
}

// Reports more than `max` values, values that occur twice, and those with a problem.
template <class ProblemOf>
std::vector<ErrorDetail> problemsOf(const std::vector<std::string>& values, const std::string& pointer, size_t max,
                                    ProblemOf problemOf) {
  std::vector<ErrorDetail> problems;
  if (values.size() > max) {
    problems.push_back({pointer, fmt::format("must have at most {} entries", max)});
    return problems;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string at = fmt::format("{}/{}", pointer, i);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::string problem = problemOf(values[i]); !problem.empty()) {
      problems.push_back({at, std::move(problem)});
    } else if (std::find(values.begin(), end, values[i]) != end) {
      problems.push_back({at, "occurs twice"});
    }
  }
  return problems;
}

}  // namespace

std::vector<std::string> tokenClaimsOf(const snapshot::ProjectInfo& project) {
  return textsAt(project, "tokenClaims");
}

std::vector<std::string> profileFieldsOf(const snapshot::ProjectInfo& project) {
  return textsAt(project, "profileFields");
}

std::vector<ErrorDetail> tokenClaimProblems(const std::vector<std::string>& names, const std::string& pointer) {
  return problemsOf(names, pointer, kMaxTokenClaims, [](const std::string& name) -> std::string {
    if (!isClaimName(name)) return "must be a name under metadata: ^[A-Za-z_][A-Za-z0-9_-]{0,63}$";
    if (policy::isTokenClaim(name)) return "is a claim of every token already: give the field of metadata another name";
    return "";
  });
}

std::vector<ErrorDetail> profileFieldProblems(const std::vector<std::string>& paths, const std::string& pointer) {
  return problemsOf(paths, pointer, kMaxProfileFields, [](const std::string& path) -> std::string {
    return isProfileField(path) ? "" : "must be name, email, or a field of metadata such as metadata.avatar";
  });
}

void appendClaims(doc::BsonWriter& out, const std::vector<std::string>& names, doc::DocumentView metadata) {
  for (const std::string& name : names) {
    if (const auto value = metadata.find(name)) out.append(name, *value);
  }
}

}  // namespace mb::identity

#include "projects/environment_rules.h"

#include <algorithm>

#include "projects/project_rules.h"

namespace mb::projects {

namespace {

constexpr size_t kMaxLabelCharacters = 16;
constexpr size_t kMaxEnvironmentSlugCharacters = 40;
constexpr size_t kMaxEnvironmentNameCharacters = 100;

bool isLower(char c) {
  return c >= 'a' && c <= 'z';
}

// The first `count` code points.
std::string_view firstCharacters(std::string_view utf8, size_t count) {
  size_t at = 0;
  for (; at < utf8.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(utf8[at]) & 0xC0) != 0x80;
    if (begins && count-- == 0) break;
  }
  return utf8.substr(0, at);
}

}  // namespace

bool isLabel(std::string_view label) {
  if (label.size() < 2 || label.size() > kMaxLabelCharacters || !isLower(label.front())) return false;
  return std::ranges::all_of(label, [](char c) { return isLower(c) || (c >= '0' && c <= '9') || c == '-'; });
}

Result<> checkEnvironment(const NewEnvironment& input) {
  std::vector<ErrorDetail> problems;
  if (!isLabel(input.environment)) {
    problems.push_back(
        {"/environment", "must be 2 to 16 lower-case letters, digits and hyphens that begin with a letter"});
  } else if (input.environment == "prod" || input.environment == "production") {
    problems.push_back({"/environment", "is reserved: the root project is the production"});
  }
  if (input.color && !isColor(*input.color)) problems.push_back({"/color", colorProblem()});
  return refuseIfAny(std::move(problems));
}

ProjectRecord environmentOf(const ProjectRecord& root, const NewEnvironment& input) {
  ProjectRecord out;
  const std::string suffix = " (" + input.environment + ")";
  out.name = std::string(firstCharacters(root.name, kMaxEnvironmentNameCharacters - suffix.size())) + suffix;
  out.status = "active";
  out.organizationId = root.organizationId;
  out.parentId = {root.id};
  out.environment = {input.environment};
  out.color = {input.color};
  out.icon = root.icon;
  out.maxFileSize = root.maxFileSize;
  out.settings = root.settings;
  return out;
}

std::string slugBase(std::string_view rootSlug, std::string_view label) {
  return fmt::format("{}-{}", rootSlug.substr(0, kMaxEnvironmentSlugCharacters - 1 - label.size()), label);
}

Result<> mayAddEnvironment(const ProjectRecord& root, const plans::PlanInForce& plan) {
  const std::optional<int64_t> max = plan.max(plans::Limit::environmentsPerProject);
  const auto use = root.environments ? static_cast<int64_t>(root.environments->size()) : 0;
  if (!max || use < *max) return {};
  return fail(plans::exceeded(plan, plans::Limit::environmentsPerProject, *max, use));
}

Result<> noteEnvironment(ProjectRecord& root, const ProjectId& id, std::string_view label) {
  if (!root.environments) root.environments.emplace();
  auto& all = *root.environments;
  if (std::ranges::find(all, label, &EnvironmentEntry::label) != all.end()) {
    return fail(ErrorCode::conflict, fmt::format("this project has an environment {} already", label));
  }
  if (all.size() >= kMaxEnvironments) return fail(ErrorCode::conflict, "this project has too many environments");
  all.push_back({id, std::string(label)});
  return {};
}

bool forgetEnvironment(ProjectRecord& root, const ProjectId& id) {
  return root.environments && std::erase_if(*root.environments, [&](const auto& entry) { return entry.id == id; }) > 0;
}

Result<> mayDelete(const ProjectRecord& record) {
  if (!record.environments || record.environments->empty()) return {};
  return fail(ErrorCode::conflict, "this project has environments: delete them first");
}

const ProjectId& rootOf(const ProjectRecord& record) {
  return record.parentId.value ? *record.parentId.value : record.id;
}

}  // namespace mb::projects

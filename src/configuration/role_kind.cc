#include "configuration/role_kind.h"

#include <algorithm>
#include <map>

#include "configuration/canonical_shape.h"

namespace mb::configuration {

namespace {

std::string folded(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return lower;
}

Entry entryOf(identity::NewRole role) {
  role.permissions = canonicalSet(std::move(role.permissions));
  doc::BsonWriter out;
  doc::encodeValue(out, "", role);
  const doc::Document whole = out.finish();
  return {std::move(role.name), doc::Value(whole.view().begin()->value)};
}

Result<identity::NewRole> roleOf(const Change& change) {
  return doc::decode<identity::NewRole>(change.after.view().asDocument());
}

}  // namespace

std::string_view RoleKind::section() const {
  return kind_ == identity::RoleKind::member ? "roles" : "enduserRoles";
}

Task<std::vector<Entry>> RoleKind::entries(snapshot::SnapshotPtr project) {
  const identity::RoleTable& table = project->get(slot_);
  std::vector<Entry> entries;
  for (const auto& [name, permissions] : kind_ == identity::RoleKind::member ? table.member : table.endUser) {
    const bool custom = std::ranges::none_of(identity::builtInRoles(kind_),
                                             [&](const identity::RoleView& role) { return role.name == name; });
    if (custom) entries.push_back(entryOf({name, permissions->list()}));
  }
  co_return entries;
}

Task<std::vector<Entry>> RoleKind::merged(Source source, const std::vector<Entry>& standing, Problems& problems) {
  std::map<std::string, std::string> taken;
  for (const Entry& entry : standing) taken.emplace(folded(entry.name), entry.name);
  std::map<std::string, std::string> seen;
  std::vector<Entry> merged;
  size_t created = 0;
  Breather breather;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await breather.breathe();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    if (!isEntry(value, pointer, problems)) continue;
    identity::NewRole role;
    std::vector<ErrorDetail> details;
    doc::decodeValue(role, value, pointer, doc::UnknownFields::refuse, details);
    for (ErrorDetail& each : details) problems.add(std::move(each.path), std::move(each.message));
    if (!details.empty()) continue;
    if (const auto checked = identity::Roles::check(kind_, role); !checked) {
      const bool named = checked.error().code() == ErrorCode::conflict;
      problems.add(named ? pointer + "/name" : pointer, checked.error());
      continue;
    }
    const std::string key = folded(role.name);
    if (const auto [first, isNew] = seen.emplace(key, role.name); !isNew) {
      problems.add(pointer + "/name", first->second == role.name
                                          ? fmt::format("\"{}\" stands here twice", role.name)
                                          : fmt::format("\"{}\" and \"{}\" are too alike", first->second, role.name));
    }
    const auto other = taken.find(key);
    if (other == taken.end()) {
      ++created;
    } else if (other->second != role.name) {
      problems.add(pointer + "/name", fmt::format("is too like \"{}\", which the project has", other->second));
    }
    merged.push_back(entryOf(std::move(role)));
  }
  if (standing.size() + created > identity::kMaxRoles) {
    problems.add(fmt::format("/{}", section()), fmt::format("would make more than {} roles", identity::kMaxRoles));
  }
  co_return merged;
}

std::vector<std::string> RoleKind::permissionsFor(const Change& change) const {
  if (change.action == Action::unchanged) return {};
  return {"roles:manage"};
}

Result<> RoleKind::mayApply(const policy::Caller& caller, const Change& change) const {
  TRY(identity::NewRole role, roleOf(change));
  if (caller.permissions->includes(policy::PermissionSet(std::move(role.permissions)))) return {};
  return fail(ErrorCode::forbidden,
              fmt::format("{}/{}: a role cannot hold permissions that you do not hold", section(), change.name));
}

Task<> RoleKind::apply(Target target, std::vector<Change> changes) {
  const store::ProjectNo project = target.project->info().number;
  for (const Change& change : changes) {
    CO_CHECK(checkTime(target));
    CO_TRY(identity::NewRole role, roleOf(change));
    Result<> done;
    if (change.before) {
      done = co_await roles_.replace(project, kind_, change.name, {std::move(role.permissions)}, target.caller,
                                     target.deadline);
    } else if (auto made = co_await roles_.create(project, kind_, std::move(role), target.caller, target.deadline);
               !made) {
      done = std::unexpected(std::move(made).error());
    }
    if (!done) co_return fail(about(fmt::format("{}/{}", section(), change.name), done.error()));
  }
  co_return Result<>();
}

}  // namespace mb::configuration

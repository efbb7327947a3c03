#include "identity/described_callers.h"

#include <algorithm>
#include <array>

#include "identity/callers.h"
#include "identity/records.h"

namespace mb::identity {
namespace {

// Of an end user who is described by role alone: no document names it as its owner.
constexpr std::string_view kAnyUser = "user_trial";
constexpr std::string_view kSession = "sess_trial";
constexpr size_t kMaxId = 200;

// The claims of a description that its other fields decide.
std::vector<ErrorDetail> claimProblems(const CallerDescription& given, const std::string& pointer) {
  std::vector<ErrorDetail> problems;
  if (!given.claims) return problems;
  const auto mustBe = [&](std::string_view claim, const std::optional<std::string>& value, std::string_view by) {
    const auto named = given.claims->view().find(claim);
    if (!named) return;
    if (value && named->type() == doc::BsonType::string && named->asString() == *value) return;
    problems.push_back({fmt::format("{}/claims/{}", pointer, claim), fmt::format("is set by {}: leave it out", by)});
  };
  mustBe("sub", given.uid, "uid");
  mustBe("role", given.role, "role");
  mustBe("pid", std::nullopt, "the project");
  return problems;
}

}  // namespace

std::vector<ErrorDetail> descriptionProblems(const CallerDescription& given, DescribedBy by,
                                             const std::string& pointer) {
  const auto forms = std::to_array<std::pair<std::string_view, bool>>({{"user", given.user.has_value()},
                                                                       {"role", given.role.has_value()},
                                                                       {"key", given.key.has_value()},
                                                                       {"member", given.member.has_value()},
                                                                       {"anonymous", given.anonymous.has_value()}});
  const bool byRecord = given.user || given.key || given.member;
  if (std::ranges::count(forms, true, [](const auto& form) { return form.second; }) != 1) {
    return {{pointer, by == DescribedBy::records ? "must have exactly one of user, role, key, member and anonymous"
                                                 : "must have exactly one of role and anonymous"}};
  }
  std::vector<ErrorDetail> problems;
  for (const auto& [name, has] : forms) {
    if (has && byRecord && by == DescribedBy::roleOnly) {
      problems.push_back({fmt::format("{}/{}", pointer, name),
                          "is a record of this project alone: describe the caller by role, uid and claims"});
    }
  }
  if (given.anonymous && !*given.anonymous) problems.push_back({pointer + "/anonymous", "must be true"});
  if (!given.role && given.uid) problems.push_back({pointer + "/uid", "is only allowed with role"});
  if (!given.role && given.claims) problems.push_back({pointer + "/claims", "is only allowed with role"});
  if (given.uid && (given.uid->empty() || given.uid->size() > kMaxId)) {
    problems.push_back({pointer + "/uid", "must have 1 to 200 bytes"});
  }
  std::ranges::move(claimProblems(given, pointer), std::back_inserter(problems));
  return problems;
}

std::optional<policy::RequiredPermission> permissionFor(const CallerDescription& given) {
  if (given.user) return "users:read";
  if (given.key) return "keys:read";
  return std::nullopt;
}

AccessToken DescribedCallers::tokenOf(const snapshot::ProjectSnapshot& project, std::string user) const {
  constexpr int64_t kMsPerSecond = 1000;
  AccessToken token;
  token.user = UserId(std::move(user));
  token.session = SessionId(std::string(kSession));
  token.project = project.info().id;
  token.issuedAt = clock_.now();
  token.expiresAt = Timestamp{token.issuedAt.ms + kAccessTokenSeconds * kMsPerSecond};
  return token;
}

Result<policy::Caller> DescribedCallers::byRole(const snapshot::ProjectSnapshot& project,
                                                const CallerDescription& given, const std::string& pointer) const {
  if (given.anonymous) return anonymousCaller(project);
  const std::string& role = *given.role;
  if (!project.get(slots_.roles).endUser.contains(role)) {
    return fail(invalid(pointer + "/role", fmt::format("no end-user role \"{}\"", role.substr(0, kMaxId))));
  }
  const AccessToken token = tokenOf(project, given.uid.value_or(std::string(kAnyUser)));
  policy::Caller caller = endUserCaller(project, slots_, token.user.str(), role);
  caller.sessionId = kSession;
  doc::BsonWriter claims;
  const doc::DocumentView own = given.claims ? given.claims->view() : doc::DocumentView();
  appendTokenClaims(claims, token, role, tokens_.issuer(), own);
  for (const auto& [name, value] : own) claims.append(name, value);
  caller.claims = claims.finish();
  return caller;
}

Task<UserRecord> DescribedCallers::activeUser(Realm realm, std::string id, std::string pointer) const {
  std::optional<UserRecord> user;
  if (isId(UserTag::prefix, id)) {
    CO_TRY(user, co_await users_.get(std::move(realm), UserId(std::move(id))));
  }
  if (!user) co_return fail(invalid(std::move(pointer), "no user with this id"));
  if (user->active()) co_return *std::move(user);
  co_return fail(invalid(std::move(pointer),
                         fmt::format("this user is {}: their requests are refused before any rule", user->status)));
}

Task<policy::Caller> DescribedCallers::find(snapshot::SnapshotPtr project, CallerDescription given,
                                            std::string pointer) const {
  if (auto problems = descriptionProblems(given, DescribedBy::records, pointer); !problems.empty()) {
    std::string message = fmt::format("{}: {}", problems.front().path, problems.front().message);
    co_return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
  }
  if (given.user) {
    CO_TRY(const UserRecord user,
           co_await activeUser(Realm::of(project->info()), *std::move(given.user), pointer + "/user"));
    co_return endUserCaller(*project, slots_, user, tokenOf(*project, user.id.str()), tokens_.issuer());
  }
  if (given.key) {
    const auto& keys = project->get(slots_.keys).byHash;
    const auto found = std::ranges::find(keys, *given.key, [](const auto& each) { return each.second.id; });
    if (found == keys.end()) co_return fail(invalid(pointer + "/key", "no API key with this id"));
    const std::optional<Timestamp>& expires = found->second.expiresAt;
    if (expires && *expires <= clock_.now()) co_return fail(invalid(pointer + "/key", "this API key has expired"));
    co_return keyCaller(*project, found->second);
  }
  if (given.member) {
    const auto& members = project->get(slots_.members).byUser;
    const auto found = members.find(*given.member);
    if (found == members.end()) co_return fail(invalid(pointer + "/member", "no member with this user id"));
    CO_TRY(const UserRecord user,
           co_await activeUser(Realm::platform(), *std::move(given.member), pointer + "/member"));
    co_return memberCaller(*project, slots_, user.id.str(), found->second.role);
  }
  co_return byRole(*project, given, pointer);
}

}  // namespace mb::identity

// `manybase users …`: for users who are locked out. Works on the store, through the running server or without one.
#include <charconv>

#include "app/command.h"
#include "base/blocking.h"
#include "identity/identity.h"
#include "identity/recovery.h"
#include "projects/directory.h"

namespace mb::app {

namespace {

using identity::Realm;
using identity::Recovery;
using identity::UserRecord;

store::Deadline commandDeadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}

Recovery recoveryOf(Deployment& deployment) {
  return Recovery({deployment.store, deployment.clock, deployment.auditor});
}

// The users of a project, or the platform's.
Result<Realm> realmOf(Deployment& deployment, const cli::Arguments& arguments) {
  if (!has(arguments, "project")) return Realm::platform();
  const std::string name = valueOf(arguments, "project");
  projects::Directory directory(deployment.store);
  TRY(const auto info, runBlocking(deployment.cores, directory.find(name)));
  if (!info) return fail(ErrorCode::notFound, fmt::format("there is no project {}", name));
  return Realm::of(*info);
}

struct TargetUser {
  Realm realm;
  UserRecord user;
};

Result<TargetUser> wantedUser(Deployment& deployment, const cli::Arguments& arguments) {
  TRY(Realm realm, realmOf(deployment, arguments));
  Recovery recovery = recoveryOf(deployment);
  TRY(UserRecord user, runBlocking(deployment.cores, recovery.find(realm, valueOf(arguments, "user"))));
  return TargetUser{std::move(realm), std::move(user)};
}

Result<uint64_t> limitOf(const cli::Arguments& arguments) {
  if (!has(arguments, "limit")) return 50;
  const std::string text = valueOf(arguments, "limit");
  uint64_t limit = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (failed != std::errc() || end != text.data() + text.size() || limit < 1 || limit > identity::kMaxRecoveryListed) {
    return fail(ErrorCode::invalidParam,
                fmt::format("--limit must be a number from 1 to {}", identity::kMaxRecoveryListed));
  }
  return limit;
}

std::string lineOf(const UserRecord& user) {
  std::string line =
      fmt::format("{}  {}  {}  since {}", user.id.str(), user.email, user.status, toRfc3339(user.createdAt));
  if (!user.emailVerified) line += ", address not verified";
  if (user.mfaEnabled) line += ", second factor";
  if (user.platformRole == identity::kSuperAdmin) line += ", super-admin";
  return line + "\n";
}

cli::Outcome outcomeOf(const UserRecord& user, bool changed, std::string text) {
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendString("id", user.id.str());
  result.appendString("email", user.email);
  result.appendBool("changed", changed);
  outcome.result = result.finish();
  outcome.text = std::move(text);
  return outcome;
}

}  // namespace

Result<cli::Outcome> listUsers(Deployment& deployment, const cli::Arguments& arguments, Progress&) {
  TRY(const uint64_t limit, limitOf(arguments));
  TRY(const Realm realm, realmOf(deployment, arguments));
  Recovery recovery = recoveryOf(deployment);
  TRY(const std::vector<UserRecord> users,
      runBlocking(
          deployment.cores,
          recovery.list(realm, {valueOf(arguments, "email"), valueOf(arguments, "after"), limit}, commandDeadline())));
  cli::Outcome outcome;
  std::vector<identity::UserView> views;
  for (const UserRecord& user : users) {
    views.push_back(identity::viewOf(user));
    outcome.text += lineOf(user);
  }
  const bool more = users.size() == limit;
  if (users.empty()) outcome.text = "no users";
  if (more) outcome.text += fmt::format("There may be more: --after {}", users.back().id.str());
  doc::BsonWriter result;
  doc::encodeValue(result, "users", views);
  if (more) {
    result.appendString("after", users.back().id.str());
  } else {
    result.appendNull("after");
  }
  outcome.result = result.finish();
  return outcome;
}

Result<cli::Outcome> setPassword(Deployment& deployment, const cli::Arguments& arguments, Progress&) {
  TRY(const TargetUser wanted, wantedUser(deployment, arguments));
  const Secret password(valueOf(arguments, "password"));
  const Result<> rules = identity::checkPasswordRules(password.reveal(), wanted.user.email);
  if (!rules) {
    return fail(ErrorCode::validation, "the password " + rules.error().details().front().message);
  }
  TRY(std::string hash, identity::hashPassword(password.reveal()));
  Recovery recovery = recoveryOf(deployment);
  RETURN_IF_ERROR(runBlocking(deployment.cores,
                              recovery.setPassword(wanted.realm, wanted.user.id, std::move(hash), commandDeadline())));
  if (deployment.identity != nullptr) {
    deployment.identity->users().forgiveLogins(wanted.realm, wanted.user.emailKey);
  }
  std::string text = fmt::format("{} has a new password, and all their sessions have ended", wanted.user.email);
  if (!wanted.user.active()) text += fmt::format("; the account is {}, so they cannot sign in", wanted.user.status);
  if (wanted.user.mfaEnabled) text += "; their second factor is unchanged";
  return outcomeOf(wanted.user, true, std::move(text));
}

Result<cli::Outcome> setOperator(Deployment& deployment, const cli::Arguments& arguments, Progress&) {
  TRY(const TargetUser wanted, wantedUser(deployment, arguments));
  const bool on = !has(arguments, "remove");
  Recovery recovery = recoveryOf(deployment);
  TRY(const bool changed, runBlocking(deployment.cores, recovery.setOperator(wanted.user.id, on, commandDeadline())));
  const std::string_view state = on        ? (changed ? "is super-admin now" : "is super-admin already")
                                 : changed ? "is no longer super-admin"
                                           : "was not super-admin";
  return outcomeOf(wanted.user, changed, fmt::format("{} {}", wanted.user.email, state));
}

Result<cli::Outcome> resetFactor(Deployment& deployment, const cli::Arguments& arguments, Progress&) {
  TRY(const TargetUser wanted, wantedUser(deployment, arguments));
  Recovery recovery = recoveryOf(deployment);
  TRY(const bool changed,
      runBlocking(deployment.cores, recovery.resetFactor(wanted.realm, wanted.user.id, commandDeadline())));
  return outcomeOf(
      wanted.user, changed,
      fmt::format("{} {}", wanted.user.email, changed ? "no longer has a second factor" : "had no second factor"));
}

}  // namespace mb::app

#include "cli/server_features.h"

#include "base/text.h"

namespace mb::cli {

namespace {

constexpr size_t kPage = 1000;
constexpr size_t kMaxPages = 100;

struct NamedUser {
  std::string id;
  std::string email;
  static constexpr auto shape() {
    return doc::shape<NamedUser>("NamedUser", doc::field("id", &NamedUser::id), doc::field("email", &NamedUser::email));
  }
};
struct NamedUsers {
  std::vector<NamedUser> users;
  static constexpr auto shape() {
    return doc::shape<NamedUsers>("NamedUsers", doc::field("users", &NamedUsers::users));
  }
};

struct NamedMember {
  std::optional<std::string> userId;  // empty while invited
  std::string email;
  static constexpr auto shape() {
    return doc::shape<NamedMember>("NamedMember", doc::field("userId", &NamedMember::userId),
                                   doc::field("email", &NamedMember::email));
  }
};
struct NamedMembers {
  std::vector<NamedMember> members;
  static constexpr auto shape() {
    return doc::shape<NamedMembers>("NamedMembers", doc::field("members", &NamedMembers::members));
  }
};

}  // namespace

std::unexpected<Error> unexpectedResponse(const Session& session) {
  return fail(ErrorCode::upstreamFailed,
              fmt::format("{} sent an unexpected response: it may be of another version", session.url()));
}

Result<ServerFeatures> featuresOf(Session& session) {
  TRY(const doc::Document response, session.control({"GET", "/control/setup-status", "reading the server's settings"}));
  auto features = doc::decode<ServerFeatures>(response, doc::UnknownFields::ignore);
  if (!features) return unexpectedResponse(session);
  return features;
}

Result<doc::Document> callAsOperator(Session& session, Call call) {
  auto response = session.control(std::move(call));
  if (response || response.error().code() != ErrorCode::notFound) return response;
  TRY(const ServerFeatures features, featuresOf(session));
  if (!features.operatorsEnabled) {
    return fail(ErrorCode::notFound,
                fmt::format("{} has no commands for operators: set SERVICE_OPERATORS there", session.url()));
  }
  if (!features.billingEnabled) {
    return fail(ErrorCode::notFound,
                fmt::format("billing is off at {}: nothing is limited, and there are no plans", session.url()));
  }
  return response;
}

Result<std::string> platformUserId(Session& session, const std::string& user) {
  if (!isAddress(user)) return user;
  const std::string wanted = lowerAscii(user);
  for (size_t page = 0; page < kMaxPages; ++page) {
    TRY(const doc::Document response,
        callAsOperator(session, {"GET", fmt::format("/control/admin/users?limit={}&skip={}", kPage, page * kPage),
                                 "finding the user"}));
    const auto listed = doc::decode<NamedUsers>(response, doc::UnknownFields::ignore);
    if (!listed) return unexpectedResponse(session);
    for (const NamedUser& each : listed->users) {
      if (lowerAscii(each.email) == wanted) return each.id;
    }
    if (listed->users.size() < kPage) {
      return fail(ErrorCode::notFound, fmt::format("there is no user {} at {}", user, session.url()));
    }
  }
  return fail(ErrorCode::notFound, fmt::format("{} is not one of the first {} users of {}: give the user's id", user,
                                               kPage * kMaxPages, session.url()));
}

Result<std::string> memberId(Session& session, const ProjectRef& project, const std::string& user) {
  if (!isAddress(user)) return user;
  const std::string wanted = lowerAscii(user);
  TRY(const doc::Document response,
      session.control({"GET", "/control/projects/" + percentEncoded(project.id) + "/members", "finding the member"}));
  const auto listed = doc::decode<NamedMembers>(response, doc::UnknownFields::ignore);
  if (!listed) return unexpectedResponse(session);
  for (const NamedMember& each : listed->members) {
    if (each.userId && lowerAscii(each.email) == wanted) return *each.userId;
  }
  return fail(ErrorCode::notFound,
              fmt::format("{} is not a member of {}: invite them as an Owner first", user, project.shown()));
}

}  // namespace mb::cli

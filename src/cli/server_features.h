// What a server has, and users by their addresses: for the commands about plans and transfers.
#pragma once

#include "cli/client.h"

namespace mb::cli {

// GET /control/setup-status
struct ServerFeatures {
  bool operatorsEnabled = false;
  bool billingEnabled = false;
  static constexpr auto shape() {
    return doc::shape<ServerFeatures>("ServerFeatures",
                                      doc::field("operatorsEnabled", &ServerFeatures::operatorsEnabled),
                                      doc::field("billingEnabled", &ServerFeatures::billingEnabled));
  }
};
Result<ServerFeatures> featuresOf(Session& session);

// The error for a response that this program cannot read.
std::unexpected<Error> unexpectedResponse(const Session& session);

// Calls a route of operators. A 404 says which setting the server lacks, where it lacks one.
Result<doc::Document> callAsOperator(Session& session, Call call);

// A user as an argument names them: the id of a user, or the address that has an "@".
inline bool isAddress(std::string_view user) {
  return user.find('@') != std::string_view::npos;
}
// Of platform users, for operators. Fails with notFound.
Result<std::string> platformUserId(Session& session, const std::string& user);
// Of the members of a project. Fails with notFound.
Result<std::string> memberId(Session& session, const ProjectRef& project, const std::string& user);

}  // namespace mb::cli

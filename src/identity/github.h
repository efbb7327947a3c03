// Sign-in with GitHub, which speaks OAuth without OpenID Connect. Private to identity/.
#pragma once

#include "base/task.h"
#include "identity/provider_client.h"

namespace mb::identity {

std::string githubStart(const ProviderClient& client, const OauthFlow& flow);
// Who signed in, with their primary address where it is verified. Fails with unauthenticated (the code), or with what a
// call to GitHub fails with.
Task<ExternalIdentity> githubFinish(outbound::Outbound& outbound, ProviderClient client, OauthFlow flow,
                                    std::string code);

}  // namespace mb::identity

// Sign-in with GitHub, which supports OAuth without OpenID Connect. Private to identity/.
#pragma once

#include "base/task.h"
#include "identity/provider_client.h"

namespace mb::identity {

std::string githubStart(const ProviderClient& client, const OauthFlow& flow);
// The identity that signed in, with its primary address and whether that is verified. Fails with unauthenticated (the
// code), or with the error of a call to GitHub.
Task<ExternalIdentity> githubFinish(outbound::Outbound& outbound, ProviderClient client, OauthFlow flow,
                                    std::string code);

}  // namespace mb::identity

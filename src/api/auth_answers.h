// What signing in answers.
#pragma once

#include "identity/identity.h"

namespace mb::api {

struct LoginAnswer {
  std::string accessToken;
  std::string refreshToken;
  int64_t expiresIn = identity::kAccessTokenSeconds;
  identity::UserView user;
  static constexpr auto shape() {
    return doc::shape<LoginAnswer>("LoginAnswer", doc::field("accessToken", &LoginAnswer::accessToken),
                                   doc::field("refreshToken", &LoginAnswer::refreshToken),
                                   doc::field("expiresIn", &LoginAnswer::expiresIn),
                                   doc::field("user", &LoginAnswer::user));
  }
};

struct MfaRequired {
  bool mfaRequired = true;
  std::string mfaToken;
  static constexpr auto shape() {
    return doc::shape<MfaRequired>("MfaRequired", doc::field("mfaRequired", &MfaRequired::mfaRequired),
                                   doc::field("mfaToken", &MfaRequired::mfaToken));
  }
};

struct RefreshAnswer {
  std::string accessToken;
  int64_t expiresIn = identity::kAccessTokenSeconds;
  std::optional<std::string> refreshToken;  // where the project rotates them
  static constexpr auto shape() {
    return doc::shape<RefreshAnswer>("RefreshAnswer", doc::field("accessToken", &RefreshAnswer::accessToken),
                                     doc::field("expiresIn", &RefreshAnswer::expiresIn),
                                     doc::field("refreshToken", &RefreshAnswer::refreshToken));
  }
};

}  // namespace mb::api

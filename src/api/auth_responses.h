// Responses of signing in.
#pragma once

#include "identity/identity.h"

namespace mb::api {

struct LoginResponse {
  std::string accessToken;
  std::string refreshToken;
  int64_t expiresIn = identity::kAccessTokenSeconds;
  identity::UserView user;
  static constexpr auto shape() {
    return doc::shape<LoginResponse>("LoginResponse", doc::field("accessToken", &LoginResponse::accessToken),
                                     doc::field("refreshToken", &LoginResponse::refreshToken),
                                     doc::field("expiresIn", &LoginResponse::expiresIn),
                                     doc::field("user", &LoginResponse::user));
  }
};

// That of platform users, whose refresh token may come as a cookie.
struct PlatformLoginResponse {
  std::string accessToken;
  std::optional<std::string> refreshToken;  // absent if it comes as a cookie
  int64_t expiresIn = identity::kAccessTokenSeconds;
  identity::UserView user;
  static constexpr auto shape() {
    return doc::shape<PlatformLoginResponse>(
        "PlatformLoginResponse", doc::field("accessToken", &PlatformLoginResponse::accessToken),
        doc::field("refreshToken", &PlatformLoginResponse::refreshToken),
        doc::field("expiresIn", &PlatformLoginResponse::expiresIn), doc::field("user", &PlatformLoginResponse::user));
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

struct RefreshResponse {
  std::string accessToken;
  int64_t expiresIn = identity::kAccessTokenSeconds;
  std::optional<std::string> refreshToken;  // set if the project rotates refresh tokens
  static constexpr auto shape() {
    return doc::shape<RefreshResponse>("RefreshResponse", doc::field("accessToken", &RefreshResponse::accessToken),
                                       doc::field("expiresIn", &RefreshResponse::expiresIn),
                                       doc::field("refreshToken", &RefreshResponse::refreshToken));
  }
};

}  // namespace mb::api

#include "openapi/docs.h"

namespace mb::openapi {

namespace {

constexpr FieldDoc kAuthFieldDocs[] = {
    {"LoginResponse.refreshToken", "Obtains new access tokens until the session ends.", R"("c2VjcmV0")"},
    {"LoginResponse.user", "The user who signed in.", "{}"},
    {"PlatformLoginResponse.refreshToken",
     "Obtains new access tokens until the session ends; absent with `x-service-session: cookie`.", R"("c2VjcmV0")"},
    {"PlatformLoginResponse.user", "The user who signed in.", "{}"},
    {"PlatformRefreshBody.refreshToken",
     "The refresh token of the sign-in. With `x-service-session: cookie` the one to move into the cookie; by default "
     "the cookie's own is used.",
     R"("c2VjcmV0")"},
    {"RefreshBody.refreshToken", "The refresh token of the sign-in.", R"("c2VjcmV0")"},
    {"RefreshResponse.refreshToken", "The new refresh token, if the project rotates them.", R"("c2VjcmV0")"},
};

}  // namespace

std::span<const FieldDoc> authFieldDocs() {
  return kAuthFieldDocs;
}

}  // namespace mb::openapi

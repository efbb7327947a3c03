// Sign-in with other providers on both planes, the identities of the signed-in user, and a project's configuration of
// providers (docs/api.md, Other providers).
#pragma once

#include "api/local_requests.h"
#include "api/routes.h"
#include "identity/oauth.h"

namespace mb::api {

class OauthRoutes {
 public:
  OauthRoutes(identity::Identity& identity, identity::Oauth& oauth, LocalRequests local, std::string_view baseUrl);
  void addTo(RouteTable& routes);

  Task<Reply> start(RequestContext& context);
  Task<Reply> callback(RequestContext& context);
  Task<Reply> controlCallback(RequestContext& context);
  Task<Reply> identities(RequestContext& context);
  Task<Reply> unlink(RequestContext& context);
  Task<Reply> configuration(RequestContext& context);
  Task<Reply> setProvider(RequestContext& context, identity::OauthProviderBody body);
  Task<Reply> setRedirects(RequestContext& context, identity::OauthRedirectsBody body);

 private:
  Task<Reply> finish(RequestContext& context, bool control);
  Reply redirect(std::string location) const;

  identity::Identity& identity_;
  identity::Oauth& oauth_;
  const LocalRequests local_;
  std::string cookiePath_;  // "" or the path of the base URL
  bool secure_ = false;
};

}  // namespace mb::api

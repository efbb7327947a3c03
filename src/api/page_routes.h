// The hosted pages: /auth/login, /reset-password, /verify-email, /examples/oauth, /docs, /graphiql and what they load.
// Source: contract 4.1; decisions 1, 3 and 8 ("OAuth", "Pages").
#pragma once

#include "api/api_settings.h"
#include "api/gatekeeper.h"
#include "api/local_requests.h"
#include "identity/tables.h"
#include "pages/pages.h"
#include "projects/instance.h"

namespace mb::api {

// References outlive it. Any core.
struct PageDeps {
  Gatekeeper& gatekeeper;
  const ApiSettings& settings;
  snapshot::SlotKey<identity::OauthConfig> oauth;
  std::vector<std::string> controlProviders;  // by name
  std::string baseUrl;                        // without a slash at its end
  projects::Instance& instance;
  LocalRequests local;
};

class PageRoutes {
 public:
  explicit PageRoutes(PageDeps deps);
  void addTo(RouteTable& routes);

  Task<Reply> login(RequestContext& context);
  Task<Reply> resetPassword(RequestContext& context);
  Task<Reply> verifyEmail(RequestContext& context);
  Task<Reply> oauthExample(RequestContext& context);
  Task<Reply> reference(RequestContext& context);
  Task<Reply> graphiql(RequestContext& context);
  Task<Reply> asset(RequestContext& context);

  // What a browser gets where no route is, outside the API: the server's home at "/", else a page that says so. nullopt
  // for other clients, which get the error as JSON.
  std::optional<http::Response> inPlaceOf404(const http::Request& request) const;

 private:
  struct Subject;
  // Whose page is asked for. Fails with what publicProject fails with, notFound where there is no control plane, and
  // invalidParam.
  Task<Subject> subjectOf(const RequestContext& context);
  Task<std::string> loginHtml(const RequestContext& context);
  // A page of a mail: it needs its subject and nothing else.
  Task<Reply> mailed(const RequestContext& context, std::string (*page)(const pages::Frame&));
  // A page for developers, of the project that the path names, if it does.
  Task<Reply> tool(const RequestContext& context, std::string (*page)(const pages::Frame&));
  pages::Frame frameOf(const snapshot::ProjectSnapshot& project) const;
  // Where the browser may be sent from this subject's pages.
  const std::vector<std::string>& origins(const Subject& subject) const;
  // The providers that are switched on, each as a link; `redirect` as the login page was given it.
  std::vector<pages::ProviderLink> linksOf(const Subject& subject, const std::string& redirect) const;
  Reply problem(const http::Request& request, const Error& error) const;

  const PageDeps deps_;
  const std::string root_;                   // path of the base URL
  std::vector<std::string> controlOrigins_;  // of redirects on the control plane: the server's own and the settings'
};

}  // namespace mb::api

// The hosted pages: /auth/login, /reset-password, /verify-email, /examples/oauth, /docs, /graphiql and their assets
// (docs/api.md, Hosted pages).
#pragma once

#include "api/api_settings.h"
#include "api/gatekeeper.h"
#include "api/local_requests.h"
#include "identity/tables.h"
#include "pages/pages.h"
#include "projects/instance.h"

namespace mb::api {

// References outlive the PageRoutes. Any core.
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

  // The response to a browser for a path without a route, outside the API: the home page at "/", else the 404 page.
  // nullopt for other clients, which get the error as JSON.
  std::optional<http::Response> inPlaceOf404(const http::Request& request) const;

 private:
  struct Subject;
  // The project or plane that the page belongs to. Fails as publicProject() does, with notFound if the control plane is
  // off, and with invalidParam.
  Task<Subject> subjectOf(const RequestContext& context);
  Task<std::string> loginHtml(const RequestContext& context);
  // A page that a mail links to: it needs only its subject.
  Task<Reply> mailed(const RequestContext& context, std::string (*page)(const pages::Frame&));
  // A page for developers, of the project in the path if there is one.
  Task<Reply> tool(const RequestContext& context, std::string (*page)(const pages::Frame&));
  pages::Frame frameOf(const snapshot::ProjectSnapshot& project) const;
  // The origins to which this subject's pages may redirect.
  const std::vector<std::string>& origins(const Subject& subject) const;
  // Links to the enabled providers; `redirect` is that of the login page.
  std::vector<pages::ProviderLink> linksOf(const Subject& subject, const std::string& redirect) const;
  Reply problem(const http::Request& request, const Error& error) const;

  const PageDeps deps_;
  const std::string root_;                   // path of the base URL
  std::vector<std::string> controlOrigins_;  // allowed redirects of the control plane
};

}  // namespace mb::api

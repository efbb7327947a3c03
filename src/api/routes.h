// The route table: one line per route, which is its whole policy. Gates, rate limits, metrics labels and the OpenAPI
// document read it (the responses of routes are in route_docs.h).
//
//   routes.post("/api/v1/admin/roles", admin("roles:manage"), this, &RoleRoutes::create, "Create a member role");
//
// A handler is Task<Reply> f(RequestContext&) or Task<Reply> f(RequestContext&, Body): Body is a shape (decoded
// strictly, unknown fields refused) or doc::Document (any JSON object).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/context.h"
#include "api/plane.h"
#include "document/shape_info.h"
#include "http/router.h"
#include "policy/policy.h"
#include "policy/required_permission.h"

namespace mb::api {

// The checks before a handler runs, those of its plane included.
struct Gate {
  Plane plane = Plane::open;
  std::string_view scope;       // API key scope: read, write, admin, storage, functions
  std::string_view permission;  // checked on the admin plane; ":0" is replaced by the first path parameter
  std::string_view rateAction;  // auth rate limit: "register", "login", "refresh", "verify-email", "password-reset",
                                // "password", "mfa"

  // Of the plane dataOrAnonymous: the operation of the public rule that serves a request without a token.
  std::optional<policy::Operation> publicOperation = {};
  // The handler counts requests with the header x-service-session itself: those whose cookie holds a live session count
  // per session, in place of rateAction.
  bool countsCookies = false;

  const PlaneTraits& traits() const { return traitsOf(plane); }
  // Whether requests without a token count against the limit of public requests.
  bool countsPublic(http::Method method) const {
    return traits().publicRules && (method != http::Method::get || !publicOperation);
  }
};

Gate open();                                        // any client, without a token
Gate authPublic(std::string_view rateAction = "");  // end-user auth without a token: resolves the project
Gate endUser(std::string_view rateAction = "");     // an end user's JWT
Gate data(std::string_view scope);                  // a data token with the scope
Gate dataOrPublic(std::string_view scope);          // the same, or no token at all
// The same, or no token where the collection that the first path parameter names has a public rule for the operation;
// with nullopt, where any collection of the project has a public rule.
Gate dataOrAnonymous(std::string_view scope, std::optional<policy::Operation> operation);
Gate admin(policy::RequiredPermission permission);     // member token or key of scope admin, with the permission
Gate control(std::string_view rateAction = "");        // a control token
Gate controlPublic(std::string_view rateAction = "");  // control-plane auth without a token
Gate controlCookie(std::string_view rateAction);       // the same, or a session's cookie, which the handler counts
Gate operators();                                      // super-admin, SERVICE_OPERATORS set

using Handler = std::function<Task<Reply>(RequestContext&)>;

struct Route {
  http::Method method;
  std::string pattern;
  Gate gate;
  Handler handler;
  std::string_view summary;
  std::string_view bodyName;          // the shape's name; "" without a body, "object" for any
  doc::ShapeRef bodyShape = nullptr;  // null without a body, and for any object
  bool control = false;               // belongs to the control plane (404 when it is off)
  size_t maxBody = 0;                 // in bytes; 0: SERVICE_MAX_BODY
  // The permitted query parameters, in the order in which an error lists them; others are refused. nullopt: no check.
  std::optional<std::vector<std::string_view>> query = {};
  bool refuses = false;      // can only refuse, for want of a module: not in the OpenAPI document
  bool streamsBody = false;  // the handler reads context.request.stream and sets its limit; maxBody does not apply
};

// The JSON body of a request as a document. Fails with unsupportedMediaType for another content type, invalidJson, and
// validation for an empty body or JSON that is not an object.
Result<doc::Document> readBody(const RequestContext& context, doc::ExtendedJson extended);

// The same, off the core if the body is large.
Task<doc::Document> parseBody(RequestContext& context, doc::ExtendedJson extended);

// A handler's result that fails with `error`.
Task<Reply> failedReply(Error error);

template <class B>
inline constexpr doc::ExtendedJson kExtendedJsonOf =
    std::is_same_v<B, doc::Document> ? doc::ExtendedJson::accept : doc::ExtendedJson::refuse;

template <class C, class B>
Task<Reply> callWithDocument(C* self, Task<Reply> (C::*handler)(RequestContext&, B), RequestContext& context,
                             Result<doc::Document> source) {
  if (!source) return failedReply(std::move(source).error());
  if constexpr (std::is_same_v<B, doc::Document>) {
    return (self->*handler)(context, *std::move(source));
  } else {
    auto body = doc::decode<B>(*source);
    if (!body) return failedReply(std::move(body).error());
    return (self->*handler)(context, *std::move(body));
  }
}

template <class C, class B>
Task<Reply> callWithLargeBody(C* self, Task<Reply> (C::*handler)(RequestContext&, B), RequestContext& context) {
  Result<doc::Document> source = co_await parseBody(context, kExtendedJsonOf<B>);
  co_return co_await callWithDocument(self, handler, context, std::move(source));
}

// Decodes a small body before the handler's coroutine starts, so that only one coroutine frame is allocated.
template <class C, class B>
Task<Reply> callWithBody(C* self, Task<Reply> (C::*handler)(RequestContext&, B), RequestContext& context) {
  if (context.hasLargeBody()) return callWithLargeBody(self, handler, context);
  return callWithDocument(self, handler, context, readBody(context, kExtendedJsonOf<B>));
}

class RouteTable {
 public:
  template <class C>
  Route& add(http::Method method, std::string pattern, Gate gate, C* self, Task<Reply> (C::*handler)(RequestContext&),
             std::string_view summary) {
    return push({method, std::move(pattern), gate,
                 [self, handler](RequestContext& context) { return (self->*handler)(context); }, summary, ""});
  }
  template <class C, class B>
  Route& add(http::Method method, std::string pattern, Gate gate, C* self,
             Task<Reply> (C::*handler)(RequestContext&, B), std::string_view summary) {
    std::string_view bodyName = "object";
    doc::ShapeRef bodyShape = nullptr;
    if constexpr (doc::Shaped<B>) {
      bodyName = B::shape().name;
      bodyShape = &doc::shapeInfo<B>;
    }
    return push({method, std::move(pattern), gate,
                 [self, handler](RequestContext& context) { return callWithBody(self, handler, context); }, summary,
                 bodyName, bodyShape});
  }
  template <class... A>
  Route& get(std::string pattern, Gate gate, A&&... a) {
    return add(http::Method::get, std::move(pattern), gate, std::forward<A>(a)...);
  }
  template <class... A>
  Route& post(std::string pattern, Gate gate, A&&... a) {
    return add(http::Method::post, std::move(pattern), gate, std::forward<A>(a)...);
  }
  template <class... A>
  Route& put(std::string pattern, Gate gate, A&&... a) {
    return add(http::Method::put, std::move(pattern), gate, std::forward<A>(a)...);
  }
  template <class... A>
  Route& patch(std::string pattern, Gate gate, A&&... a) {
    return add(http::Method::patch, std::move(pattern), gate, std::forward<A>(a)...);
  }
  template <class... A>
  Route& remove(std::string pattern, Gate gate, A&&... a) {
    return add(http::Method::remove, std::move(pattern), gate, std::forward<A>(a)...);
  }
  const std::vector<Route>& all() const { return routes_; }
  std::vector<Route>& all() { return routes_; }

 private:
  Route& push(Route route) {
    routes_.push_back(std::move(route));
    return routes_.back();
  }
  std::vector<Route> routes_;
};

}  // namespace mb::api

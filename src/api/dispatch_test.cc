#include "api/dispatch.h"

#include <gtest/gtest.h>

#include <map>

#include "base/id.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::api {
namespace {

using policy::CallerKind;

// Accepts tokens by name.
class FakeAuthenticator final : public identity::Authenticator {
 public:
  explicit FakeAuthenticator(snapshot::Snapshots& snapshots) : snapshots_(snapshots) {}
  void add(std::string token, policy::Caller caller) { callers_.insert_or_assign(std::move(token), std::move(caller)); }

  Task<identity::Identified> project(std::string token) override {
    const auto found = callers_.find(token);
    if (found == callers_.end() || found->second.kind == CallerKind::platform) co_return refused();
    CO_TRY(snapshot::SnapshotPtr project, co_await snapshots_.find(found->second.projectId.str()));
    co_return identity::Identified{found->second, std::move(project), {}};
  }
  Task<identity::Identified> control(std::string token) override {
    const auto found = callers_.find(token);
    if (found == callers_.end() || found->second.kind != CallerKind::platform) co_return refused();
    co_return identity::Identified{found->second, nullptr, {}};
  }
  std::optional<identity::Identified> cachedProject(std::string_view) override { return std::nullopt; }
  identity::AuthState authState(store::ProjectNo) const override { return {}; }

 private:
  static std::unexpected<Error> refused() { return fail(ErrorCode::unauthenticated, "no"); }
  snapshot::Snapshots& snapshots_;
  std::map<std::string, policy::Caller> callers_;
};

class FakeDirectory final : public snapshot::ProjectDirectory {
 public:
  void add(snapshot::ProjectInfo info) { projects_.push_back(std::move(info)); }
  Task<std::optional<snapshot::ProjectInfo>> find(std::string idOrSlug) override {
    for (const auto& info : projects_) {
      if (info.id.str() == idOrSlug || info.slug == idOrSlug) co_return info;
    }
    co_return std::nullopt;
  }
  Task<std::optional<snapshot::ProjectInfo>> byNumber(store::ProjectNo number) override {
    for (const auto& info : projects_) {
      if (info.number == number) co_return info;
    }
    co_return std::nullopt;
  }
  Task<std::optional<snapshot::ProjectInfo>> onlyOne() override {
    if (projects_.size() != 1) co_return std::nullopt;
    co_return projects_.front();
  }

 private:
  std::vector<snapshot::ProjectInfo> projects_;
};

class FakeRecords final : public snapshot::SlotSource {
 public:
  Task<std::shared_ptr<const void>> load(snapshot::ProjectInfo project) override {
    auto record = std::make_shared<projects::ProjectRecord>();
    if (project.slug == "strict") record->settings.allowedOrigins = {"https://app.example"};
    co_return std::shared_ptr<const void>(std::move(record));
  }
};

struct Greeting {
  std::string name;
  static constexpr auto shape() { return doc::shape<Greeting>("Greeting", doc::field("name", &Greeting::name)); }
};

class Handlers {
 public:
  Task<Reply> who(RequestContext& context) {
    doc::BsonWriter out;
    out.appendString("ip", context.clientIp);
    out.appendString("project", context.project ? context.project->info().id.str() : "");
    co_return Reply::object(200, out.finish());
  }
  Task<Reply> greet(RequestContext&, Greeting body) { co_return Reply::entity(201, "greeting", body); }
  Task<Reply> take(RequestContext&, doc::Document body) { co_return Reply::object(200, body); }
  Task<Reply> forAllOrigins(RequestContext&) {
    Reply reply = Reply::noContent();
    reply.response.headers.emplace_back("access-control-allow-origin", "*");
    co_return reply;
  }
  // The remaining time of the request, before and after the body has arrived.
  Task<Reply> renew(RequestContext& context) {
    const auto before = context.deadline;
    co_await sleepFor(std::chrono::milliseconds(20));
    context.renewDeadline();
    co_return context.deadline - before >= std::chrono::milliseconds(20) ? Reply::noContent()
                                                                         : Reply{http::Response::empty(500)};
  }
  Task<Reply> broken(RequestContext&) {
    throw std::runtime_error("secret internals");
    co_return Reply::noContent();
  }
};

class DispatchTest : public ::testing::Test {
 protected:
  DispatchTest() {
    directory_.add(project(2, "proj_a", "open"));
    directory_.add(project(3, "proj_b", "strict"));
    snapshots_.setDirectory(directory_);
    record_ = snapshots_.addSlot<projects::ProjectRecord>(records_);
    countersKey_ = snapshots_.addSlot<ProjectCounters>(counters_);
    addCallers();
    addRoutes();
    settings_.corsOrigins = {"https://dash.example"};
    settings_.trustedProxies = *TrustedProxies::parse({"10.0.0.0/8"});
    rebuild();
    cores_.start();
  }
  ~DispatchTest() override {
    cores_.stop();
    cores_.join();
  }

  static snapshot::ProjectInfo project(store::ProjectNo number, std::string id, std::string slug) {
    snapshot::ProjectInfo info;
    info.number = number;
    info.id = ProjectId(std::move(id));
    info.slug = std::move(slug);
    return info;
  }
  static policy::Caller caller(CallerKind kind, std::string project, std::vector<std::string> permissions,
                               std::vector<std::string> scopes = {}) {
    policy::Caller caller;
    caller.kind = kind;
    caller.id = "someone";
    caller.projectId = ProjectId(std::move(project));
    caller.permissions = std::make_shared<const policy::PermissionSet>(std::move(permissions));
    caller.scopes = std::move(scopes);
    return caller;
  }
  void addCallers() {
    authenticator_.add("user", caller(CallerKind::endUser, "proj_a", {"*"}));
    authenticator_.add("viewer", caller(CallerKind::member, "proj_a", {"*:read", "data:*:read"}));
    authenticator_.add("owner", caller(CallerKind::member, "proj_a", {"*"}));
    authenticator_.add("strict", caller(CallerKind::member, "proj_b", {"*"}));
    authenticator_.add("readkey", caller(CallerKind::apiKey, "proj_a", {"data:*:read"}, {"read"}));
    authenticator_.add("adminkey", caller(CallerKind::apiKey, "proj_a", {"*"}, {"admin"}));
    authenticator_.add("platform", caller(CallerKind::platform, "", {}));
    auto super = caller(CallerKind::platform, "", {});
    super.superAdmin = true;
    authenticator_.add("super", super);
  }
  void addRoutes() {
    routes_.get("/api/v1/health", open(), &handlers_, &Handlers::who, "open");
    routes_.get("/api/v1/broken", open(), &handlers_, &Handlers::broken, "broken");
    routes_.get("/for-all-origins", open(), &handlers_, &Handlers::forAllOrigins, "for all origins");
    routes_.post("/api/v1/auth/login", authPublic("login"), &handlers_, &Handlers::who, "public");
    routes_.post("/api/v1/auth/logout", authPublic(), &handlers_, &Handlers::who, "public, unlimited");
    routes_.get("/api/v1/auth/sessions", endUser(), &handlers_, &Handlers::who, "end user");
    routes_.get("/api/v1/:collection!", data("read"), &handlers_, &Handlers::who, "data");
    routes_.post("/api/v1/:collection!", data("write"), &handlers_, &Handlers::take, "data with a body");
    routes_.get("/api/v1/admin/roles", admin("roles:read"), &handlers_, &Handlers::who, "admin");
    routes_.get("/api/v1/admin/collections/:name/documents", admin("data::0:read"), &handlers_, &Handlers::who,
                "admin documents");
    routes_.post("/api/v1/control/auth/login", controlPublic("login"), &handlers_, &Handlers::who, "control login");
    routes_.post("/api/v1/control/greet", control(), &handlers_, &Handlers::greet, "control");
    routes_.get("/api/v1/control/admin/users", operators(), &handlers_, &Handlers::who, "operators");
    routes_.put("/api/v1/storage/:bucket/*path", data("write"), &handlers_, &Handlers::renew, "streams").streamsBody =
        true;
    routes_.post("/api/v1/admin/import", admin("config:manage"), &handlers_, &Handlers::take, "large").maxBody = 5000;
  }
  void rebuild() {
    gatekeeper_.emplace(
        GateDeps{settings_, authenticator_, limiter_, snapshots_, record_, {}, limiter_, operatorsEnabled_});
    dispatcher_.emplace(routes_, settings_, *gatekeeper_, Cors("https://base.example", settings_.corsOrigins),
                        countersKey_);
  }

  using Headers = std::vector<http::Header>;
  Task<http::Response> respond(http::Request& request) { co_return co_await dispatcher_->handle(request); }
  http::Response send(http::Method method, std::string_view target, Headers headers = {}, std::string_view body = "") {
    http::Request request;
    request.method = method;
    request.target = target;
    request.path = target.substr(0, target.find('?'));
    if (request.path.size() < target.size()) request.query = target.substr(request.path.size() + 1);
    request.headers = std::move(headers);
    request.body = body;
    request.peer = "198.51.100.7";
    request.id = "test";
    return *store::testing::runOn(cores_, 0, respond(request));
  }
  http::Response get(std::string_view target, Headers headers = {}) {
    return send(http::Method::get, target, std::move(headers));
  }
  static std::string headerOf(const http::Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }
  // The error code; "" if the response is not an error.
  static std::string codeOf(const http::Response& response) {
    const auto body = doc::parseJson(response.body.empty() ? "{}" : response.body);
    const auto code = body->view().findPath("error.code");
    return code ? std::string(code->asString()) : std::string();
  }

  SystemClock clock_;
  Cores cores_{1};
  store::testing::MemoryStore store_{{}};
  snapshot::Snapshots snapshots_{store_, cores_, 10};
  FakeDirectory directory_;
  FakeRecords records_;
  FakeAuthenticator authenticator_{snapshots_};
  identity::LocalRateLimiter limiter_{{3, 60}, clock_};
  snapshot::SlotKey<projects::ProjectRecord> record_;
  RequestCounters counters_{1, clock_};
  snapshot::SlotKey<ProjectCounters> countersKey_;
  ApiSettings settings_;
  bool operatorsEnabled_ = true;
  Handlers handlers_;
  RouteTable routes_;
  std::optional<Gatekeeper> gatekeeper_;
  std::optional<Dispatcher> dispatcher_;
};

TEST_F(DispatchTest, GatesDecideWhoPasses) {
  struct Case {
    http::Method method;
    std::string_view path;
    std::string_view token;
    int status;
    std::string_view code;
  };
  using http::Method;
  const std::vector<Case> cases = {
      {Method::get, "/api/v1/posts", "", 401, "UNAUTHENTICATED"},
      {Method::get, "/api/v1/posts", "nonsense", 401, "UNAUTHENTICATED"},
      {Method::get, "/api/v1/posts", "platform", 401, "UNAUTHENTICATED"},
      {Method::get, "/api/v1/posts", "user", 200, ""},
      {Method::get, "/api/v1/posts", "viewer", 200, ""},
      {Method::get, "/api/v1/posts", "readkey", 200, ""},
      {Method::post, "/api/v1/posts", "readkey", 403, "FORBIDDEN"},
      {Method::post, "/api/v1/posts", "adminkey", 200, ""},
      {Method::get, "/api/v1/auth/sessions", "user", 200, ""},
      {Method::get, "/api/v1/auth/sessions", "owner", 403, "FORBIDDEN"},
      {Method::get, "/api/v1/auth/sessions", "adminkey", 403, "FORBIDDEN"},
      {Method::get, "/api/v1/admin/roles", "user", 403, "FORBIDDEN"},
      {Method::get, "/api/v1/admin/roles", "readkey", 403, "FORBIDDEN"},
      {Method::get, "/api/v1/admin/roles", "viewer", 200, ""},
      {Method::get, "/api/v1/admin/roles", "adminkey", 200, ""},
      {Method::get, "/api/v1/admin/roles", "platform", 401, "UNAUTHENTICATED"},
      {Method::get, "/api/v1/admin/collections/posts/documents", "viewer", 200, ""},
      {Method::get, "/api/v1/admin/collections/posts/documents", "user", 403, "FORBIDDEN"},
      {Method::post, "/api/v1/control/greet", "platform", 201, ""},
      {Method::post, "/api/v1/control/greet", "owner", 401, "UNAUTHENTICATED"},
      {Method::post, "/api/v1/control/greet", "adminkey", 401, "UNAUTHENTICATED"},
      {Method::post, "/api/v1/control/greet", "", 401, "UNAUTHENTICATED"},
      {Method::get, "/api/v1/control/admin/users", "platform", 403, "FORBIDDEN"},
      {Method::get, "/api/v1/control/admin/users", "super", 200, ""},
      {Method::get, "/api/v1/health", "", 200, ""},
      {Method::get, "/api/v1/health", "nonsense", 200, ""},
  };
  for (const auto& [method, path, token, status, code] : cases) {
    const std::string bearer = "Bearer " + std::string(token);
    Headers headers;
    if (!token.empty()) headers.push_back({"Authorization", bearer});
    const auto response = send(method, path, headers, method == Method::post ? R"({"name":"x"})" : "");
    EXPECT_EQ(response.status, status) << path << " " << token;
    EXPECT_EQ(codeOf(response), code) << path << " " << token;
    if (status == 401) EXPECT_EQ(headerOf(response, "www-authenticate"), "Bearer");
  }
}

TEST_F(DispatchTest, OperatorRoutesFailClosed) {
  operatorsEnabled_ = false;
  rebuild();
  EXPECT_EQ(get("/api/v1/control/admin/users", {{"authorization", "bearer super"}}).status, 404);
}

TEST_F(DispatchTest, PathsAndMethods) {
  for (const auto* path : {"/", "/api", "/api/v1", "/api/v1/", "/health", "/api/v1/health/x", "/api/v1/unknown/a/b",
                           "/api/v1/auth", "/api/v1/admin", "/api/v1/graphql", "/api/v1/__system", "/api/v1/%zz",
                           "/api/v1/posts%00", "/api/v2/health", "//api/v1/health"}) {
    const auto response = get(path, {{"authorization", "Bearer owner"}});
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(codeOf(response), "NOT_FOUND") << path;
  }
  const auto wrong = send(http::Method::put, "/api/v1/health");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(codeOf(wrong), "METHOD_NOT_ALLOWED");
  EXPECT_NE(headerOf(wrong, "allow").find("GET"), std::string::npos);
  EXPECT_EQ(send(http::Method::head, "/api/v1/health").status, 200);
  EXPECT_EQ(send(http::Method::head, "/api/v1/posts").status, 401);
  const auto options = send(http::Method::options, "/api/v1/health");
  EXPECT_EQ(options.status, 204);
  EXPECT_NE(headerOf(options, "allow").find("GET"), std::string::npos);
  EXPECT_EQ(send(http::Method::options, "/nowhere").status, 404);
}

TEST_F(DispatchTest, TheControlPlaneCanBeOff) {
  settings_.control = false;
  rebuild();
  for (const auto* path : {"/api/v1/control/greet", "/api/v1/%63ontrol/greet", "/api/v1/control/auth/login"}) {
    EXPECT_EQ(send(http::Method::post, path, {{"authorization", "Bearer platform"}}, "{}").status, 404) << path;
    EXPECT_EQ(get(path).status, 404) << path;
  }
  EXPECT_EQ(get("/api/v1/health").status, 200);
}

TEST_F(DispatchTest, WhichProject) {
  const auto logout = [&](std::string_view target, Headers headers) {
    return send(http::Method::post, target, std::move(headers));
  };
  EXPECT_EQ(codeOf(logout("/api/v1/auth/logout", {})), "MISSING_PROJECT");
  EXPECT_EQ(codeOf(logout("/api/v1/auth/logout", {{"x-service-project", "nowhere"}})), "NOT_FOUND");
  EXPECT_EQ(codeOf(logout("/api/v1/auth/logout", {{"x-service-project", "#2"}})), "NOT_FOUND");
  EXPECT_EQ(codeOf(logout("/api/v1/auth/logout", {{"x-service-project", "#x"}})), "NOT_FOUND");
  EXPECT_EQ(codeOf(logout("/api/v1/auth/logout?project=%zz", {})), "INVALID_PARAM");
  EXPECT_NE(logout("/api/v1/auth/logout", {{"X-Service-Project", "proj_a"}}).body.find("proj_a"), std::string::npos);
  EXPECT_NE(logout("/api/v1/auth/logout?project=strict", {}).body.find("proj_b"), std::string::npos);
  EXPECT_NE(logout("/api/v1/auth/logout?project=strict", {{"x-service-project", "open"}}).body.find("proj_a"),
            std::string::npos);
  settings_.defaultProject = "strict";
  EXPECT_NE(logout("/api/v1/auth/logout", {}).body.find("proj_b"), std::string::npos);
}

TEST_F(DispatchTest, ARefreshTokenNamesItsProject) {
  const auto logout = [&](std::string_view token, Headers headers = {}, std::string_view target = "") {
    return send(http::Method::post, fmt::format("/api/v1/auth/logout{}", target), std::move(headers),
                fmt::format(R"({{"refreshToken":"{}"}})", token));
  };
  EXPECT_NE(logout("proj_b~abc").body.find("proj_b"), std::string::npos);
  EXPECT_NE(logout("proj_b~abc.1.code").body.find("proj_b"), std::string::npos);
  // The project that a request names takes precedence.
  EXPECT_NE(logout("proj_b~abc", {{"x-service-project", "proj_a"}}).body.find("proj_a"), std::string::npos);
  EXPECT_NE(logout("proj_b~abc", {}, "?project=open").body.find("proj_a"), std::string::npos);
  for (const char* token : {"abc", "~abc", "", "proj_nowhere~abc", "#2~abc"}) {
    EXPECT_EQ(codeOf(logout(token)), "MISSING_PROJECT") << token;
  }
  EXPECT_EQ(codeOf(logout("proj_b~" + std::string(2000, 'x'))), "MISSING_PROJECT");
  for (const char* body : {"", "[]", "{", R"({"refreshToken":7})"}) {
    EXPECT_EQ(codeOf(send(http::Method::post, "/api/v1/auth/logout", {}, body)), "MISSING_PROJECT") << body;
  }
  settings_.defaultProject = "open";
  EXPECT_NE(logout("proj_b~abc").body.find("proj_b"), std::string::npos);
  EXPECT_NE(logout("abc").body.find("proj_a"), std::string::npos);
}

TEST_F(DispatchTest, ATokensProjectRules) {
  EXPECT_EQ(get("/api/v1/posts", {{"authorization", "Bearer user"}, {"x-service-project", "proj_a"}}).status, 200);
  EXPECT_EQ(get("/api/v1/posts", {{"authorization", "Bearer user"}, {"x-service-project", "open"}}).status, 200);
  EXPECT_EQ(codeOf(get("/api/v1/posts", {{"authorization", "Bearer user"}, {"x-service-project", "proj_b"}})),
            "PROJECT_MISMATCH");
  EXPECT_EQ(codeOf(get("/api/v1/admin/roles", {{"authorization", "Bearer user"}, {"x-service-project", "x"}})),
            "PROJECT_MISMATCH");
}

TEST_F(DispatchTest, TheRateLimitCountsByAddressProjectAndAction) {
  const auto login = [&](Headers headers) {
    return send(http::Method::post, "/api/v1/auth/login", std::move(headers));
  };
  for (int left = 2; left >= 0; --left) {
    const auto granted = login({{"x-service-project", "proj_a"}});
    EXPECT_EQ(granted.status, 200);
    EXPECT_EQ(headerOf(granted, "ratelimit-policy"), R"("login";q=3;w=60)");
    EXPECT_EQ(headerOf(granted, "ratelimit"), fmt::format(R"("login";r={};t=60)", left));
  }
  const auto limited = login({{"x-service-project", "proj_a"}});
  EXPECT_EQ(headerOf(limited, "ratelimit"), R"("login";r=0;t=60)");
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(codeOf(limited), "RATE_LIMITED");
  EXPECT_FALSE(headerOf(limited, "retry-after").empty());
  // The forwarded address of a peer that is not a trusted proxy is ignored.
  EXPECT_EQ(login({{"x-service-project", "proj_a"}, {"x-forwarded-for", "192.0.2.1"}}).status, 429);
  EXPECT_EQ(login({{"x-service-project", "proj_b"}}).status, 200);
  EXPECT_EQ(send(http::Method::post, "/api/v1/control/auth/login").status, 200);
  const auto unlimited = send(http::Method::post, "/api/v1/auth/logout", {{"x-service-project", "proj_a"}});
  EXPECT_EQ(unlimited.status, 200);
  EXPECT_EQ(headerOf(unlimited, "ratelimit"), "");
  // Unknown projects share one count.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(login({{"x-service-project", fmt::format("proj_no{}", i)}}).status, 404);
  EXPECT_EQ(login({{"x-service-project", "proj_other"}}).status, 429);
}

TEST_F(DispatchTest, Bodies) {
  const auto greet = [&](std::string_view body, Headers headers = {}) {
    headers.push_back({"authorization", "Bearer platform"});
    return send(http::Method::post, "/api/v1/control/greet", std::move(headers), body);
  };
  const auto good = greet(R"({"name":"Ada"})", {{"content-type", "application/json; charset=utf-8"}});
  EXPECT_EQ(good.status, 201);
  EXPECT_EQ(good.body, R"({"greeting":{"name":"Ada"}})");
  EXPECT_EQ(greet(R"({"name":"Ada"})", {{"content-type", "application/merge-patch+json"}}).status, 201);
  EXPECT_EQ(greet(R"({"name":"Ada"})", {{"content-type", "text/plain"}}).status, 415);
  EXPECT_EQ(greet(R"({"name":"Ada"})", {{"content-type", "+json"}}).status, 415);
  EXPECT_EQ(codeOf(greet("")), "VALIDATION");
  EXPECT_EQ(codeOf(greet("[]")), "VALIDATION");
  EXPECT_EQ(codeOf(greet("{")), "INVALID_JSON");
  EXPECT_EQ(codeOf(greet(R"({"name":"a","name":"b"})")), "INVALID_JSON");
  EXPECT_EQ(codeOf(greet(R"({"name":1})")), "VALIDATION");
  const auto unknown = greet(R"({"name":"a","more":1})");
  EXPECT_EQ(codeOf(unknown), "VALIDATION");
  EXPECT_NE(unknown.body.find("/more"), std::string::npos);
}

TEST_F(DispatchTest, ResponsesGuardAgainstSniffingAndCaches) {
  EXPECT_EQ(headerOf(get("/api/v1/health"), "cache-control"), "");
  for (const char* path : {"/api/v1/health", "/api/v1/nothing/here", "/api/v1/broken", "/api/v1/%zz"}) {
    EXPECT_EQ(headerOf(get(path), "x-content-type-options"), "nosniff") << path;
  }
  // All responses that may contain a token: those of methods that change something, refused or not.
  for (const Route& route : routes_.all()) {
    if (route.method == http::Method::get) continue;
    const auto response = send(route.method, route.pattern, {}, "");
    EXPECT_EQ(headerOf(response, "cache-control"), "no-store") << route.pattern;
    EXPECT_EQ(headerOf(response, "x-content-type-options"), "nosniff") << route.pattern;
  }
}

TEST_F(DispatchTest, RoutesSayHowTheirBodiesCome) {
  settings_.maxBody = 1000;
  rebuild();
  const auto limit = [&](http::Method method, std::string_view path, bool present) {
    http::Request head;
    head.method = method;
    head.path = path;
    head.bodyPresent = present;
    return dispatcher_->bodyLimit(head).value();
  };
  using http::Method;
  for (const bool present : {false, true}) {
    EXPECT_EQ(limit(Method::put, "/api/v1/storage/b/folder/name", present), http::Service::kStreams);
    EXPECT_EQ(limit(Method::put, "/api/v1/storage/b", present), 1000U) << "another route, or none";
    EXPECT_EQ(limit(Method::get, "/api/v1/storage/b/name", present), 1000U);
    EXPECT_EQ(limit(Method::put, "/%zz", present), 1000U);
    EXPECT_EQ(limit(Method::post, "/api/v1/posts", present), 1000U);
  }
  EXPECT_EQ(limit(Method::post, "/api/v1/admin/import", true), 5000U);
}

TEST_F(DispatchTest, ABodyThatStreamsDoesNotUseUpTheTimeBehindIt) {
  EXPECT_EQ(send(http::Method::put, "/api/v1/storage/b/name", {{"authorization", "Bearer owner"}}).status, 204);
}

TEST_F(DispatchTest, ABugIsAPlain500) {
  const auto response = get("/api/v1/broken");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(codeOf(response), "INTERNAL");
  EXPECT_EQ(response.body.find("secret internals"), std::string::npos);
}

TEST_F(DispatchTest, BrowsersOfOtherOrigins) {
  const Headers preflight = {{"origin", "https://app.example"}, {"access-control-request-method", "GET"}};
  const auto anyone = send(http::Method::options, "/api/v1/posts", preflight);
  EXPECT_EQ(anyone.status, 204);
  EXPECT_EQ(headerOf(anyone, "access-control-allow-origin"), "*");
  EXPECT_EQ(headerOf(send(http::Method::options, "/api/v1/admin/roles", preflight), "access-control-allow-origin"), "");
  EXPECT_EQ(headerOf(send(http::Method::options, "/api/v1/%61dmin/roles", preflight), "access-control-allow-origin"),
            "");

  const auto origin = [](std::string_view value, std::string_view token) {
    return Headers{{"origin", value}, {"authorization", token}};
  };
  EXPECT_EQ(headerOf(get("/api/v1/posts", origin("https://x.example", "Bearer user")), "access-control-allow-origin"),
            "*");
  EXPECT_EQ(headerOf(get("/api/v1/posts", origin("https://x.example", "Bearer no")), "access-control-allow-origin"),
            "*");
  EXPECT_EQ(headerOf(get("/api/v1/posts", origin("https://x.example", "Bearer strict")), "access-control-allow-origin"),
            "");
  EXPECT_EQ(
      headerOf(get("/api/v1/posts", origin("https://app.example", "Bearer strict")), "access-control-allow-origin"),
      "https://app.example");
  EXPECT_EQ(headerOf(get("/api/v1/admin/roles", origin("https://app.example", "Bearer strict")),
                     "access-control-allow-origin"),
            "");
  EXPECT_EQ(headerOf(get("/api/v1/admin/roles", origin("https://dash.example", "Bearer strict")),
                     "access-control-allow-origin"),
            "https://dash.example");
}

// A browser refuses a response that has the header twice.
TEST_F(DispatchTest, HandlersMayNameTheOriginsThemselves) {
  for (const Headers& headers : {Headers{}, Headers{{"origin", "https://x.example"}}}) {
    const auto response = get("/for-all-origins", headers);
    EXPECT_EQ(headerOf(response, "access-control-allow-origin"), "*");
    EXPECT_EQ(std::ranges::count(response.headers, std::string_view("access-control-allow-origin"),
                                 &std::pair<std::string_view, std::string>::first),
              1);
  }
}

}  // namespace
}  // namespace mb::api

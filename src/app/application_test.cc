#include "app/application.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fstream>
#include <set>

#include "app/data_directory.h"

namespace mb::app {
namespace {

using tcp = asio::ip::tcp;

class ApplicationTest : public ::testing::Test {
 protected:
  ApplicationTest() {
    initCrypto();
    configureLog(LogLevel::error, LogFormat::text);
    std::string pattern = (std::filesystem::temp_directory_path() / "manybase-app-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~ApplicationTest() override {
    application_.reset();
    std::filesystem::remove_all(directory_);
  }

  Result<> start(Settings::Environment environment = {}) {
    environment.emplace("SERVICE_DATA_DIR", (directory_ / "data").string());
    environment.emplace("SERVICE_LISTEN", "127.0.0.1:0");
    Settings settings(std::move(environment));
    const AllSettings all(settings);
    EXPECT_EQ(settings.errors(), std::vector<std::string>{});
    TRY(application_, Application::start(all, {"1.2.3", "abc", "1.2.3"}));
    return {};
  }

  std::string get(std::string_view path) const {
    asio::io_context io;
    tcp::socket socket(io);
    socket.connect({asio::ip::make_address("127.0.0.1"), static_cast<uint16_t>(application_->port())});
    const std::string request = fmt::format("GET {} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", path);
    asio::write(socket, asio::buffer(request));
    std::string answer;
    boost::system::error_code ended;
    asio::read(socket, asio::dynamic_buffer(answer), ended);
    return answer;
  }

  std::filesystem::path directory_;
  std::unique_ptr<Application> application_;
};

TEST_F(ApplicationTest, EveryRouteSaysWhatItIs) {
  ASSERT_TRUE(start());
  const auto& routes = application_->routes().all();
  EXPECT_GT(routes.size(), 60u);
  const std::set<std::string_view> openPaths = {"/api/v1/health",
                                                "/api/v1/ready",
                                                "/api/v1/jwks.json",
                                                "/api/v1/openapi.json",
                                                "/api/v1/realtime",
                                                "/api/v1/billing/webhook",
                                                "/api/v1/control/setup-status",
                                                "/api/v1/auth/oauth/:provider/callback"};
  const std::set<std::string_view> pagePaths = {"/auth/login",
                                                "/reset-password",
                                                "/verify-email",
                                                "/examples/oauth",
                                                "/auth/assets/:version/:file",
                                                "/docs",
                                                "/graphiql",
                                                "/p/:project/docs",
                                                "/p/:project/graphiql",
                                                "/dashboard",
                                                "/dashboard/",
                                                "/dashboard/*path",
                                                "/dashboard/assets/:file",
                                                "/dashboard/sdk/manybase.mjs",
                                                "/dashboard/sdk/manybase.tgz"};
  std::set<std::string> anonymous;
  for (const auto& route : routes) {
    const std::string name = fmt::format("{} {}", http::methodName(route.method), route.pattern);
    EXPECT_FALSE(route.summary.empty()) << name;
    EXPECT_TRUE(route.handler) << name;
    if (pagePaths.contains(route.pattern)) {
      EXPECT_EQ(route.gate.plane, api::Plane::open) << name;
      continue;
    }
    EXPECT_TRUE(route.pattern.starts_with("/api/v1/")) << name;
    const bool control = route.pattern.starts_with("/api/v1/control/");
    using api::Plane;
    switch (route.gate.plane) {
      case Plane::open:
        EXPECT_TRUE(openPaths.contains(route.pattern) || route.pattern.find("/storage/") != std::string::npos ||
                    route.pattern.starts_with("/api/v1/control/auth/") || route.pattern.starts_with("/api/v1/run/"))
            << name << " is open";
        break;
      case Plane::admin:
        EXPECT_TRUE(route.pattern.starts_with("/api/v1/admin/") ||
                    route.pattern == "/api/v1/projects/:pid/openapi.json")
            << name;
        EXPECT_FALSE(route.gate.permission.empty()) << name;
        EXPECT_TRUE(route.gate.traits().needsProject()) << name;
        break;
      case Plane::control:
      case Plane::operators:
        EXPECT_TRUE(control) << name;
        break;
      case Plane::data:
      case Plane::dataOrPublic:
      case Plane::dataOrAnonymous:
        if (route.gate.plane == Plane::dataOrAnonymous) anonymous.insert(name);
        // The permission that a GraphQL request needs depends on its operation.
        EXPECT_TRUE(!route.gate.scope.empty() || route.pattern == "/api/v1/graphql") << name;
        [[fallthrough]];
      case Plane::authPublic:
      case Plane::endUser:
        EXPECT_FALSE(control || route.pattern.starts_with("/api/v1/admin/")) << name;
        EXPECT_TRUE(route.gate.traits().needsProject()) << name;
        break;
    }
  }
  // Requests without a token that public rules serve reach these, and nothing else.
  EXPECT_EQ(anonymous, (std::set<std::string>{"GET /api/v1/:collection!", "GET /api/v1/:collection!/:id",
                                              "POST /api/v1/:collection!", "POST /api/v1/:collection!/count",
                                              "POST /api/v1/:collection!/query", "POST /api/v1/:collection!/search",
                                              "POST /api/v1/graphql"}));
}

TEST_F(ApplicationTest, AnswersAndStops) {
  ASSERT_TRUE(start());
  const std::string health = get("/api/v1/health");
  EXPECT_TRUE(health.starts_with("HTTP/1.1 200")) << health;
  EXPECT_NE(health.find(R"("version":"1.2.3")"), std::string::npos);
  EXPECT_TRUE(get("/api/v1/ready").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(get("/nowhere").starts_with("HTTP/1.1 404"));
  application_->stop(std::chrono::seconds(1));
}

TEST_F(ApplicationTest, KeepsItsSecretAndItsDirectoryToItself) {
  ASSERT_TRUE(start());
  struct stat found{};
  ASSERT_EQ(::stat((directory_ / "data").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat((directory_ / "data/secret").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  const std::string keys = get("/api/v1/jwks.json");
  application_.reset();
  ASSERT_TRUE(start());
  // Response heads differ: each request has an id.
  const std::string again = get("/api/v1/jwks.json");
  EXPECT_EQ(again.substr(again.find("\r\n\r\n")), keys.substr(keys.find("\r\n\r\n")));
}

TEST_F(ApplicationTest, ADirectoryHasOneServer) {
  ASSERT_TRUE(start());
  std::unique_ptr<Application> first = std::move(application_);
  const auto second = start();
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message().find("use"), std::string::npos) << second.error().message();
}

TEST_F(ApplicationTest, ALostSecretIsSaid) {
  ASSERT_TRUE(start());
  application_.reset();
  std::ofstream(directory_ / "data/secret") << "nonsense";
  ASSERT_FALSE(start());
  std::filesystem::remove(directory_ / "data/secret");
  EXPECT_FALSE(start());
}

TEST(MasterSecretText, HoldsThirtyTwoRandomBytes) {
  initCrypto();
  EXPECT_TRUE(parseMasterSecret("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="));
  for (const auto* bad : {"", "changeme", "secret", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "c2hvcnQ=",
                          "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"}) {
    EXPECT_FALSE(parseMasterSecret(bad)) << bad;
  }
}

TEST(AllSettingsTest, TellsAllErrorsAtOnce) {
  Settings settings({{"SERVICE_SECRET", ""},
                     {"SERVICE_BASE_URL", "nonsense"},
                     {"SERVICE_TRUSTED_PROXIES", "10.0.0.0/99"},
                     {"MONGO_URL", "mongodb://h/?w=0"},
                     {"SERVICE_BILLING", "on"},
                     {"SERVICE_LISTN", "x"},
                     {"SERVICE_STORAGE", "off"},
                     {"REDIS_URL", ""}});
  const AllSettings all(settings);
  const auto errors = settings.errors();
  EXPECT_EQ(errors.size(), 6u) << fmt::format("{}", fmt::join(errors, "\n"));
}

TEST(AllSettingsTest, KnowsEveryName) {
  Settings settings({});
  const AllSettings all(settings);
  EXPECT_EQ(settings.errors(), std::vector<std::string>{});
  const std::string help = settings.help();
  for (const auto* name : {"SERVICE_LISTEN",
                           "SERVICE_BASE_URL",
                           "SERVICE_DATA_DIR",
                           "SERVICE_SECRET",
                           "MONGO_URL",
                           "REDIS_URL",
                           "SERVICE_CONTROL",
                           "SERVICE_CONTROL_REGISTRATION",
                           "SERVICE_AUTH_RATE_LIMIT",
                           "SERVICE_OPERATORS",
                           "SERVICE_DEFAULT_PROJECT",
                           "SERVICE_AUDIT",
                           "SERVICE_STORAGE",
                           "SERVICE_S3_ENDPOINT",
                           "SERVICE_S3_REGION",
                           "SERVICE_S3_BUCKET",
                           "SERVICE_S3_ACCESS_KEY",
                           "SERVICE_S3_SECRET_KEY",
                           "SERVICE_SMTP_URL",
                           "SERVICE_MAIL_FROM",
                           "SERVICE_BILLING",
                           "SERVICE_BILLING_SECRET_KEY",
                           "SERVICE_BILLING_WEBHOOK_SECRET",
                           "SERVICE_BILLING_API_URL",
                           "SERVICE_EMBEDDINGS_URL",
                           "SERVICE_EMBEDDINGS_MODEL",
                           "SERVICE_EMBEDDINGS_API_KEY",
                           "SERVICE_VECTOR_MEMORY",
                           "SERVICE_CONNECTIONS",
                           "SERVICE_REALTIME_MAX_CONNECTIONS",
                           "SERVICE_WORKERS",
                           "SERVICE_FUNCTIONS_JIT",
                           "SERVICE_TRUSTED_PROXIES",
                           "SERVICE_OUTBOUND_ALLOW",
                           "SERVICE_MANAGEMENT_LISTEN",
                           "SERVICE_LOG",
                           "SERVICE_LOG_LEVEL",
                           "SERVICE_MAX_BODY",
                           "SERVICE_CORS_ORIGINS",
                           "SERVICE_RUN_ORIGIN",
                           "SERVICE_OAUTH_GOOGLE_ISSUER",
                           "SERVICE_OAUTH_GITHUB_URL",
                           "SERVICE_BOT_TELEGRAM_URL",
                           "SERVICE_BOT_SLACK_URL",
                           "SERVICE_BOT_DISCORD_URL",
                           "SERVICE_CONTROL_OAUTH_GOOGLE_CLIENT_ID",
                           "SERVICE_CONTROL_OAUTH_GOOGLE_CLIENT_SECRET",
                           "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_ID",
                           "SERVICE_CONTROL_OAUTH_GITHUB_CLIENT_SECRET"}) {
    EXPECT_NE(help.find(std::string("  ") + name + " "), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace mb::app

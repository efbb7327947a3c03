#include "outbound/client_fixture.h"

namespace mb::outbound {
namespace {

class RedirectTest : public ClientFixture {
 protected:
  Request following(std::string url, int hops = 5) {
    Request request = requestTo(std::move(url));
    request.maxRedirects = hops;
    request.headers = {{"Authorization", "secret"}, {"Accept", "text/html"}, {"X-Token", "secret"}};
    return request;
  }
};

TEST_F(RedirectTest, OnlyWhereRequested) {
  const HttpServer server([](const ReceivedRequest& r) { return r.path() == "/a" ? redirect(302, "/b") : ok(); });
  open({"127.0.0.0/8"});
  EXPECT_EQ(outcome(send(following(server.url("/a"), 0))), "302");
  const auto followed = send(following(server.url("/a")));
  ASSERT_EQ(outcome(followed), "200");
  EXPECT_EQ(followed->url, server.url("/b"));
  EXPECT_TRUE(server.seen().back().has("authorization: secret"));
}

TEST_F(RedirectTest, EndAfterSoMany) {
  const HttpServer server([](const ReceivedRequest& r) {
    const int n = std::stoi(r.path().substr(1));
    return n == 0 ? ok() : redirect(307, "/" + std::to_string(n - 1));
  });
  open({"127.0.0.0/8"});
  EXPECT_EQ(outcome(send(following(server.url("/3"), 3))), "200");
  EXPECT_EQ(outcome(send(following(server.url("/4"), 3))), "failed");
  EXPECT_EQ(outcome(send(following(server.url("/10"), 1000))), "200");
  EXPECT_EQ(outcome(send(following(server.url("/11"), 1000))), "failed");
}

TEST_F(RedirectTest, EachHopIsChecked) {
  std::string to;
  const HttpServer server([&](const ReceivedRequest&) { return redirect(302, to); });
  open({"127.0.0.1"});
  for (const std::string& target :
       {server.url("/", "127.0.0.2"), server.url("/", "[::1]"), std::string("http://169.254.169.254/"),
        std::string("file:///etc/passwd"), std::string("gopher://127.0.0.1/"), std::string("http://u:p@127.0.0.1/"),
        std::string("\\\\127.0.0.1\\x")}) {
    to = target;
    EXPECT_EQ(outcome(send(following(server.url("/")))), "refused") << target;
  }
}

TEST_F(RedirectTest, SecretsStayWithTheOrigin) {
  const HttpServer other([](const ReceivedRequest&) { return ok(); });
  const HttpServer server([&](const ReceivedRequest&) { return redirect(302, other.url("/there")); });
  open({"127.0.0.0/8"});
  EXPECT_EQ(outcome(send(following(server.url("/")))), "200");
  const ReceivedRequest seen = other.seen().at(0);
  EXPECT_TRUE(seen.has("accept: text/html"));
  EXPECT_FALSE(seen.has("secret")) << seen.headers;
}

TEST_F(RedirectTest, BodiesAreSentOnlyWithinTheOrigin) {
  const HttpServer other([](const ReceivedRequest&) { return ok(); });
  int status = 307;
  std::string to = "/b";
  const HttpServer server([&](const ReceivedRequest& r) { return r.path() == "/a" ? redirect(status, to) : ok(); });
  open({"127.0.0.0/8"});
  Request request = following(server.url("/a"));
  request.method = "POST";
  request.body = "secret";
  request.headers.push_back({"Content-Type", "text/plain"});
  EXPECT_EQ(outcome(send(request)), "200");
  EXPECT_EQ(server.seen().back().line, "POST /b HTTP/1.1");
  EXPECT_EQ(server.seen().back().body, "secret");
  status = 303;
  EXPECT_EQ(outcome(send(request)), "200");
  EXPECT_EQ(server.seen().back().line, "GET /b HTTP/1.1");
  EXPECT_EQ(server.seen().back().body, "");
  EXPECT_FALSE(server.seen().back().has("content-type"));
  status = 308;
  to = other.url("/");
  EXPECT_EQ(outcome(send(request)), "refused");
  EXPECT_TRUE(other.seen().empty());
}

TEST_F(RedirectTest, NeverFromHttpsToHttp) {
  const testing::Certificate certificate("IP:127.0.0.1");
  const HttpServer plain([](const ReceivedRequest&) { return ok(); });
  const HttpServer secure(
      [&](const ReceivedRequest& r) { return redirect(302, r.path() == "/a" ? plain.url("/") : "/a"); }, &certificate);
  open({"127.0.0.0/8"}, certificate.pem());
  EXPECT_EQ(outcome(send(following(secure.url("/b", "127.0.0.1", "https")))), "refused");
  EXPECT_TRUE(plain.seen().empty());
  EXPECT_EQ(secure.seen().size(), 2u);
}

}  // namespace
}  // namespace mb::outbound

#include "outbound/client.h"

#include <cstdlib>
#include <future>

#include "outbound/client_fixture.h"

namespace mb::outbound {
namespace {

using namespace std::chrono_literals;

class ClientTest : public ClientFixture {
 protected:
  std::future<Result<Response>> start(Request request) {
    return std::async(std::launch::async, [this, request = std::move(request)] { return send(request); });
  }
  // Handlers that return their response after release().
  class HandlerBarrier {
   public:
    auto until(std::string response) {
      return [ended = ended_, response = std::move(response)](const ReceivedRequest&) {
        ended.wait();
        return response;
      };
    }
    void release() { end_.set_value(); }

   private:
    std::promise<void> end_;
    std::shared_future<void> ended_ = end_.get_future().share();
  };
  // Waits for its slot and its response longer than a test takes.
  static Request patientRequest(const HttpServer& server, CallKeys keys) {
    Request request = requestTo(server.url("/"), Trust::deployment);
    request.timeout = 60s;
    request.keys = std::move(keys);
    return request;
  }
};

TEST_F(ClientTest, SendsAndReceives) {
  const HttpServer server(
      [](const ReceivedRequest&) { return ok("hello", "X-Kind: first\r\nX-Kind: second\r\nEmpty:\r\n"); });
  open();
  Request request = requestTo(server.url("/a/../b?c=d#e"), Trust::deployment);
  request.method = "POST";
  request.headers = {{"Authorization", "Bearer abc"}, {"Content-Type", "application/json"}, {"X-Nothing", ""}};
  request.body = R"({"a":1})";
  const auto response = send(request);
  ASSERT_EQ(outcome(response), "200");
  EXPECT_EQ(response->body, "hello");
  EXPECT_EQ(response->header("x-kind"), "first");
  EXPECT_EQ(response->header("empty"), "");
  EXPECT_EQ(response->header("none"), "");
  const ReceivedRequest seen = server.seen().at(0);
  EXPECT_EQ(seen.line, "POST /b?c=d HTTP/1.1");
  EXPECT_EQ(seen.body, R"({"a":1})");
  EXPECT_TRUE(seen.has("authorization: Bearer abc\n"));
  EXPECT_TRUE(seen.has("content-type: application/json\n"));
  EXPECT_TRUE(seen.has("user-agent: manybase\n"));
  EXPECT_TRUE(seen.has("x-nothing:\n"));
  EXPECT_FALSE(seen.has("expect"));
  EXPECT_FALSE(seen.has("accept-encoding"));
}

TEST_F(ClientTest, EveryMethod) {
  const HttpServer server([](const ReceivedRequest& request) {
    return request.line.starts_with("HEAD") ? std::string("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n") : ok();
  });
  open();
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}) {
    for (const char* body : {"", "x"}) {
      Request request = requestTo(server.url("/"), Trust::deployment);
      request.method = method;
      if (request.method != "HEAD") request.body = body;
      ASSERT_EQ(outcome(send(request)), "200") << method;
      const ReceivedRequest seen = server.seen().back();
      EXPECT_EQ(seen.line, std::string(method) + " / HTTP/1.1");
      EXPECT_EQ(seen.body, request.body);
      EXPECT_FALSE(seen.has("content-type")) << method;
    }
  }
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(ClientTest, AnyStatusIsAResponse) {
  const HttpServer server([](const ReceivedRequest& request) {
    return fmt::format("HTTP/1.1 {} Word\r\ncontent-length: 0\r\n\r\n", request.path().substr(1));
  });
  open();
  for (const char* status : {"204", "302", "404", "500", "599"}) {
    EXPECT_EQ(outcome(get(server.url(std::string("/") + status), Trust::deployment)), status);
  }
}

TEST_F(ClientTest, GuardedCallsDoNotReachThisMachine) {
  const HttpServer server([](const ReceivedRequest&) { return ok(); });
  open();
  EXPECT_EQ(outcome(get(server.url("/"))), "refused");
  EXPECT_EQ(server.connections(), 0u);
  EXPECT_EQ(client_->stats().refused, 1u);
}

TEST_F(ClientTest, UrlsThatAreNotCalled) {
  open({"127.0.0.0/8"});
  for (const char* url : {"", "file:///etc/passwd", "ftp://127.0.0.1/", "http://u:p@127.0.0.1/", "http:///x", "//x/"}) {
    EXPECT_EQ(outcome(get(url)), "refused") << url;
  }
}

TEST_F(ClientTest, WhatTheOperatorAllowsIsReached) {
  const HttpServer server([](const ReceivedRequest&) { return ok(); });
  open({"127.0.0.1"});
  EXPECT_EQ(outcome(get(server.url("/"))), "200");
  EXPECT_EQ(outcome(get(server.url("/", "localhost"))), "200");
  EXPECT_EQ(outcome(get(server.url("/", "127.0.0.2"))), "refused");
}

TEST_F(ClientTest, ConnectionsAreReusedWithinOneTrust) {
  const HttpServer server([](const ReceivedRequest&) { return ok(); });
  open({"127.0.0.1"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome(get(server.url("/"))), "200");
  EXPECT_EQ(server.connections(), 1u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome(get(server.url("/"), Trust::deployment)), "200");
  EXPECT_EQ(server.connections(), 2u);
}

TEST_F(ClientTest, AConnectionOfTheOperatorDoesNotServeAProject) {
  const HttpServer server([](const ReceivedRequest&) { return ok(); });
  open();
  EXPECT_EQ(outcome(get(server.url("/"), Trust::deployment)), "200");
  EXPECT_EQ(outcome(get(server.url("/"))), "refused");
}

TEST_F(ClientTest, NoProxyOfTheEnvironment) {
  const HttpServer server([](const ReceivedRequest&) { return ok(); });
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  ::setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
  open();
  EXPECT_EQ(outcome(get(server.url("/"), Trust::deployment)), "200");
  ::unsetenv("http_proxy");
  ::unsetenv("ALL_PROXY");
}

TEST_F(ClientTest, BrokenResponsesFail) {
  const std::map<std::string, std::string> responses = {
      {"/nothing", ""},
      {"/noise", "\x01\x02\x03 what\r\n\r\n"},
      {"/old", "just text"},
      {"/short", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close\r\n\r\nfew"},
      {"/chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"},
      {"/long", ok(std::string(2000, 'x'))},
      {"/flood",
       "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7d0\r\n" + std::string(2000, 'x') + "\r\n0\r\n\r\n"},
      {"/headers", ok("", "x: " + std::string(70'000, 'x') + "\r\n")},
  };
  const HttpServer server([&](const ReceivedRequest& request) { return responses.at(request.path()); });
  open();
  for (const auto& [path, response] : responses) {
    Request request = requestTo(server.url(path), Trust::deployment);
    request.timeout = path == "/old" || path == "/noise" ? 300ms : 5000ms;
    request.maxResponseBytes = 1000;
    const std::string outcome = ClientFixture::outcome(send(request));
    EXPECT_TRUE(outcome == "failed" || (request.timeout == 300ms && outcome == "timed out")) << path << ": " << outcome;
  }
}

TEST_F(ClientTest, StatusOnlyReadsNoMoreThanTheLimit) {
  const std::string endless(1 << 20, 'x');
  const HttpServer server([&](const ReceivedRequest& request) {
    return request.path() == "/said" ? ok(endless) : "HTTP/1.1 202 Accepted\r\nconnection: close\r\n\r\n" + endless;
  });
  open();
  for (const char* path : {"/said", "/unsaid"}) {
    Request request = requestTo(server.url(path), Trust::deployment);
    request.maxResponseBytes = 1000;
    EXPECT_EQ(outcome(send(request)), "failed") << path;
    request.statusOnly = true;
    const auto response = send(request);
    EXPECT_EQ(outcome(response), path == std::string("/said") ? "200" : "202") << path;
    EXPECT_LE(response->body.size(), 1000u);
  }
}

TEST_F(ClientTest, AcceptsAResponseOfTheMaximumSize) {
  const HttpServer server([](const ReceivedRequest&) { return ok(std::string(1000, 'x')); });
  open();
  Request request = requestTo(server.url("/"), Trust::deployment);
  request.maxResponseBytes = 1000;
  EXPECT_EQ(outcome(send(request)), "200");
  request.maxResponseBytes = 999;
  EXPECT_EQ(outcome(send(request)), "failed");
}

TEST_F(ClientTest, APortWithoutAListenerFails) {
  int port = 0;
  {
    const HttpServer closed([](const ReceivedRequest&) { return ok(); });
    port = closed.port();
  }
  open();
  EXPECT_EQ(outcome(get(fmt::format("http://127.0.0.1:{}/", port), Trust::deployment)), "failed");
}

TEST_F(ClientTest, SlowResponsesTimeOut) {
  HandlerBarrier barrier;
  const HttpServer server(barrier.until(std::string()));
  open();
  Request request = requestTo(server.url("/"), Trust::deployment);
  request.timeout = 50ms;
  EXPECT_EQ(outcome(send(request)), "timed out");
  barrier.release();
}

TEST_F(ClientTest, WaitingForASlotCountsAgainstTheTimeout) {
  HandlerBarrier barrier;
  const HttpServer server(barrier.until(ok()));
  open();
  const Request request = patientRequest(server, {"proj_a", "webhook/x"});
  std::vector<std::future<Result<Response>>> running;
  for (int i = 0; i < 4; ++i) running.push_back(start(request));
  waitFor([&] { return server.seen().size() == 4; });
  Request fifth = request;
  fifth.timeout = 50ms;
  EXPECT_EQ(outcome(send(fifth)), "timed out");
  EXPECT_EQ(server.seen().size(), 4u);
  auto sixth = start(request);
  waitFor([&] { return client_->stats().waiting == 1; });
  Request elsewhere = request;
  elsewhere.keys.target = "webhook/y";
  auto other = start(elsewhere);
  waitFor([&] { return server.seen().size() == 5; });
  barrier.release();
  for (auto& one : running) EXPECT_EQ(outcome(one.get()), "200");
  EXPECT_EQ(outcome(sixth.get()), "200");
  EXPECT_EQ(outcome(other.get()), "200");
}

TEST_F(ClientTest, AProjectOrTargetThatUsesAllItsSlotsDelaysNoOther) {
  HandlerBarrier barrier;
  const HttpServer dead(barrier.until(ok()));
  const HttpServer alive([](const ReceivedRequest&) { return ok(); });
  open();
  std::vector<std::future<Result<Response>>> calls;
  for (int i = 0; i < 8; ++i) calls.push_back(start(patientRequest(dead, {"a", "webhook/dead"})));
  waitFor([&] { return client_->stats().running == 4 && client_->stats().waiting == 4; });
  EXPECT_EQ(outcome(send(patientRequest(alive, {"a", "webhook/alive"}))), "200");
  for (int i = 0; i < 70; ++i) calls.push_back(start(patientRequest(dead, {"a", "webhook/" + std::to_string(i)})));
  waitFor([&] { return client_->stats().running == 64; });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(outcome(send(patientRequest(alive, {"b", "webhook/alive"}))), "200");
  EXPECT_EQ(client_->stats().running, 64u);
  EXPECT_EQ(alive.connections(), 1u);  // each call after the first on the connection of the one before
  barrier.release();
  for (auto& call : calls) EXPECT_EQ(outcome(call.get()), "200");
}

TEST_F(ClientTest, RequestsThatCannotBeSent) {
  open();
  const auto wrong = [&](const std::function<void(Request&)>& change) {
    Request request = requestTo("http://127.0.0.1:1/", Trust::deployment);
    change(request);
    EXPECT_EQ(outcome(send(request)), "VALIDATION");
  };
  for (const char* method : {"", "get", "CONNECT", "TRACE", "GET /x"}) wrong([&](Request& r) { r.method = method; });
  for (const char* name : {"", "a b", "a:", "x\r\ny", "Host", "content-LENGTH", "Transfer-Encoding", "connection"}) {
    wrong([&](Request& r) { r.headers = {{name, "v"}}; });
  }
  for (const char* value : {"a\r\nb: c", "a\nb", "\x01", "\x7f"})
    wrong([&](Request& r) { r.headers = {{"x", value}}; });
  wrong([](Request& r) { r.headers = {{"x", std::string("a\0b", 3)}}; });
  wrong([](Request& r) { r.headers = {{"x", std::string(40'000, 'x')}}; });
  wrong([](Request& r) { r.headers.assign(101, {"x", "y"}); });
}

TEST_F(ClientTest, StopEndsAllCalls) {
  HandlerBarrier barrier;
  const HttpServer server(barrier.until(std::string()));
  open();
  const Request request = patientRequest(server, {"p", "t"});
  std::vector<std::future<Result<Response>>> calls;
  for (int i = 0; i < 6; ++i) calls.push_back(start(request));
  waitFor([&] { return client_->stats().running == 4 && client_->stats().waiting == 2; });
  client_->stop();
  for (auto& call : calls) EXPECT_EQ(outcome(call.get()), "UNAVAILABLE");
  EXPECT_EQ(outcome(send(request)), "UNAVAILABLE");
  client_->stop();
  barrier.release();
}

TEST_F(ClientTest, ManyAtATime) {
  const HttpServer server([](const ReceivedRequest& request) { return ok(request.path()); });
  open();
  std::vector<std::future<Result<Response>>> calls;
  for (int i = 0; i < 100; ++i) {
    Request request = requestTo(server.url("/" + std::to_string(i)), Trust::deployment);
    request.keys.project = std::to_string(i % 7);
    calls.push_back(start(request));
  }
  for (int i = 0; i < 100; ++i) {
    const auto response = calls[static_cast<size_t>(i)].get();
    ASSERT_EQ(outcome(response), "200");
    EXPECT_EQ(response->body, "/" + std::to_string(i));
  }
  waitFor([&] { return client_->stats().running == 0; });
}

}  // namespace
}  // namespace mb::outbound

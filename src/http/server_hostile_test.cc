// The listener over real sockets: clients that break the rules, are slow, exceed limits, or do not read.
#include <gmock/gmock.h>

#include "http/test_server.h"

namespace mb::http {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

ServerSettings impatient() {
  ServerSettings settings;
  settings.headTimeout = seconds(1);
  settings.bodyTimeout = seconds(1);
  settings.idleTimeout = seconds(1);
  settings.writeTimeout = seconds(1);
  return settings;
}

void expectRefusal(const ReceivedResponse& response, int status, std::string_view code) {
  EXPECT_EQ(response.status, status);
  EXPECT_THAT(response.body, HasSubstr(fmt::format(R"("code":"{}")", code)));
  EXPECT_EQ(response.header("connection"), "close");
  EXPECT_EQ(response.header("content-type"), "application/json");
  EXPECT_TRUE(response.header("x-request-id"));
}

TEST(HostileClient, BrokenHttpGetsOneResponseAndTheConnectionEnds) {
  TestServer server;
  constexpr std::string_view kBroken[] = {
      "GET / HTTP/1.1\nHost: x\n\n",
      "\x16\x03\x01\x02\x00\x01",
      "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  };
  for (const std::string_view broken : kBroken) {
    TestClient client(server.port());
    client.send(broken);
    client.send("GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
    expectRefusal(client.read(), 400, "VALIDATION");
    EXPECT_TRUE(client.closed()) << broken;
  }
  EXPECT_EQ(server.service.handled(), 0);
}

TEST(HostileClient, ResponsesBeforeTheBrokenRequestAreSent) {
  TestServer server;
  TestClient client(server.port());
  client.send("GET /json/3 HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n");
  EXPECT_EQ(client.read().body, "aaa");
  expectRefusal(client.read(), 400, "VALIDATION");
  EXPECT_TRUE(client.closed());
}

TEST(HostileClient, HeadsHaveABound) {
  TestServer server;
  TestClient large(server.port());
  large.send("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(64 << 10, 'a') + "\r\n\r\n");
  expectRefusal(large.read(), 431, "HEADERS_TOO_LARGE");
  TestClient many(server.port());
  std::string head = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 100; ++i) head += "a: b\r\n";
  many.send(head + "\r\n");
  expectRefusal(many.read(), 431, "HEADERS_TOO_LARGE");
}

TEST(HostileClient, BodiesHaveABound) {
  TestServer server;
  TestClient sized(server.port());
  sized.send("POST /tiny HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nelevenbytes");
  expectRefusal(sized.read(), 413, "PAYLOAD_TOO_LARGE");
  EXPECT_TRUE(sized.closed());
  TestClient chunked(server.port());
  chunked.send("POST /tiny HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nelevenbytes\r\n0\r\n\r\n");
  expectRefusal(chunked.read(), 413, "PAYLOAD_TOO_LARGE");
  EXPECT_TRUE(chunked.closed());
  TestClient fits(server.port());
  fits.send("POST /tiny HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nten bytes!");
  EXPECT_EQ(fits.read().body, "ten bytes!");
  EXPECT_EQ(server.service.handled(), 1);
}

TEST(HostileClient, ALargeRefusedBodyDoesNotLoseTheResponse) {
  TestServer server;
  TestClient client(server.port());
  client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 200000000\r\n\r\n" + std::string(200'000, 'a'));
  expectRefusal(client.read(), 413, "PAYLOAD_TOO_LARGE");
}

TEST(HostileClient, WhatTheServiceRefusesEndsOnlyConnectionsWithABody) {
  TestServer server;
  TestClient without(server.port());
  without.send("GET /refused HTTP/1.1\r\nHost: x\r\n\r\nGET /json/3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(without.read().status, 404);
  EXPECT_EQ(without.read().body, "aaa");
  TestClient with(server.port());
  with.send("POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /json/3 HTTP/1.1\r\nHost: x\r\n\r\n");
  expectRefusal(with.read(), 404, "NOT_FOUND");
  EXPECT_TRUE(with.closed());
  EXPECT_EQ(server.service.handled(), 1);
}

TEST(HostileClient, SlowHeadsAndBodiesAreCutOff) {
  TestServer server(impatient());
  TestClient head(server.port());
  head.send("GET / HTTP/1.1\r\n");
  TestClient sized(server.port());
  sized.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na");
  TestClient chunked(server.port());
  chunked.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab");
  for (TestClient* client : {&head, &sized, &chunked}) {
    expectRefusal(client->read(), 408, "REQUEST_TIMEOUT");
    EXPECT_TRUE(client->closed());
  }
}

TEST(HostileClient, DribblingDoesNotBuyTime) {
  TestServer server(impatient());
  TestClient client(server.port());
  std::atomic<bool> stop = false;
  std::thread dribble([&] {
    for (int i = 0; i < 500 && !stop; ++i) {
      client.send("x");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  expectRefusal(client.read(), 408, "REQUEST_TIMEOUT");
  stop = true;
  dribble.join();
}

TEST(HostileClient, IdleConnectionsAreClosedWithoutAWord) {
  TestServer server(impatient());
  TestClient fresh(server.port());
  TestClient used(server.port());
  used.send("GET /json/3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(used.read().body, "aaa");
  EXPECT_TRUE(fresh.closed());
  EXPECT_TRUE(used.closed());
}

TEST(HostileClient, AHandlerMayTakeLongerThanEveryTimeout) {
  TestServer server(impatient());
  TestClient client(server.port());
  client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return server.service.handled() == 1; }));
  // Connections that begin to wait later reach their limits in the meantime.
  TestClient idle(server.port());
  TestClient head(server.port());
  head.send("GET / HTTP/1.1\r\n");
  TestClient body(server.port());
  body.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na");
  EXPECT_TRUE(idle.closed());
  expectRefusal(head.read(), 408, "REQUEST_TIMEOUT");
  expectRefusal(body.read(), 408, "REQUEST_TIMEOUT");
  server.service.release();
  EXPECT_EQ(client.read().status, 200);
}

TEST(HostileClient, OneWhoDoesNotReadIsCutOff) {
  TestServer server(impatient());
  TestClient client(server.port(), 4096);
  client.send("GET /text/50000000 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return server.service.handled() == 1; }));
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 0; }));
}

TEST(HostileClient, OneWhoTakesALittleNowAndThenIsCutOff) {
  ServerSettings settings = impatient();
  settings.writeTimeout = seconds(2);
  settings.slowestClient = 100 << 20;
  TestServer server(settings);
  TestClient client(server.port(), 4096);
  client.send("GET /text/50000000 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(eventually([&] { return server.service.handled() == 1; }));
  // Each bit is progress; the server has sent for two seconds and more by the tenth.
  for (int i = 0; i < 50 && server.server.connections() > 0; ++i) {
    client.readSome();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_EQ(server.server.connections(), 0U);
}

TEST(HostileClient, OneWhoNeverReadsCannotPipelineWithoutBound) {
  TestServer server;
  TestClient client(server.port(), 4096);
  std::string requests;
  while (requests.size() < (1 << 20)) requests += "GET /text/10000 HTTP/1.1\r\nHost: x\r\n\r\n";
  size_t sent = 0;
  while (sent < (size_t{64} << 20)) {
    const size_t now = client.sendFor(requests, std::chrono::milliseconds(300));
    sent += now;
    if (now < requests.size()) break;
  }
  EXPECT_LT(sent, size_t{64} << 20) << "the server stops reading";
}

TEST(HostileClient, TooManyConnectionsAreClosedAtOnce) {
  ServerSettings settings;
  settings.maxConnections = 2;
  TestServer server(settings);
  auto first = std::make_unique<TestClient>(server.port());
  TestClient second(server.port());
  for (TestClient* client : {first.get(), &second}) {
    client->send("GET /json/3 HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client->read().body, "aaa");
  }
  TestClient third(server.port());
  EXPECT_TRUE(third.closed());
  first.reset();
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 1; }));
  TestClient fourth(server.port());
  fourth.send("GET /json/3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(fourth.read().body, "aaa");
}

TEST(HostileClient, GoingAwayHalfwayIsNoHarm) {
  TestServer server;
  for (const std::string_view part :
       {"", "G", "GET / HTTP/1.1\r\nHost", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n", "GET /text/5000000 HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    TestClient client(server.port());
    client.send(part);
  }
  server.service.release();
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 0; }));
}

}  // namespace
}  // namespace mb::http

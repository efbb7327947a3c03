// Draining: running requests finish, idle connections are closed, requests that do not end are aborted.
#include <gmock/gmock.h>

#include "http/test_server.h"

namespace mb::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kWait = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kJson = "GET /json/3 HTTP/1.1\r\nHost: x\r\n\r\n";

TEST(Drain, ClosesIdleConnectionsAndFinishesRunningOnes) {
  TestServer server;
  TestClient idle(server.port());
  idle.send(kJson);
  EXPECT_EQ(idle.read().status, 200);
  TestClient untouched(server.port());
  TestClient running(server.port());
  running.send(std::string(kWait) + std::string(kJson));
  ASSERT_TRUE(eventually([&] { return server.service.handled() == 2; }));
  std::thread drain([&] { server.server.drain(seconds(10)); });
  EXPECT_TRUE(idle.closed());
  EXPECT_TRUE(untouched.closed());
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 1; }));
  server.service.release();
  const ReceivedResponse response = running.read();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.header("connection"), "close");
  EXPECT_TRUE(running.closed()) << "the next request is not begun";
  drain.join();
  EXPECT_EQ(server.server.connections(), 0U);
}

TEST(Drain, AcceptsNobodyAnyMore) {
  TestServer server;
  server.server.drain(seconds(1));
  const int port = server.port();
  Cores cores(1);
  TestService service;
  ServerSettings settings;
  settings.port = port;
  Server next(settings, cores, service);
  EXPECT_TRUE(next.listen()) << "the port is free for the next server";
}

TEST(Drain, EndsWhatDoesNotEndByTheLimit) {
  TestServer server;
  TestClient stalled(server.port(), 4096);
  stalled.send("GET /text/50000000 HTTP/1.1\r\nHost: x\r\n\r\n");
  TestClient partial(server.port());
  partial.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na");
  ASSERT_TRUE(eventually([&] { return server.service.handled() == 1; }));
  server.server.drain(milliseconds(100));
  EXPECT_EQ(server.server.connections(), 0U);
}

TEST(Drain, BeforeTheCoresRunIsHarmless) {
  Cores cores(2);
  TestService service;
  ServerSettings settings;
  settings.port = 0;
  Server server(settings, cores, service);
  ASSERT_TRUE(server.listen());
  EXPECT_GT(server.port(), 0);
}

}  // namespace
}  // namespace mb::http

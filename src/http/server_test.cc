// The listener over real sockets: clients that keep to the protocol.
#include "http/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <atomic>
#include <set>
#include <thread>

#include "base/descriptor.h"
#include "http/test_server.h"

namespace mb::http {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string get(std::string_view path, std::string_view headers = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n{}\r\n", path, headers);
}
std::string post(std::string_view path, std::string_view body) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}", path, body.size(), body);
}

TEST(Server, RespondsOneAfterAnotherOnOneConnection) {
  TestServer server;
  TestClient client(server.port());
  for (int i = 0; i < 5; ++i) {
    client.send(post("/echo", fmt::format("body {}", i)));
    const ReceivedResponse response = client.read();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, fmt::format("body {}", i));
    EXPECT_TRUE(response.header("date"));
    EXPECT_FALSE(response.header("connection"));
  }
}

TEST(Server, HandsUpWhatItRead) {
  TestServer server;
  TestClient client(server.port());
  client.send("PATCH /request?a=1 HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine-1\r\nContent-Length: 3\r\n\r\nabc");
  const ReceivedResponse response = client.read();
  EXPECT_EQ(response.body,
            "PATCH /request ?a=1 from 127.0.0.1 id mine-1\nHost=x\nX-Request-Id=mine-1\nContent-Length=3\nbody=abc");
  EXPECT_EQ(response.header("x-request-id"), "mine-1");
}

TEST(Server, MakesARequestIdWhereTheGivenOneIsNotWellFormed) {
  TestServer server;
  TestClient client(server.port());
  std::set<std::string> ids;
  const std::string longId(65, 'a');
  for (const std::string& id : {std::string(), std::string("a b"), std::string("a\"b"), std::string("é"), longId}) {
    client.send(get("/", "X-Request-Id: " + id + "\r\n"));
    ids.insert(client.read().header("x-request-id").value());
  }
  EXPECT_EQ(ids.size(), 5U);
  EXPECT_FALSE(ids.contains("a b"));
  client.send(get("/", "X-Request-Id: " + longId.substr(1) + "\r\n"));
  EXPECT_EQ(client.read().header("x-request-id"), longId.substr(1));
}

TEST(Server, RespondsToPipelinedRequestsInOrder) {
  TestServer server;
  TestClient client(server.port());
  std::string all;
  for (int i = 0; i < 200; ++i) all += post("/echo", fmt::format("{}", i)) + get("/json/5");
  client.send(all);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(client.read().body, fmt::format("{}", i));
    ASSERT_EQ(client.read().body, "aaaaa");
  }
}

TEST(Server, RespondsToPipelinedRequestsWithLargeBodiesInOrder) {
  TestServer server;
  TestClient client(server.port());
  std::string all;
  for (int i = 0; i < 20; ++i) all += get("/text/100000") + post("/echo", fmt::format("{}", i));
  client.send(all);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(client.read().body.size(), 100'000U);
    ASSERT_EQ(client.read().body, fmt::format("{}", i));
  }
}

TEST(Server, ReadsRequestsByteByByte) {
  TestServer server;
  TestClient client(server.port());
  const std::string chunked =
      "PUT /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (const char c : get("/json/3") + post("/echo", "twelve bytes") + chunked) client.send(std::string_view(&c, 1));
  EXPECT_EQ(client.read().body, "aaa");
  EXPECT_EQ(client.read().body, "twelve bytes");
  EXPECT_EQ(client.read().body, "abc");
}

TEST(Server, ReadsLargeBodies) {
  TestServer server;
  TestClient client(server.port());
  std::string body;
  while (body.size() < TestService::kBodyLimit) body += std::to_string(body.size());
  body.resize(TestService::kBodyLimit);
  client.send(post("/echo", body) + post("/echo", "next"));
  EXPECT_EQ(client.read().body, body);
  EXPECT_EQ(client.read().body, "next");
  std::string chunked = "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (size_t at = 0; at < body.size(); at += 60'000) {
    const std::string piece = body.substr(at, 60'000);
    chunked += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  }
  client.send(chunked + "0\r\n\r\n" + post("/echo", "next"));
  EXPECT_EQ(client.read().body, body);
  EXPECT_EQ(client.read().body, "next");
}

TEST(Server, HeadersStandAfterALargeBodyHasMovedThem) {
  TestServer server;
  TestClient client(server.port());
  client.send("POST /request?q HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nContent-Length: 300000\r\n\r\n");
  for (int i = 0; i < 30; ++i) client.send(std::string(10'000, 'z'));
  EXPECT_THAT(client.read().body, HasSubstr("POST /request ?q from 127.0.0.1"));
}

TEST(Server, RespondsToARequestWhoseSenderHasFinished) {
  TestServer server;
  TestClient client(server.port());
  client.send(post("/echo", "last words"));
  client.finishSending();
  EXPECT_EQ(client.read().body, "last words");
  EXPECT_TRUE(client.closed());
}

TEST(Server, CancelsARequestWhoseClientHasLeft) {
  TestServer server;
  {
    TestClient client(server.port());
    client.send(get("/until-left"));
    ASSERT_TRUE(eventually([&] { return server.service.handled() == 1; }));
  }
  EXPECT_TRUE(eventually([&] { return server.service.left() == 1; }));
  // Also where the client has sent more than the server has read.
  {
    TestClient client(server.port());
    client.send(get("/until-left") + get("/wait"));
    ASSERT_TRUE(eventually([&] { return server.service.handled() == 2; }));
  }
  EXPECT_TRUE(eventually([&] { return server.service.left() == 2; }));
}

TEST(Server, CancelsNothingThatOutlivesItsClient) {
  TestServer server;
  {
    TestClient client(server.port());
    client.send(get("/status/200") + get("/stays"));
    ASSERT_TRUE(eventually([&] { return server.service.handled() == 2; }));
  }
  {
    TestClient client(server.port());
    client.send(get("/until-left"));
    ASSERT_TRUE(eventually([&] { return server.service.handled() == 3; }));
  }
  // This client disconnected last, so the server has checked both.
  EXPECT_TRUE(eventually([&] { return server.service.left() == 1; }));
  server.service.release();
  server.server.drain(std::chrono::seconds(10));
  EXPECT_EQ(server.service.left(), 1);
}

TEST(Server, GoesOnForASenderThatHasFinished) {
  TestServer server;
  TestClient client(server.port());
  client.send(get("/until-left"));
  client.finishSending();
  EXPECT_EQ(client.read().status, 102);
  TestClient old(server.port());
  old.send("GET /until-left HTTP/1.0\r\n\r\n");
  old.finishSending();
  TestClient other(server.port());
  other.send(get("/until-left"));
  other.finishSending();
  EXPECT_EQ(other.read().status, 102);
  server.service.release();
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(other.read().status, 200);
  EXPECT_EQ(old.read().status, 200);
  EXPECT_EQ(server.service.left(), 0);
}

TEST(Server, ContinuesWhenAsked) {
  TestServer server;
  TestClient client(server.port());
  const std::string head = "PUT /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
  client.send(head);
  EXPECT_EQ(client.read().status, 100);
  client.send("abc");
  EXPECT_EQ(client.read().body, "abc");
  client.send(head + "abc");
  EXPECT_EQ(client.read().body, "abc") << "no 100 if the body has arrived";
}

TEST(Server, DoesNotContinueWithABodyThatIsTooLarge) {
  TestServer server;
  TestClient client(server.port());
  client.send("PUT /tiny HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(client.read().status, 413);
}

TEST(Server, HeadHasTheHeadersOfGetAndNoBody) {
  TestServer server;
  TestClient client(server.port());
  client.send("HEAD /json/2000 HTTP/1.1\r\nHost: x\r\n\r\n" + get("/json/2000"));
  const ReceivedResponse head = client.read(true);
  const ReceivedResponse got = client.read();
  EXPECT_EQ(head.header("content-length"), "2000");
  EXPECT_EQ(head.header("content-type"), got.header("content-type"));
  EXPECT_EQ(got.body.size(), 2000U);
  client.send("HEAD /json/2000 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n" +
              get("/json/2000", "Accept-Encoding: gzip\r\n"));
  const ReceivedResponse packedHead = client.read(true);
  const ReceivedResponse packed = client.read();
  EXPECT_EQ(packedHead.header("content-length"), packed.header("content-length"));
  EXPECT_EQ(packedHead.header("content-encoding"), "gzip");
}

TEST(Server, SomeResponsesHaveNoBody) {
  TestServer server;
  TestClient client(server.port());
  for (const int status : {204, 304}) {
    client.send(get(fmt::format("/status/{}", status)) + get("/json/1"));
    const ReceivedResponse response = client.read();
    EXPECT_EQ(response.status, status);
    EXPECT_FALSE(response.header("content-length"));
    EXPECT_EQ(client.read().body, "a") << "the next response follows at once";
  }
}

TEST(Server, CompressesJsonForThoseWhoAsk) {
  TestServer server;
  TestClient client(server.port());
  for (const int size : {2000, 1'000'000}) {  // in place, and in the pool
    client.send(get(fmt::format("/json/{}", size), "Accept-Encoding: br, gzip\r\n"));
    const ReceivedResponse packed = client.read();
    EXPECT_EQ(packed.header("content-encoding"), "gzip");
    EXPECT_EQ(packed.header("vary"), "accept-encoding");
    EXPECT_LT(packed.body.size(), static_cast<size_t>(size) / 10);
    EXPECT_TRUE(packed.body.starts_with("\x1f\x8b"));
  }
  client.send(get("/json/2000", "Accept-Encoding: gzip;q=0\r\n"));
  const ReceivedResponse plain = client.read();
  EXPECT_FALSE(plain.header("content-encoding"));
  EXPECT_EQ(plain.header("vary"), "accept-encoding");
  EXPECT_EQ(plain.body.size(), 2000U);
  client.send(get("/json/1000", "Accept-Encoding: gzip\r\n") + get("/text/2000", "Accept-Encoding: gzip\r\n"));
  EXPECT_FALSE(client.read().header("vary"));
  EXPECT_EQ(client.read().body.size(), 2000U);
}

TEST(Server, ClosesWhenItIsSaid) {
  TestServer server;
  for (const std::string& request :
       {get("/json/3", "Connection: close\r\n"), get("/close"), std::string("GET /json/3 HTTP/1.0\r\n\r\n")}) {
    TestClient client(server.port());
    client.send(request + get("/json/3"));
    const ReceivedResponse response = client.read();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.header("connection"), "close");
    EXPECT_TRUE(client.closed()) << request;
  }
}

TEST(Server, KeepsHttp10ConnectionsThatAskForIt) {
  TestServer server;
  TestClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    client.send("GET /json/3 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(client.read().header("connection"), "keep-alive");
  }
}

TEST(Server, AHandlerThatThrowsIsAPlain500) {
  TestServer server;
  TestClient client(server.port());
  testing::internal::CaptureStderr();
  client.send(get("/throw"));
  const ReceivedResponse response = client.read();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("a secret bug"));
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr(R"("code":"INTERNAL")"));
  EXPECT_THAT(response.body, Not(HasSubstr("secret")));
  client.send(get("/json/3"));
  EXPECT_EQ(client.read().body, "aaa") << "the connection continues";
}

TEST(Server, HeadersCannotBeSplit) {
  TestServer server;
  TestClient client(server.port());
  client.send(get("/injected"));
  const ReceivedResponse response = client.read();
  EXPECT_FALSE(response.header("set-cookie"));
  EXPECT_EQ(response.header("x-evil"), "a  set-cookie: b");
}

TEST(Server, ServesOnEveryCore) {
  TestServer server({}, 2);
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<TestClient>(server.port()));
    clients.back()->send(get("/json/3"));
  }
  for (auto& client : clients) EXPECT_EQ(client->read().body, "aaa");
  EXPECT_EQ(server.server.connections(), 20U);
  clients.clear();
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 0; }));
}

TEST(Server, SaysWhenTheAddressIsTaken) {
  TestServer first;
  Cores cores(1);
  TestService service;
  ServerSettings settings;
  settings.port = first.port();
  Server second(settings, cores, service);
  const auto listening = second.listen();
  ASSERT_FALSE(listening);
  EXPECT_THAT(listening.error().message(), HasSubstr(fmt::format("cannot listen on 127.0.0.1:{}", first.port())));
}

TEST(Server, StartsWhileClientsAlreadyCome) {
  ServerSettings settings;
  settings.port = TestServer().port();
  std::atomic<bool> over = false;
  std::thread knocking([&] {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(settings.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    while (!over) {
      const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      static_cast<void>(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
    }
  });
  TestService service;
  for (int i = 0; i < 300; ++i) {
    Cores cores(2);
    Server server(settings, cores, service);
    const auto listening = server.listen();
    EXPECT_TRUE(listening) << listening.error().message();
  }
  over = true;
  knocking.join();
}

TEST(Server, ReadsItsSettings) {
  constexpr std::tuple<std::string_view, std::string_view, int> kGood[] = {
      {"0.0.0.0:80", "0.0.0.0", 80}, {"[::1]:8090", "::1", 8090}, {"localhost:1", "127.0.0.1", 1}};
  for (const auto& [text, host, port] : kGood) {
    Settings settings({{"SERVICE_LISTEN", std::string(text)}});
    const ServerSettings read(settings);
    EXPECT_TRUE(settings.errors().empty()) << text;
    EXPECT_EQ(read.host, host);
    EXPECT_EQ(read.port, port);
  }
  for (const std::string text : {"", "8090", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000",
                                 "127.0.0.1:-1", "example.org:80", ":80"}) {
    Settings settings({{"SERVICE_LISTEN", text}});
    const ServerSettings read(settings);
    EXPECT_EQ(settings.errors().size(), 1U) << text;
    EXPECT_EQ(read.port, 8090);
  }
}

}  // namespace
}  // namespace mb::http

// Responses that are files or streamed, over real sockets.
#include <gmock/gmock.h>

#include "http/body_server_fixture.h"

namespace mb::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr size_t kFile = 1 << 20;  // bytes of pattern, then as many zero bytes

std::string fileBytes(size_t from, size_t bytes) {
  std::string all = pattern(kFile) + std::string(kFile, '\0');
  return all.substr(from, bytes);
}

// Not by EXPECT_EQ, which would print a megabyte.
void expectFile(const ReceivedResponse& response, size_t from, size_t bytes) {
  EXPECT_EQ(response.header("content-length"), std::to_string(bytes));
  EXPECT_TRUE(response.body == fileBytes(from, bytes)) << from << " " << bytes << ": " << response.body.size();
}

// The bytes after the head until the server closes, which must be fewer than content-length.
std::string cutBody(TestClient& client) {
  const std::string all = client.readAll();
  const size_t end = all.find("\r\n\r\n");
  if (end == std::string::npos) return "no head";
  EXPECT_THAT(all.substr(0, end), HasSubstr("200 OK"));
  return all.substr(end + 4);
}

TEST(Download, AnyPieceOfAFileComesWhole) {
  BodyServer server;
  TestClient client(server.port());
  for (const size_t from : {size_t{0}, size_t{1}, size_t{4095}, kFile - 300'001, kFile + 1000}) {
    for (const size_t bytes :
         {size_t{0}, size_t{1}, size_t{1024}, size_t{64 << 10}, size_t{(64 << 10) + 1}, size_t{700'000}}) {
      client.send(getFrom(fmt::format("/file/{}/{}", from, bytes)));
      const ReceivedResponse response = client.read();
      EXPECT_EQ(response.status, 200);
      expectFile(response, from, bytes);
    }
  }
}

TEST(Download, TheNextResponseFollows) {
  BodyServer server;
  TestClient client(server.port());
  std::string requests;
  for (int i = 0; i < 3; ++i) {
    for (const std::string_view path : {"/plain", "/file/10/500000", "/file/0/10", "/pieces/3/200000"})
      requests += getFrom(path);
  }
  std::thread sender([&] { client.send(requests); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.read().body, "plain");
    expectFile(client.read(), 10, 500'000);
    expectFile(client.read(), 0, 10);
    EXPECT_TRUE(client.read().body == pattern(600'000));
  }
  sender.join();
}

TEST(Download, HeadTellsTheSameWithoutABody) {
  BodyServer server;
  TestClient client(server.port());
  for (const std::string_view path : {"/file/0/10", "/file/0/500000", "/pieces/4/1000", "/never"}) {
    client.send(fmt::format("HEAD {} HTTP/1.1\r\nHost: x\r\n\r\n", path));
    const ReceivedResponse response = client.read(true);
    EXPECT_EQ(response.status, 200);
    EXPECT_NE(response.header("content-length").value_or("0"), "0");
  }
  EXPECT_EQ(server.service.pieces, 0U) << "sources are not read";
  client.send(getFrom("/plain"));
  EXPECT_EQ(client.read().body, "plain");
  EXPECT_EQ(server.service.sources, 0);
}

TEST(Download, AnUnchangedFileIsNotSent) {
  BodyServer server;
  TestClient client(server.port());
  client.send(getFrom("/unchanged") + getFrom("/plain"));
  const ReceivedResponse response = client.read();
  EXPECT_EQ(response.status, 304);
  EXPECT_FALSE(response.header("content-length"));
  EXPECT_EQ(client.read().body, "plain");
}

TEST(Download, IsNeverEncoded) {
  BodyServer server;
  TestClient client(server.port());
  for (const size_t bytes : {size_t{5000}, size_t{300'000}}) {
    client.send(fmt::format("GET /part/7/{} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n", bytes));
    const ReceivedResponse response = client.read();
    EXPECT_EQ(response.status, 206);
    EXPECT_FALSE(response.header("content-encoding"));
    EXPECT_EQ(response.header("content-range"), fmt::format("bytes 7-{}/2097152", 6 + bytes));
    expectFile(response, 7, bytes);
  }
}

TEST(Download, AFileThatIsShorterIsNotPassedOffAsWhole) {
  BodyServer server;
  TestClient small(server.port());
  small.send(getFrom("/file/2097142/11"));
  EXPECT_EQ(small.read().status, 500) << "nothing was sent before the failure";
  TestClient large(server.port());
  large.send(getFrom("/file/1500000/1000000"));
  EXPECT_LT(cutBody(large).size(), 1'000'000U);
}

TEST(Download, ComesInPiecesToTheLastByte) {
  BodyServer server;
  TestClient client(server.port());
  for (const auto& [count, bytes] : {std::pair<size_t, size_t>(1, 1), {1, 100'000}, {1000, 1}, {7, 131'072}}) {
    client.send(getFrom(fmt::format("/pieces/{}/{}", count, bytes)));
    const ReceivedResponse response = client.read();
    EXPECT_EQ(response.header("content-length"), std::to_string(count * bytes));
    EXPECT_TRUE(response.body == pattern(count * bytes));
  }
  client.send(getFrom("/pieces/0/1000"));
  EXPECT_EQ(client.read().header("content-length"), "0");
  client.send(getFrom("/long") + getFrom("/plain"));
  EXPECT_TRUE(client.read().body == pattern(1000)) << "bytes past size() are not sent";
  EXPECT_EQ(client.read().body, "plain");
  EXPECT_EQ(server.service.sources, 0);
}

TEST(Download, ASourceThatBreaksOffEndsTheConnection) {
  BodyServer server;
  for (const std::string_view path : {"/ends", "/fails", "/throws"}) {
    TestClient client(server.port());
    client.send(getFrom(path) + getFrom("/plain"));
    EXPECT_TRUE(cutBody(client) == pattern(1000)) << path;
  }
  EXPECT_EQ(server.service.sources, 0);
}

TEST(Download, ASourceThatFailsAtOnceIsAnError) {
  BodyServer server;
  TestClient client(server.port());
  client.send(getFrom("/never") + getFrom("/plain"));
  const ReceivedResponse response = client.read();
  EXPECT_EQ(response.status, 502);
  EXPECT_THAT(response.body, HasSubstr("the store does not respond"));
  EXPECT_EQ(client.read().body, "plain");
}

TEST(Download, OneWhoDoesNotReadIsNotReadFor) {
  BodyServer server;
  TestClient client(server.port(), 4096);
  client.send(getFrom("/pieces/1000/1000000"));
  ASSERT_TRUE(eventually([&] { return server.service.pieces > 0; }));
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_LT(server.service.pieces, 100U) << "pieces are produced as they are sent";
}

TEST(Download, OneWhoGoesIsLetGo) {
  BodyServer server({}, 64 << 20);
  {
    TestClient pieces(server.port(), 4096);
    pieces.send(getFrom("/pieces/1000/1000000"));
    TestClient file(server.port(), 4096);
    file.send(getFrom("/file/0/100000000"));
    ASSERT_TRUE(eventually([&] { return server.service.sources == 1 && server.service.file.use_count() > 1; }));
    EXPECT_EQ(pieces.readBytes(100).size(), 100U);
    EXPECT_EQ(file.readBytes(100).size(), 100U);
  }
  EXPECT_TRUE(eventually([&] { return server.service.sources == 0 && server.service.file.use_count() == 1; }));
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 0; }));
}

TEST(Download, OneWhoDoesNotReadIsCutOff) {
  ServerSettings settings;
  settings.writeTimeout = seconds(1);
  BodyServer server(settings, 64 << 20);
  TestClient file(server.port(), 4096);
  file.send(getFrom("/file/0/100000000"));
  TestClient pieces(server.port(), 4096);
  pieces.send(getFrom("/pieces/1000/1000000"));
  EXPECT_TRUE(eventually([&] { return server.service.ended == 2; }));
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 0; }));
  EXPECT_EQ(server.service.file.use_count(), 1);
  EXPECT_EQ(server.service.sources, 0);
}

TEST(Download, OneWhoTakesALittleNowAndThenIsCutOff) {
  ServerSettings settings;
  settings.writeTimeout = seconds(2);
  settings.slowestClient = 100 << 20;
  BodyServer server(settings, 64 << 20);
  TestClient client(server.port(), 4096);
  client.send(getFrom("/file/0/100000000"));
  EXPECT_TRUE(eventually([&] { return server.service.ended == 1; }));
  for (int i = 0; i < 50 && server.server.connections() > 0; ++i) {
    client.readSome();
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_EQ(server.server.connections(), 0U);
}

TEST(Download, MayTakeLongerThanEveryTimeoutWhileItIsTaken) {
  ServerSettings settings;
  settings.writeTimeout = seconds(2);
  BodyServer server(settings, 32 << 20);
  TestClient client(server.port(), 64 << 10);
  client.send(getFrom("/file/0/33554432"));
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(client.readBytes(300'000).size(), 300'000U) << i;
    std::this_thread::sleep_for(milliseconds(100));
  }
}

TEST(Download, DrainingLetsItEnd) {
  BodyServer server({}, 32 << 20);
  TestClient client(server.port());
  client.send(getFrom("/file/0/33554432"));
  ASSERT_TRUE(eventually([&] { return server.service.ended == 1; }));
  std::thread drain([&] { server.server.drain(seconds(10)); });
  EXPECT_TRUE(client.read().body == pattern(32 << 20));
  drain.join();
}

TEST(Download, DrainingEndsOneThatIsNotTaken) {
  BodyServer server({}, 32 << 20);
  TestClient client(server.port(), 4096);
  client.send(getFrom("/file/0/33554432"));
  ASSERT_TRUE(eventually([&] { return server.service.ended == 1; }));
  server.server.drain(milliseconds(100));
  EXPECT_EQ(server.server.connections(), 0U);
  EXPECT_EQ(server.service.file.use_count(), 1);
}

}  // namespace
}  // namespace mb::http

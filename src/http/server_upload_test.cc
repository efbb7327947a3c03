// Bodies of requests that their handlers read piece by piece, over real sockets.
#include <gmock/gmock.h>

#include "http/body_server_fixture.h"

namespace mb::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

ServerSettings impatientUploads() {
  ServerSettings settings;
  settings.bodyTimeout = seconds(1);
  return settings;
}

TEST(Upload, ArrivesInPiecesOfABound) {
  BodyServer server;
  TestClient client(server.port());
  for (const size_t size : {size_t{0}, size_t{1}, size_t{4096}, size_t{200'000}, size_t{5'000'000}}) {
    const std::string body = pattern(size);
    client.send(put("/count", body));
    EXPECT_EQ(client.read().body, countOf(body));
    client.send(putChunked("/count", body, 70'000));
    EXPECT_EQ(client.read().body, countOf(body));
  }
  EXPECT_LE(server.service.largest, BodyReader::kMaxPiece);
  EXPECT_GT(server.service.pieces, 10'000'000 / BodyReader::kMaxPiece);
}

TEST(Upload, SaysWhatIsKnownOfTheSize) {
  BodyServer server;
  TestClient client(server.port());
  client.send(put("/size", "abc"));
  EXPECT_EQ(client.read().body, "3");
  client.send("PUT /size HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.read().body, "0") << "no body at all";
  client.send(putChunked("/size", "abc", 3));
  EXPECT_EQ(client.read().body, "unknown");
}

TEST(Upload, TheNextRequestIsFoundBehindIt) {
  BodyServer server;
  const std::string body = pattern(150'000);
  for (const std::string& upload :
       {put("/count", body), putChunked("/count", body, 1000), putChunked("/count", body, 1 << 20)}) {
    TestClient client(server.port());
    std::thread sender(
        [&] { client.send(getFrom("/plain") + upload + getFrom("/plain") + upload + getFrom("/plain")); });
    EXPECT_EQ(client.read().body, "plain");
    EXPECT_EQ(client.read().body, countOf(body));
    EXPECT_EQ(client.read().body, "plain");
    EXPECT_EQ(client.read().body, countOf(body));
    EXPECT_EQ(client.read().body, "plain");
    sender.join();
  }
}

TEST(Upload, MayComeInAnyPieces) {
  BodyServer server;
  const std::string body = pattern(10);
  for (const std::string& wire : {put("/count", body), putChunked("/count", body, 3)}) {
    const std::string all = wire + getFrom("/plain");
    for (size_t cut = 1; cut < all.size(); ++cut) {
      TestClient client(server.port());
      client.send(std::string_view(all).substr(0, cut));
      std::this_thread::sleep_for(milliseconds(1));
      client.send(std::string_view(all).substr(cut));
      EXPECT_EQ(client.read().body, countOf(body)) << cut;
      EXPECT_EQ(client.read().body, "plain") << cut;
    }
  }
}

TEST(Upload, EarlierResponsesDoNotWaitForIt) {
  BodyServer server;
  TestClient client(server.port());
  client.send(getFrom("/plain") + "PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read().body, "plain");
  client.send("abc");
  EXPECT_EQ(client.read().body, countOf("abc"));
}

TEST(Upload, AHandlerThatDoesNotReadSlowsItsClientDown) {
  BodyServer server;
  TestClient client(server.port(), 4096);
  const std::string body = pattern(64 << 20);
  client.send(fmt::format("PUT /held HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.size()));
  const size_t sent = client.sendFor(body, milliseconds(300));
  EXPECT_LT(sent, body.size()) << "the server does not read";
  server.service.release();
  client.send(std::string_view(body).substr(sent));
  EXPECT_EQ(client.read().body, countOf(body));
}

TEST(Upload, IsAskedForWhenItIsRead) {
  BodyServer server;
  TestClient client(server.port());
  client.send("PUT /held HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return server.service.handled == 1; }));
  server.service.release();
  EXPECT_EQ(client.readBytes(25), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(client.read().body, countOf("abc"));
  client.send(put("/held", "abc", "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.read().body, countOf("abc")) << "no 100 for a client that did not wait";
}

TEST(Upload, IsNotAskedForWhereItIsRefused) {
  BodyServer server;
  for (const std::string_view path : {"/refused", "/limit/2"}) {
    TestClient client(server.port());
    client.send(fmt::format("PUT {} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n", path));
    const ReceivedResponse response = client.read();
    EXPECT_EQ(response.status, path == "/refused" ? 403 : 413);
    EXPECT_EQ(response.header("connection"), "close") << "the server cannot know whether the body follows";
    client.finishSending();
    EXPECT_TRUE(client.closed());
  }
}

TEST(Upload, ShortOnesThatNobodyReadsArePassedOver) {
  BodyServer server;
  TestClient client(server.port());
  for (const size_t size : {1, 5000, 64 << 10}) {
    const std::string wire = put("/refused", std::string(size, 'a'));
    client.send(wire + getFrom("/plain"));
    EXPECT_EQ(client.read().status, 403);
    EXPECT_EQ(client.read().body, "plain");
    // The response does not wait for the body.
    const size_t head = wire.size() - size;
    client.send(std::string_view(wire).substr(0, head));
    const ReceivedResponse early = client.read();
    EXPECT_EQ(early.status, 403);
    EXPECT_FALSE(early.header("connection"));
    client.send(std::string_view(wire).substr(head));
    client.send(getFrom("/plain"));
    EXPECT_EQ(client.read().body, "plain");
  }
  client.send(put("/some/1", pattern(60'000)) + getFrom("/plain"));
  EXPECT_EQ(client.read().status, 403);
  EXPECT_EQ(client.read().body, "plain");
}

TEST(Upload, LongOnesThatNobodyReadsEndTheConnection) {
  BodyServer server;
  for (const std::string_view path : {"/refused", "/some/1", "/some/100000", "/limit/70000"}) {
    TestClient client(server.port());
    client.send(put(path, pattern(3'000'000)) + getFrom("/plain"));
    const ReceivedResponse response = client.read();
    EXPECT_EQ(response.status, path.starts_with("/limit") ? 413 : 403);
    EXPECT_EQ(response.header("connection"), "close");
    client.finishSending();
    EXPECT_TRUE(client.closed()) << "later requests get no response";
  }
  EXPECT_EQ(server.service.handled, 4);
}

TEST(Upload, AClientThatKeepsSendingSeesTheResponse) {
  BodyServer server;
  TestClient client(server.port());
  client.send("PUT /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 30000000\r\n\r\n");
  client.send(pattern(30'000'000));
  EXPECT_EQ(client.read().status, 403);
  EXPECT_TRUE(client.closed());
}

TEST(Upload, LimitsHoldForBothKindsOfBodies) {
  BodyServer server;
  for (const bool chunked : {false, true}) {
    const auto wire = [&](size_t size) {
      return chunked ? putChunked("/limit/5000", pattern(size), 999) : put("/limit/5000", pattern(size));
    };
    TestClient fits(server.port());
    fits.send(wire(5000));
    EXPECT_EQ(fits.read().body, countOf(pattern(5000)));
    TestClient over(server.port());
    over.send(wire(5001));
    const ReceivedResponse response = over.read();
    EXPECT_EQ(response.status, 413);
    EXPECT_THAT(response.body, HasSubstr("at most 5000 bytes"));
    EXPECT_EQ(server.service.lastFailure, ErrorCode::payloadTooLarge);
  }
}

TEST(Upload, BrokenChunksFailTheRead) {
  BodyServer server;
  for (const std::string_view chunks :
       {"zz\r\n", "3\r\nabcd\r\n0\r\n\r\n", "-1\r\n", "3\nabc\n0\n\n", "ffffffffffffffffff\r\n", "\r\n", "0\r\n\n"}) {
    TestClient client(server.port());
    client.send("PUT /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
    client.send(chunks);
    client.send(getFrom("/plain"));
    const ReceivedResponse response = client.read();
    EXPECT_EQ(response.status, 400) << chunks;
    EXPECT_EQ(response.header("connection"), "close");
    client.finishSending();
    EXPECT_TRUE(client.closed());
  }
  EXPECT_EQ(server.service.failures, 7);
}

TEST(Upload, OneThatStallsIsEnded) {
  BodyServer server(impatientUploads());
  TestClient sized(server.port());
  sized.send("PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na");
  TestClient chunked(server.port());
  chunked.send("PUT /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab");
  for (TestClient* client : {&sized, &chunked}) {
    EXPECT_EQ(client->read().status, 408);
    client->finishSending();
    EXPECT_TRUE(client->closed());
  }
  EXPECT_EQ(server.service.lastFailure, ErrorCode::requestTimeout);
}

TEST(Upload, DribblingDoesNotBuyTime) {
  BodyServer server(impatientUploads());
  TestClient client(server.port());
  client.send("PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
  std::atomic<bool> stop = false;
  std::thread dribble([&] {
    for (int i = 0; i < 500 && !stop; ++i) {
      client.send("x");
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  EXPECT_EQ(client.read().status, 408);
  stop = true;
  dribble.join();
}

TEST(Upload, MayTakeLongerThanEveryTimeoutWhileItComes) {
  ServerSettings settings = impatientUploads();
  settings.slowestClient = 1000;
  BodyServer server(settings);
  TestClient client(server.port());
  const std::string body = pattern(20'000);
  client.send(fmt::format("PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.size()));
  for (size_t at = 0; at < body.size(); at += 1000) {
    client.send(std::string_view(body).substr(at, 1000));
    std::this_thread::sleep_for(milliseconds(200));
  }
  EXPECT_EQ(client.read().body, countOf(body));
}

TEST(Upload, TheHandlersOwnTimeIsNotTheClients) {
  BodyServer server(impatientUploads());
  TestClient client(server.port());
  client.send(put("/held", pattern(1000)));
  EXPECT_TRUE(eventually([&] { return server.service.handled == 1; }));
  // An upload that begins later and stops reaches its limit in the meantime.
  TestClient stopped(server.port());
  stopped.send("PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na");
  EXPECT_EQ(stopped.read().status, 408);
  server.service.release();
  EXPECT_EQ(client.read().body, countOf(pattern(1000)));
}

TEST(Upload, AClientThatGoesFailsTheRead) {
  BodyServer server;
  for (const std::string_view part :
       {"PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
        "PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n",
        "PUT /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "PUT /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"}) {
    TestClient client(server.port());
    client.send(part);
  }
  EXPECT_TRUE(eventually([&] { return server.service.failures == 4; }));
  EXPECT_TRUE(eventually([&] { return server.server.connections() == 0; }));
}

TEST(Upload, DrainingLetsItEnd) {
  BodyServer server;
  TestClient client(server.port());
  client.send("PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
  ASSERT_TRUE(eventually([&] { return server.service.pieces == 1; }));
  std::thread drain([&] { server.server.drain(seconds(10)); });
  std::this_thread::sleep_for(milliseconds(50));
  client.send("cd");
  const ReceivedResponse response = client.read();
  EXPECT_EQ(response.body, countOf("abcd"));
  EXPECT_EQ(response.header("connection"), "close");
  drain.join();
}

TEST(Upload, DrainingEndsOneThatDoesNotEnd) {
  BodyServer server;
  TestClient client(server.port());
  client.send("PUT /count HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
  ASSERT_TRUE(eventually([&] { return server.service.pieces == 1; }));
  server.server.drain(milliseconds(100));
  EXPECT_EQ(server.server.connections(), 0U);
  EXPECT_EQ(server.service.ended, 1);
}

}  // namespace
}  // namespace mb::http

// The time limits of a socket, on a hub that checks its sockets when the test says so.
#include "realtime/realtime_fixture.h"
#include "realtime/session.h"

namespace mb::realtime {
namespace {

class SocketLimitsTest : public RealtimeTest {
 protected:
  SocketLimitsTest() {
    onCore([&] {
      client_.handler =
          std::make_shared<Session>(hub_, *shared_.unknown->take("192.0.2.1"), SocketOrigin{"192.0.2.1", ""});
      client_.handler->opened(client_.socket);
    });
  }
  ~SocketLimitsTest() override {
    onCore([&] { client_.handler->closed(); });
    EXPECT_TRUE(shared_.background.closeAndWait(std::chrono::seconds(10)));
  }
  void authenticate() {
    say(client_, R"({"type":"auth","token":"alice"})");
    EXPECT_EQ(next(client_), R"({"type":"auth_ok"})");
  }
  // The socket accepts no message from now on; a reply is waiting.
  void block() {
    onCore([&] { client_.socket.full = true; });
    say(client_, R"({"type":"unsubscribe","id":"nothing"})");
  }
  // The close code after that many further seconds; 0 while the socket is open.
  uint16_t codeAfter(int seconds) {
    onCore([&] {
      for (int i = 0; i < seconds; ++i) hub_.checkSockets();
    });
    return client_.socket.closeCode;
  }

  Shared shared_{.deps = {store_.feed(), auth_, data_->grants(), cores_, clock_, master_, snapshots_, plan_.slot},
                 .unknown = std::make_shared<AddressLimiter>(1),
                 .connections = std::make_shared<ProjectLimiter>(1),
                 .anonymous = std::make_shared<AddressLimiter>(1),
                 .anonymousOfProject = std::make_shared<ProjectLimiter>(1),
                 .feeds = nullptr,
                 .background = {}};
  CoreHub hub_{shared_, 0};
  Client client_;
};

TEST_F(SocketLimitsTest, AuthenticationHasTenSeconds) {
  EXPECT_EQ(codeAfter(10), 0);
  EXPECT_EQ(codeAfter(1), http::closeCode::kPolicyViolation);
}

TEST_F(SocketLimitsTest, AnAuthenticatedOneStaysOpen) {
  authenticate();
  EXPECT_EQ(codeAfter(100), 0);
}

TEST_F(SocketLimitsTest, AClientThatDoesNotReadForTwentySecondsIsClosed) {
  authenticate();
  block();
  EXPECT_EQ(codeAfter(20), 0);
  EXPECT_EQ(codeAfter(1), http::closeCode::kTryAgainLater);
}

TEST_F(SocketLimitsTest, AClientThatReadsInTimeStaysOpen) {
  authenticate();
  block();
  EXPECT_EQ(codeAfter(20), 0);
  onCore([&] {
    client_.socket.full = false;
    client_.handler->drained();
  });
  EXPECT_EQ(code(next(client_)), "UNKNOWN_SUBSCRIPTION");
  EXPECT_EQ(codeAfter(100), 0);
}

}  // namespace
}  // namespace mb::realtime

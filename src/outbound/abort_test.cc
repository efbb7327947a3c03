#include <future>

#include "outbound/client_fixture.h"

namespace mb::outbound {
namespace {

using namespace std::chrono_literals;

class AbortTest : public ClientFixture {
 protected:
  AbortTest() { open({"127.0.0.1"}); }
  ~AbortTest() override { release(); }

  std::future<Result<Response>> start(const HttpServer& server, std::string path, std::stop_token aborted = {}) {
    Request request = requestTo(server.url(path));
    request.timeout = 60s;
    request.keys = {"proj_a", "integration/x"};
    request.aborted = std::move(aborted);
    return std::async(std::launch::async, [this, request = std::move(request)] { return send(request); });
  }
  void release() {
    if (!std::exchange(released_, true)) end_.set_value();
  }

  std::promise<void> end_;
  std::shared_future<void> ended_ = end_.get_future().share();
  bool released_ = false;
  HttpServer slow_{[ended = ended_](const ReceivedRequest&) {
    ended.wait();
    return ok();
  }};
};

TEST_F(AbortTest, ARunningCallEndsAndReleasesItsSlot) {
  std::stop_source run;
  std::vector<std::future<Result<Response>>> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(start(slow_, "/", run.get_token()));
  waitFor([&] { return slow_.seen().size() == 4; });
  run.request_stop();
  for (auto& call : calls) EXPECT_EQ(outcome(call.get()), "timed out");
  waitFor([&] { return client_->stats().running == 0; });
  const HttpServer quick([](const ReceivedRequest&) { return ok(); });
  EXPECT_EQ(outcome(start(quick, "/").get()), "200");
}

TEST_F(AbortTest, AWaitingCallEndsAndIsNeverSent) {
  std::vector<std::future<Result<Response>>> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(start(slow_, "/first"));
  waitFor([&] { return slow_.seen().size() == 4; });
  std::stop_source run;
  auto waiting = start(slow_, "/second", run.get_token());
  waitFor([&] { return client_->stats().waiting == 1; });
  run.request_stop();
  EXPECT_EQ(outcome(waiting.get()), "timed out");
  release();
  for (auto& call : calls) EXPECT_EQ(outcome(call.get()), "200");
  EXPECT_EQ(outcome(start(slow_, "/third").get()), "200");
  for (const ReceivedRequest& seen : slow_.seen()) EXPECT_NE(seen.path(), "/second");
}

TEST_F(AbortTest, BeforeTheCall) {
  std::stop_source run;
  run.request_stop();
  EXPECT_EQ(outcome(start(slow_, "/", run.get_token()).get()), "timed out");
  EXPECT_TRUE(slow_.seen().empty());
  MailMessage message;
  message.server.host = "127.0.0.1";
  message.server.port = slow_.port();
  message.from = "a@example.com";
  message.to = {"b@example.com"};
  message.data = "Subject: x\r\n\r\nx\r\n";
  message.aborted = run.get_token();
  EXPECT_EQ(outcome(store::testing::runOn(cores_, 0, client_->mail(std::move(message)))), "timed out");
}

TEST_F(AbortTest, AfterItsEndNothingHappens) {
  const HttpServer quick([](const ReceivedRequest&) { return ok(); });
  std::stop_source run;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(outcome(start(quick, "/", run.get_token()).get()), "200");
  run.request_stop();
  EXPECT_EQ(outcome(start(quick, "/").get()), "200");
}

// Abort and response race: whichever is first, the call ends once.
TEST_F(AbortTest, RacesWithTheResponse) {
  const HttpServer quick([](const ReceivedRequest&) { return ok(); });
  for (int i = 0; i < 200; ++i) {
    std::stop_source run;
    auto call = start(quick, "/", run.get_token());
    std::this_thread::sleep_for(std::chrono::microseconds(i * 7));
    run.request_stop();
    const std::string end = outcome(call.get());
    EXPECT_TRUE(end == "200" || end == "timed out") << end;
  }
  waitFor([&] { return client_->stats().running == 0; });
}

TEST_F(AbortTest, PublicOnlyReachesPublicAddressesOnly) {
  const HttpServer quick([](const ReceivedRequest&) { return ok(); });
  EXPECT_EQ(outcome(get(quick.url("/"), Trust::publicOnly)), "refused");
  EXPECT_EQ(outcome(get(quick.url("/"))), "200");
  EXPECT_EQ(outcome(get(quick.url("/"), Trust::publicOnly)), "refused");  // the open connection is not reused
  EXPECT_EQ(quick.connections(), 1u);
}

}  // namespace
}  // namespace mb::outbound

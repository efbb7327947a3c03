#include "store/mongo/socket_stream.h"

#include <gtest/gtest.h>
#include <mongoc/mongoc.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <thread>

namespace mb::store::mongo {

namespace {

constexpr int32_t kLong = 60'000;  // milliseconds

class SocketStreamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    stream_ = newSocketStream(Descriptor(ends[0]));
    peer_ = Descriptor(ends[1]);
  }
  void TearDown() override { mongoc_stream_destroy(stream_); }

  ssize_t readSome(size_t size, size_t least, int32_t timeout) {
    return mongoc_stream_read(stream_, bytes_.data(), size, least, timeout);
  }
  void send(std::string_view text) const { ASSERT_EQ(::send(peer_.get(), text.data(), text.size(), 0), text.size()); }

  mongoc_stream_t* stream_ = nullptr;
  Descriptor peer_;
  std::string bytes_ = std::string(1 << 20, '\0');
};

TEST_F(SocketStreamTest, ReadsAtLeastWhatIsWanted) {
  send("abc");
  EXPECT_EQ(readSome(2, 2, kLong), 2);
  std::jthread later([&] { send("defg"); });
  EXPECT_EQ(readSome(100, 5, kLong), 5);
  EXPECT_EQ(bytes_.substr(0, 5), "cdefg");
}

TEST_F(SocketStreamTest, WithoutATimeoutNothingBlocks) {
  EXPECT_EQ(readSome(10, 0, 0), 0);
  EXPECT_TRUE(mongoc_stream_should_retry(stream_));
  EXPECT_EQ(readSome(10, 1, 0), -1);
  EXPECT_TRUE(mongoc_stream_should_retry(stream_));
  EXPECT_FALSE(mongoc_stream_timed_out(stream_));
  // The peer reads nothing.
  EXPECT_LT(mongoc_stream_write(stream_, bytes_.data(), bytes_.size(), 0), static_cast<ssize_t>(bytes_.size()));
  EXPECT_TRUE(mongoc_stream_should_retry(stream_));
}

TEST_F(SocketStreamTest, ATimeoutEndsAWait) {
  EXPECT_EQ(readSome(10, 1, 1), -1);
  EXPECT_TRUE(mongoc_stream_timed_out(stream_));
  EXPECT_FALSE(mongoc_stream_should_retry(stream_));
}

TEST_F(SocketStreamTest, WritesAllWhileThePeerReads) {
  std::jthread reader([&] {
    std::array<char, 1 << 16> read;
    pollfd waiting{.fd = peer_.get(), .events = POLLIN, .revents = 0};
    for (size_t all = 0; all < bytes_.size();) {
      (void)::poll(&waiting, 1, kLong);
      all += static_cast<size_t>(std::max<ssize_t>(::recv(peer_.get(), read.data(), read.size(), 0), 0));
    }
  });
  EXPECT_EQ(mongoc_stream_write(stream_, bytes_.data(), bytes_.size(), kLong), static_cast<ssize_t>(bytes_.size()));
}

TEST_F(SocketStreamTest, NoticesThatThePeerHasEnded) {
  EXPECT_FALSE(mongoc_stream_check_closed(stream_));
  peer_ = Descriptor();
  EXPECT_TRUE(mongoc_stream_check_closed(stream_));
  EXPECT_EQ(readSome(10, 0, 0), 0);
  EXPECT_FALSE(mongoc_stream_should_retry(stream_));
  EXPECT_EQ(readSome(10, 1, kLong), -1);
  EXPECT_EQ(mongoc_stream_write(stream_, bytes_.data(), 10, kLong), -1);
}

TEST_F(SocketStreamTest, IsPolled) {
  mongoc_stream_poll_t poll{.stream = stream_, .events = POLLIN, .revents = 0};
  EXPECT_EQ(mongoc_stream_poll(&poll, 1, 0), 0);
  send("a");
  EXPECT_EQ(mongoc_stream_poll(&poll, 1, kLong), 1);
  EXPECT_EQ(poll.revents, POLLIN);
}

}  // namespace

}  // namespace mb::store::mongo

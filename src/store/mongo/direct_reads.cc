#include "store/mongo/direct_reads.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <set>

#include "document/fields.h"
#include "store/mongo/query_command.h"

namespace mb::store::mongo {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kAfterFailure = 5s;    // until another connection is tried
constexpr auto kTest = 2s;            // how long the test of an idle connection may take
constexpr auto kBeyondDeadline = 1s;  // the server's own error for a slow query arrives by then

// OP_MSG, all numbers little-endian: the header (length, request, response to, operation), flags, and one section with
// a document.
constexpr int32_t kOperation = 2013;
constexpr size_t kHeader = 16;
constexpr size_t kDocument = kHeader + 4 + 1;
constexpr size_t kLargestMessage = 48'000'000 + (16 << 10);

// Of a server that is the primary no more, or ends
// (https://github.com/mongodb/specifications/blob/master/source/retryable-reads/retryable-reads.md#retryable-error).
constexpr std::array kStateChanges = {6, 7, 89, 91, 134, 189, 9001, 10058, 10107, 11600, 11602, 13435, 13436};

template <class T>
T numberAt(std::string_view bytes, size_t at) {
  T number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::string messageOf(int32_t request, std::string_view database, doc::DocumentView command) {
  doc::BsonWriter out(command.bytes().size() + database.size() + 64);
  out.appendAll(command);
  out.beginDocument("readConcern");
  out.appendString("level", "majority");
  out.end();
  out.appendString("$db", database);
  const doc::Document document = out.finish();
  std::string message(kDocument, '\0');
  const std::array<int32_t, 4> header = {static_cast<int32_t>(kDocument + document.size()), request, 0, kOperation};
  std::memcpy(message.data(), header.data(), kHeader);
  return message + document.bytes();
}

// How many bytes are to be read next, 0 once all of the message has arrived; nullopt for what is not a message.
std::optional<size_t> wantedAfter(std::string_view received) {
  constexpr size_t kFirst = 16 << 10;
  if (received.size() < kHeader) return kFirst;
  const auto length = numberAt<uint32_t>(received, 0);
  if (length < kDocument + 5 || length > kLargestMessage || received.size() > length) return std::nullopt;
  return length - received.size();
}

// Whether a complete message holds one document, in response to the request.
bool isReply(std::string_view message, int32_t request) {
  const bool fits = numberAt<int32_t>(message, 8) == request && numberAt<int32_t>(message, 12) == kOperation &&
                    numberAt<uint32_t>(message, kHeader) == 0 && message[kHeader + 4] == 0;
  return fits && numberAt<uint32_t>(message, kDocument) == message.size() - kDocument && message.back() == 0;
}

bool isStateChange(int code) {
  return std::ranges::find(kStateChanges, code) != kStateChanges.end();
}

// Of a reply; code 0 for none.
CommandError errorOf(doc::DocumentView reply) {
  const auto ok = reply.find("ok");
  if (ok && ok->isNumber() && ok->toReal() == 1) return {};
  return {static_cast<int>(doc::integerOr(reply, "code", CommandError::kDriver)),
          std::string(reply.stringOr("errmsg"))};
}

enum class Failure : uint8_t { lost, late };

doc::Document ping() {
  doc::BsonWriter out;
  out.appendInt32("ping", 1);
  return out.finish();
}

}  // namespace

// A connection, on the core where it was adopted; one read at a time.
class DirectReads::Channel : public std::enable_shared_from_this<Channel> {
 public:
  Channel(std::unique_ptr<Connection> connection, int socket, const Executor& executor)
      : socket(socket), connection_(std::move(connection)), descriptor_(executor, socket), timer_(executor) {}
  ~Channel() {
    (void)descriptor_.release();  // the connection closes it
    // So that a farewell of TLS never waits.
    (void)::shutdown(socket, SHUT_RDWR);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  Clock::time_point usedAt() const { return usedAt_; }

  // What the server sent for the command. After a failure the connection is not used again.
  Async<std::expected<Reply, Failure>> roundTrip(const std::string& database, const doc::Document& command,
                                                 Deadline until) {
    const int32_t request = ++requests_;
    if (!connection_->send(messageOf(request, database, command))) co_return std::unexpected(Failure::lost);
    expire(until);
    std::string received;
    auto last = Connection::Received::nothing;
    std::optional<size_t> wanted = wantedAfter(received);
    while (wanted && *wanted > 0) {
      boost::system::error_code error;
      if (last == Connection::Received::nothing) {
        co_await descriptor_.async_wait(asio::posix::descriptor_base::wait_read,
                                        asio::redirect_error(useAwaitable, error));
      }
      if (!error) last = connection_->receive(received, *wanted);
      if (error || last == Connection::Received::ended) {
        co_return std::unexpected(Clock::now() >= until ? Failure::late : Failure::lost);
      }
      wanted = wantedAfter(received);
    }
    timer_.cancel();
    usedAt_ = Clock::now();
    if (!wanted || !isReply(received, request)) co_return std::unexpected(Failure::lost);
    co_return Reply(std::move(received), kDocument);
  }

  const int socket;

 private:
  void expire(Deadline until) {
    timer_.expires_at(until);
    timer_.async_wait([self = weak_from_this(), request = requests_](const boost::system::error_code& error) {
      const auto channel = error ? nullptr : self.lock();
      if (channel && channel->requests_ == request) channel->descriptor_.cancel();
    });
  }

  const std::unique_ptr<Connection> connection_;
  asio::posix::basic_stream_descriptor<Executor> descriptor_;
  asio::steady_timer timer_;
  int32_t requests_ = 0;
  Clock::time_point usedAt_ = Clock::now();
};

struct DirectReads::Core {
  std::vector<std::shared_ptr<Channel>> idle;  // the last one was used last
  int open = 0;                                // with those in use
  bool opening = false;
  Clock::time_point closedUntil;  // none is opened before
};

// Outlives the object above in reads and jobs that are under way.
class DirectReads::Channels : public std::enable_shared_from_this<Channels> {
 public:
  Channels(ConnectionPool& pool, std::string uri) : pool_(pool), uri_(std::move(uri)) {}

  bool stopped() const { return stopped_; }

  // A connection that nothing else uses; null where none is free.
  std::shared_ptr<Channel> take(const Executor& executor) {
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return nullptr;
      Core& core = cores_[&executor.context()];
      if (!core.idle.empty()) {
        auto channel = std::move(core.idle.back());
        core.idle.pop_back();
        busy_.insert(channel->socket);
        return channel;
      }
      if (core.opening || core.open == kDirectConnections || Clock::now() < core.closedUntil) return nullptr;
      core.opening = true;
    }
    if (!open(executor)) noteOpened(executor, nullptr);
    return nullptr;
  }
  // On its core. `works`: it may be used again.
  void giveBack(const Executor& executor, std::shared_ptr<Channel> channel, bool works) {
    const std::lock_guard lock(mutex_);
    busy_.erase(channel->socket);
    Core& core = cores_[&executor.context()];
    if (works && !stopped_) {
      core.idle.push_back(std::move(channel));
    } else {
      --core.open;
    }
  }
  void stop() {
    std::vector<std::shared_ptr<Channel>> idle;
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (auto& [_, core] : cores_) std::ranges::move(std::exchange(core.idle, {}), std::back_inserter(idle));
    // Wakes those that wait for it.
    for (const int socket : busy_) (void)::shutdown(socket, SHUT_RDWR);
  }

 private:
  // Opens a connection on a thread of the pool; false if it has none.
  bool open(const Executor& executor) {
    return pool_.submit(kControlProject, [self = shared_from_this(), executor](Connection& /*of the pool*/) {
      auto opened = std::make_unique<Connection>(self->uri_, [](const sockaddr*, socklen_t) { return true; });
      const int socket = opened->detach();
      if (socket < 0) return self->noteOpened(executor, nullptr);
      asio::post(executor, [self, executor, socket, opened = std::move(opened)]() mutable {
        self->noteOpened(executor, std::make_shared<Channel>(std::move(opened), socket, executor));
      });
    });
  }
  // Null: it failed.
  void noteOpened(const Executor& executor, std::shared_ptr<Channel> channel) {
    const std::lock_guard lock(mutex_);
    Core& core = cores_[&executor.context()];
    core.opening = false;
    if (!channel) core.closedUntil = Clock::now() + kAfterFailure;
    if (!channel || stopped_) return;
    ++core.open;
    core.idle.push_back(std::move(channel));
  }

  ConnectionPool& pool_;
  const std::string uri_;
  std::mutex mutex_;
  std::map<const asio::execution_context*, Core> cores_;
  std::set<int> busy_;                 // the sockets of connections in use
  std::atomic<bool> stopped_ = false;  // set under the mutex
};

DirectReads::DirectReads(ConnectionPool& pool, std::string uri, std::chrono::milliseconds untested)
    : untested_(untested), channels_(std::make_shared<Channels>(pool, std::move(uri))) {}

DirectReads::~DirectReads() {
  stop();
}

void DirectReads::stop() {
  channels_->stop();
}

// A connection that a read uses.
class DirectReads::Lease {
 public:
  Lease(std::shared_ptr<Channels> channels, Executor executor)
      : channels_(std::move(channels)), executor_(std::move(executor)), channel_(channels_->take(executor_)) {}
  ~Lease() {
    if (channel_) channels_->giveBack(executor_, std::move(channel_), works_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  explicit operator bool() const { return channel_ != nullptr; }
  Channel& channel() const { return *channel_; }
  // It may be used again, which it may not otherwise.
  void setWorks() { works_ = true; }
  bool stopped() const { return channels_->stopped(); }

 private:
  const std::shared_ptr<Channels> channels_;
  const Executor executor_;
  std::shared_ptr<Channel> channel_;
  bool works_ = false;
};

Task<std::optional<DirectReads::Reply>> DirectReads::read(std::string database, doc::Document command,
                                                          Deadline deadline) {
  if (command.size() > kDirectCommand) co_return std::nullopt;
  Lease lease(channels_, co_await asio::this_coro::executor);
  if (!lease) co_return std::nullopt;
  if (Clock::now() - lease.channel().usedAt() > untested_) {
    const auto tested = co_await lease.channel().roundTrip("admin", ping(), std::min(deadline, Clock::now() + kTest));
    if (!tested && !lease.stopped()) co_return std::nullopt;
  }
  auto reply = co_await lease.channel().roundTrip(database, command, deadline + kBeyondDeadline);
  if (lease.stopped()) co_return fail(ErrorCode::unavailable, "the server is stopping");
  if (!reply && reply.error() == Failure::late) co_return fail(ConnectionPool::late());
  if (!reply) co_return std::nullopt;
  const CommandError error = errorOf(reply->view());
  if (isStateChange(error.code)) co_return std::nullopt;
  lease.setWorks();
  if (error.code != 0) co_return fail(queryError(error));
  co_return *std::move(reply);
}

}  // namespace mb::store::mongo

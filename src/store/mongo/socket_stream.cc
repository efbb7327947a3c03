#include "store/mongo/socket_stream.h"

#include <mongoc/mongoc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mb::store::mongo {

namespace {

// Other than those of the driver's own streams.
constexpr int kType = 0x4D42;
// Seconds, seconds, and count: as the driver's own sockets have them
// (https://www.mongodb.com/docs/manual/faq/diagnostics/#does-tcp-keepalive-time-affect-mongodb-deployments-).
constexpr int kKeepAliveIdle = 120;
constexpr int kKeepAliveBetween = 10;
constexpr int kKeepAliveCount = 9;

void set(int socket, int level, int option, int value) {
  // Without the option the connection works too.
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

struct SocketStream {
  mongoc_stream_t base;  // first: the driver has its address
  int socket;
  int error;  // of the last call: ETIMEDOUT after a timeout, EAGAIN where a call that must not block would, else 0
};

SocketStream& of(mongoc_stream_t* stream) {
  return *reinterpret_cast<SocketStream*>(stream);
}

// When a call with a timeout in milliseconds ends, as a time of bson_get_monotonic_time(); -1 for never.
int64_t endOf(int32_t timeout) {
  return timeout < 0 ? -1 : bson_get_monotonic_time() + int64_t{timeout} * 1000;
}

// -1 for no end.
int millisecondsUntil(int64_t end) {
  if (end < 0) return -1;
  return static_cast<int>(std::clamp<int64_t>((end - bson_get_monotonic_time() + 999) / 1000, 0, INT32_MAX));
}

// Waits until the socket is ready for `events`; false at the end.
bool waitFor(int socket, short events, int64_t end) {
  while (true) {
    pollfd waiting{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, millisecondsUntil(end));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// What a vector of a call does not hold yet.
class Rest {
 public:
  Rest(mongoc_iovec_t* vectors, size_t count) : vectors_(vectors, vectors + count) {}
  // Skips empty ones.
  bool empty() {
    while (first_ < vectors_.size() && vectors_[first_].iov_len == 0) ++first_;
    return first_ == vectors_.size();
  }
  void advance(size_t bytes) {
    while (bytes > 0) {
      iovec& each = vectors_[first_];
      const size_t part = std::min(bytes, each.iov_len);
      each.iov_base = static_cast<char*>(each.iov_base) + part;
      each.iov_len -= part;
      bytes -= part;
      if (each.iov_len == 0) ++first_;
    }
  }
  msghdr message() {
    msghdr out{};
    out.msg_iov = &vectors_[first_];
    out.msg_iovlen = std::min<size_t>(vectors_.size() - first_, IOV_MAX);
    return out;
  }

 private:
  std::vector<iovec> vectors_;
  size_t first_ = 0;
};

// Repeats `transfer` until it has moved `least` bytes and no further ones are there, or all. Returns their number, or
// -1.
template <class Transfer>
ssize_t transferred(SocketStream& stream, Rest rest, size_t least, short events, int32_t timeout, Transfer transfer) {
  const int64_t end = endOf(timeout);
  size_t done = 0;
  stream.error = 0;
  while (!rest.empty()) {
    msghdr message = rest.message();
    const ssize_t moved = transfer(message);
    if (moved > 0) {
      done += static_cast<size_t>(moved);
      rest.advance(static_cast<size_t>(moved));
      if (done >= least) break;
      continue;
    }
    if (moved < 0 && errno == EINTR) continue;
    const bool wouldBlock = moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    const bool mustWait = done == 0 || done < least;
    if (wouldBlock && timeout != 0 && mustWait && waitFor(stream.socket, events, end)) continue;
    if (wouldBlock) {
      stream.error = timeout == 0 ? EAGAIN : ETIMEDOUT;
    } else if (moved < 0) {
      stream.error = errno;
    }
    if (done >= least) break;
    errno = stream.error;
    return -1;
  }
  return static_cast<ssize_t>(done);
}

ssize_t writeVectors(mongoc_stream_t* stream, mongoc_iovec_t* vectors, size_t count, int32_t timeout) {
  SocketStream& self = of(stream);
  size_t all = 0;
  for (const mongoc_iovec_t& each : std::span(vectors, count)) all += each.iov_len;
  return transferred(self, Rest(vectors, count), all, POLLOUT, timeout,
                     [&](const msghdr& message) { return ::sendmsg(self.socket, &message, MSG_NOSIGNAL); });
}

ssize_t readVectors(mongoc_stream_t* stream, mongoc_iovec_t* vectors, size_t count, size_t least, int32_t timeout) {
  SocketStream& self = of(stream);
  return transferred(self, Rest(vectors, count), least, POLLIN, timeout,
                     [&](msghdr& message) { return ::recvmsg(self.socket, &message, 0); });
}

int closeSocket(mongoc_stream_t* stream) {
  SocketStream& self = of(stream);
  if (self.socket < 0) return 0;
  return ::close(std::exchange(self.socket, -1));
}

void destroy(mongoc_stream_t* stream) {
  (void)closeSocket(stream);
  delete &of(stream);
}

int flush(mongoc_stream_t* /*stream*/) {
  return 0;
}

int setOption(mongoc_stream_t* stream, int level, int name, void* value, mongoc_socklen_t size) {
  return ::setsockopt(of(stream).socket, level, name, value, size);
}

bool isClosed(mongoc_stream_t* stream) {
  char byte = 0;
  const ssize_t seen = ::recv(of(stream).socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return seen == 0 || (seen < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

ssize_t pollAll(mongoc_stream_poll_t* streams, size_t count, int32_t timeout) {
  std::vector<pollfd> waiting;
  for (mongoc_stream_poll_t& each : std::span(streams, count)) {
    waiting.push_back({.fd = of(each.stream).socket, .events = static_cast<short>(each.events), .revents = 0});
  }
  const int ready = ::poll(waiting.data(), waiting.size(), timeout);
  for (size_t i = 0; i < count; ++i) streams[i].revents = ready > 0 ? waiting[i].revents : 0;
  return ready;
}

bool timedOut(mongoc_stream_t* stream) {
  return of(stream).error == ETIMEDOUT;
}

bool shouldRetry(mongoc_stream_t* stream) {
  return of(stream).error == EAGAIN;
}

}  // namespace

Descriptor connectSocket(const sockaddr& address, unsigned size, int64_t until) {
  Descriptor socket(::socket(address.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return {};
  if (address.sa_family != AF_UNIX) {
    set(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket.get(), IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdle);
    set(socket.get(), IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveBetween);
    set(socket.get(), IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveCount);
  }
  if (::connect(socket.get(), &address, size) == 0) return socket;
  if (errno != EINPROGRESS || !waitFor(socket.get(), POLLOUT, until)) return {};
  int error = 0;
  socklen_t length = sizeof error;
  const bool known = ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0;
  return known && error == 0 ? std::move(socket) : Descriptor();
}

mongoc_stream_t* newSocketStream(Descriptor socket) {
  auto stream = std::make_unique<SocketStream>();
  stream->base.type = kType;
  stream->base.destroy = destroy;
  stream->base.failed = destroy;
  stream->base.close = closeSocket;
  stream->base.flush = flush;
  stream->base.writev = writeVectors;
  stream->base.readv = readVectors;
  stream->base.setsockopt = setOption;
  stream->base.check_closed = isClosed;
  stream->base.poll = pollAll;
  stream->base.timed_out = timedOut;
  stream->base.should_retry = shouldRetry;
  stream->socket = socket.release();
  return &stream.release()->base;
}

}  // namespace mb::store::mongo

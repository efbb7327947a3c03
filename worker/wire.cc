#include "wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bounds.h"

namespace mb::worker {

namespace {

constexpr size_t kHeaderBytes = sizeof(uint32_t);
constexpr size_t kUsualBytes = 64u << 10;

uint32_t lengthAt(const char* bytes) {
  uint32_t length = 0;
  std::memcpy(&length, bytes, sizeof length);
  return length;
}

}  // namespace

void endProcess(int code, const char* why) {
  char line[256];
  const int size = std::snprintf(line, sizeof line, "manybase-worker: %s\n", why);
  if (size > 0) [[maybe_unused]]
    const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(size));
  _exit(code);
}

Wire::Wire(int socket) : socket_(socket) {
  in_.resize(kUsualBytes);
}

clone::Writer Wire::begin(clone::FrameKind kind) {
  frameAt_ = out_.size();
  clone::Writer writer(out_);
  writer.u32(0);
  writer.byte(static_cast<uint8_t>(kind));
  return writer;
}

void Wire::end() {
  const auto length = static_cast<uint32_t>(out_.size() - frameAt_ - kHeaderBytes);
  std::memcpy(out_.data() + frameAt_, &length, sizeof length);
  frameAt_ = out_.size();
}

bool Wire::waitFor(short events, std::optional<SteadyTime> until) const {
  pollfd waiting{.fd = socket_, .events = events, .revents = 0};
  timespec left{};
  if (until) {
    const auto rest = std::max(*until - std::chrono::steady_clock::now(), std::chrono::nanoseconds(0));
    left.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(rest).count();
    left.tv_nsec = (rest % std::chrono::seconds(1)).count();
  }
  return ppoll(&waiting, 1, until ? &left : nullptr, nullptr) > 0;
}

void Wire::flush() {
  const auto until = std::chrono::steady_clock::now() + kMaxWrite;
  size_t sent = 0;
  while (sent < out_.size()) {
    const ssize_t size = send(socket_, out_.data() + sent, out_.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size >= 0) {
      sent += static_cast<size_t>(size);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!waitFor(POLLOUT, until)) endProcess(kEndedByBreach, "the server does not read");
    } else if (errno != EINTR) {
      _exit(0);
    }
  }
  out_.clear();
  if (out_.capacity() > kFlushBytes * 4) out_.shrink_to_fit();
  frameAt_ = 0;
}

std::optional<Incoming> Wire::takeFrame() {
  const size_t held = end_ - begin_;
  if (held < kHeaderBytes) return std::nullopt;
  const uint32_t length = lengthAt(in_.data() + begin_);
  if (length == 0 || length > clone::kMaxRunFrameBytes) endProcess(kEndedByBreach, "a frame of an invalid length");
  if (held < kHeaderBytes + length) return std::nullopt;
  const char* frame = in_.data() + begin_ + kHeaderBytes;
  begin_ += kHeaderBytes + length;
  return Incoming{.kind = static_cast<clone::FrameKind>(frame[0]),
                  .body = clone::Reader(std::string_view(frame + 1, length - 1))};
}

// Reserves space for at least the rest of the current frame.
void Wire::reserve() {
  const size_t held = end_ - begin_;
  size_t wanted = kUsualBytes;
  if (held >= kHeaderBytes) wanted = std::max(wanted, kHeaderBytes + lengthAt(in_.data() + begin_));
  if (begin_ > 0) {
    std::memmove(in_.data(), in_.data() + begin_, held);
    begin_ = 0;
    end_ = held;
  }
  if (wanted > in_.size() || (held == 0 && in_.size() > kUsualBytes)) {
    in_.resize(wanted);
    in_.shrink_to_fit();
  }
}

std::optional<Incoming> Wire::receive(std::optional<SteadyTime> until) {
  for (;;) {
    if (std::optional<Incoming> frame = takeFrame()) return frame;
    reserve();
    const ssize_t size = recv(socket_, in_.data() + end_, in_.size() - end_, until ? MSG_DONTWAIT : 0);
    if (size > 0) {
      end_ += static_cast<size_t>(size);
    } else if (size == 0 || errno == ECONNRESET) {
      _exit(0);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!waitFor(POLLIN, until)) return std::nullopt;
    } else if (errno != EINTR) {
      endProcess(kEndedByBreach, "the socket cannot be read");
    }
  }
}

}  // namespace mb::worker

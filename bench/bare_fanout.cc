// Measures the minimum cost of a fan-out over WebSockets: accepts sockets, does the handshake, and writes the same
// frames to all of them in a bare loop, one send(2) per message and socket. Prints its port, then, when all is written,
// one JSON object: deliveries, bytes, seconds, and the CPU time that a delivery took in this process.
//
//   bare_fanout --sockets N --messages M (--size BYTES | --file FILE) [--rate R] [--batch B]
//
// It begins when N sockets are open, and ends when they are closed, or after 60 s. --file holds payloads as <u32
// little-endian length><bytes>, which are sent in order, again from the start when they run out; --size generates them.
// --rate: messages per second, each when it is due; else one after the other. --batch: messages per sendmsg(2).
// Data from clients is not read. One thread, 127.0.0.1 only.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "base/crypto.h"
#include "http/websocket_frame.h"
#include "http/websocket_handshake.h"
#include "tool.h"

namespace {

using bench::die;
using Clock = std::chrono::steady_clock;

constexpr size_t kMaxBatch = 64;
constexpr std::chrono::seconds kLimit{60};

struct Options {
  size_t sockets = 0;
  size_t messages = 0;
  size_t size = 0;
  std::string file;
  double rate = 0;
  size_t batch = 1;
};

Options parseArguments(int argc, char** argv) {
  Options options;
  bench::Arguments()
      .take("--sockets", options.sockets)
      .take("--messages", options.messages)
      .take("--size", options.size)
      .take("--file", options.file)
      .take("--rate", options.rate)
      .take("--batch", options.batch)
      .read(argc, argv);
  if (options.sockets == 0 || options.messages == 0 || (options.size == 0 && options.file.empty()))
    die("--sockets, --messages, and --size or --file are needed");
  if (options.batch == 0 || options.batch > kMaxBatch) die("--batch is from 1 to 64");
  return options;
}

std::string framed(std::string_view payload) {
  std::string frame;
  mb::http::appendFrameHead(frame, mb::http::kFinalBit | static_cast<uint8_t>(mb::http::Opcode::text), payload.size());
  return frame.append(payload);
}

std::vector<std::string> readFrames(const Options& options) {
  if (options.file.empty()) return {framed(std::string(options.size, 'x'))};
  std::vector<std::string> frames = bench::readRecords(options.file);
  for (std::string& frame : frames) frame = framed(frame);
  return frames;
}

int listenAnywhere() {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, SOMAXCONN) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    die("cannot listen");
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return listener;
}

// Returns a header's value in a request of a well-behaved client. `name` is in lower case.
std::string headerOf(std::string request, std::string_view name) {
  std::string lower = request;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const size_t at = lower.find("\r\n" + std::string(name) + ":");
  if (at == std::string::npos) die("a request without " + std::string(name));
  const size_t begin = request.find_first_not_of(' ', at + name.size() + 3);
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

int openSocket(int listener) {
  const int fd = ::accept(listener, nullptr, nullptr);
  if (fd < 0) die("cannot accept");
  std::string request;
  char piece[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = ::recv(fd, piece, sizeof piece, 0);
    if (count <= 0) die("a client closed its connection");
    request.append(piece, static_cast<size_t>(count));
  }
  const std::string response = fmt::format(
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: "
      "{}\r\n\r\n",
      mb::http::acceptKey(headerOf(std::move(request), "sec-websocket-key")));
  if (::send(fd, response.data(), response.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(response.size()))
    die("cannot send the handshake");
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void waitUntilWritable(int fd) {
  pollfd output{.fd = fd, .events = POLLOUT, .revents = 0};
  if (::poll(&output, 1, 10'000) != 1) die("a client does not read");
}

// Writes all of `parts`, and changes them.
void write(int fd, std::span<iovec> parts) {
  while (!parts.empty()) {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t took = parts.size() == 1
                             ? ::send(fd, parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL | MSG_DONTWAIT)
                             : ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (took < 0 && errno != EAGAIN) die("a client closed its connection");
    if (took < 0) {
      waitUntilWritable(fd);
      continue;
    }
    auto left = static_cast<size_t>(took);
    while (!parts.empty() && left >= parts[0].iov_len) {
      left -= parts[0].iov_len;
      parts = parts.subspan(1);
    }
    if (!parts.empty()) {
      parts[0].iov_base = static_cast<char*>(parts[0].iov_base) + left;
      parts[0].iov_len -= left;
    }
  }
}

double cpuNanos() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Returns the bytes written.
size_t fanOut(const Options& options, const std::vector<std::string>& frames, const std::vector<int>& sockets) {
  const auto began = Clock::now();
  size_t bytes = 0;
  for (size_t message = 0; message < options.messages; message += options.batch) {
    if (options.rate > 0) {
      const std::chrono::duration<double> due(static_cast<double>(message) / options.rate);
      std::this_thread::sleep_until(began + std::chrono::duration_cast<Clock::duration>(due));
    }
    const size_t count = std::min(options.batch, options.messages - message);
    for (const int fd : sockets) {
      iovec parts[kMaxBatch];
      for (size_t i = 0; i < count; ++i) {
        const std::string& frame = frames[(message + i) % frames.size()];
        parts[i] = {const_cast<char*>(frame.data()), frame.size()};
        bytes += frame.size();
      }
      write(fd, {parts, count});
    }
  }
  return bytes;
}

// Waits until the clients have read everything and closed.
void waitForClients(const std::vector<int>& sockets) {
  const auto until = Clock::now() + kLimit;
  char rest[4096];
  for (const int fd : sockets) {
    ::shutdown(fd, SHUT_WR);
    pollfd input{.fd = fd, .events = POLLIN, .revents = 0};
    while (Clock::now() < until && ::poll(&input, 1, 1000) >= 0) {
      if (input.revents != 0 && ::recv(fd, rest, sizeof rest, MSG_DONTWAIT) <= 0) break;
    }
    ::close(fd);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parseArguments(argc, argv);
  mb::initCrypto();
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &descriptors);
  const std::vector<std::string> frames = readFrames(options);
  const int listener = listenAnywhere();
  std::vector<int> sockets;
  while (sockets.size() < options.sockets) sockets.push_back(openSocket(listener));

  const auto began = Clock::now();
  const double cpuBefore = cpuNanos();
  const size_t bytes = fanOut(options, frames, sockets);
  const double cpu = cpuNanos() - cpuBefore;
  const std::chrono::duration<double> took = Clock::now() - began;
  const size_t deliveries = options.messages * sockets.size();
  std::printf("{\"deliveries\": %zu, \"bytes\": %zu, \"seconds\": %.3f, \"cpuNanosPerDelivery\": %.0f}\n", deliveries,
              bytes, took.count(), cpu / static_cast<double>(deliveries));
  std::fflush(stdout);
  waitForClients(sockets);
}

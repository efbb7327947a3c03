// Opens WebSockets from one thread, subscribes each, writes documents over HTTP and records the events that arrive;
// prints one JSON object.
//
//   socketload --port P --sockets N --tokens FILE [--collection NAME] [--writer TOKENFILE --writes W [--rate R]]
//              [--owners FILE] [--pid SERVER_PID] [--hold 1]
//   socketload --port P --sockets N --bare M      reads M messages per socket from bare_fanout, which only writes
//
// FILE holds one token per line, used round robin. Without --collection the sockets authenticate and stay idle; with
// --hold it prints its line when all are open and keeps them open until its input ends. --writes documents are created
// in the collection, one after the other: R per second, each when it is due, or each after the response to the previous
// one. A document carries its number, which identifies its deliveries; latency counts from the time when the write was
// due. With --owners the documents belong to the ids in FILE (one per line), round robin, and only the sockets of the
// owner receive each. Connects only to 127.0.0.1, for at most 120 s.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tool.h"

namespace {

using bench::cpuNanos;
using bench::die;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLimit{120};
constexpr size_t kOpening = 128;  // concurrent handshakes

struct Options {
  int port = 0;
  size_t sockets = 0;
  size_t bare = 0;
  size_t writes = 0;
  double rate = 0;
  int pid = 0;
  bool hold = false;
  std::string tokens, collection, writer, owners;
};

Options parseArguments(int argc, char** argv) {
  Options options;
  bench::Arguments()
      .take("--port", options.port)
      .take("--sockets", options.sockets)
      .take("--bare", options.bare)
      .take("--writes", options.writes)
      .take("--rate", options.rate)
      .take("--pid", options.pid)
      .take("--hold", options.hold)
      .take("--tokens", options.tokens)
      .take("--collection", options.collection)
      .take("--writer", options.writer)
      .take("--owners", options.owners)
      .read(argc, argv);
  if (options.port <= 0 || options.sockets == 0) die("--port and --sockets are needed");
  if (options.bare == 0 && options.tokens.empty()) die("--tokens is needed");
  return options;
}

std::vector<std::string> linesOf(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.empty()) die("nothing in " + path);
  return lines;
}

int connectTo(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die("cannot connect");
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void sendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t took = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (took <= 0) die("the server closed a connection");
    bytes.remove_prefix(static_cast<size_t>(took));
  }
}

// A client's frame, masked with zeros.
std::string frameOf(uint8_t opcode, std::string_view payload) {
  std::string frame{static_cast<char>(0x80 | opcode)};
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size() & 0xFF);
  }
  frame.append(4, '\0');
  return frame.append(payload);
}

// Returns the number after `"n":` in a message; -1 without one.
long numberIn(std::string_view text) {
  const size_t at = text.find("\"n\":");
  return at == std::string_view::npos ? -1 : std::atol(text.data() + at + 4);
}

struct Socket {
  int fd = -1;
  enum class Stage { handshake, auth, subscribe, ready } stage = Stage::handshake;
  std::string in;
  size_t received = 0;
  long last = -1;
};

double percentile(std::vector<float>& sorted, double part) {
  if (sorted.empty()) return 0;
  return sorted[std::min(sorted.size() - 1, static_cast<size_t>(part * static_cast<double>(sorted.size())))];
}

class Load {
 public:
  explicit Load(Options options) : options_(std::move(options)), epoll_(::epoll_create1(0)) {
    if (!options_.tokens.empty()) tokens_ = linesOf(options_.tokens);
    if (!options_.owners.empty()) owners_ = linesOf(options_.owners);
    sockets_.resize(options_.sockets);
    dueAt_.resize(options_.writes);
    // Every socket receives each document, or, with owners, the sockets of its owner.
    expected_ = options_.bare > 0 ? options_.bare * options_.sockets
                : owners_.empty() ? options_.writes * options_.sockets
                                  : options_.writes * (options_.sockets / owners_.size());
  }

  void run() {
    began_ = Clock::now();
    openAll();
    const double connectSeconds = since(began_);
    if (options_.hold) {
      std::printf("{\"sockets\": %zu, \"connectSeconds\": %.3f}\n", ready_, connectSeconds);
      std::fflush(stdout);
      holdUntilInputEnds();
      return;
    }
    cpuBefore_ = cpuNanos(options_.pid);
    const auto start = Clock::now();
    if (options_.writes > 0) openWriter();
    while (received_ < expected_ && Clock::now() - began_ < kLimit && !stalled()) {
      writeWhatIsDue();
      pollEvents(untilDue());
    }
    report(connectSeconds, std::chrono::duration<double>(lastAt_ - start).count());
  }

 private:
  static double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

  // All documents are written and no event has arrived for five seconds.
  bool stalled() const {
    return options_.bare == 0 && acknowledged_ == options_.writes && Clock::now() - lastAt_ > std::chrono::seconds(5) &&
           lastAt_ != Clock::time_point{};
  }

  void openAll() {
    size_t opened = 0;
    while (ready_ < sockets_.size()) {
      while (opened < sockets_.size() && opened - ready_ < kOpening) open(opened++);
      pollEvents(100);
      if (Clock::now() - began_ > kLimit) die("not all sockets opened in time");
    }
  }

  void open(size_t index) {
    Socket& socket = sockets_[index];
    socket.fd = connectTo(options_.port);
    sendAll(socket.fd,
            "GET /api/v1/realtime HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket.fd, &event);
  }

  void pollEvents(int waitMs) {
    epoll_event events[256];
    const int count = ::epoll_wait(epoll_, events, 256, waitMs);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == kWriter) {
        readResponse();
      } else {
        read(events[i].data.u64);
      }
    }
  }

  void read(size_t index) {
    Socket& socket = sockets_[index];
    const ssize_t count = ::recv(socket.fd, buffer_, sizeof buffer_, MSG_DONTWAIT);
    if (count == 0 && options_.bare > 0 && socket.received == options_.bare) {
      ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket.fd, nullptr);
      return;
    }
    if (count <= 0) die("a socket was closed");
    std::string_view bytes(buffer_, static_cast<size_t>(count));
    if (!socket.in.empty()) {
      socket.in.append(bytes);
      bytes = socket.in;
    }
    std::string_view rest = bytes;
    if (socket.stage == Socket::Stage::handshake) {
      const size_t end = rest.find("\r\n\r\n");
      if (end == std::string_view::npos) {
        keep(socket, rest);
        return;
      }
      if (!rest.starts_with("HTTP/1.1 101")) die("no upgrade: " + std::string(rest.substr(0, 200)));
      rest.remove_prefix(end + 4);
      afterHandshake(index);
    }
    while (takeFrame(index, rest)) {
    }
    keep(socket, rest);
  }

  static void keep(Socket& socket, std::string_view rest) {
    if (rest.empty()) {
      socket.in = {};
    } else {
      socket.in = std::string(rest);
    }
  }

  void afterHandshake(size_t index) {
    Socket& socket = sockets_[index];
    if (options_.bare > 0) {
      socket.stage = Socket::Stage::ready;
      ++ready_;
      return;
    }
    socket.stage = Socket::Stage::auth;
    sendAll(socket.fd, frameOf(1, R"({"type":"auth","token":")" + tokens_[index % tokens_.size()] + "\"}"));
  }

  bool takeFrame(size_t index, std::string_view& rest) {
    if (rest.size() < 2) return false;
    size_t head = 2;
    uint64_t length = static_cast<uint8_t>(rest[1]);
    const size_t extra = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (rest.size() < head + extra) return false;
    if (extra > 0) length = 0;
    for (size_t i = 0; i < extra; ++i) length = length << 8 | static_cast<uint8_t>(rest[head + i]);
    head += extra;
    if (rest.size() < head + length) return false;
    const uint8_t opcode = static_cast<uint8_t>(rest[0]) & 0x0F;
    const std::string_view payload = rest.substr(head, length);
    rest.remove_prefix(head + length);
    if (opcode == 1) {
      take(index, payload);
    } else if (opcode == 9) {
      sendAll(sockets_[index].fd, frameOf(10, payload));
    } else if (opcode == 8) {
      die("a socket was closed by the server");
    }
    return true;
  }

  void take(size_t index, std::string_view text) {
    Socket& socket = sockets_[index];
    if (socket.stage == Socket::Stage::ready) return takeEvent(socket, text);
    if (text.find("\"error\"") != std::string_view::npos) die(std::string(text));
    if (socket.stage == Socket::Stage::auth && !options_.collection.empty()) {
      socket.stage = Socket::Stage::subscribe;
      sendAll(socket.fd, frameOf(1, R"({"type":"subscribe","id":"s","collection":")" + options_.collection + "\"}"));
      return;
    }
    socket.stage = Socket::Stage::ready;
    ++ready_;
  }

  void takeEvent(Socket& socket, std::string_view text) {
    lastAt_ = Clock::now();
    ++received_;
    ++socket.received;
    bytes_ += text.size();
    if (options_.bare > 0) return;
    const long number = numberIn(text);
    if (number < 0 || number >= static_cast<long>(dueAt_.size())) {
      ++strange_;
      return;
    }
    if (number <= socket.last) ++disordered_;
    socket.last = number;
    const auto took = lastAt_ - dueAt_[static_cast<size_t>(number)];
    latencies_.push_back(std::chrono::duration<float, std::milli>(took).count());
  }

  // ---- writing

  void openWriter() {
    writerToken_ = linesOf(options_.writer).front();
    writer_ = connectTo(options_.port);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = kWriter;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, writer_, &event);
    firstDue_ = Clock::now() + std::chrono::milliseconds(100);
  }

  Clock::time_point due(size_t number) const {
    if (options_.rate == 0) return firstDue_;
    return firstDue_ + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(static_cast<double>(number) / options_.rate));
  }

  int untilDue() const {
    if (written_ >= options_.writes || written_ > acknowledged_) return 100;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due(written_) - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 100));
  }

  void writeWhatIsDue() {
    if (written_ >= options_.writes || written_ > acknowledged_ || Clock::now() < due(written_)) return;
    std::string body = "{\"n\":" + std::to_string(written_);
    if (!owners_.empty()) body += ",\"for\":\"" + owners_[written_ % owners_.size()] + "\"";
    body +=
        ",\"title\":\"Note number\",\"stars\":3,\"done\":false,\"tags\":[\"alpha\",\"beta\"],\"body\":\"It was the "
        "best of times, it was the worst of times, it was the age of wisdom.\"}";
    sentAt_ = Clock::now();
    dueAt_[written_] = options_.rate == 0 ? sentAt_ : due(written_);
    ++written_;
    sendAll(writer_, "POST /api/v1/" + options_.collection + " HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer " +
                         writerToken_ + "\r\ncontent-type: application/json\r\ncontent-length: " +
                         std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  void readResponse() {
    const ssize_t count = ::recv(writer_, buffer_, sizeof buffer_, MSG_DONTWAIT);
    if (count <= 0) die("the writer's connection was closed");
    response_.append(buffer_, static_cast<size_t>(count));
    const size_t head = response_.find("\r\n\r\n");
    if (head == std::string::npos) return;
    const size_t at = response_.find("content-length: ");
    if (at == std::string::npos || response_.size() < head + 4 + std::stoul(response_.substr(at + 16))) return;
    if (!response_.starts_with("HTTP/1.1 201")) die("a write failed: " + response_.substr(0, 300));
    acks_.push_back(std::chrono::duration<float, std::milli>(Clock::now() - sentAt_).count());
    response_.clear();
    ++acknowledged_;
  }

  // ---- ending

  void holdUntilInputEnds() {
    while (Clock::now() - began_ < kLimit) {
      pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      if (::poll(&input, 1, 0) > 0) return;
      pollEvents(100);
    }
  }

  void report(double connectSeconds, double seconds) {
    const uint64_t cpu = cpuNanos(options_.pid) - cpuBefore_;
    std::ranges::sort(latencies_);
    std::ranges::sort(acks_);
    std::printf(
        "{\"sockets\": %zu, \"connectSeconds\": %.3f, \"expected\": %zu, \"deliveries\": %zu, \"disordered\": %zu, "
        "\"strange\": %zu, \"seconds\": %.3f, \"deliveriesPerSecond\": %.0f, \"bytesPerDelivery\": %.0f, "
        "\"p50Ms\": %.2f, \"p99Ms\": %.2f, \"ackP50Ms\": %.2f, \"ackP99Ms\": %.2f, \"cpuNanosPerDelivery\": %.0f, "
        "\"cpuMicrosPerWrite\": %.0f}\n",
        ready_, connectSeconds, expected_, received_, disordered_, strange_, seconds,
        static_cast<double>(received_) / seconds, static_cast<double>(bytes_) / static_cast<double>(received_ + 1),
        percentile(latencies_, 0.5), percentile(latencies_, 0.99), percentile(acks_, 0.5), percentile(acks_, 0.99),
        static_cast<double>(cpu) / static_cast<double>(received_ + 1),
        static_cast<double>(cpu) / 1000 / static_cast<double>(options_.writes + 1));
    std::fflush(stdout);
  }

  static constexpr uint64_t kWriter = UINT64_MAX;

  const Options options_;
  const int epoll_;
  std::vector<std::string> tokens_, owners_;
  std::vector<Socket> sockets_;
  size_t ready_ = 0;
  size_t expected_ = 0, received_ = 0, disordered_ = 0, strange_ = 0, bytes_ = 0;
  std::vector<Clock::time_point> dueAt_;
  std::vector<float> latencies_, acks_;
  Clock::time_point began_, lastAt_, firstDue_, sentAt_;
  uint64_t cpuBefore_ = 0;
  int writer_ = -1;
  std::string writerToken_, response_;
  size_t written_ = 0, acknowledged_ = 0;
  char buffer_[256 << 10];
};

}  // namespace

int main(int argc, char** argv) {
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &descriptors);
  static Load load(parseArguments(argc, argv));
  load.run();
}

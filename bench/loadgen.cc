// Sends prepared HTTP/1.1 requests over keep-alive connections from one thread, closed loop, and prints one
// JSON object: rate, latency percentiles, statuses, and the CPU time of the server's process per request.
//
//   loadgen --port P --connections C --requests N --file FILE [--pid SERVER_PID] [--children 1] [--warmup N] [--save
//   FILE] [--rate R]
//
// --rate sends R requests per second, each when it is due, and counts latency from that time, so that the delays of a
// server that falls behind are counted.
//
// FILE holds requests as <u32 little-endian length><bytes>; they are sent in order, again from the start when they run
// out. Bounded in count and time (60 s); connects only to 127.0.0.1. --save writes every response body, one per line,
// in the order of arrival (to prepare later requests).
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool.h"

namespace {

using bench::die;
using Clock = std::chrono::steady_clock;

struct Options {
  int port = 0;
  int connections = 1;
  size_t requests = 1000;
  size_t warmup = 0;
  std::string file;
  std::string save;
  int pid = 0;
  bool children = false;  // includes the CPU time of child processes
  double rate = 0;        // requests per second; 0: closed loop
};

Options parseArguments(int argc, char** argv) {
  Options options;
  bench::Arguments()
      .take("--port", options.port)
      .take("--connections", options.connections)
      .take("--requests", options.requests)
      .take("--warmup", options.warmup)
      .take("--file", options.file)
      .take("--save", options.save)
      .take("--pid", options.pid)
      .take("--children", options.children)
      .take("--rate", options.rate)
      .read(argc, argv);
  if (options.port <= 0 || options.file.empty() || options.connections < 1)
    die("--port, --file and --connections are needed");
  return options;
}

struct Connection {
  int fd = -1;
  std::string in;
  Clock::time_point started;
};

// Length of the first complete response in `text` and its status; 0 when more bytes are needed.
size_t wholeResponse(std::string_view text, int& status, std::string_view& body) {
  const size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  status = std::atoi(std::string(text.substr(9, 3)).c_str());
  size_t length = 0;
  for (size_t at = text.find("\r\n"); at < head; at = text.find("\r\n", at + 2)) {
    const std::string_view line = text.substr(at + 2, text.find("\r\n", at + 2) - at - 2);
    if (line.size() > 15 && strncasecmp(line.data(), "content-length:", 15) == 0) {
      length = std::stoul(std::string(line.substr(15)));
    } else if (line.size() > 18 && strncasecmp(line.data(), "transfer-encoding:", 18) == 0) {
      const size_t last = text.find("0\r\n\r\n", head + 4);
      if (last == std::string_view::npos) return 0;
      body = text.substr(head + 4, last - head - 4);
      return last + 5;
    }
  }
  if (text.size() < head + 4 + length) return 0;
  body = text.substr(head + 4, length);
  return head + 4 + length;
}

int connectTo(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die("cannot connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

class Load {
 public:
  Load(const Options& options, std::vector<std::string> requests)
      : options_(options), requests_(std::move(requests)), epoll_(epoll_create1(0)) {
    if (!options.save.empty()) save_.open(options.save);
    connections_.resize(static_cast<size_t>(options.connections));
    for (size_t i = 0; i < connections_.size(); ++i) {
      connections_[i].fd = connectTo(options.port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].fd, &event);
    }
  }

  // Sends `count` requests and waits for all responses; records latencies if `measured`.
  double run(size_t count, bool measured) {
    toStart_ = count;
    pending_ = count;
    measured_ = measured;
    const auto begin = Clock::now();
    due_ = begin;
    free_.clear();
    for (Connection& connection : connections_) {
      options_.rate > 0 ? free_.push_back(&connection) : startNext(connection, Clock::now());
    }
    epoll_event events[256];
    while (pending_ > 0) {
      startDue();
      const int ready = epoll_wait(epoll_, events, 256, options_.rate > 0 && toStart_ > 0 ? 1 : 1000);
      if (Clock::now() - begin > std::chrono::seconds(60)) die("timed out after 60 s");
      for (int i = 0; i < ready; ++i) receive(connections_[events[i].data.u64]);
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void report(double seconds, uint64_t cpuNanos) {
    std::sort(latencies_.begin(), latencies_.end());
    const auto percentile = [&](double share) {
      return latencies_.empty() ? 0.0
                                : latencies_[static_cast<size_t>(share * static_cast<double>(latencies_.size() - 1))];
    };
    std::string statuses;
    for (const auto& [status, count] : statuses_) {
      statuses += (statuses.empty() ? "" : ",") + ("\"" + std::to_string(status) + "\":") + std::to_string(count);
    }
    const auto done = static_cast<double>(latencies_.size());
    std::printf(
        "{\"requests\":%zu,\"connections\":%d,\"seconds\":%.4f,\"perSecond\":%.1f,\"p50Us\":%.1f,\"p95Us\":%.1f,"
        "\"p99Us\":%.1f,\"maxUs\":%.1f,\"cpuUsPerRequest\":%.2f,\"statuses\":{%s}}\n",
        latencies_.size(), options_.connections, seconds, done / seconds, percentile(0.5), percentile(0.95),
        percentile(0.99), percentile(1.0), static_cast<double>(cpuNanos) / 1000.0 / done, statuses.c_str());
  }

 private:
  // Starts the requests that are due, as far as connections are free.
  void startDue() {
    if (options_.rate <= 0) return;
    const auto gap = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / options_.rate));
    while (toStart_ > 0 && !free_.empty() && due_ <= Clock::now()) {
      Connection& connection = *free_.back();
      free_.pop_back();
      startNext(connection, due_);
      due_ += gap;
    }
  }

  void startNext(Connection& connection, Clock::time_point started) {
    if (toStart_ == 0) return;
    --toStart_;
    const std::string& request = requests_[next_++ % requests_.size()];
    connection.started = started;
    size_t sent = 0;
    while (sent < request.size()) {
      const ssize_t n = send(connection.fd, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) die("the server closed a connection while it was written to");
      sent += static_cast<size_t>(n);
    }
  }

  void receive(Connection& connection) {
    char buffer[65536];
    const ssize_t n = recv(connection.fd, buffer, sizeof buffer, 0);
    if (n <= 0) die("the server closed a connection");
    connection.in.append(buffer, static_cast<size_t>(n));
    int status = 0;
    std::string_view body;
    const size_t whole = wholeResponse(connection.in, status, body);
    if (whole == 0) return;
    ++statuses_[status];
    if (measured_) {
      latencies_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - connection.started).count());
    }
    if (save_.is_open()) save_ << body << '\n';
    connection.in.erase(0, whole);
    --pending_;
    options_.rate > 0 ? free_.push_back(&connection) : startNext(connection, Clock::now());
  }

  const Options& options_;
  std::vector<std::string> requests_;
  int epoll_;
  std::vector<Connection> connections_;
  std::vector<double> latencies_;
  std::map<int, size_t> statuses_;
  std::ofstream save_;
  size_t next_ = 0;
  size_t toStart_ = 0;
  size_t pending_ = 0;
  Clock::time_point due_;
  std::vector<Connection*> free_;  // with --rate: connections without a request
  bool measured_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parseArguments(argc, argv);
  Load load(options, bench::readRecords(options.file));
  if (options.warmup > 0) load.run(options.warmup, false);
  const auto before = bench::cpuNanosOfEach(options.pid, options.children);
  const double seconds = load.run(options.requests, true);
  load.report(seconds, bench::spent(before, bench::cpuNanosOfEach(options.pid, options.children)));
}

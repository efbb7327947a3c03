// For tests: a real redis-server on a free port, and a server with scripted replies.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "redis/address.h"

namespace mb::redis::testing {

// A socket that listens on a free port of the loopback; -1 on failure.
inline std::pair<int, int> listenOnLoopback(int port = 0) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 16) != 0) {
    ::close(listener);
    return {-1, 0};
  }
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return {listener, ntohs(address.sin_port)};
}

inline Address addressOf(int port) {
  return *Address::parse("redis://127.0.0.1:" + std::to_string(port));
}

// A redis-server for one test; each start begins with an empty database.
class RedisServer {
 public:
  explicit RedisServer(std::vector<std::string> options = {}) : options_(std::move(options)) {
    const auto [listener, port] = listenOnLoopback();
    ::close(listener);
    port_ = port;
    start();
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() { kill(); }

  static bool installed() { return ::access("/usr/bin/redis-server", X_OK) == 0; }
  int port() const { return port_; }
  Address address() const { return addressOf(port_); }

  void start() {
    std::vector<std::string> arguments = {
        "redis-server", "--port", std::to_string(port_), "--bind",  "127.0.0.1", "--save", "",
        "--appendonly", "no",     "--loglevel",          "warning", "--dir",     "/tmp"};
    arguments.insert(arguments.end(), options_.begin(), options_.end());
    pid_ = ::fork();
    if (pid_ == 0) {
      std::vector<char*> argv;
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::execv("/usr/bin/redis-server", argv.data());
      ::_exit(127);
    }
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGCONT);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  void pause() const { ::kill(pid_, SIGSTOP); }
  void goOn() const { ::kill(pid_, SIGCONT); }

 private:
  std::vector<std::string> options_;
  int port_ = 0;
  pid_t pid_ = 0;
};

// Accepts connections one after another. Replies to each read with the result of `respond`: an empty result closes the
// connection, "-" sends nothing.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<std::string(const std::string& read)> respond) : respond_(std::move(respond)) {
    std::tie(listener_, port_) = listenOnLoopback();
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  ~ScriptedServer() {
    thread_.request_stop();
    ::shutdown(listener_, SHUT_RDWR);
    ::shutdown(connection_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  Address address() const { return addressOf(port_); }
  int accepted() const { return accepted_; }

 private:
  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection_ < 0) return;
      ++accepted_;
      std::string buffer(1 << 16, '\0');
      while (!stop.stop_requested()) {
        const ssize_t size = ::read(connection_, buffer.data(), buffer.size());
        if (size <= 0) break;
        const std::string reply = respond_(buffer.substr(0, static_cast<size_t>(size)));
        if (reply.empty()) break;
        if (reply == "-") continue;
        if (::send(connection_, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) break;
      }
      ::close(connection_.exchange(-1));
    }
  }

  const std::function<std::string(const std::string& read)> respond_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connection_ = -1;
  std::atomic<int> accepted_ = 0;
  std::jthread thread_;
};

}  // namespace mb::redis::testing

// Shared by the tests of the listener: a server on a free port whose service acts by the path of a request, and a
// client that sends and reads raw bytes.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"

namespace mb::http {

// Paths: /echo (the body), /request (what the service saw), /json/<bytes>, /text/<bytes>, /status/<code>, /wait (until
// release()), /until-left (until the client disconnects), /stays (until release(), even if the client disconnects),
// /throw, /close, /injected (a header with a line break), /refused and /tiny (10 bytes) by bodyLimit.
class TestService final : public Service {
 public:
  static constexpr size_t kBodyLimit = 1 << 20;

  Result<size_t> bodyLimit(const Request& head) override;
  Async<Response> handle(Request& request) override;

  // Lets the requests to /wait end, now and from now on.
  void release() { released_ = true; }
  // How many requests were handled, /wait at its beginning.
  int handled() const { return handled_; }
  // How many requests to /until-left or /stays were cancelled because their clients disconnected.
  int left() const { return left_; }

 private:
  std::atomic<bool> released_{false};
  std::atomic<int> handled_{0};
  std::atomic<int> left_{0};
};

class TestServer {
 public:
  explicit TestServer(ServerSettings settings = {}, int cores = 1);
  ~TestServer();

  int port() const { return server.port(); }

  Cores cores;
  TestService service;
  Server server;
};

struct ReceivedResponse {
  int status = 0;
  std::string head;  // with the status line, in lower case
  std::string body;  // as sent

  std::optional<std::string> header(std::string_view name) const;
};

// A blocking connection. Waits end after ten seconds, so that a silent server fails the test.
class TestClient {
 public:
  explicit TestClient(int port, int receiveBuffer = 0);
  ~TestClient();
  TestClient(const TestClient&) = delete;

  void send(std::string_view bytes);
  // Sends as much as the server reads within `limit`; returns how much that was.
  size_t sendFor(std::string_view bytes, std::chrono::milliseconds limit);
  void finishSending();
  // The next response; its body by content-length, empty for HEAD. Status 0 if the connection ends before.
  ReceivedResponse read(bool head = false);
  // Reads the available bytes, after waiting for the first.
  void readSome() { fill(); }
  // The next `count` bytes; fewer when the connection ends before.
  std::string readBytes(size_t count);
  // Everything until the server closes.
  std::string readAll();
  // The server closes without a further byte.
  bool closed();

 private:
  bool fill();

  int fd_ = -1;
  std::string in_;
};

// Waits until `condition` holds, for ten seconds at most.
template <class F>
bool eventually(F condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return condition();
}

}  // namespace mb::http

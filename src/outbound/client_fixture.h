// A client, cores to call it from, and a scripted HTTP server, for this module's tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "outbound/client.h"
#include "outbound/testing.h"
#include "store/testing/running.h"

namespace mb::outbound {

// A request as the server saw it.
struct ReceivedRequest {
  std::string line;     // "GET /x HTTP/1.1"
  std::string headers;  // in lower case, each "name: value\n"
  std::string body;
  std::string path() const { return line.substr(line.find(' ') + 1, line.rfind(' ') - line.find(' ') - 1); }
  bool has(std::string_view header) const { return headers.find(header) != std::string::npos; }
};

class HttpServer {
 public:
  // Returns the response to a request, status line and headers included; "" closes the connection.
  using Handler = std::function<std::string(const ReceivedRequest&)>;

  explicit HttpServer(Handler handler, const testing::Certificate* certificate = nullptr,
                      const char* address = "127.0.0.1")
      : handler_(std::move(handler)),
        server_([this, certificate](testing::Peer& peer) { serve(peer, certificate != nullptr); }, certificate,
                address) {}

  int port() const { return server_.port(); }
  size_t connections() const { return server_.connections(); }
  std::string url(std::string_view path, std::string_view host = "127.0.0.1", std::string_view scheme = "http") const {
    return fmt::format("{}://{}:{}{}", scheme, host, port(), path);
  }
  std::vector<ReceivedRequest> seen() const {
    const std::scoped_lock lock(mutex_);
    return seen_;
  }

 private:
  void serve(testing::Peer& peer, bool tls) {
    if (tls && !peer.startTls()) return;
    while (true) {
      ReceivedRequest request;
      bool open = true;
      request.line = peer.readLine(open);
      size_t length = 0;
      while (open) {
        std::string line = peer.readLine(open);
        if (line.empty()) break;
        const size_t colon = std::min(line.find(':'), line.size());
        std::transform(line.begin(), line.begin() + static_cast<long>(colon), line.begin(), ::tolower);
        if (line.starts_with("content-length: ")) length = std::stoul(line.substr(16));
        request.headers += line + "\n";
      }
      if (!open) return;
      request.body = peer.read(length);
      {
        const std::scoped_lock lock(mutex_);
        seen_.push_back(request);
      }
      const std::string response = handler_(request);
      if (response.empty()) return;
      peer.write(response);
      if (response.find("connection: close") != std::string::npos) return;
    }
  }

  mutable std::mutex mutex_;
  std::vector<ReceivedRequest> seen_;
  const Handler handler_;
  testing::Server server_;
};

inline std::string ok(std::string_view body = "fine", std::string_view headers = "") {
  return fmt::format("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{}\r\n{}", body.size(), headers, body);
}
inline std::string redirect(int status, std::string_view to) {
  return fmt::format("HTTP/1.1 {} Elsewhere\r\ncontent-length: 0\r\nlocation: {}\r\n\r\n", status, to);
}

class ClientFixture : public ::testing::Test {
 protected:
  ClientFixture() { cores_.start(); }
  ~ClientFixture() override {
    client_.reset();
    cores_.stop();
    cores_.join();
  }

  void open(std::vector<std::string> allow = {}, std::string extraCa = "") {
    client_ = std::make_unique<Client>(ClientOptions{*Networks::parse(allow), "", std::move(extraCa)});
  }
  Result<Response> send(Request request) { return store::testing::runOn(cores_, 0, client_->send(std::move(request))); }
  static Request requestTo(std::string url, Trust trust = Trust::guarded) {
    Request request;
    request.url = std::move(url);
    request.trust = trust;
    return request;
  }
  Result<Response> get(std::string url, Trust trust = Trust::guarded) { return send(requestTo(std::move(url), trust)); }
  static void waitFor(const std::function<bool()>& condition) {
    while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // The status ("200"), "sent", or the kind of the error, whose message must be the sanitized one.
  template <class T>
  static std::string outcome(const Result<T>& result) {
    if constexpr (std::is_same_v<T, Response>) {
      if (result) return std::to_string(result->status);
    } else {
      if (result) return "sent";
    }
    switch (result.error().code()) {
      case ErrorCode::upstreamFailed:
        EXPECT_EQ(result.error().message(), "request failed");
        return "failed";
      case ErrorCode::upstreamTimeout:
        EXPECT_EQ(result.error().message(), "request timed out");
        return "timed out";
      case ErrorCode::upstreamRefused:
        EXPECT_EQ(result.error().message(), "request failed");
        return "refused";
      case ErrorCode::upstreamRejected:
        EXPECT_EQ(result.error().message(), "request failed");
        return "rejected";
      default:
        return std::string(meaningOf(result.error().code()).wire);
    }
  }

  Cores cores_{2};
  std::unique_ptr<Client> client_;
};

}  // namespace mb::outbound

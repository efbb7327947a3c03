#include "http/test_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "base/cancellation.h"
#include "base/crypto.h"

namespace mb::http {

Result<size_t> TestService::bodyLimit(const Request& head) {
  if (head.path == "/refused") return fail(ErrorCode::notFound, "no such path");
  return head.path == "/tiny" ? 10 : kBodyLimit;
}

namespace {

size_t numberIn(std::string_view path) {
  return std::stoul(std::string(path.substr(path.rfind('/') + 1)));
}

std::string describe(const Request& request) {
  std::string out = fmt::format("{} {} ?{} from {} id {}\n", methodName(request.method), request.path, request.query,
                                request.peer, request.id);
  for (const Header& header : request.headers) out += fmt::format("{}={}\n", header.name, header.value);
  return out + "body=" + std::string(request.body);
}

}  // namespace

Async<Response> TestService::handle(Request& request) {
  ++handled_;
  const std::string_view path = request.path;
  if (path == "/throw") throw std::runtime_error("a secret bug");
  while (path == "/wait" && !released_) co_await sleepFor(std::chrono::milliseconds(2));
  if (path == "/until-left" || path == "/stays") {
    if (path == "/until-left") co_await endWithClient();
    while (!released_ && co_await yieldCore()) co_await sleepFor(std::chrono::milliseconds(2));
    left_ += released_ ? 0 : 1;
  }
  if (path == "/echo" || path == "/tiny") co_return Response::text(200, "text/plain", std::string(request.body));
  if (path == "/request") co_return Response::text(200, "text/plain", describe(request));
  if (path.starts_with("/status/")) co_return Response::text(static_cast<int>(numberIn(path)), "text/plain", "body");
  Response response = Response::json(200, "{}");
  if (path.starts_with("/json/")) response.body = std::string(numberIn(path), 'a');
  if (path.starts_with("/text/")) response = Response::text(200, "text/plain", std::string(numberIn(path), 'a'));
  if (path == "/injected") response.headers.emplace_back("x-evil", "a\r\nset-cookie: b");
  response.close = path == "/close";
  co_return response;
}

namespace {

ServerSettings onAnyPort(ServerSettings settings) {
  settings.port = 0;
  return settings;
}

}  // namespace

TestServer::TestServer(ServerSettings settings, int count)
    : cores((initCrypto(), count)), server(onAnyPort(std::move(settings)), cores, service) {
  // sendfile takes no flag that keeps the signal away; the process of a server ignores it.
  std::signal(SIGPIPE, SIG_IGN);
  if (const auto listening = server.listen(); !listening) throw std::runtime_error(listening.error().message());
  cores.start();
}

TestServer::~TestServer() {
  service.release();
  server.drain(std::chrono::seconds(5));
  cores.stop();
  cores.join();
}

std::optional<std::string> ReceivedResponse::header(std::string_view name) const {
  const size_t at = head.find("\r\n" + std::string(name) + ": ");
  if (at == std::string::npos) return std::nullopt;
  const size_t start = at + 2 + name.size() + 2;
  return head.substr(start, head.find("\r\n", start) - start);
}

TestClient::TestClient(int port, int receiveBuffer) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
  if (receiveBuffer > 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, sizeof receiveBuffer);
  const timeval limit{.tv_sec = 10, .tv_usec = 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << strerror(errno);
}

TestClient::~TestClient() {
  ::close(fd_);
}

void TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;  // the server may close before it has read all; its response shows why
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

size_t TestClient::sendFor(std::string_view bytes, std::chrono::milliseconds limit) {
  size_t sent = 0;
  pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
  while (sent < bytes.size() && ::poll(&ready, 1, static_cast<int>(limit.count())) == 1) {
    const ssize_t count = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count <= 0) break;
    sent += static_cast<size_t>(count);
  }
  return sent;
}

void TestClient::finishSending() {
  ::shutdown(fd_, SHUT_WR);
}

bool TestClient::fill() {
  char buffer[16 << 10];
  const ssize_t count = ::recv(fd_, buffer, sizeof buffer, 0);
  if (count <= 0) return false;
  in_.append(buffer, static_cast<size_t>(count));
  return true;
}

ReceivedResponse TestClient::read(bool head) {
  size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return {};
  }
  ReceivedResponse response;
  response.head = in_.substr(0, end + 2);
  std::ranges::transform(response.head, response.head.begin(), [](unsigned char c) { return std::tolower(c); });
  in_.erase(0, end + 4);
  response.status = std::stoi(response.head.substr(9, 3));
  const size_t length = head ? 0 : std::stoul(response.header("content-length").value_or("0"));
  while (in_.size() < length && fill()) continue;
  response.body = in_.substr(0, length);
  in_.erase(0, length);
  return response;
}

std::string TestClient::readBytes(size_t count) {
  while (in_.size() < count && fill()) continue;
  std::string bytes = in_.substr(0, count);
  in_.erase(0, bytes.size());
  return bytes;
}

std::string TestClient::readAll() {
  while (fill()) continue;
  return std::exchange(in_, {});
}

bool TestClient::closed() {
  errno = 0;
  return in_.empty() && !fill() && errno != EAGAIN;
}

}  // namespace mb::http

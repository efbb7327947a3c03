#include "store/mongo/suite/cut_proxy.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace mb::store {

namespace {

constexpr int kPollMs = 20;

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool connectTo(int socket, const ServerHost& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.name.c_str(), std::to_string(host.port).c_str(), &hints, &found) != 0) return false;
  const bool connected = ::connect(socket, found->ai_addr, found->ai_addrlen) == 0;
  ::freeaddrinfo(found);
  return connected;
}

bool sendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Reads once if the socket has something; empty at its end.
std::string_view receive(int socket, std::array<char, 1 << 16>& buffer) {
  const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
}

bool isReadable(const pollfd& socket) {
  return (socket.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

}  // namespace

CutProxy::CutProxy(ServerHost target) : target_(std::move(target)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  const bool listening = ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                         ::listen(listener_, 64) == 0 &&
                         ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!listening) throw std::runtime_error("no port for the proxy");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::jthread([this](const std::stop_token& stop) { accept(stop); });
}

CutProxy::~CutProxy() {
  acceptor_.request_stop();
  acceptor_.join();
  ::close(listener_);
  // Their destructors stop and join them.
  connections_.clear();
}

void CutProxy::accept(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd waiting{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kPollMs) <= 0) continue;
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) continue;
    connections_.emplace_back([this, client](const std::stop_token& ending) { pass(ending, client); });
  }
}

void CutProxy::pass(const std::stop_token& stop, int client) {
  const int server = ::socket(AF_INET, SOCK_STREAM, 0);
  bool open = connectTo(server, target_);
  bool committing = false;
  std::array<char, 1 << 16> buffer;
  while (open && !stop.stop_requested() && loses_ != Loses::everything) {
    std::array<pollfd, 2> both{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (::poll(both.data(), both.size(), kPollMs) <= 0) continue;
    if (isReadable(both[0])) {
      const std::string_view bytes = receive(client, buffer);
      committing = bytes.find("commitTransaction") != std::string_view::npos;
      const bool drops = loses_ == Loses::indexDrops && bytes.find("dropIndexes") != std::string_view::npos;
      if (drops || (committing && loses_ == Loses::commits)) {
        ++lost_;
        break;
      }
      open = !bytes.empty() && sendAll(server, bytes);
    }
    if (open && isReadable(both[1])) {
      const std::string_view bytes = receive(server, buffer);
      if (committing && loses_ == Loses::repliesToCommits) {
        ++lost_;
        break;
      }
      open = !bytes.empty() && (loses_ == Loses::replies || sendAll(client, bytes));
    }
  }
  ::close(client);
  ::close(server);
}

}  // namespace mb::store

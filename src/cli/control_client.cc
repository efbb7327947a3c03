#include "cli/control_client.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <system_error>

#include "cli/socket_address.h"

namespace mb::cli {

namespace {

constexpr timeval kSilence{.tv_sec = 30, .tv_usec = 0};

std::unexpected<Error> lost(std::string_view what) {
  return fail(ErrorCode::unavailable, fmt::format("the running server {}", what));
}

}  // namespace

Result<std::optional<ControlClient>> ControlClient::connect(const std::filesystem::path& directory) {
  const auto address = SocketAddress::of(directory);
  if (!address) return std::optional<ControlClient>();
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.open()) return lost("cannot be reached: " + std::generic_category().message(errno));
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kSilence, sizeof kSilence);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kSilence, sizeof kSilence);
  if (::connect(socket.get(), address->get(), address->size()) == 0) {
    return std::optional(ControlClient(std::move(socket)));
  }
  const int error = errno;
  // ECONNREFUSED: the socket file exists, but no server listens.
  if (error == ENOENT || error == ECONNREFUSED || error == ENOTDIR) return std::optional<ControlClient>();
  return lost("cannot be reached: " + std::generic_category().message(error));
}

Result<std::string> ControlClient::readLine() {
  while (true) {
    if (const size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    if (read_.size() > kMaxMessage) return lost("sent a line that is too long");
    std::array<char, 16 << 10> piece;
    const ssize_t got = ::recv(socket_.get(), piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return lost("does not respond");
    if (got <= 0) return lost("closed the connection before the command ended");
    read_.append(piece.data(), static_cast<size_t>(got));
  }
}

Result<std::variant<Outcome, Failure>> ControlClient::call(const Request& request,
                                                           const std::function<void(const Step&)>& onStep) {
  const std::string line = encodeRequest(request);
  if (line.size() > kMaxRequest) return fail(ErrorCode::invalidParam, "the arguments are too long");
  for (std::string_view left = line; !left.empty();) {
    const ssize_t sent = ::send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    // A reply sent before the server closed can still be read.
    if (sent <= 0) break;
    left.remove_prefix(static_cast<size_t>(sent));
  }
  while (true) {
    TRY(const std::string response, readLine());
    TRY(Message message, decodeMessage(response));
    if (auto* outcome = std::get_if<Outcome>(&message)) return std::move(*outcome);
    if (auto* failure = std::get_if<Failure>(&message)) return std::move(*failure);
    onStep(std::get<Step>(message));
  }
}

}  // namespace mb::cli

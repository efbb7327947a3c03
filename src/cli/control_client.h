// Sends one command to the server that runs on a data directory, over its command socket. Blocks.
#pragma once

#include <filesystem>
#include <functional>

#include "base/descriptor.h"
#include "cli/wire.h"

namespace mb::cli {

class ControlClient {
 public:
  // nullopt where no server listens: no socket, or one left by a dead server. Fails with a message to print where
  // access to the socket is denied, or the server takes no more commands.
  static Result<std::optional<ControlClient>> connect(const std::filesystem::path& directory);

  // Sends the request and waits for its end; `onStep` gets each step as it comes. Fails with a message to print when
  // the server closes the connection or sends nothing for 30 s.
  Result<std::variant<Outcome, Failure>> call(const Request& request, const std::function<void(const Step&)>& onStep);

 private:
  explicit ControlClient(Descriptor socket) : socket_(std::move(socket)) {}
  Result<std::string> readLine();
  Descriptor socket_;
  std::string read_;
};

}  // namespace mb::cli

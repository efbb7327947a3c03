// The command socket of a running server: DIR/control.sock, mode 0600, so users that may write the data directory's
// files may use it. Protocol: cli/wire.h. Connections are served on the first core; commands run on separate threads.
#pragma once

#include <memory>

#include "app/command.h"

namespace mb::app {

class CommandSocket {
 public:
  // `deployment` outlives the socket.
  explicit CommandSocket(Deployment& deployment);
  ~CommandSocket();
  // Listens, and replaces a socket that a dead server left. REQUIRES: the store is open, which only one process can
  // have. Fails with a message to print.
  Result<> listen();
  // Takes no more commands, stops the running ones and waits for them, and removes the socket. Not from a core. Call
  // once.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::app

// The command socket of a running server: DIR/control.sock, mode 0600, so whoever may write the data directory's files
// may use it. Protocol: cli/wire.h. Connections are served on the first core; commands run on threads of their own.
#pragma once

#include <memory>

#include "app/command.h"

namespace mb::app {

class CommandSocket {
 public:
  // `deployment` outlives the socket.
  explicit CommandSocket(Deployment& deployment);
  ~CommandSocket();
  // Listens, in place of what a dead server left there: only with the store open, which one process has at a time.
  // Fails with a line to show.
  Result<> listen();
  // Takes no more commands, stops those that run and waits for them, and removes the socket. Not from a core. Once.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::app

// The processes that have one store open together: servers, and commands on their database.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"

namespace mb::store {

// Any thread. Belongs to the store.
class Peers {
 public:
  virtual ~Peers() = default;
  // The name of this process: of no other one, and not of one that replaces it.
  virtual const std::string& self() const = 0;
  // Whether a process may still run: false from half a minute after its last sign of life, and at once for one that
  // closed the store. True for any while this process does not know the latest signs. Never blocks.
  virtual bool isAlive(const std::string& process) const = 0;
  // Whether another process runs, or has ended without closing the store within the last half minute. Blocks. Fails
  // with unavailable.
  virtual Result<bool> hasOthers() const = 0;
  // Calls the listeners of the other processes within a second; calls in between count as one. Never blocks.
  virtual void wakeOthers() = 0;
  // Calls `listener` for each wakeOthers() of another process, on a thread of the store, until the returned handle is
  // dropped; dropping waits for a running call. It must return at once.
  virtual std::shared_ptr<void> listenForWakes(std::function<void()> listener) = 0;
};

}  // namespace mb::store

// A TCP proxy on this machine that loses what a test says.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "store/mongo/suite/test_server.h"

namespace mb::store {

class CutProxy {
 public:
  enum class Loses : uint8_t {
    nothing,
    everything,        // all connections end, and new ones at once
    commits,           // a connection ends in place of passing a commit on
    repliesToCommits,  // a connection ends in place of the reply to a commit
    indexDrops,        // a connection ends in place of passing the drop of an index on
    replies,           // what the server sends; connections stay open
  };

  // Passes connections on to the host.
  explicit CutProxy(ServerHost target);
  ~CutProxy();
  CutProxy(const CutProxy&) = delete;
  CutProxy& operator=(const CutProxy&) = delete;

  uint16_t port() const { return port_; }
  void lose(Loses what) { loses_ = what; }
  // How many commits, replies or drops got lost.
  int lost() const { return lost_; }

 private:
  void accept(const std::stop_token& stop);
  void pass(const std::stop_token& stop, int client);

  const ServerHost target_;
  uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<Loses> loses_{Loses::nothing};
  std::atomic<int> lost_{0};
  std::mutex mutex_;
  std::vector<std::jthread> connections_;
  std::jthread acceptor_;
};

}  // namespace mb::store

// A TCP proxy to a server on this machine that loses what a test says.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace mb::store {

class CutProxy {
 public:
  enum class Loses : uint8_t {
    nothing,
    everything,        // all connections end, and new ones at once
    commits,           // a connection ends in place of passing a commit on
    repliesToCommits,  // a connection ends in place of the reply to a commit
  };

  explicit CutProxy(uint16_t target);
  ~CutProxy();
  CutProxy(const CutProxy&) = delete;
  CutProxy& operator=(const CutProxy&) = delete;

  uint16_t port() const { return port_; }
  void lose(Loses what) { loses_ = what; }
  // How many commits or replies got lost.
  int lost() const { return lost_; }

 private:
  void accept(const std::stop_token& stop);
  void pass(const std::stop_token& stop, int client);

  const uint16_t target_;
  uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<Loses> loses_{Loses::nothing};
  std::atomic<int> lost_{0};
  std::mutex mutex_;
  std::vector<std::jthread> connections_;
  std::jthread acceptor_;
};

}  // namespace mb::store

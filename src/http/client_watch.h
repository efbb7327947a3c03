// Checks periodically whether the clients of long-running requests are still connected. A request that is served within
// one interval costs no system call. Private to this module; one core.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>
#include <chrono>

#include "base/task.h"

namespace mb::http {

class ClientWatch {
 public:
  // A request in progress: a base class of its connection. May be destroyed at any time.
  class WatchedRequest
      : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    // Called about every kInterval from add() on. Must not resume a coroutine within the call.
    virtual void checkClient() = 0;

   protected:
    WatchedRequest() = default;
    ~WatchedRequest() = default;

   private:
    friend class ClientWatch;
    uint64_t since_ = 0;
  };

  explicit ClientWatch(asio::io_context& core) : timer_(core) {}
  ClientWatch(const ClientWatch&) = delete;

  void add(WatchedRequest& request);
  // Stops the checks, so that no wait is pending when the core ends.
  void stop();
  static void remove(WatchedRequest& request) { request.unlink(); }

 private:
  static constexpr std::chrono::milliseconds kInterval{50};
  static constexpr int kMaxChecksInARow = 256;  // then other work on the core runs

  void arm();
  void checkClients();

  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor> timer_;
  // In the order in which they were added or last checked.
  boost::intrusive::list<WatchedRequest, boost::intrusive::constant_time_size<false>> requests_;
  uint64_t round_ = 0;
  bool armed_ = false;
  bool stopped_ = false;
};

}  // namespace mb::http

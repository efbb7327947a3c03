// Checks now and then whether the clients of those requests are still there that take long. What is answered at once
// costs no system call. Private to this module; one core.
#pragma once

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>
#include <chrono>

#include "base/task.h"

namespace mb::http {

class ClientWatch {
 public:
  // One request on its way: a base of its connection. It may go at any time.
  class WatchedRequest
      : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    // Called every kInterval or so from then on. Resumes nothing within the call.
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
  // Checks no more, so that nothing waits when the core ends.
  void stop();
  static void remove(WatchedRequest& request) { request.unlink(); }

 private:
  static constexpr std::chrono::milliseconds kInterval{50};
  static constexpr int kMaxChecksInARow = 256;  // then others on the core get their turn

  void arm();
  void checkClients();

  asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor> timer_;
  // In the order in which they came, or were checked last.
  boost::intrusive::list<WatchedRequest, boost::intrusive::constant_time_size<false>> requests_;
  uint64_t round_ = 0;
  bool armed_ = false;
  bool stopped_ = false;
};

}  // namespace mb::http

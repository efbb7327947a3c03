// Transfer is one call as libcurl sees it: an easy handle, the data to send and the data received. Private to
// outbound/.
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "outbound/address_rule.h"
#include "outbound/target.h"

namespace mb::outbound {

// Shared by all calls of a client, which it outlives.
struct TransferContext {
  AddressRule rule;
  std::string caFile;
  std::string extraCa;
  std::atomic<uint64_t> connections = 0;
  std::atomic<uint64_t> refused = 0;
  std::atomic<bool> stopping = false;
};

// How a call ended.
struct Outcome {
  enum class End {
    completed,
    failed,  // `problem` is the reason
    timedOut,
    refused,   // by the address rule
    rejected,  // by the mail server, permanently
    full,      // the queue is full
    stopped,
  } end = End::failed;
  int status = 0;
  std::vector<Header> headers;
  std::string body;
  std::string problem;  // for the log
};

class Transfer {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // REQUIRES: checkRequest() accepts `request`. Uses `deadline` instead of request.timeout. Moves the body out of
  // `request` unless a redirect may need it again.
  static std::unique_ptr<Transfer> http(TransferContext& context, Request& request, const Target& target,
                                        Time deadline);
  static std::unique_ptr<Transfer> smtp(TransferContext& context, const MailMessage& message, const std::string& url,
                                        Time deadline);

  // Calls `wake` when the call must end early: possibly at once, possibly on another thread; at most once, and not
  // after the transfer is destroyed. It must not wait for anything that the end of a transfer waits for.
  void onAbort(std::function<void()> wake) { onAbort_.emplace(aborted_, std::move(wake)); }
  bool aborted() const { return aborted_.stop_requested(); }

  CURL* handle() { return easy_.get(); }
  Trust trust() const { return trust_; }
  const CallKeys& keys() const { return keys_; }
  Time deadline() const { return deadline_; }

  // Call just before the start: sets libcurl's timeouts to the time left. False when none is left or the call was
  // aborted.
  bool arm();
  // Call after libcurl has ended the transfer; moves the received data out.
  Outcome outcome(CURLcode code);

  // The runner calls it with the outcome, once.
  std::move_only_function<void(Outcome)> finish;

 private:
  struct EasyCloser {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct ListCloser {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, ListCloser>;

  Transfer(TransferContext& context, Trust trust, CallKeys keys, Time deadline,
           std::chrono::milliseconds connectTimeout, std::stop_token aborted);
  template <class T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(easy_.get(), option, value);
  }
  static void append(List& list, const std::string& line);
  static curl_socket_t openSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static size_t takeHeader(char* data, size_t size, size_t count, void* self);
  static size_t takeBody(char* data, size_t size, size_t count, void* self);
  static size_t supplyBody(char* data, size_t size, size_t count, void* self);
  static int keepGoing(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  TransferContext& context_;
  const Trust trust_;
  const CallKeys keys_;
  const Time deadline_;
  const std::chrono::milliseconds connectTimeout_;
  const std::stop_token aborted_;
  bool mail_ = false;

  std::string sent_;      // the body
  size_t sentBytes_ = 0;  // of sent_, passed to libcurl so far
  size_t maxReceived_ = 0;
  size_t headerBytes_ = 0;
  bool tooLong_ = false;
  bool statusOnly_ = false;
  bool truncated_ = false;  // statusOnly_: the body is longer than maxReceived_, and the rest was not read
  bool refused_ = false;    // the address rule refused an address
  Outcome received_;
  char problem_[CURL_ERROR_SIZE] = {};

  List headers_;
  List recipients_;
  // After the members that libcurl uses: it is destroyed before them.
  std::unique_ptr<CURL, EasyCloser> easy_;
  // Last member: after its destruction nothing calls `wake`.
  std::optional<std::stop_callback<std::function<void()>>> onAbort_;
};

}  // namespace mb::outbound

// One call as libcurl sees it: an easy handle, what it sends and what it has received. Private to outbound/.
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

// What all calls of a client share. Outlives them.
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
    answered,
    failed,  // `problem` says how
    timedOut,
    refused,   // by the address rule
    rejected,  // by the mail server, for good
    full,      // too many wait
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

  // `request` is checked; `timeout`s of it are not used, `deadline` is. Its body is taken where no redirect may need it
  // again.
  static std::unique_ptr<Transfer> http(TransferContext& context, Request& request, const Target& target,
                                        Time deadline);
  static std::unique_ptr<Transfer> smtp(TransferContext& context, const MailMessage& message, const std::string& url,
                                        Time deadline);

  // `wake` is called once the call is to end early: maybe at once, maybe on another thread; at most once, and not after
  // the transfer is gone. It must not wait for anything that the end of a transfer waits for.
  void onAbort(std::function<void()> wake) { onAbort_.emplace(aborted_, std::move(wake)); }
  bool aborted() const { return aborted_.stop_requested(); }

  CURL* handle() { return easy_.get(); }
  Trust trust() const { return trust_; }
  const CallKeys& keys() const { return keys_; }
  Time deadline() const { return deadline_; }

  // Just before it starts: gives libcurl what is left of the time; false when nothing is, or the
  // call was aborted.
  bool arm();
  // After libcurl has ended it; takes what was received.
  Outcome outcome(CURLcode code);

  // Called with the outcome, once, by whoever runs the transfer.
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
  static size_t giveBody(char* data, size_t size, size_t count, void* self);
  static int keepGoing(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  TransferContext& context_;
  const Trust trust_;
  const CallKeys keys_;
  const Time deadline_;
  const std::chrono::milliseconds connectTimeout_;
  const std::stop_token aborted_;
  bool mail_ = false;

  std::string sent_;  // the body
  size_t given_ = 0;  // of it, to libcurl
  size_t maxReceived_ = 0;
  size_t headerBytes_ = 0;
  bool tooLong_ = false;
  bool statusOnly_ = false;
  bool cut_ = false;      // what the answer still held was not wanted
  bool refused_ = false;  // an address was
  Outcome received_;
  char problem_[CURL_ERROR_SIZE] = {};

  List headers_;
  List recipients_;
  // It is closed while the rest is still there.
  std::unique_ptr<CURL, EasyCloser> easy_;
  // Last: once it is gone nobody calls `wake`.
  std::optional<std::stop_callback<std::function<void()>>> onAbort_;
};

}  // namespace mb::outbound

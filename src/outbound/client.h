// The outbound client on libcurl: one thread for HTTP (multi interface), a few for mail.
#pragma once

#include <memory>

#include "base/networks.h"
#include "base/settings.h"
#include "outbound/outbound.h"

namespace mb::outbound {

struct OutboundSettings {
  explicit OutboundSettings(Settings& settings);
  OutboundSettings() = default;  // defaults, for tests

  // Networks that guarded calls may reach in addition to public ones.
  Networks allow;
  std::string caFile;  // SSL_CERT_FILE; "": the system's certificates
};

struct ClientOptions {
  Networks allow = {};
  // A PEM file with the certificates to trust instead of the system's (SSL_CERT_FILE); "" for the system's.
  std::string caFile = {};
  // PEM certificates to trust in addition; for tests.
  std::string extraCa = {};
};

class Client final : public Outbound {
 public:
  explicit Client(ClientOptions options);
  ~Client() override;  // stop()

  Task<Response> send(Request request) override;
  Task<> mail(MailMessage message) override;

  // Ends every call with unavailable, refuses new ones and joins the thread; no call is resumed after it returns. Cores
  // must still run, and this must not be called from one.
  void stop();

  struct Stats {
    size_t running = 0;
    size_t waiting = 0;
    uint64_t connections = 0;  // opened so far
    uint64_t refused = 0;      // addresses refused by the rule so far
  };
  Stats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::outbound

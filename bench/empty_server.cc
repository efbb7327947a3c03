// The product's own listener with a handler that does nothing: the baseline for the ratios of all other figures. Prints
// its port, serves until SIGTERM.
#include <csignal>
#include <cstdio>

#include "base/crypto.h"
#include "http/server.h"

namespace {

class Empty final : public mb::http::Service {
 public:
  mb::Result<size_t> bodyLimit(const mb::http::Request&) override { return size_t{1} << 20; }
  mb::Async<mb::http::Response> handle(mb::http::Request&) override {
    co_return mb::http::Response::json(200, R"({"status":"ok"})");
  }
};

}  // namespace

int main() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  mb::initCrypto();
  mb::Cores cores(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  Empty service;
  mb::http::ServerSettings settings;
  settings.port = 0;
  mb::http::Server server(settings, cores, service);
  if (const auto listening = server.listen(); !listening) {
    std::fprintf(stderr, "%s\n", listening.error().message().c_str());
    return 1;
  }
  cores.start();
  std::printf("%d\n", server.port());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  server.drain(std::chrono::seconds(1));
  cores.stop();
  cores.join();
}

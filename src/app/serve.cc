#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "app/application.h"
#include "app/commands.h"
#include "base/log.h"

namespace mb::app {

namespace {

constexpr auto kDrainLimit = std::chrono::seconds(10);

// The signals that stop the server: blocked in all threads (later ones inherit the mask) until wait() takes them.
class StopSignals {
 public:
  StopSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }
  void wait() const {
    int signal = 0;
    sigwait(&set_, &signal);
  }
  // From now on the next signal ends the process at once.
  void exitOnNext() const {
    std::thread([set = set_] {
      int signal = 0;
      sigwait(&set, &signal);
      _exit(1);
    }).detach();
  }

 private:
  sigset_t set_;
};

void say(const std::string& line) {
  fmt::print(stderr, "manybase: {}\n", line);
}

// For people on a terminal; where machines read the logs it is a log line.
void banner(const AllSettings& settings, const api::Version& version, const Application& application) {
  const int port = application.port();
  const bool v6 = settings.http.host.find(':') != std::string::npos;
  const std::string at = fmt::format("http://{}:{}", v6 ? "[" + settings.http.host + "]" : settings.http.host, port);
  const std::string directory = settings.app.dataDirectory.string();
  if (settings.app.log.format == LogFormat::json) {
    logInfo("listening", {{"url", at}, {"version", version.version}, {"data", directory}});
    if (application.setupCode()) {
      logInfo("the first registration needs the set-up code, unless it is made on this machine",
              {{"setupCode", *application.setupCode()}});
    }
    return;
  }
  fmt::print(
      "Manybase {} listens at {}\n"
      "  Data in {}\n",
      version.version, at, directory);
  if (application.setupCode()) {
    fmt::print(
        "  Next: create the first account, which operates this server: {}/dashboard\n"
        "  From elsewhere, or through a proxy, that needs the set-up code: {}\n",
        at, *application.setupCode());
  }
  std::fflush(stdout);
}

}  // namespace

std::string settingsHelp() {
  Settings settings({});
  const AllSettings all(settings);
  return settings.help();
}

int serve(const api::Version& version) {
  initCrypto();
  std::vector<std::string> problems;
  Settings settings(loadEnvironment(".", problems));
  const AllSettings all(settings);
  for (auto& error : settings.errors()) problems.push_back(std::move(error));
  for (const auto& problem : problems) say(problem);
  if (!problems.empty()) return 1;
  configureLog(all.app.log.level, all.app.log.format);
  for (const auto& warning : settings.warnings()) logWarn(warning);
  if (all.api.trustedProxies.trustAnybody()) {
    logWarn(
        "SERVICE_TRUSTED_PROXIES includes clients, who can then choose the address that limits count: name only the "
        "proxies (docs/deployment.md)");
  }

  const StopSignals signals;
  auto application = Application::start(all, version);
  if (!application) {
    say(application.error().message() +
        (application.error().cause().empty() ? "" : " (" + application.error().cause() + ")"));
    return 1;
  }
  banner(all, version, **application);
  if (!(*application)->deliversMail()) {
    logInfo(
        "no mail service: addresses are not verified, so invited members and operators become active when they "
        "register");
  }
  signals.wait();
  logInfo("stopping");
  signals.exitOnNext();
  (*application)->stop(kDrainLimit);
  logInfo("stopped");
  return 0;
}

}  // namespace mb::app

// Runs a command in the program: through the running server if there is one, else on the store itself.
#include <csignal>

#include "app/application.h"
#include "app/commands.h"
#include "app/open_deployment.h"
#include "base/log.h"
#include "cli/console.h"
#include "cli/control_client.h"

namespace mb::app {

namespace {

class Shown final : public Progress {
 public:
  explicit Shown(cli::Console& console) : console_(console) {}
  void at(std::string_view step, uint64_t done, uint64_t total) override {
    console_.step({std::string(step), static_cast<int64_t>(done), static_cast<int64_t>(total)});
  }

 private:
  cli::Console& console_;
};

std::atomic<Progress*> interruptible{nullptr};

// The first signal stops the command in order, so that it leaves nothing half done; a second one ends the process.
class Interruptible {
 public:
  explicit Interruptible(Progress& progress) {
    interruptible = &progress;
    struct sigaction action{};
    action.sa_flags = SA_RESETHAND;
    action.sa_handler = [](int) {
      if (Progress* running = interruptible.load()) running->stop();
    };
    for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() { interruptible = nullptr; }
};

cli::Arguments withAbsolutePaths(const Command& command, cli::Arguments arguments) {
  std::error_code failed;
  for (const Option& option : command.options) {
    const auto given = arguments.find(std::string(option.name));
    if (option.kind != Option::Kind::path || given == arguments.end() || given->second.empty()) continue;
    given->second = std::filesystem::absolute(given->second, failed).string();
  }
  return arguments;
}

Result<std::variant<cli::Outcome, cli::Failure>> perform(const Command& command, const CommandContext& context,
                                                         cli::Arguments arguments, cli::Console& console) {
  if (command.ask) RETURN_IF_ERROR(command.ask(arguments));
  RETURN_IF_ERROR(checkArguments(command, arguments));
  Shown progress(console);
  const Interruptible guard(progress);
  if (command.alone) {
    TRY(std::optional<cli::Outcome> outcome, command.alone(context, arguments, progress));
    if (outcome) return *std::move(outcome);
  }
  TRY(std::optional<cli::ControlClient> server, cli::ControlClient::connect(context.directory));
  if (server) {
    // A signal ends the program; its closed connection stops the command.
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
    return server->call({std::string(command.name), arguments}, [&](const cli::Step& step) { console.step(step); });
  }
  TRY(const auto opened, OpenDeployment::open(context));
  TRY(cli::Outcome outcome, command.run(opened->get(), arguments, progress));
  return outcome;
}

}  // namespace

int runCommand(const Command& command, const std::string& dataDirectory, cli::Arguments arguments, bool json,
               const api::Version& version) {
  initCrypto();
  cli::Console console(json);
  std::vector<std::string> problems;
  Settings settings(loadEnvironment(".", problems));
  const AllSettings all(settings);
  for (auto& error : settings.errors()) problems.push_back(std::move(error));
  for (const auto& problem : problems) console.show(cli::Failure{"VALIDATION", problem});
  if (!problems.empty()) return 1;
  // Errors are reported by the command, in one line.
  configureLog(LogLevel::error, all.app.log.format);
  std::error_code failed;
  const std::filesystem::path directory = std::filesystem::absolute(
      dataDirectory.empty() ? all.app.dataDirectory : std::filesystem::path(dataDirectory), failed);
  const CommandContext context{directory.lexically_normal(), all.store,      all.app.secret, version.version,
                               all.mail.smtp.has_value(),    all.billing.on, all.audit.on};
  auto ending = perform(command, context, withAbsolutePaths(command, std::move(arguments)), console);
  if (!ending) return console.show(cli::failureOf(ending.error()));
  return std::visit([&](const auto& each) { return console.show(each); }, *ending);
}

}  // namespace mb::app

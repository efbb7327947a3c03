// Runs a command in the program: through the running server if there is one, else on the store itself.
#include <csignal>

#include "app/application.h"
#include "app/checkpoint.h"
#include "app/commands.h"
#include "app/data_directory.h"
#include "app/secret_rotation.h"
#include "base/log.h"
#include "billing/accounts.h"
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

// Opens the store for one command.
Result<cli::Outcome> runHere(const Command& command, const CommandContext& context, bool audit,
                             const cli::Arguments& arguments, Progress& progress) {
  const std::filesystem::path& directory = context.directory;
  std::error_code failed;
  if (!context.storeSettings.isOnMongo() && !std::filesystem::is_directory(directory / "store", failed)) {
    return fail(ErrorCode::notFound, fmt::format("there is no store in {}", directory.string()));
  }
  const SystemClock clock;
  Cores cores(1);
  TRY(const OpenedStore opened, openStore(context.storeSettings, directory, cores, clock));
  const auto& store = opened.store;
  cores.start();
  Result<cli::Outcome> outcome = [&]() -> Result<cli::Outcome> {
    removeLeftCheckpoints(directory);
    // An incomplete recovery is reported by the commands that need the secret.
    (void)recoverSecretRotation(*store, cores, context.givenSecret, directory);
    TRY(std::optional<Secret> secret, secretText(context.givenSecret, directory));
    IdGenerator ids(clock);
    ids.startAbove(store->idFloorMs());
    store->rememberIdsOf(ids);
    audit::Auditor auditor(audit, ids, clock);
    billing::Accounts accounts({*store, clock, auditor});
    billing::AccountPlans plans(accounts);
    Deployment deployment{directory,
                          *store,
                          opened.embedded,
                          cores,
                          ids,
                          clock,
                          auditor,
                          std::move(secret),
                          context.version,
                          context.givenSecret.has_value(),
                          nullptr,
                          context.deliversMail,
                          nullptr,
                          nullptr,
                          context.billing ? &plans : nullptr};
    Result<cli::Outcome> ran = command.run(deployment, arguments, progress);
    store->close();
    return ran;
  }();
  store->close();
  cores.stop();
  cores.join();
  return outcome;
}

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
                                                         bool audit, cli::Arguments arguments, cli::Console& console) {
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
  TRY(cli::Outcome outcome, runHere(command, context, audit, arguments, progress));
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
  const CommandContext context{directory.lexically_normal(), all.store,     all.app.secret, version.version,
                               all.mail.smtp.has_value(),    all.billing.on};
  auto ending = perform(command, context, all.audit.on, withAbsolutePaths(command, std::move(arguments)), console);
  if (!ending) return console.show(cli::failureOf(ending.error()));
  return std::visit([&](const auto& each) { return console.show(each); }, *ending);
}

}  // namespace mb::app

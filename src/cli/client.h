// The client commands, which people and scripts run on their own machine against a server over HTTP. A new one is a
// function and an entry in client.cc.
#pragma once

#include "cli/bundle_folder.h"
#include "cli/option.h"
#include "cli/session.h"

namespace mb::cli {

// A session, and the project that a command is about.
struct ProjectSession {
  std::unique_ptr<Session> session;
  ProjectRef project;
};

// The arguments, environment and console of one client command.
class Client {
 public:
  // All parameters outlive it.
  Client(const Arguments& arguments, const Environment& environment, Console& console)
      : arguments_(arguments), environment_(environment), console_(console) {}

  const Arguments& arguments() const { return arguments_; }
  const Environment& environment() const { return environment_; }
  Console& console() { return console_; }
  bool has(const std::string& name) const { return cli::has(arguments_, name); }
  std::string value(const std::string& name) const { return valueOf(arguments_, name); }

  // --dir, else "manybase".
  BundleFolder folder() const;
  LocalState state() const { return LocalState(folder().root()); }
  // Opens a session by the options, the environment and the link of the folder.
  Result<std::unique_ptr<Session>> session();
  // session(), and its project; fails as Session::project() does.
  Result<ProjectSession> projectSession();

 private:
  const Arguments& arguments_;
  const Environment& environment_;
  Console& console_;
};

// The document that the folder's files form. Fails with validation, with each invalid file in the details.
Result<doc::Document> documentIn(const BundleFolder& folder, const BundleFolder::Contents& contents);

// Requires confirmation: "yes" typed on a terminal after the question, --yes or --<flag>. Fails with validation
// otherwise, without a prompt where standard input is not a terminal, and with invalidParam with --json.
Result<> confirmed(Client& client, std::string_view question, std::string_view flag);

// "&allowMissing=1&skipTests=1", as the options of a push or a promotion say.
std::string importOptions(const Client& client);

struct ClientCommand {
  std::string_view name;
  std::string_view help;
  std::vector<Option> options;
  // Blocks. Fails with invalidParam for wrong arguments, with all of them in the error's details.
  Result<Outcome> (*run)(Client& client) = nullptr;
};

const std::vector<ClientCommand>& clientCommands();
// Runs the command and prints its result. Exit code 0 on success, 1 on failure, 2 for wrong arguments or, of a dry run,
// when there is something to change.
int runClient(const ClientCommand& command, const Arguments& arguments, bool json);

// ---- the commands: login_command.cc, link_command.cc, pull_command.cc, push_command.cc, promote_command.cc,
// test_command.cc, types_command.cc, variables_command.cc, database_command.cc, introspect_commands.cc,
// billing_command.cc, transfer_command.cc, plans_command.cc
Result<Outcome> login(Client& client);
Result<Outcome> logout(Client& client);
Result<Outcome> link(Client& client);
Result<Outcome> pull(Client& client);
Result<Outcome> status(Client& client);
Result<Outcome> diff(Client& client);
Result<Outcome> push(Client& client);
Result<Outcome> promote(Client& client);
Result<Outcome> testPolicies(Client& client);
Result<Outcome> types(Client& client);
Result<Outcome> listVariables(Client& client);
Result<Outcome> setVariable(Client& client);
Result<Outcome> removeVariable(Client& client);
Result<Outcome> checkDatabase(Client& client);
Result<Outcome> introspect(Client& client);
Result<Outcome> importSource(Client& client);
Result<Outcome> backfillSource(Client& client);
Result<Outcome> showBilling(Client& client);
Result<Outcome> showUsage(Client& client);
Result<Outcome> beginCheckout(Client& client);
Result<Outcome> openPortal(Client& client);
Result<Outcome> offerTransfer(Client& client);
Result<Outcome> acceptTransfer(Client& client);
Result<Outcome> withdrawTransfer(Client& client);
Result<Outcome> takeProject(Client& client);
Result<Outcome> listPlans(Client& client);
Result<Outcome> setPlan(Client& client);
Result<Outcome> grantPlan(Client& client);
Result<Outcome> pinLimits(Client& client);
Result<Outcome> showCosts(Client& client);

}  // namespace mb::cli

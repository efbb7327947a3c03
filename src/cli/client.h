// The commands of a client: what people and scripts do with a project from their own machine, over HTTP. A new one is a
// function and an entry in client.cc.
#pragma once

#include "cli/bundle_folder.h"
#include "cli/option.h"
#include "cli/session.h"

namespace mb::cli {

// What a client command works with.
class Client {
 public:
  // All outlive it.
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
  // By the options, the environment and the link of the folder.
  Result<std::unique_ptr<Session>> session();

 private:
  const Arguments& arguments_;
  const Environment& environment_;
  Console& console_;
};

// What the files of a folder say together. Fails with validation, every broken one in the details.
Result<doc::Document> documentIn(const BundleFolder& folder, const BundleFolder::Contents& contents);

// Asks a question whose answer must be "yes", on standard error and standard input, unless --yes or --<flag> was given.
// Fails with validation otherwise, and with invalidParam where nothing can be asked (--json).
Result<> confirmed(Client& client, std::string_view question, std::string_view flag);

struct ClientCommand {
  std::string_view name;
  std::string_view help;
  std::vector<Option> options;
  // Blocks. Fails with invalidParam when it was called wrongly; everything wrong at once in the error's details.
  Result<Outcome> (*run)(Client& client) = nullptr;
};

const std::vector<ClientCommand>& clientCommands();
// Carries it out and shows what comes of it. Exit code 0 when it was done, 1 when it failed, 2 when it was called
// wrongly or, of a dry run, when there is something to change.
int runClient(const ClientCommand& command, const Arguments& arguments, bool json);

// ---- the commands: login_command.cc, link_command.cc, pull_command.cc, push_command.cc, promote_command.cc,
// types_command.cc
Result<Outcome> login(Client& client);
Result<Outcome> logout(Client& client);
Result<Outcome> link(Client& client);
Result<Outcome> pull(Client& client);
Result<Outcome> status(Client& client);
Result<Outcome> diff(Client& client);
Result<Outcome> push(Client& client);
Result<Outcome> promote(Client& client);
Result<Outcome> types(Client& client);

}  // namespace mb::cli

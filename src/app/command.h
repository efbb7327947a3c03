// Commands on a deployment, such as `manybase check` and `backup`. If a server runs on the data directory it runs them,
// and the program shows the progress (command_socket.h); if not, the program opens the store and runs them itself. A
// new command is one function and one entry in commands.cc.
#pragma once

#include <filesystem>
#include <vector>

#include "app/store_choice.h"
#include "audit/audit.h"
#include "base/cores.h"
#include "base/progress.h"
#include "cli/option.h"

namespace mb::identity {
class Identity;
}
namespace mb::projects {
class PlanLookup;
}
namespace mb::storage {
class PinnedBlobs;
}
namespace mb::vectors {
class Vectors;
}

namespace mb::app {

// The deployment that a command works on.
struct Deployment {
  std::filesystem::path directory;
  store::MainStore& store;
  store::EmbeddedStore* embedded;  // the same store; null on MongoDB
  Cores& cores;                    // running; runBlocking() (blocking.h) calls the store's coroutines
  IdGenerator& ids;
  const Clock& clock;
  audit::Auditor& auditor;
  std::optional<Secret> secret;  // in base64; nullopt where none exists yet
  std::string version;
  bool secretGiven = false;                     // by SERVICE_SECRET, not by the data directory
  identity::Identity* identity = nullptr;       // of the running server; null without one
  bool deliversMail = false;                    // so addresses can be verified
  storage::PinnedBlobs* pinnedBlobs = nullptr;  // of the running server; null without one, or without files
  vectors::Vectors* vectors = nullptr;          // of the running server; null without one
  projects::PlanLookup* plans = nullptr;        // null without billing
};

// The context of a command before any store is open.
struct CommandContext {
  std::filesystem::path directory;
  StoreSettings storeSettings;
  std::optional<Secret> givenSecret;  // SERVICE_SECRET, in base64
  std::string version;
  bool deliversMail = false;  // a mail server is configured
  bool billing = false;
  bool audit = false;
};

using cli::has;
using cli::Option;
using cli::valueOf;

struct Command {
  std::string_view name;  // "check", or "keys rotate" for one of a group
  std::string_view help;
  std::vector<Option> options;
  // A running server refuses a second one while the first runs.
  bool exclusive = false;
  // Runs the command. Blocks, on a separate thread; paths are absolute. Checks `progress` for a stop, and reports to it
  // where it takes longer than a second. Fails with invalidParam for wrong arguments.
  Result<cli::Outcome> (*run)(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) = nullptr;
  // If set, called first, in the program itself: returns an outcome when these arguments need no open deployment.
  Result<std::optional<cli::Outcome>> (*alone)(const CommandContext& context, const cli::Arguments& arguments,
                                               Progress& progress) = nullptr;
  // If set, called in the program before the command is sent or run: prompts for hidden arguments and adds them, or
  // changes others to what a server needs that runs the command.
  Result<> (*ask)(cli::Arguments& arguments) = nullptr;
};

const std::vector<Command>& commands();
// The help text of a group ("keys").
std::string_view groupHelp(std::string_view group);
// Null for an unknown name.
const Command* findCommand(std::string_view name);
// See cli/option.h.
Result<> checkArguments(const Command& command, const cli::Arguments& arguments);

// ---- the commands: check.cc, compact.cc, backup.cc, restore.cc, audit_command.cc
Result<cli::Outcome> check(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> compact(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> backup(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> restoreProject(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> verifyAudit(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<std::optional<cli::Outcome>> restoreAll(const CommandContext& context, const cli::Arguments& arguments,
                                               Progress& progress);
// ---- move.cc, move_project.cc
// The whole deployment, or with `project` one project of it.
Result<cli::Outcome> move(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> moveProject(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
// Checks the arguments of a move. Fails with conflict where a whole deployment is to move and a server runs on the data
// directory.
Result<std::optional<cli::Outcome>> checkMove(const CommandContext& context, const cli::Arguments& arguments,
                                              Progress& progress);
// Puts the content of --to-file into --to, and makes a directory that it names absolute. Fails with invalidParam.
Result<> resolveMoveTarget(cli::Arguments& arguments);
// ---- keys_commands.cc, reseal_command.cc
Result<cli::Outcome> listKeys(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> rotateKeys(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> resealKeys(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
// ---- users_commands.cc, password_prompt.cc
Result<cli::Outcome> listUsers(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> setPassword(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> setOperator(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
Result<cli::Outcome> resetFactor(Deployment& deployment, const cli::Arguments& arguments, Progress& progress);
// Adds `password`: from standard input with --stdin, else typed twice on the terminal without echo. Fails with
// invalidParam.
Result<> askPassword(cli::Arguments& arguments);

}  // namespace mb::app

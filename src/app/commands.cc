#include "app/command.h"

namespace mb::app {

namespace {

using Kind = Option::Kind;

std::vector<Command> all() {
  return {
      {.name = "check",
       .help = "Check the whole store for consistency",
       .options = {{"repair-meters", Kind::flag, false,
                    "Correct meters (stored bytes and others) that differ from what is stored"}},
       .exclusive = true,
       .run = check,
       .alone = nullptr},
      {.name = "backup",
       .help = "Back up the whole deployment, or one project, while the server runs or not",
       .options = {{"to", Kind::path, true,
                    "Directory of the backup; if it exists, the backup becomes a new directory in it"},
                   {"project", Kind::text, false, "Only this project (id or slug)"},
                   {"with-secret", Kind::flag, false,
                    "Include the deployment's secret: the backup then suffices to read every sealed secret"}},
       .exclusive = true,
       .run = backup,
       .alone = nullptr},
      {.name = "restore",
       .help = "Restore a backup into an empty data directory, or one project into a deployment",
       .options = {{"from", Kind::path, true, "Directory of the backup"},
                   {"project", Kind::text, false, "Only this project (id or slug), into the deployment at --data"},
                   {"as", Kind::text, false, "With --project: as a new project with this slug"},
                   {"owner", Kind::text, false,
                    "With --project: e-mail address of the new owner, if no earlier owner has an account here"}},
       .exclusive = true,
       .run = restoreProject,
       .alone = restoreAll},
      {.name = "move",
       .help =
           "Copy the whole deployment to MongoDB, or from it into a directory, while no server runs; or one project "
           "into another deployment",
       .options = {{"to", Kind::text, false,
                    "The target: the address of an empty database (mongodb://…), or a directory without a store; with "
                    "--project those of a deployment"},
                   {"to-file", Kind::path, false, "File with the target, whose address other users should not see"},
                   {"project", Kind::text, false,
                    "Only this project (id or slug), suspended unless no server runs, into the deployment of the "
                    "target, with its files"},
                   {"to-data", Kind::path, false,
                    "With --project and an address: the data directory of the target's server"},
                   {"to-secret-file", Kind::path, false,
                    "With --project: file with the target's secret, where its data directory has none"},
                   {"owner", Kind::text, false,
                    "With --project: e-mail address of the new owner, if no owner has an account in the target"}},
       .exclusive = true,
       .run = move,
       .alone = checkMove,
       .ask = resolveMoveTarget},
      {.name = "compact",
       .help = "Rewrite the store's files without removed data",
       .options = {{"project", Kind::text, false, "Only this project (id or slug)"}},
       .exclusive = true,
       .run = compact,
       .alone = nullptr},
      {.name = "audit verify",
       .help = "Verify that no audit entry was removed, edited or added",
       .options = {{"project", Kind::text, false, "Only this project (id or slug); default: all, and the instance"},
                   {"head", Kind::text, false, "A hash from an earlier run that must still exist"}},
       .exclusive = true,
       .run = verifyAudit},
      {.name = "keys list", .help = "List the keys that tokens are verified with", .options = {}, .run = listKeys},
      {.name = "keys rotate",
       .help = "Sign tokens with a new key from now on; issued tokens stay valid",
       .options = {{"drop-old", Kind::flag, false,
                    "End the earlier keys at once, for example after a leak: all access tokens are refused, and "
                    "clients get new ones with their refresh tokens"}},
       .exclusive = true,
       .run = rotateKeys},
      {.name = "keys reseal",
       .help = "Change the deployment's secret and reseal all values; only while no server runs",
       .options = {{"new-secret-file", Kind::path, false,
                    "File with the new secret, 32 random bytes in base64 (default: created)"}},
       .exclusive = true,
       .run = resealKeys},
      {.name = "users list",
       .help = "List users of the platform, or of a project",
       .options = {{"project", Kind::text, false, "Users of this project (id or slug)"},
                   {"email", Kind::text, false, "Only addresses that contain this"},
                   {"limit", Kind::text, false, "Maximum number of users (1 to 1000, default 50)"},
                   {"after", Kind::text, false, "Only users after the user with this id"}},
       .run = listUsers},
      {.name = "users password",
       .help = "Set a new password for a user, and end all their sessions",
       .options = {{"user", Kind::word, true, "Id or e-mail address"},
                   {"project", Kind::text, false, "A user of this project (id or slug)"},
                   {"stdin", Kind::flag, false, "Read the password from standard input, one line, instead of a prompt"},
                   {"password", Kind::hidden, true, "The new password"}},
       .run = setPassword,
       .ask = askPassword},
      {.name = "users operator",
       .help = "Add or remove a user of the platform as super-admin",
       .options = {{"user", Kind::word, true, "Id or e-mail address"},
                   {"remove", Kind::flag, false, "Remove the role; the last super-admin stays"}},
       .run = setOperator},
      {.name = "users mfa-reset",
       .help = "Switch a user's second factor off",
       .options = {{"user", Kind::word, true, "Id or e-mail address"},
                   {"project", Kind::text, false, "A user of this project (id or slug)"}},
       .run = resetFactor},
  };
}

struct Group {
  std::string_view name;
  std::string_view help;
};
constexpr Group kGroups[] = {
    {"audit", "The audit log"},
    {"billing", "Your plan, and what projects use of it"},
    {"database", "The project's own database"},
    {"introspect", "What is in the project's own database"},
    {"keys", "Token signing keys, and the secret that seals them"},
    {"plans", "Plans, limits and costs, for operators"},
    {"transfer", "Move a project, with its environments, to another Owner, who pays for it from then on"},
    {"variables", "Variables of a project"},
    {"users", "Users: list them, reset passwords and second factors, set super-admins"},
};

}  // namespace

std::string_view groupHelp(std::string_view group) {
  for (const Group& each : kGroups) {
    if (each.name == group) return each.help;
  }
  return {};
}

const std::vector<Command>& commands() {
  static const std::vector<Command> made = all();
  return made;
}

const Command* findCommand(std::string_view name) {
  const auto found =
      std::find_if(commands().begin(), commands().end(), [&](const Command& command) { return command.name == name; });
  return found == commands().end() ? nullptr : &*found;
}

Result<> checkArguments(const Command& command, const cli::Arguments& arguments) {
  return cli::checkArguments(command.name, command.options, arguments);
}

}  // namespace mb::app

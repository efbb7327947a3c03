#include "cli/client.h"

#include "base/crypto.h"
#include "base/log.h"
#include "cli/terminal.h"

namespace mb::cli {

namespace {

using Kind = Option::Kind;

constexpr Option kUrl = {"url", Kind::text, false,
                         "Address of the server (default: MANYBASE_URL, the folder's link, the only login)"};
constexpr Option kToken = {"token", Kind::text, false,
                           "API key of scope admin, or access token, instead of a login (better: MANYBASE_TOKEN, since "
                           "command lines are seen by others)"};
constexpr Option kProject = {"project", Kind::text, false,
                             "Id or slug of the project (default: MANYBASE_PROJECT, the folder's link)"};
constexpr Option kDir = {"dir", Kind::text, false, "Folder of the bundle (default: manybase)"};
constexpr Option kYes = {"yes", Kind::flag, false, "Skip the confirmation, which needs a terminal"};
constexpr Option kSkipTests = {"skip-tests", Kind::flag, false,
                               "Apply it whatever its stored tests say; recorded in the audit log"};
constexpr Option kAllowMissing = {"allow-missing", Kind::flag, false,
                                  "Accept names of variables that have no value in the project"};

std::vector<ClientCommand> configurationCommands() {
  return {
      {.name = "login",
       .help = "Sign in to a server, for the commands below",
       .options = {kUrl,
                   {"email", Kind::text, false, "E-mail address (default: prompt for it)"},
                   {"stdin", Kind::flag, false,
                    "Read the password from standard input, one line, and the code of a second factor from the next"},
                   kDir},
       .run = login},
      {.name = "logout", .help = "Sign out of a server and forget the login", .options = {kUrl, kDir}, .run = logout},
      {.name = "link",
       .help = "Link the folder of a bundle to a project",
       .options = {kProject, kDir, kUrl, kToken},
       .run = link},
      {.name = "pull",
       .help = "Write the project's configuration into the folder",
       .options = {{"force", Kind::flag, false, "Also overwrite files that were changed here since the last pull"},
                   {"delete", Kind::flag, false,
                    "Delete the files that the project does not have, also those never pushed, without confirmation"},
                   kYes,
                   kProject,
                   kDir,
                   kUrl,
                   kToken},
       .run = pull},
      {.name = "status",
       .help = "List changes here and on the server since the last pull",
       .options = {kProject, kDir, kUrl, kToken},
       .run = status},
      {.name = "diff",
       .help = "Show how the folder differs from the project",
       .options = {kProject, kDir, kUrl, kToken},
       .run = diff},
      {.name = "push",
       .help = "Apply the folder to the project: create and update, delete nothing",
       .options =
           {{"dry-run", Kind::flag, false, "Only list the changes; exits with 2 if there are any"},
            {"force", Kind::flag, false, "Also overwrite changes made in the project since the last pull"},
            {"prune", Kind::flag, false,
             "Also delete functions, webhooks, integrations, roles, end-user roles and policy sets that the folder "
             "lacks"},
            kAllowMissing,
            kSkipTests,
            kYes,
            kProject,
            kDir,
            kUrl,
            kToken},
       .run = push},
      {.name = "promote",
       .help = "Apply the configuration of one project to another of its family; delete nothing",
       .options = {{"from", Kind::text, true, "Id or slug of the source project"},
                   {"to", Kind::text, true, "Id or slug of the target project"},
                   {"dry-run", Kind::flag, false, "Only list the changes; exits with 2 if there are any"},
                   kAllowMissing,
                   kSkipTests,
                   kYes,
                   kDir,
                   kUrl,
                   kToken},
       .run = promote},
      {.name = "test",
       .help = "Run the policy tests of the folder, as a push would; exits with 1 if one fails",
       .options = {kProject, kDir, kUrl, kToken},
       .run = testPolicies},
      {.name = "types",
       .help = "Print TypeScript types of the folder's collections",
       .options = {{"out", Kind::text, false, "Write them to this file instead"}, kDir},
       .run = types},
      {.name = "variables list",
       .help = "List the project's variables, with the values of plain ones",
       .options = {kProject, kDir, kUrl, kToken},
       .run = listVariables},
      {.name = "variables set",
       .help = "Create a variable, or give it another value",
       .options = {{"name", Kind::word, true, "Name, such as API_URL"},
                   {"value", Kind::text, false, "The value of a plain one"},
                   {"secret", Kind::flag, false, "Seal the value; it is prompted for, or read with --stdin"},
                   {"plain", Kind::flag, false, "Make a secret one plain; needs a new value"},
                   {"stdin", Kind::flag, false, "Read the value from standard input"},
                   {"move-secrets", Kind::flag, false, "Let the new value send stored secrets to another address"},
                   kProject,
                   kDir,
                   kUrl,
                   kToken},
       .run = setVariable},
      {.name = "variables rm",
       .help = "Delete a variable that is not used",
       .options = {{"name", Kind::word, true, "Name, such as API_URL"}, kProject, kDir, kUrl, kToken},
       .run = removeVariable},
  };
}

std::vector<ClientCommand> databaseCommands() {
  constexpr Option kSource = {"collection", Kind::word, true, "Its name in the database"};
  return {
      {.name = "database check",
       .help = "Check what the project's own database can do; exits with 1 if it does not respond",
       .options = {kProject, kDir, kUrl, kToken},
       .run = checkDatabase},
      {.name = "introspect import",
       .help = "Make a collection of the database one of the project; writes nothing to it",
       .options = {kSource,
                   {"name", Kind::text, false, "Its name in the project (default: the same)"},
                   {"schema", Kind::text, false, "A file with its JSON Schema, or none (default: out of a sample)"},
                   {"pre-images", Kind::flag, false, "Let the database keep pre-images of its documents"},
                   kProject,
                   kDir,
                   kUrl,
                   kToken},
       .run = importSource},
      {.name = "introspect backfill",
       .help = "Give each document without an id one, call by call until none is left",
       .options = {kSource,
                   {"limit", Kind::text, false, "At most so many documents per call (default: 1000)"},
                   kProject,
                   kDir,
                   kUrl,
                   kToken},
       .run = backfillSource},
      // After the commands of its group, so that the parser finds those first.
      {.name = "introspect",
       .help = "List what is in the project's own database, or report on one of its collections",
       .options = {{"collection", Kind::word, false, "A collection of the database"},
                   {"sample", Kind::text, false, "Report on so many documents at random, 1 to 1000 (default: 200)"},
                   kProject,
                   kDir,
                   kUrl,
                   kToken},
       .run = introspect},
  };
}

std::vector<ClientCommand> billingCommands() {
  return {
      {.name = "billing show",
       .help = "Show your plan, its limits, your subscription, and what your projects use",
       .options = {kDir, kUrl, kToken},
       .run = showBilling},
      {.name = "billing usage",
       .help = "Show the plan of the project, and what it uses of each limit",
       .options = {kProject, kDir, kUrl, kToken},
       .run = showUsage},
      {.name = "billing checkout",
       .help = "Print the address of a page on which you begin to pay for a plan",
       .options = {{"plan", Kind::word, true, "The plan, such as pro"}, kDir, kUrl, kToken},
       .run = beginCheckout},
      {.name = "billing portal",
       .help = "Print the address of a page on which you manage your subscription",
       .options = {kDir, kUrl, kToken},
       .run = openPortal},
      {.name = "transfer offer",
       .help = "Offer the project to another of its Owners",
       .options = {{"user", Kind::word, true, "Id or e-mail address of an Owner"}, kProject, kDir, kUrl, kToken},
       .run = offerTransfer},
      {.name = "transfer accept",
       .help = "Accept the project, which was offered to you",
       .options = {kProject, kDir, kUrl, kToken},
       .run = acceptTransfer},
      {.name = "transfer withdraw",
       .help = "Withdraw the offer of the project",
       .options = {kProject, kDir, kUrl, kToken},
       .run = withdrawTransfer},
      {.name = "transfer take",
       .help = "Move the project to yourself at once, as an Owner of it",
       .options = {kProject, kDir, kUrl, kToken},
       .run = takeProject},
  };
}

constexpr Option kUser = {"user", Kind::word, true, "Id or e-mail address of a platform user"};

std::vector<ClientCommand> operatorCommands() {
  return {
      {.name = "plans list",
       .help = "List the plans with their limits",
       .options = {kDir, kUrl, kToken},
       .run = listPlans},
      {.name = "plans set",
       .help = "Change a plan for all who have it",
       .options = {{"slug", Kind::word, true, "The plan, such as pro"},
                   {"limits", Kind::words, false, "Limits as NAME=VALUE, such as storageBytes=5GiB vectors=unlimited"},
                   {"name", Kind::text, false, "Its name for people"},
                   {"price", Kind::text, false, "The price to show, in USD a month"},
                   {"grandfather", Kind::text, false, "on: changes of limits leave out its present holders; or off"},
                   kDir,
                   kUrl,
                   kToken},
       .run = setPlan},
      {.name = "plans grant",
       .help = "Grant a plan to a user, without payment; free ends a grant",
       .options = {kUser, {"plan", Kind::word, true, "The plan, such as pro"}, kDir, kUrl, kToken},
       .run = grantPlan},
      {.name = "plans limits",
       .help = "Pin limits of a user, whatever the plan, in place of those pinned before",
       .options = {kUser,
                   {"limits", Kind::words, false, "Limits as NAME=VALUE, such as storageBytes=5GiB vectors=unlimited"},
                   {"clear", Kind::flag, false, "Pin none: the limits of the plan are in force again"},
                   kDir,
                   kUrl,
                   kToken},
       .run = pinLimits},
      {.name = "plans costs",
       .help = "Show what each project cost between two days",
       .options = {{"from", Kind::text, true, "First day (UTC), such as 2026-01-01"},
                   {"to", Kind::text, true, "Last day, at most 90 days"},
                   {"csv", Kind::flag, false, "Print a table for spreadsheets, with all units"},
                   kDir,
                   kUrl,
                   kToken},
       .run = showCosts},
  };
}

std::vector<ClientCommand> all() {
  std::vector<ClientCommand> out = configurationCommands();
  for (auto part : {databaseCommands(), billingCommands(), operatorCommands()})
    std::ranges::move(part, std::back_inserter(out));
  return out;
}

Failure failureWithDetails(const Error& error) {
  Failure out = failureOf(error);
  if (error.details().empty()) return out;
  std::vector<FailureDetail>& details = out.details.emplace();
  for (const ErrorDetail& each : error.details()) details.push_back({each.path, each.message});
  return out;
}

}  // namespace

BundleFolder Client::folder() const {
  const std::string given = value("dir");
  std::filesystem::path path = given.empty() ? "manybase" : given;
  path = path.lexically_normal();
  // "manybase/" has an empty filename.
  if (!path.has_filename()) path = path.parent_path();
  return BundleFolder(path);
}

Result<std::unique_ptr<Session>> Client::session() {
  TRY(std::optional<Link> link, state().link());
  return Session::open(environment_, {value("url"), value("token"), value("project"), std::move(link)}, console_);
}

Result<ProjectSession> Client::projectSession() {
  ProjectSession opened;
  TRY(opened.session, session());
  TRY(opened.project, opened.session->project());
  return opened;
}

Result<doc::Document> documentIn(const BundleFolder& folder, const BundleFolder::Contents& contents) {
  auto document = configuration::documentOf(contents.bundle);
  if (document) return document;
  return fail(Error(ErrorCode::validation,
                    fmt::format("the bundle in {} is invalid: fix the files named below", folder.root().string()))
                  .withDetails(document.error().details()));
}

Result<> confirmed(Client& client, std::string_view question, std::string_view flag) {
  if (client.has("yes") || client.has(std::string(flag))) return {};
  if (client.console().json()) {
    return fail(ErrorCode::invalidParam,
                fmt::format("this needs a confirmation, which --json cannot prompt for: give --{} too", flag));
  }
  if (!isInputTerminal()) {
    return fail(
        ErrorCode::validation,
        fmt::format("not confirmed, nothing was changed: there is no terminal for the prompt, so give --{}", flag));
  }
  if (askOnInput(fmt::format("{} Type yes: ", question)) == "yes") return {};
  return fail(ErrorCode::validation,
              fmt::format("not confirmed, nothing was changed: type yes, or give --{} in a script", flag));
}

std::string importOptions(const Client& client) {
  std::string options;
  if (client.has("allow-missing")) options += "&allowMissing=1";
  if (client.has("skip-tests")) options += "&skipTests=1";
  return options;
}

const std::vector<ClientCommand>& clientCommands() {
  static const std::vector<ClientCommand> made = all();
  return made;
}

int runClient(const ClientCommand& command, const Arguments& arguments, bool json) {
  initCrypto();
  // Errors are reported by the command, in one line.
  configureLog(LogLevel::error, LogFormat::text);
  const Environment environment = Environment::ofProcess();
  Console console(json, environment.colours);
  auto ending = checkArguments(command.name, command.options, arguments);
  if (!ending) return console.show(failureWithDetails(ending.error()));
  Client client(arguments, environment, console);
  const auto outcome = command.run(client);
  return outcome ? console.show(*outcome) : console.show(failureWithDetails(outcome.error()));
}

}  // namespace mb::cli

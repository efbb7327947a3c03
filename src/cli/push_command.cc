// `manybase push`: imports the folder's configuration into the project.
#include "cli/configuration_sync.h"
#include "cli/plan.h"

namespace mb::cli {

namespace {

using configuration::Bundle;

// Fails where a push that changes or deletes entries might undo changes that others made since the last pull.
Result<> checkUnseenChanges(const ConfigSync& sync, const ServerConfig& server, const Bundle& here) {
  if (!sync.record()) {
    if (server.empty() || server.bundle == here) return {};
    return fail(
        ErrorCode::conflict,
        fmt::format("{} was never pulled into this folder, so a push that changes entries might undo changes of "
                    "others: pull first (it deletes no file that is only here), or look at `manybase push --dry-run` "
                    "and push with --force",
                    sync.project().shown()));
  }
  const auto changed = changedThere(*sync.record(), server.bundle);
  if (changed.empty()) return {};
  return fail(ErrorCode::conflict,
              fmt::format("{} changed on the server since the last pull ({}): pull first, or push with --force",
                          sync.project().shown(), pathsOf(changed)));
}

// The query of an import, with the options of the command.
std::string queryOf(Client& client, std::string_view first) {
  return fmt::format("/config-import?{}{}", first, importOptions(client));
}

// What is wrong with a bundle that was rejected.
std::string_view adviceFor(const Error& error) {
  return error.code() == ErrorCode::testsFailed ? "Fix what makes the stored tests listed below fail (`manybase test` "
                                                  "shows why), or push with --skip-tests"
                                                : "Fix the problems listed below";
}

// Imports a document, or plans that. Problems are reported by file.
Result<doc::Document> import(ConfigSync& sync, const doc::Document& document, Call call) {
  call.method = "POST";
  call.body = document;
  auto response = sync.session().admin(sync.project(), std::move(call));
  if (response) return response;
  const Error& error = response.error();
  if (error.details().empty()) return response;
  return fail(Error(error.code(), fmt::format("{} rejected the bundle; nothing was changed. {}", sync.project().shown(),
                                              adviceFor(error)))
                  .withDetails(byFile(error.details(), document)));
}

// Confirms the changes, and the deletions separately.
Result<> confirm(Client& client, const ConfigSync& sync, const Plan& plan, size_t deletions) {
  if (!plan.empty()) {
    RETURN_IF_ERROR(confirmed(client, fmt::format("Apply this to {}, as shown above?", sync.project().shown()), "yes"));
  }
  if (deletions == 0) return {};
  return confirmed(
      client,
      fmt::format("Delete {} from {}, as named above?",
                  deletions == 1 ? "this one" : fmt::format("these {}", deletions), sync.project().shown()),
      "yes");
}

struct PruneResult {
  std::vector<PruneEntry> done;
  std::vector<ErrorDetail> failed;
};

PruneResult prune(ConfigSync& sync, const std::vector<PruneEntry>& wanted) {
  PruneResult out;
  for (const PruneEntry& each : wanted) {
    const auto response = sync.session().admin(sync.project(), {"DELETE", routeOf(each), "deleting"});
    // Another client may have deleted it first.
    if (response || response.error().code() == ErrorCode::notFound) {
      out.done.push_back(each);
    } else {
      out.failed.push_back({each.section + "/" + each.name, response.error().message()});
    }
  }
  return out;
}

struct PushPlan {
  doc::Document document;
  doc::Document response;
  Plan plan;
  std::vector<PruneEntry> prune;
  bool empty() const { return plan.empty() && prune.empty(); }
  // Without updates and deletions the push only adds, which cannot undo a change.
  bool changesWhatIsThere() const { return plan.summary.update > 0 || !prune.empty(); }
};

Result<PushPlan> prepare(Client& client, ConfigSync& sync, const ServerConfig& server, doc::Document document) {
  PushPlan out;
  std::string digest;
  TRY(out.response,
      import(sync, document, {.path = queryOf(client, "dryRun=1"), .doing = "planning", .planDigest = &digest}));
  TRY(out.plan, planOf(out.response, std::move(digest)));
  if (client.has("prune")) out.prune = toPrune(server.document, document);
  out.document = std::move(document);
  return out;
}

doc::BsonWriter resultOf(const ConfigSync& sync, const Session& session, const PushPlan& prepared) {
  doc::BsonWriter result;
  appendProject(result, session, sync.project());
  result.append("plan", *prepared.response.view().find("plan"));
  doc::encodeValue(result, "prune", prepared.prune);
  return result;
}

}  // namespace

Result<Outcome> push(Client& client) {
  const bool dry = client.has("dry-run");
  const BundleFolder folder = client.folder();
  TRY(const BundleFolder::Contents here, folder.read());
  TRY(doc::Document document, documentIn(folder, here));
  TRY(ConfigSync sync, ConfigSync::open(client));
  TRY(ServerConfig server, sync.serverConfig());
  TRY(PushPlan prepared, prepare(client, sync, server, std::move(document)));
  const auto unseen = client.has("force") ? Result<>() : checkUnseenChanges(sync, server, here.bundle);
  const bool refused = !unseen && prepared.changesWhatIsThere();
  if (refused && !dry) return fail(unseen.error().clone());
  client.console().say(describe(prepared.plan, prepared.prune, client.console().colours()));

  doc::BsonWriter result = resultOf(sync, sync.session(), prepared);
  const std::string summary = summaryOf(prepared.plan, prepared.prune.size());
  if (dry) {
    result.appendBool("applied", false);
    if (refused) result.appendString("warning", unseen.error().message());
    return Outcome{prepared.empty() ? 0 : 2,
                   summary + (refused ? "\nthis push would be refused: " + unseen.error().message() : ""),
                   result.finish()};
  }
  RETURN_IF_ERROR(confirm(client, sync, prepared.plan, prepared.prune.size()));
  if (!prepared.plan.empty()) {
    RETURN_IF_ERROR(import(sync, prepared.document,
                           {.path = queryOf(client, "plan=" + prepared.plan.digest), .doing = "applying"}));
  }
  const PruneResult deleted = prune(sync, prepared.prune);
  if (!prepared.empty()) {
    TRY(server, sync.serverConfig());
  }
  // Changes of others that were not seen here remain to be pulled.
  RETURN_IF_ERROR(unseen ? sync.remember(server, here.bundle) : sync.rememberPushed(server, here.bundle));
  if (!deleted.failed.empty()) {
    return fail(Error(ErrorCode::conflict, fmt::format("pushed, but {} could not be deleted", deleted.failed.size()))
                    .withDetails(deleted.failed));
  }
  result.appendBool("applied", true);
  doc::encodeValue(result, "pruned", deleted.done);
  return Outcome{0,
                 prepared.empty()
                     ? fmt::format("{} has all of this already", sync.project().shown())
                     : fmt::format("pushed to {}: {} created, {} updated, {} deleted", sync.project().shown(),
                                   prepared.plan.summary.create, prepared.plan.summary.update, deleted.done.size()),
                 result.finish()};
}

}  // namespace mb::cli

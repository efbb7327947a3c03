// `manybase push`: the folder's shape into the project.
#include "cli/plan.h"
#include "cli/shape_sync.h"
#include "cli/terminal.h"

namespace mb::cli {

namespace {

using configuration::Bundle;

// Whether a push might undo what others did since the last pull; why not, as a failure.
Result<> untouched(const ShapeSync& sync, const ServerShape& server, const Bundle& here) {
  if (!sync.record()) {
    if (server.empty() || server.bundle == here) return {};
    return fail(
        ErrorCode::conflict,
        fmt::format("{} was never pulled into this folder, so a push might undo what others did: pull first, or "
                    "look at `manybase push --dry-run` and push with --force",
                    sync.project().shown()));
  }
  const auto changed = changedThere(*sync.record(), server.bundle);
  if (changed.empty()) return {};
  return fail(ErrorCode::conflict,
              fmt::format("{} changed on the server since the last pull ({}): pull first, or push with --force",
                          sync.project().shown(), pathsOf(changed)));
}

// An import, dry or not; its problems by file.
Result<doc::Document> import(ShapeSync& sync, const doc::Document& document, bool dry) {
  auto answer = sync.session().admin(sync.project(), {"POST", dry ? "/config-import?dryRun=1" : "/config-import",
                                                      dry ? "planning" : "applying", document});
  if (answer) return answer;
  const Error& error = answer.error();
  if (error.details().empty()) return answer;
  return fail(
      Error(error.code(), fmt::format("{} does not take the bundle: mend what is named below, nothing was changed",
                                      sync.project().shown()))
          .withDetails(byFile(error.details(), document)));
}

Result<> confirm(Client& client, const ShapeSync& sync, size_t count) {
  if (client.has("yes")) return {};
  const auto answer = askOnInput(fmt::format(
      "Delete {} from {}, as named above? Type yes: ", count == 1 ? "this one" : fmt::format("these {}", count),
      sync.project().shown()));
  if (answer == "yes") return {};
  return fail(ErrorCode::validation, "not confirmed, nothing was changed: type yes, or give --yes in a script");
}

struct Deleted {
  std::vector<Pruned> done;
  std::vector<ErrorDetail> failed;
};

Deleted prune(ShapeSync& sync, const std::vector<Pruned>& wanted) {
  Deleted out;
  for (const Pruned& each : wanted) {
    const auto answer = sync.session().admin(sync.project(), {"DELETE", routeOf(each), "deleting"});
    // Somebody else may have been faster.
    if (answer || answer.error().code() == ErrorCode::notFound) {
      out.done.push_back(each);
    } else {
      out.failed.push_back({each.section + "/" + each.name, answer.error().message()});
    }
  }
  return out;
}

struct Prepared {
  doc::Document document;
  doc::Document answer;
  Plan plan;
  std::vector<Pruned> prune;
  bool empty() const { return plan.empty() && prune.empty(); }
};

Result<Prepared> prepare(Client& client, ShapeSync& sync, const ServerShape& server, doc::Document document) {
  Prepared out;
  TRY(out.answer, import(sync, document, true));
  TRY(out.plan, planOf(out.answer));
  if (client.has("prune")) out.prune = toPrune(server.document, document);
  out.document = std::move(document);
  return out;
}

doc::BsonWriter resultOf(const ShapeSync& sync, const Session& session, const Prepared& prepared) {
  doc::BsonWriter result;
  appendProject(result, session, sync.project());
  result.append("plan", *prepared.answer.view().find("plan"));
  doc::encodeValue(result, "prune", prepared.prune);
  return result;
}

}  // namespace

Result<Outcome> push(Client& client) {
  const bool dry = client.has("dry-run");
  if (client.has("prune") && client.console().json() && !dry && !client.has("yes")) {
    return fail(ErrorCode::invalidParam, "--prune with --json asks nothing: give --yes too");
  }
  const BundleFolder folder = client.folder();
  TRY(const BundleFolder::Contents here, folder.read());
  TRY(doc::Document document, documentIn(folder, here));
  TRY(ShapeSync sync, ShapeSync::open(client));
  TRY(ServerShape server, sync.serverShape());
  const auto free = client.has("force") ? Result<>() : untouched(sync, server, here.bundle);
  if (!free && !dry) return fail(free.error().clone());
  TRY(Prepared prepared, prepare(client, sync, server, std::move(document)));
  client.console().say(describe(prepared.plan, prepared.prune, client.console().colours()));

  doc::BsonWriter result = resultOf(sync, sync.session(), prepared);
  const std::string summary = summaryOf(prepared.plan, prepared.prune.size());
  if (dry) {
    result.appendBool("applied", false);
    if (!free) result.appendString("warning", free.error().message());
    return Outcome{prepared.empty() ? 0 : 2,
                   summary + (free ? "" : "\nthis push would be refused: " + free.error().message()), result.finish()};
  }
  if (!prepared.prune.empty()) CHECK(confirm(client, sync, prepared.prune.size()));
  if (!prepared.plan.empty()) CHECK(import(sync, prepared.document, false));
  const Deleted deleted = prune(sync, prepared.prune);
  if (!prepared.empty()) {
    TRY(server, sync.serverShape());
  }
  CHECK(sync.remember(server, here.bundle));
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

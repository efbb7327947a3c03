// `manybase push`: the folder's shape into the project.
#include "cli/plan.h"
#include "cli/shape_sync.h"

namespace mb::cli {

namespace {

using configuration::Bundle;

// Whether a push that changes what is there might undo what others did since the last pull; why not, as a failure.
Result<> untouched(const ShapeSync& sync, const ServerShape& server, const Bundle& here) {
  if (!sync.record()) {
    if (server.empty() || server.bundle == here) return {};
    return fail(
        ErrorCode::conflict,
        fmt::format("{} was never pulled into this folder, so a push that changes what is there might undo what others "
                    "did: pull first (it deletes no file that is only here), or look at `manybase push --dry-run` and "
                    "push with --force",
                    sync.project().shown()));
  }
  const auto changed = changedThere(*sync.record(), server.bundle);
  if (changed.empty()) return {};
  return fail(ErrorCode::conflict,
              fmt::format("{} changed on the server since the last pull ({}): pull first, or push with --force",
                          sync.project().shown(), pathsOf(changed)));
}

// An import; its problems by file.
Result<doc::Document> import(ShapeSync& sync, const doc::Document& document, Call call) {
  call.method = "POST";
  call.body = document;
  auto answer = sync.session().admin(sync.project(), std::move(call));
  if (answer) return answer;
  const Error& error = answer.error();
  if (error.details().empty()) return answer;
  return fail(
      Error(error.code(), fmt::format("{} does not take the bundle: mend what is named below, nothing was changed",
                                      sync.project().shown()))
          .withDetails(byFile(error.details(), document)));
}

Result<> confirm(Client& client, const ShapeSync& sync, size_t count) {
  return confirmed(client,
                   fmt::format("Delete {} from {}, as named above?",
                               count == 1 ? "this one" : fmt::format("these {}", count), sync.project().shown()),
                   "yes");
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
  // Without these it only adds, which can undo nothing.
  bool changesWhatIsThere() const { return plan.summary.update > 0 || !prune.empty(); }
};

Result<Prepared> prepare(Client& client, ShapeSync& sync, const ServerShape& server, doc::Document document) {
  Prepared out;
  std::string digest;
  TRY(out.answer,
      import(sync, document, {.path = "/config-import?dryRun=1", .doing = "planning", .planDigest = &digest}));
  TRY(out.plan, planOf(out.answer, std::move(digest)));
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
  const BundleFolder folder = client.folder();
  TRY(const BundleFolder::Contents here, folder.read());
  TRY(doc::Document document, documentIn(folder, here));
  TRY(ShapeSync sync, ShapeSync::open(client));
  TRY(ServerShape server, sync.serverShape());
  TRY(Prepared prepared, prepare(client, sync, server, std::move(document)));
  const auto unseen = client.has("force") ? Result<>() : untouched(sync, server, here.bundle);
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
  if (!prepared.prune.empty()) RETURN_IF_ERROR(confirm(client, sync, prepared.prune.size()));
  if (!prepared.plan.empty()) {
    RETURN_IF_ERROR(
        import(sync, prepared.document, {.path = "/config-import?plan=" + prepared.plan.digest, .doing = "applying"}));
  }
  const Deleted deleted = prune(sync, prepared.prune);
  if (!prepared.empty()) {
    TRY(server, sync.serverShape());
  }
  // What others did and nobody looked at here stays to be pulled.
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

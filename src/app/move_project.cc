// `manybase move --project`: copies one project into another deployment. The source keeps it, suspended; in the target
// it is not visible before it was compared with what was read.
#include "app/checkpoint.h"
#include "app/data_directory.h"
#include "app/move_target.h"
#include "app/open_deployment.h"
#include "app/project_export.h"
#include "app/project_import.h"
#include "app/stored_files.h"
#include "base/blocking.h"
#include "cli/control_client.h"
#include "identity/signing_keys.h"
#include "projects/records.h"

namespace mb::app {

namespace {

namespace fs = std::filesystem;
using projects::ProjectRecord;

constexpr auto kSuspendLimit = std::chrono::seconds(30);

// The deployment's secret, which opens what is sealed there; `where` names the deployment and the remedy.
Result<MasterSecret> fittingSecret(Deployment& deployment, std::string_view where) {
  if (!deployment.secret) return fail(ErrorCode::conflict, fmt::format("the secret of {}", where));
  TRY(MasterSecret master, parseMasterSecret(deployment.secret->reveal()));
  TRY(const identity::SecretFit fit, runBlocking(deployment.cores, identity::fitOf(deployment.store, &master)));
  if (fit == identity::SecretFit::wrong) return fail(ErrorCode::conflict, fmt::format("the secret of {}", where));
  return master;
}

// The target as a command opens it. `source` has the settings of this machine.
Result<CommandContext> contextOf(const MoveTarget& target, const Deployment& source, const cli::Arguments& arguments) {
  CommandContext context{target.directory,        fillingSettings(),   std::nullopt,
                         source.version,          source.deliversMail, source.plans != nullptr,
                         source.auditor.enabled()};
  if (target.database) {
    if (!has(arguments, "to-data")) {
      return fail(ErrorCode::invalidParam, "name the data directory of the target's server with --to-data");
    }
    context.directory = valueOf(arguments, "to-data");
    context.storeSettings.mongo.uri = target.database->uri;
    context.storeSettings.mongo.prefix = target.database->prefix;
    context.storeSettings.mongoOption = "--to";
  } else if (has(arguments, "to-data")) {
    return fail(ErrorCode::invalidParam, "--to-data is only for a target with an address");
  }
  const fs::path& directory = context.directory;
  std::error_code failed;
  if (!fs::is_directory(directory, failed)) {
    return fail(ErrorCode::notFound, fmt::format("there is no directory {}", directory.string()));
  }
  if (has(arguments, "to-secret-file")) {
    TRY(context.givenSecret, readSecret(valueOf(arguments, "to-secret-file")));
  } else if (!fs::exists(directory / kSecretFile, failed) && source.secretGiven) {
    context.givenSecret = source.secret;
  }
  return context;
}

Result<> checkTarget(const MoveTarget& target, const CommandContext& context, const Deployment& source) {
  if (isSameDirectory(context.directory, source.directory)) {
    return fail(ErrorCode::conflict, "the source and the target have the same data directory");
  }
  RETURN_IF_ERROR(refuseUnfinished(context.directory));
  TRY(const auto server, cli::ControlClient::connect(context.directory));
  if (server) {
    return fail(ErrorCode::conflict, fmt::format("a server runs on {}: stop it first", context.directory.string()));
  }
  std::error_code failed;
  if (target.database || fs::is_directory(context.directory / "store", failed)) return {};
  return fail(ErrorCode::notFound, fmt::format("there is no deployment in {}", context.directory.string()));
}

// The project as it is now, which must be what was read.
Result<> checkUnchanged(Deployment& source, const store::Image& image, const ProjectRecord& record) {
  const auto number = static_cast<store::ProjectNo>(record.number);
  TRY(const uint64_t epoch, runBlocking(source.cores, source.store.epochNow(number)));
  TRY(const bool running, serversRun(source));
  if (epoch == image.numbersOf(number).epoch && (record.status == "suspended" || !running)) return {};
  return fail(ErrorCode::conflict,
              fmt::format("the project {} was changed while it was moved: try again", record.slug));
}

// Of a source that no server runs on, whose project was not suspended: a server that is started on it again does not
// continue it.
Result<> suspend(Deployment& source, const ProjectRecord& record) {
  const auto number = static_cast<store::ProjectNo>(record.number);
  store::Write write({.deadline = std::chrono::steady_clock::now() + kSuspendLimit,
                      .actor = {store::ActorKind::server, ""},
                      .bumpEpochs = {number}});
  const store::Target project = write.change(projects::target(projects::kProjects, record.id.str()));
  write.insert(source.auditor.entry(number, "project.suspended", {"server", "", std::nullopt},
                                    "projects/" + record.id.str(), "", ""));
  const auto callback = [project](const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(auto stored, projects::fromStore<ProjectRecord>(before[project]));
    if (!stored) return fail(ErrorCode::notFound, "the project was deleted");
    stored->status = "suspended";
    changes.put(project, doc::encode(*stored));
    return {};
  };
  RETURN_IF_ERROR(runBlocking(source.cores, source.store.write(std::move(write), callback)));
  return {};
}

// What is at the source, as of one moment.
struct Source {
  Deployment& deployment;
  const store::Image& image;
  const ProjectRecord& record;
  const MasterSecret& secret;
};

Result<Imported> moveInto(Deployment& target, const Source& source, std::string owner, Progress& progress) {
  const store::WriteTarget known = projects::target(projects::kProjects, source.record.id.str());
  TRY(const auto there, runBlocking(target.cores, target.store.get(known.collection, known.id)));
  if (there && there->view().stringOr("status") != "deleted") {
    return fail(ErrorCode::conflict, fmt::format("the project {} ({}) is in the target already", source.record.id.str(),
                                                 there->view().stringOr("slug")));
  }
  ImportOptions options;
  options.owner = std::move(owner);
  options.source.emplace(source.deployment, source.secret);
  const auto number = static_cast<store::ProjectNo>(source.record.number);
  for (const auto& collection : source.image.collections(number)) {
    TRY(const store::CollectionStats stats, source.image.stats(number, collection.number));
    options.documents += static_cast<int64_t>(stats.documents);
  }
  ProjectImport import(target, std::move(options), progress);
  RETURN_IF_ERROR(
      exportProject(source.image, source.record, progress,
                    [&](std::string_view kind, doc::DocumentView content) { return import.take(kind, content); }));
  RETURN_IF_ERROR(import.compare());
  RETURN_IF_ERROR(checkUnchanged(source.deployment, source.image, source.record));
  return import.finish();
}

cli::Outcome outcomeOf(const Imported& moved, const MoveTarget& target) {
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendString("id", moved.project.id.str());
  result.appendString("slug", moved.project.slug);
  result.appendString("to", target.database ? target.database->prefix : target.directory.string());
  result.appendString("engine", target.database ? "mongodb" : "embedded");
  result.appendInteger("members", static_cast<int64_t>(moved.project.members));
  result.appendInteger("invited", static_cast<int64_t>(moved.project.invited));
  result.appendDocument("counts", doc::encode(moved.counts));
  result.appendInteger("unreadable", static_cast<int64_t>(moved.unreadable));
  outcome.result = result.finish();
  outcome.text = fmt::format(
      "moved project {} ({}) into {}: {} collections, {} documents, {} members, {} invited; all were compared\n"
      "It is suspended there: resume it, and delete it here",
      moved.project.id.str(), moved.project.slug, target.name(), moved.counts.collections, moved.counts.documents,
      moved.project.members, moved.project.invited);
  if (moved.unreadable > 0) {
    outcome.text += fmt::format("\n{} sealed values did not open and cannot be read there", moved.unreadable);
  }
  return outcome;
}

}  // namespace

Result<cli::Outcome> moveProject(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) {
  TRY(const MoveTarget target, moveTargetOf(arguments));
  TRY(const CommandContext context, contextOf(target, deployment, arguments));
  RETURN_IF_ERROR(checkTarget(target, context, deployment));
  TRY(const MasterSecret secret,
      fittingSecret(deployment, "this deployment is missing, or is another one: set SERVICE_SECRET to it"));
  const BlobPin kept(deployment);
  TRY(const HeldCheckpoint checkpoint, HeldCheckpoint::make(deployment));
  TRY(const ProjectRecord record, findProject(checkpoint.image(), valueOf(arguments, "project")));
  TRY(const bool running, serversRun(deployment));
  if (running && record.status != "suspended") {
    return fail(ErrorCode::conflict,
                fmt::format("the project {} is not suspended: suspend it first, or stop the server", record.slug));
  }
  RETURN_IF_ERROR(checkFilesHere(deployment, checkpoint.image(), static_cast<store::ProjectNo>(record.number)));
  TRY(const auto opened, OpenDeployment::open(context));
  RETURN_IF_ERROR(fittingSecret(opened->get(),
                                "the target is missing, or is another one: name a file with it with --to-secret-file"));
  TRY(const Imported moved,
      moveInto(opened->get(), {deployment, checkpoint.image(), record, secret}, valueOf(arguments, "owner"), progress));
  if (record.status != "suspended") RETURN_IF_ERROR(suspend(deployment, record));
  return outcomeOf(moved, target);
}

}  // namespace mb::app

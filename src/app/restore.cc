// `manybase restore`: a whole deployment into an empty directory, or one project into an open deployment.
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "app/backup_manifest.h"
#include "app/command.h"
#include "app/data_directory.h"
#include "app/project_export.h"
#include "app/project_import.h"
#include "app/stored_files.h"
#include "app/transfer.h"
#include "cli/console.h"
#include "storage/local_store.h"
#include "storage/storage.h"
#include "store/embedded/backup.h"
#include "vectors/vectors.h"

namespace mb::app {

namespace {

namespace fs = std::filesystem;

// ---- a whole deployment

// The data directory during a restore; its new content is removed unless keep() was called.
class RestoredDirectory {
 public:
  explicit RestoredDirectory(const fs::path& directory)
      : directory_(directory), work_(directory / kRestoringFolder), files_(directory / storage::kDirectory) {}
  RestoredDirectory(const RestoredDirectory&) = delete;
  RestoredDirectory& operator=(const RestoredDirectory&) = delete;
  ~RestoredDirectory() {
    std::error_code ignored;
    fs::remove_all(work_, ignored);
    if (kept_) return;
    if (movedFiles_) fs::remove_all(files_, ignored);
    if (madeSecret_) fs::remove(directory_ / kSecretFile, ignored);
    if (madeDirectory_) fs::remove(directory_, ignored);
  }

  // Checks that it is empty, except for a secret and the leftovers of a killed restore.
  Result<> claim() {
    std::error_code failed;
    if (fs::exists(directory_, failed)) {
      for (const auto& entry : fs::directory_iterator(directory_, failed)) {
        const fs::path name = entry.path().filename();
        if (name == kSecretFile || name == kRestoringFolder || name == "lost+found") continue;
        if (name == storage::kDirectory && fs::exists(work_, failed)) continue;
        return fail(ErrorCode::conflict, fmt::format("the data directory {} is not empty", directory_.string()));
      }
      if (failed)
        return fail(ErrorCode::internal, fmt::format("cannot read {}: {}", directory_.string(), failed.message()));
    } else {
      madeDirectory_ = true;
    }
    RETURN_IF_ERROR(prepareDataDirectory(directory_));
    if (fs::exists(work_, failed)) fs::remove_all(files_, failed);
    fs::remove_all(work_, failed);
    if (::mkdir(work_.c_str(), 0700) != 0) return fileError("make", work_);
    if (::mkdir((work_ / "store").c_str(), 0700) != 0) return fileError("make", work_ / "store");
    return {};
  }
  const fs::path& work() const { return work_; }

  Result<> putSecret(const Secret& secret) {
    madeSecret_ = true;
    return writeDurably(directory_ / kSecretFile, std::string(secret.reveal()) + "\n");
  }
  // Makes it a data directory that can be served; without the store, for one on MongoDB.
  Result<> keep(bool withStore) {
    RETURN_IF_ERROR(syncDirectory(work_ / "store"));
    std::error_code failed;
    if (fs::exists(work_ / storage::kDirectory, failed)) {
      if (::rename((work_ / storage::kDirectory).c_str(), files_.c_str()) != 0) return fileError("make", files_);
      movedFiles_ = true;
      RETURN_IF_ERROR(syncDirectory(directory_));
    }
    if (withStore && ::rename((work_ / "store").c_str(), (directory_ / "store").c_str()) != 0) {
      return fileError("make", directory_ / "store");
    }
    kept_ = true;
    return syncDirectory(directory_);
  }

 private:
  const fs::path directory_;
  const fs::path work_;
  const fs::path files_;
  bool movedFiles_ = false;
  bool madeDirectory_ = false;
  bool madeSecret_ = false;
  bool kept_ = false;
};

// The backup's secret if it must be written into the directory; nullopt where the right one exists already.
Result<std::optional<Secret>> settleSecret(const CommandContext& context, const Manifest& manifest,
                                           const fs::path& from) {
  TRY(const std::optional<Secret> there, secretText(context.givenSecret, context.directory));
  TRY(const std::string fingerprint, fingerprintOf(there));
  const std::string_view where = context.givenSecret ? "SERVICE_SECRET" : "the secret in the data directory";
  if (there && fingerprint != manifest.secretFingerprint) {
    return fail(ErrorCode::conflict, fmt::format("{} is not the secret of this backup", where));
  }
  if (there || manifest.secretFingerprint.empty()) return std::optional<Secret>();
  if (!manifest.secretIncluded) {
    return fail(ErrorCode::conflict,
                "the backup is without the deployment's secret: give it as SERVICE_SECRET, or as the file `secret` in "
                "the data directory");
  }
  TRY(std::optional<Secret> own, secretText(std::nullopt, from));
  TRY(const std::string ownFingerprint, fingerprintOf(own));
  if (ownFingerprint != manifest.secretFingerprint) {
    return fail(ErrorCode::validation, fmt::format("the backup is corrupt: {}", kSecretFile));
  }
  return own;
}

Result<> copyBack(const fs::path& from, const Manifest& manifest, const fs::path& work, Progress& progress) {
  TRY(const uint64_t free, freeBytes(work));
  if (free < manifest.bytes()) {
    return fail(ErrorCode::unavailable, fmt::format("the disk is too full: the backup takes {}, {} are free",
                                                    cli::describeBytes(manifest.bytes()), cli::describeBytes(free)));
  }
  ByteSteps steps(progress, "MiB copied", manifest.bytes());
  bool anyFile = false;
  std::set<fs::path> folders;
  for (const ManifestFile& file : manifest.files) {
    if (const auto place = storedFilePath(file.path)) {
      const fs::path files = work / storage::kDirectory;
      if (!std::exchange(anyFile, true)) RETURN_IF_ERROR(storage::makeBlobFolders(files));
      TRY(const Sum sum, copyFile(from / file.path, files / *place, steps.counter()));
      RETURN_IF_ERROR(compareFile(file, sum));
      folders.insert((files / *place).parent_path());
      continue;
    }
    if (!file.path.starts_with("store/")) {
      TRY(const Sum sum, sumOf(from / file.path, steps.counter()));
      RETURN_IF_ERROR(compareFile(file, sum));
      continue;
    }
    TRY(const Sum sum, copyFile(from / file.path, work / file.path, steps.counter()));
    RETURN_IF_ERROR(compareFile(file, sum));
  }
  for (const fs::path& folder : folders) RETURN_IF_ERROR(syncDirectory(folder));
  return {};
}

cli::Outcome deploymentOutcome(const Manifest& manifest, const fs::path& directory) {
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendString("directory", directory.string());
  result.appendDate("madeAt", manifest.createdAt);
  result.appendDocument("counts", doc::encode(manifest.counts));
  outcome.result = result.finish();
  outcome.text = fmt::format("restored {} projects, {} collections, {} documents as of {} into {}",
                             manifest.counts.projects, manifest.counts.collections, manifest.counts.documents,
                             toRfc3339(manifest.createdAt), directory.string());
  return outcome;
}

// ---- one project

struct ProjectRestore {
  fs::path from;
  std::string project;
  ImportOptions options;
};

Result<Imported> importFrom(Deployment& deployment, const Manifest& manifest, ProjectRestore wanted,
                            Progress& progress) {
  if (manifest.kind == kOneProject) {
    if (wanted.project != manifest.project->id && wanted.project != manifest.project->slug) {
      return fail(ErrorCode::notFound, fmt::format("the backup holds the project {} ({}), not {}", manifest.project->id,
                                                   manifest.project->slug, wanted.project));
    }
    wanted.options.documents = manifest.counts.documents;
    ProjectImport import(deployment, std::move(wanted.options), progress);
    RETURN_IF_ERROR(readRecords(wanted.from / kProjectFile, [&](std::string_view kind, doc::DocumentView content) {
      return import.take(kind, content);
    }));
    return import.finish();
  }
  TRY(const auto image, store::StoreImage::open(wanted.from / "store"));
  TRY(const projects::ProjectRecord record, findProject(*image, wanted.project));
  for (const auto& collection : image->collections(static_cast<store::ProjectNo>(record.number))) {
    TRY(const store::CollectionStats stats,
        image->stats(static_cast<store::ProjectNo>(record.number), collection.number));
    wanted.options.documents += static_cast<int64_t>(stats.documents);
  }
  ProjectImport import(deployment, std::move(wanted.options), progress);
  RETURN_IF_ERROR(exportProject(*image, record, progress, [&](std::string_view kind, doc::DocumentView content) {
    return import.take(kind, content);
  }));
  return import.finish();
}

cli::Outcome projectOutcome(const Imported& imported, bool otherSecret) {
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendString("id", imported.project.id.str());
  result.appendString("slug", imported.project.slug);
  result.appendInteger("members", static_cast<int64_t>(imported.project.members));
  result.appendInteger("invited", static_cast<int64_t>(imported.project.invited));
  result.appendDocument("counts", doc::encode(imported.counts));
  result.appendBool("otherSecret", otherSecret);
  outcome.result = result.finish();
  outcome.text = fmt::format(
      "restored project {} ({}): {} collections, {} documents, {} members, {} invited{}", imported.project.id.str(),
      imported.project.slug, imported.counts.collections, imported.counts.documents, imported.project.members,
      imported.project.invited,
      otherSecret ? "\nThe backup was made under another secret: secrets sealed in it cannot be read here." : "");
  return outcome;
}

}  // namespace

Result<std::optional<cli::Outcome>> restoreAll(const CommandContext& context, const cli::Arguments& arguments,
                                               Progress& progress) {
  if (has(arguments, "project")) return std::optional<cli::Outcome>();
  if (has(arguments, "as") || has(arguments, "owner")) {
    return fail(ErrorCode::invalidParam, "--as and --owner need --project");
  }
  const bool onMongo = context.storeSettings.isOnMongo();
  const fs::path from = valueOf(arguments, "from");
  TRY(const Manifest manifest, readManifest(from));
  if (manifest.kind != kWhole) {
    return fail(ErrorCode::invalidParam,
                fmt::format("this is a backup of one project: restore it with --project {}", manifest.project->slug));
  }
  RestoredDirectory target(context.directory);
  RETURN_IF_ERROR(target.claim());
  TRY(const std::optional<Secret> secret, settleSecret(context, manifest, from));
  RETURN_IF_ERROR(copyBack(from, manifest, target.work(), progress));
  // Checks that it opens and has a format that this version reads.
  {
    TRY(const auto image, store::StoreImage::open(target.work() / "store"));
    if (onMongo) RETURN_IF_ERROR(fillDatabase(*image, context.storeSettings.mongo, progress));
    StoreSettings settings = fillingSettings();
    if (onMongo) {
      settings.mongo.uri = context.storeSettings.mongo.uri;
      settings.mongo.prefix = context.storeSettings.mongo.prefix;
      settings.mongo.incomplete = true;
    }
    RETURN_IF_ERROR(restartCopying(*image, settings, target.work()));
  }
  if (secret) RETURN_IF_ERROR(target.putSecret(*secret));
  RETURN_IF_ERROR(target.keep(!onMongo));
  if (onMongo) RETURN_IF_ERROR(store::MongoStore::complete(context.storeSettings.mongo));
  return std::optional(deploymentOutcome(manifest, context.directory));
}

Result<cli::Outcome> restoreProject(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) {
  if (!has(arguments, "project")) {
    return fail(ErrorCode::invalidParam, "a whole deployment can only be restored into an empty directory");
  }
  ProjectRestore wanted{valueOf(arguments, "from"), valueOf(arguments, "project"), {}};
  if (has(arguments, "as")) wanted.options.slug = valueOf(arguments, "as");
  wanted.options.owner = valueOf(arguments, "owner");
  wanted.options.from = wanted.from;
  TRY(const Manifest manifest, readManifest(wanted.from));
  // Verifies all files before any change: a corrupt backup changes nothing.
  RETURN_IF_ERROR(verifyFiles(wanted.from, manifest, progress));
  TRY(const std::string fingerprint, fingerprintOf(deployment.secret));
  const BlobPin kept(deployment);
  TRY(const Imported imported, importFrom(deployment, manifest, std::move(wanted), progress));
  if (deployment.vectors != nullptr) deployment.vectors->refreshSoon();
  return projectOutcome(imported, fingerprint != manifest.secretFingerprint);
}

}  // namespace mb::app

// `manybase backup`: copies a checkpoint into a directory that gets its name only once it is complete and durable.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "app/backup_manifest.h"
#include "app/checkpoint.h"
#include "app/data_directory.h"
#include "app/project_export.h"
#include "app/stored_files.h"
#include "app/transfer.h"
#include "cli/console.h"

namespace mb::app {

namespace {

namespace fs = std::filesystem;

// Space that must stay free on the target in addition to the backup.
constexpr uint64_t kReserve = 1 << 20;
constexpr int kMaxInASecond = 100;

struct Target {
  fs::path partial;
  fs::path final;
};

// The target during the backup; removed with its content unless it was published.
class PartialDirectory {
 public:
  explicit PartialDirectory(Target target) : target_(std::move(target)) {}
  PartialDirectory(const PartialDirectory&) = delete;
  PartialDirectory& operator=(const PartialDirectory&) = delete;
  ~PartialDirectory() {
    std::error_code ignored;
    if (!published_) fs::remove_all(target_.partial, ignored);
  }
  Result<> make() const {
    if (::mkdir(target_.partial.c_str(), 0700) != 0) return fileError("make", target_.final);
    return {};
  }
  const fs::path& path() const { return target_.partial; }
  Result<> publish() {
    RETURN_IF_ERROR(syncDirectory(target_.partial));
    if (::renameat2(AT_FDCWD, target_.partial.c_str(), AT_FDCWD, target_.final.c_str(), RENAME_NOREPLACE) != 0) {
      return fileError("make", target_.final);
    }
    published_ = true;
    return syncDirectory(target_.final.parent_path());
  }

 private:
  const Target target_;
  bool published_ = false;
};

bool isInside(const fs::path& path, const fs::path& directory) {
  std::error_code failed;
  const fs::path inner = fs::weakly_canonical(path, failed);
  const fs::path outer = fs::weakly_canonical(directory, failed);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

Result<Target> targetOf(const Deployment& deployment, const fs::path& wanted, std::string_view label) {
  std::error_code failed;
  fs::path path = wanted.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (fs::is_directory(path, failed)) {
    std::string time = toRfc3339(deployment.clock.now()).substr(0, 19);
    std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
    const fs::path within = path;
    path /= fmt::format("{}-{}Z", label, time);
    for (int n = 2; fs::exists(path, failed) && n < kMaxInASecond; ++n) {
      path = within / fmt::format("{}-{}Z-{}", label, time, n);
    }
  }
  if (fs::exists(fs::symlink_status(path, failed))) {
    return fail(ErrorCode::conflict, fmt::format("{} exists already", path.string()));
  }
  if (!fs::is_directory(path.parent_path(), failed)) {
    return fail(ErrorCode::notFound, fmt::format("the directory {} does not exist", path.parent_path().string()));
  }
  if (isInside(path, deployment.directory)) {
    return fail(ErrorCode::validation, "the target must be outside of the data directory");
  }
  const std::string hidden = fmt::format(".{}.partial-{:08x}", path.filename().string(), randomU64() >> 32);
  return Target{path.parent_path() / hidden, path};
}

Result<> checkSpace(const fs::path& where, uint64_t bytes) {
  TRY(const uint64_t free, freeBytes(where));
  if (free >= bytes + kReserve) return {};
  return fail(ErrorCode::unavailable, fmt::format("the disk is too full: the backup takes {}, {} are free",
                                                  cli::describeBytes(bytes), cli::describeBytes(free)));
}

void addFile(Manifest& manifest, std::string path, const Sum& sum) {
  manifest.files.push_back({std::move(path), static_cast<int64_t>(sum.bytes), sum.sha256});
}

// `more` bytes will be copied after the store.
Result<> copyStore(const HeldCheckpoint& checkpoint, const fs::path& into, uint64_t more, Manifest& manifest,
                   Progress& progress) {
  std::vector<fs::path> files;
  uint64_t total = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(checkpoint.path(), failed)) {
    files.push_back(entry.path());
    total += entry.file_size(failed);
  }
  if (failed) return fail(ErrorCode::internal, "the checkpoint cannot be read: " + failed.message());
  std::sort(files.begin(), files.end());
  RETURN_IF_ERROR(checkSpace(into, total + more));
  if (::mkdir((into / "store").c_str(), 0700) != 0) return fileError("make", into / "store");
  ByteSteps steps(progress, "MiB copied", total);
  for (const fs::path& file : files) {
    const std::string name = "store/" + file.filename().string();
    TRY(const Sum sum, copyFile(file, into / name, steps.counter()));
    addFile(manifest, name, sum);
  }
  return syncDirectory(into / "store");
}

// On MongoDB: the store's files are made of what the database holds.
Result<> buildStore(const store::Image& image, const fs::path& into, uint64_t more, Manifest& manifest,
                    Progress& progress) {
  // Documents, and with compaction and indexes once more; the store keeps its reserve.
  uint64_t bytes = static_cast<uint64_t>(store::EmbeddedSettings().minFreeDiskBytes);
  for (const store::ProjectNo project : image.projects()) {
    for (const auto& collection : image.collections(project)) {
      TRY(const store::CollectionStats stats, image.stats(project, collection.number));
      bytes += 2 * stats.bytes;
    }
  }
  RETURN_IF_ERROR(checkSpace(into, bytes + more));
  RETURN_IF_ERROR(fillDirectory(image, into, progress));
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(into / "store", failed)) files.push_back(entry.path());
  if (failed) return fail(ErrorCode::internal, "the backup cannot be read: " + failed.message());
  std::sort(files.begin(), files.end());
  fs::permissions(into / "store", fs::perms::owner_all, failed);
  for (const fs::path& file : files) {
    const std::string name = file.filename();
    // Those of the process that made it.
    if (name == "LOCK" || name.starts_with("LOG")) {
      fs::remove(file, failed);
      continue;
    }
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write, failed);
    TRY(const Sum sum, sumOf(file, [&progress](uint64_t) { return !progress.stopped(); }));
    addFile(manifest, "store/" + name, sum);
  }
  return syncDirectory(into / "store");
}

Result<> fillWhole(const Deployment& deployment, const HeldCheckpoint& checkpoint, const fs::path& into,
                   Manifest& manifest, Progress& progress) {
  const store::Image& image = checkpoint.image();
  TRY(manifest.counts.projects, countProjects(image));
  for (const store::ProjectNo project : image.projects()) {
    for (const auto& collection : image.collections(project)) {
      manifest.counts.collections += collection.number >= store::kFirstUserCollection ? 1 : 0;
      TRY(const store::CollectionStats stats, image.stats(project, collection.number));
      manifest.counts.documents += static_cast<int64_t>(stats.documents);
    }
  }
  TRY(const uint64_t files, bytesOfFiles(image, std::nullopt));
  RETURN_IF_ERROR(checkpoint.path().empty() ? buildStore(image, into, files, manifest, progress)
                                            : copyStore(checkpoint, into, files, manifest, progress));
  return backUpFiles(deployment, image, std::nullopt, into, manifest, progress);
}

Result<> fillProject(const Deployment& deployment, const HeldCheckpoint& checkpoint,
                     const projects::ProjectRecord& record, const fs::path& into, Manifest& manifest,
                     Progress& progress) {
  uint64_t bytes = 0;
  const auto number = static_cast<store::ProjectNo>(record.number);
  for (const auto& collection : checkpoint.image().collections(number)) {
    TRY(const store::CollectionStats stats, checkpoint.image().stats(number, collection.number));
    bytes += stats.bytes;
  }
  TRY(const uint64_t files, bytesOfFiles(checkpoint.image(), number));
  RETURN_IF_ERROR(checkSpace(into, bytes + files));
  TRY(SummedFile file, SummedFile::create(into / kProjectFile));
  TRY(const StreamEnd counts,
      exportProject(checkpoint.image(), record, progress, [&](std::string_view kind, doc::DocumentView content) {
        if (kind == kDatabaseRecord) manifest.format = kFormatWithDatabase;
        return file.write(encodeRecord(kind, content));
      }));
  TRY(const Sum sum, file.finish());
  addFile(manifest, std::string(kProjectFile), sum);
  manifest.counts = {1, counts.collections, counts.documents};
  return backUpFiles(deployment, checkpoint.image(), number, into, manifest, progress);
}

cli::Outcome outcomeOf(const Manifest& manifest, const fs::path& path) {
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendString("path", path.string());
  result.appendInteger("bytes", static_cast<int64_t>(manifest.bytes()));
  result.appendBool("secretIncluded", manifest.secretIncluded);
  result.appendDocument("counts", doc::encode(manifest.counts));
  if (manifest.project) result.appendDocument("project", doc::encode(*manifest.project));
  outcome.result = result.finish();
  outcome.text =
      fmt::format("{}\n{} projects, {} collections, {} documents, {}; {}", path.string(), manifest.counts.projects,
                  manifest.counts.collections, manifest.counts.documents, cli::describeBytes(manifest.bytes()),
                  manifest.secretIncluded ? "with the deployment's secret: protect it like the secret"
                                          : "without the deployment's secret: store that elsewhere");
  return outcome;
}

}  // namespace

Result<cli::Outcome> backup(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) {
  const bool whole = !has(arguments, "project");
  const bool withSecret = has(arguments, "with-secret");
  if (withSecret && !whole) {
    return fail(ErrorCode::invalidParam, "--with-secret is only for a backup of the whole deployment");
  }
  if (withSecret && !deployment.secret) return fail(ErrorCode::notFound, "this deployment has no secret yet");
  const fs::path wanted = valueOf(arguments, "to");
  // Checked before the checkpoint is created; the project's label comes from the checkpoint.
  RETURN_IF_ERROR(targetOf(deployment, wanted, "manybase"));
  const BlobPin kept(deployment);

  TRY(const HeldCheckpoint checkpoint, HeldCheckpoint::make(deployment));
  Manifest manifest;
  manifest.kind = whole ? kWhole : kOneProject;
  manifest.serverVersion = deployment.version;
  manifest.createdAt = deployment.clock.now();
  TRY(manifest.secretFingerprint, fingerprintOf(deployment.secret));
  projects::ProjectRecord record;
  if (!whole) {
    TRY(record, findProject(checkpoint.image(), valueOf(arguments, "project")));
    manifest.project = ManifestProject{record.id.str(), record.slug, record.name};
  }
  TRY(const Target target, targetOf(deployment, wanted, whole ? "manybase" : record.slug));
  PartialDirectory partial(target);
  RETURN_IF_ERROR(partial.make());
  RETURN_IF_ERROR(whole ? fillWhole(deployment, checkpoint, partial.path(), manifest, progress)
                        : fillProject(deployment, checkpoint, record, partial.path(), manifest, progress));
  if (withSecret) {
    const std::string text = std::string(deployment.secret->reveal()) + "\n";
    RETURN_IF_ERROR(writeDurably(partial.path() / kSecretFile, text));
    addFile(manifest, std::string(kSecretFile), {text.size(), toHex(sha256(text))});
    manifest.secretIncluded = true;
  }
  RETURN_IF_ERROR(writeManifest(partial.path(), manifest));
  RETURN_IF_ERROR(partial.publish());
  return outcomeOf(manifest, target.final);
}

}  // namespace mb::app

#include "app/stored_files.h"

#include <sys/stat.h>

#include <map>
#include <set>

#include "storage/local_store.h"
#include "storage/storage.h"
#include "storage/storage_rules.h"
#include "store/records.h"

namespace mb::app {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "files/";

using OnFile = std::function<Result<>(store::ProjectNo, const storage::FileRecord&)>;

Result<> eachFile(const store::Image& image, std::optional<store::ProjectNo> only, const OnFile& onFile) {
  const std::vector<store::ProjectNo> projects = only ? std::vector{*only} : image.projects();
  for (const store::ProjectNo project : projects) {
    RETURN_IF_ERROR(image.each(project, storage::kFiles, [&](doc::DocumentView stored) -> Result<> {
      TRY(const auto record, store::fromStore<storage::FileRecord>(stored));
      return onFile(project, record);
    }));
  }
  return {};
}

fs::path blobOf(const Deployment& deployment, std::string_view blob) {
  return deployment.directory / storage::kDirectory / storage::blobPath(blob);
}

bool areHere(const Deployment& deployment) {
  std::error_code failed;
  return fs::exists(deployment.directory / storage::kDirectory / storage::kBlobsFolder, failed);
}

bool isWhole(const Sum& sum, const storage::FileRecord& record) {
  return sum.bytes == static_cast<uint64_t>(record.size) && sum.sha256 == record.sha256;
}

std::string nameOf(store::ProjectNo project, const storage::FileRecord& record) {
  return fmt::format("project {}: the file {} ({})", project, record.path, record.blob);
}

}  // namespace

Result<uint64_t> bytesOfFiles(const store::Image& image, std::optional<store::ProjectNo> project) {
  uint64_t bytes = 0;
  RETURN_IF_ERROR(eachFile(image, project, [&](store::ProjectNo, const storage::FileRecord& record) -> Result<> {
    bytes += static_cast<uint64_t>(record.size);
    return {};
  }));
  return bytes;
}

Result<> checkFilesHere(const Deployment& deployment, const store::Image& image, store::ProjectNo project) {
  if (areHere(deployment)) return {};
  return eachFile(image, project, [](store::ProjectNo, const storage::FileRecord&) -> Result<> {
    return fail(ErrorCode::unavailable,
                "this project has files in S3, which are not copied: back up the whole deployment, and the bucket");
  });
}

Result<> backUpFiles(const Deployment& deployment, const store::Image& image, std::optional<store::ProjectNo> project,
                     const fs::path& into, Manifest& manifest, Progress& progress) {
  TRY(const uint64_t total, bytesOfFiles(image, project));
  if (project) RETURN_IF_ERROR(checkFilesHere(deployment, image, *project));
  if (!areHere(deployment)) return {};
  const fs::path folder = into / kFolder;
  ByteSteps steps(progress, "MiB of files copied", total);
  bool any = false;
  RETURN_IF_ERROR(eachFile(image, project, [&](store::ProjectNo number, const storage::FileRecord& record) -> Result<> {
    if (!std::exchange(any, true) && ::mkdir(folder.parent_path().c_str(), 0700) != 0) return fileError("make", folder);
    const auto sum = copyFile(blobOf(deployment, record.blob), folder / record.blob, steps.counter());
    if (!sum) return fail(sum.error().code(), fmt::format("{}: {}", nameOf(number, record), sum.error().message()));
    if (!isWhole(*sum, record)) {
      return fail(ErrorCode::validation, fmt::format("{} is corrupt: see `manybase check`", nameOf(number, record)));
    }
    manifest.files.push_back({std::string(kFolder) + record.blob, static_cast<int64_t>(sum->bytes), sum->sha256});
    return {};
  }));
  if (!any) return {};
  manifest.format = std::max(manifest.format, kFormatWithFiles);
  return syncDirectory(folder.parent_path());
}

std::optional<fs::path> storedFilePath(std::string_view path) {
  if (!path.starts_with(kFolder) || !storage::projectOf(path.substr(kFolder.size()))) return std::nullopt;
  return storage::blobPath(path.substr(kFolder.size()));
}

BlobFinder blobsOfBackup(fs::path backup) {
  return [backup = std::move(backup)](const std::string& blob) { return backup / kFolder / blob; };
}

BlobFinder blobsOfDeployment(const Deployment& deployment) {
  return [&deployment](const std::string& blob) { return blobOf(deployment, blob); };
}

Result<doc::Document> restoreFile(const Deployment& deployment, const BlobFinder& from, store::ProjectNo number,
                                  doc::DocumentView stored) {
  TRY(storage::FileRecord record, store::fromStore<storage::FileRecord>(stored));
  if (!storage::projectOf(record.blob)) return fail(ErrorCode::validation, "the record of a file is corrupt");
  const fs::path source = from(record.blob);
  record.blob = storage::newBlobName(number);
  const fs::path target = blobOf(deployment, record.blob);
  std::error_code gone;
  if (!fs::exists(source, gone)) {
    return fail(ErrorCode::unavailable, fmt::format("the content of the file {} is missing, or in S3", record.path));
  }
  if (!areHere(deployment)) RETURN_IF_ERROR(storage::makeBlobFolders(deployment.directory / storage::kDirectory));
  TRY(const Sum sum, copyFile(source, target, [](uint64_t) { return true; }));
  if (!isWhole(sum, record)) {
    std::error_code ignored;
    fs::remove(target, ignored);
    return fail(ErrorCode::validation, fmt::format("the content of the file {} is corrupt", record.path));
  }
  RETURN_IF_ERROR(syncDirectory(target.parent_path()));
  return doc::encode(record);
}

Result<> compareBlob(const Deployment& deployment, doc::DocumentView stored) {
  TRY(const storage::FileRecord record, store::fromStore<storage::FileRecord>(stored));
  TRY(const Sum sum, sumOf(blobOf(deployment, record.blob), [](uint64_t) { return true; }));
  if (isWhole(sum, record)) return {};
  return fail(ErrorCode::internal, fmt::format("the copy of the file {} is not what its record says", record.path));
}

Result<FilesReport> checkFiles(const Deployment& deployment, const store::Image& image, Progress& progress) {
  FilesReport report;
  TRY(const uint64_t total, bytesOfFiles(image, std::nullopt));
  ByteSteps steps(progress, "MiB of files checked", total);
  const bool here = areHere(deployment);
  std::set<std::string> named;
  std::map<std::pair<store::ProjectNo, std::string>, storage::StoredRecord> counts;
  RETURN_IF_ERROR(
      eachFile(image, std::nullopt, [&](store::ProjectNo project, const storage::FileRecord& record) -> Result<> {
        ++report.files;
        report.bytes += static_cast<uint64_t>(record.size);
        if (!named.insert(record.blob).second) report.problems.push_back(nameOf(project, record) + " shares its bytes");
        storage::StoredRecord& count = counts[{project, storage::countIdOf(record.id)}];
        ++count.files;
        count.bytes += record.size;
        if (!here) return {};
        std::error_code failed;
        const fs::path blob = blobOf(deployment, record.blob);
        if (!fs::exists(blob, failed)) {
          report.problems.push_back(nameOf(project, record) + " is missing");
          return {};
        }
        const auto sum = sumOf(blob, steps.counter());
        if (progress.stopped()) return fail(ErrorCode::unavailable, "stopped");
        if (!sum) {
          report.problems.push_back(
              fmt::format("{} cannot be read: {}", nameOf(project, record), sum.error().message()));
        } else if (!isWhole(*sum, record)) {
          report.problems.push_back(nameOf(project, record) + " is corrupt");
        }
        return {};
      }));
  // Pieces of unfinished uploads.
  for (const store::ProjectNo project : image.projects()) {
    RETURN_IF_ERROR(image.each(project, storage::kPieces, [&](doc::DocumentView stored) -> Result<> {
      named.emplace(stored.stringOr("blob"));
      return {};
    }));
  }
  for (const store::ProjectNo project : image.projects()) {
    RETURN_IF_ERROR(image.each(project, storage::kStored, [&](doc::DocumentView stored) -> Result<> {
      TRY(const auto count, store::fromStore<storage::StoredRecord>(stored));
      const storage::StoredRecord& seen = counts[{project, count.id}];
      if (seen.files != count.files || seen.bytes != count.bytes) {
        report.problems.push_back(fmt::format("project {}: the count is {} files of {} bytes; stored are {} of {}",
                                              project, count.files, count.bytes, seen.files, seen.bytes));
      }
      return {};
    }));
  }
  const fs::path blobs = deployment.directory / storage::kDirectory / storage::kBlobsFolder;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(blobs, failed), end; here && !failed && at != end; at.increment(failed)) {
    if (at->is_regular_file(failed) && !named.contains(at->path().filename().string())) ++report.orphans;
  }
  return report;
}

}  // namespace mb::app

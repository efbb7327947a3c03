// What a backup is: a directory with
//
//   manifest.json   what is in it (Manifest): every other file with its size and SHA-256
//   SHA256SUMS      the same sums and the manifest's own, for `sha256sum -c`
//   store/…         of a whole deployment: the store's files, as a checkpoint has them
//   project.bson    of one project: its records (project_records.h)
//   files/…         the bytes of stored files, by the names that their records have for them
//   secret          the deployment's secret, where it was asked for
//
// Kinds of files that join later are further files; a higher format says that they must be understood.
#pragma once

#include <filesystem>

#include "base/files.h"
#include "base/progress.h"
#include "document/shape.h"

namespace mb::app {

// 2: with stored files.
inline constexpr int32_t kBackupFormat = 2;
inline constexpr std::string_view kManifestFile = "manifest.json";
inline constexpr std::string_view kSumsFile = "SHA256SUMS";
inline constexpr std::string_view kProjectFile = "project.bson";
inline constexpr std::string_view kWhole = "deployment";
inline constexpr std::string_view kOneProject = "project";

struct ManifestFile {
  std::string path;  // relative, of plain names
  int64_t bytes = 0;
  std::string sha256;  // hex
  static constexpr auto shape() {
    return doc::shape<ManifestFile>("File", doc::field("path", &ManifestFile::path),
                                    doc::field("bytes", &ManifestFile::bytes),
                                    doc::field("sha256", &ManifestFile::sha256));
  }
};

struct ManifestCounts {
  int64_t projects = 0;
  int64_t collections = 0;
  int64_t documents = 0;  // system ones too
  static constexpr auto shape() {
    return doc::shape<ManifestCounts>("Counts", doc::field("projects", &ManifestCounts::projects),
                                      doc::field("collections", &ManifestCounts::collections),
                                      doc::field("documents", &ManifestCounts::documents));
  }
};

struct ManifestProject {
  std::string id;
  std::string slug;
  std::string name;
  static constexpr auto shape() {
    return doc::shape<ManifestProject>("Project", doc::field("id", &ManifestProject::id),
                                       doc::field("slug", &ManifestProject::slug),
                                       doc::field("name", &ManifestProject::name));
  }
};

struct Manifest {
  int32_t format = 1;  // the lowest that its reader must know
  std::string kind;
  std::string serverVersion;
  Timestamp createdAt;
  std::optional<ManifestProject> project;
  ManifestCounts counts;
  bool secretIncluded = false;
  std::string secretFingerprint;  // data_directory.h; "" where there was none
  std::vector<ManifestFile> files;
  static constexpr auto shape() {
    return doc::shape<Manifest>(
        "Manifest", doc::field("format", &Manifest::format), doc::field("kind", &Manifest::kind),
        doc::field("serverVersion", &Manifest::serverVersion), doc::field("createdAt", &Manifest::createdAt),
        doc::field("project", &Manifest::project), doc::field("counts", &Manifest::counts),
        doc::field("secretIncluded", &Manifest::secretIncluded),
        doc::field("secretFingerprint", &Manifest::secretFingerprint), doc::field("files", &Manifest::files));
  }
  uint64_t bytes() const;  // of all files
};

// Writes manifest and sums into the backup's directory, durably.
Result<> writeManifest(const std::filesystem::path& directory, const Manifest& manifest);
// Fails with a line to show: no backup, a damaged one, a newer format.
Result<Manifest> readManifest(const std::filesystem::path& directory);
// Whether a file read as `sum` is the one the manifest names. Fails with the line to show.
Result<> compareFile(const ManifestFile& file, const Sum& sum);
// Reads every file of the backup and compares. Blocks.
Result<> verifyFiles(const std::filesystem::path& directory, const Manifest& manifest, Progress& progress);

// Counts bytes of a step that goes over files: progress in MiB.
class ByteSteps {
 public:
  ByteSteps(Progress& progress, std::string_view step, uint64_t total)
      : progress_(progress), step_(step), total_(total) {}
  OnBytes counter();

 private:
  Progress& progress_;
  const std::string step_;
  const uint64_t total_;
  uint64_t done_ = 0;
};

}  // namespace mb::app

// The format of a backup: a directory with
//
//   manifest.json   its content (Manifest): every other file with its size and SHA-256
//   SHA256SUMS      the same sums and the manifest's own, for `sha256sum -c`
//   store/…         of a whole deployment: the store's files, as in a checkpoint
//   project.bson    of one project: its records (project_records.h)
//   files/…         the bytes of stored files, by the names in their records
//   secret          the deployment's secret, with --with-secret
//
// New kinds of content are added as further files; a higher format says that they must be understood.
#pragma once

#include <filesystem>

#include "base/files.h"
#include "base/progress.h"
#include "document/shape.h"

namespace mb::app {

// The format of a backup with stored files, and of one project whose owner brings its database.
inline constexpr int32_t kFormatWithFiles = 2;
inline constexpr int32_t kFormatWithDatabase = 3;
// The highest one.
inline constexpr int32_t kBackupFormat = kFormatWithDatabase;
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
  int64_t documents = 0;  // system ones included
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
  int32_t format = 1;  // the lowest format that its reader must support
  std::string kind;
  std::string serverVersion;
  Timestamp createdAt;
  std::optional<ManifestProject> project;
  ManifestCounts counts;
  bool secretIncluded = false;
  std::string secretFingerprint;  // data_directory.h; "" without a secret
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

// Writes the manifest and the sums into the backup's directory, durably.
Result<> writeManifest(const std::filesystem::path& directory, const Manifest& manifest);
// Fails with a message to print: no backup, a corrupt one, a newer format.
Result<Manifest> readManifest(const std::filesystem::path& directory);
// Whether a file with this `sum` is the one that the manifest names. Fails with a message to print.
Result<> compareFile(const ManifestFile& file, const Sum& sum);
// Reads and compares every file of the backup. Blocks.
Result<> verifyFiles(const std::filesystem::path& directory, const Manifest& manifest, Progress& progress);

// Counts the bytes of a step over files, and reports progress in MiB.
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

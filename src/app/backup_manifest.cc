#include "app/backup_manifest.h"

#include <set>

#include "document/json.h"

namespace mb::app {

namespace {

constexpr size_t kMaxManifest = 64 << 20;

std::unexpected<Error> corrupt(std::string_view file) {
  return fail(ErrorCode::validation, fmt::format("the backup is corrupt: {}", file));
}

// Whether the path stays inside the backup's directory.
bool isPlain(std::string_view path) {
  const std::filesystem::path given(path);
  return !path.empty() && path.find('\0') == std::string_view::npos && given.is_relative() &&
         given.lexically_normal().string() == path &&
         std::none_of(given.begin(), given.end(), [](const auto& part) { return part == ".." || part == "."; });
}

std::string sumLine(std::string_view sum, std::string_view path) {
  return fmt::format("{}  {}\n", sum, path);
}

Result<> checkManifest(const Manifest& manifest) {
  std::set<std::string_view> seen;
  for (const ManifestFile& file : manifest.files) {
    if (!isPlain(file.path) || file.bytes < 0 || !seen.insert(file.path).second) return corrupt(kManifestFile);
  }
  const bool whole = manifest.kind == kWhole;
  if (!whole && (manifest.kind != kOneProject || !manifest.project || !seen.contains(kProjectFile))) {
    return corrupt(kManifestFile);
  }
  return {};
}

}  // namespace

uint64_t Manifest::bytes() const {
  uint64_t sum = 0;
  for (const ManifestFile& file : files) sum += static_cast<uint64_t>(file.bytes);
  return sum;
}

Result<> writeManifest(const std::filesystem::path& directory, const Manifest& manifest) {
  const std::string text = doc::toJson(doc::encode(manifest)) + "\n";
  std::string sums;
  for (const ManifestFile& file : manifest.files) sums += sumLine(file.sha256, file.path);
  sums += sumLine(toHex(sha256(text)), kManifestFile);
  RETURN_IF_ERROR(writeDurably(directory / kManifestFile, text));
  return writeDurably(directory / kSumsFile, sums);
}

Result<Manifest> readManifest(const std::filesystem::path& directory) {
  std::error_code failed;
  if (!std::filesystem::is_directory(directory, failed)) {
    return fail(ErrorCode::notFound, fmt::format("there is no backup at {}", directory.string()));
  }
  if (!std::filesystem::exists(directory / kManifestFile, failed)) {
    return fail(ErrorCode::notFound,
                fmt::format("{} is not a backup: it has no {}", directory.string(), kManifestFile));
  }
  TRY(const std::string text, readWhole(directory / kManifestFile, kMaxManifest));
  TRY(const std::string sums, readWhole(directory / kSumsFile, kMaxManifest));
  const std::string wanted = sumLine(toHex(sha256(text)), kManifestFile);
  if (!sums.ends_with(wanted)) return corrupt(kManifestFile);
  const auto parsed = doc::parseJson(text, {.maxDepth = 10, .extended = doc::ExtendedJson::refuse});
  if (!parsed) return corrupt(kManifestFile);
  // Checked first, since a newer format may have other fields.
  const auto format = parsed->view().find("format");
  if (format && format->isNumber() && format->toInteger().value_or(0) > kBackupFormat) {
    return fail(ErrorCode::unavailable,
                fmt::format("the backup was made by a newer version of Manybase (format {}, this one reads up to {})",
                            format->toInteger().value_or(0), kBackupFormat));
  }
  auto manifest = doc::decode<Manifest>(*parsed);
  if (!manifest) return corrupt(kManifestFile);
  RETURN_IF_ERROR(checkManifest(*manifest));
  return *std::move(manifest);
}

Result<> compareFile(const ManifestFile& file, const Sum& sum) {
  const bool same = sum.bytes == static_cast<uint64_t>(file.bytes) && sum.sha256 == file.sha256;
  return same ? Result<>() : corrupt(file.path);
}

Result<> verifyFiles(const std::filesystem::path& directory, const Manifest& manifest, Progress& progress) {
  ByteSteps steps(progress, "MiB verified", manifest.bytes());
  for (const ManifestFile& file : manifest.files) {
    TRY(const Sum sum, sumOf(directory / file.path, steps.counter()));
    RETURN_IF_ERROR(compareFile(file, sum));
  }
  return {};
}

OnBytes ByteSteps::counter() {
  return [this](uint64_t bytes) {
    done_ += bytes;
    progress_.at(step_, done_ >> 20, std::max<uint64_t>(1, total_ >> 20));
    return !progress_.stopped();
  };
}

}  // namespace mb::app

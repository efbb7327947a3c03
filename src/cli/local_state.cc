#include "cli/local_state.h"

#include <sys/stat.h>

#include <cerrno>
#include <set>

#include "base/crypto.h"
#include "base/files.h"
#include "document/json.h"
#include "document/pretty_json.h"

namespace mb::cli {

namespace {

constexpr size_t kMaxStateBytes = 64 << 20;
constexpr int32_t kFormat = 1;

struct StoredRecord {
  int32_t formatVersion = kFormat;
  std::string url;
  std::string projectId;
  doc::Document files;
  doc::Document written;
  static constexpr auto shape() {
    return doc::shape<StoredRecord>(
        "PullRecord", doc::field("formatVersion", &StoredRecord::formatVersion), doc::field("url", &StoredRecord::url),
        doc::field("projectId", &StoredRecord::projectId), doc::field("files", &StoredRecord::files),
        doc::field("written", &StoredRecord::written));
  }
};

using Sums = std::map<std::string, std::string>;

doc::Document documentOf(const Sums& sums) {
  doc::BsonWriter out;
  for (const auto& [path, sum] : sums) out.appendString(path, sum);
  return out.finish();
}

Sums sumsOf(doc::DocumentView document) {
  Sums out;
  for (const doc::Element& each : document) {
    if (each.value.type() == doc::BsonType::string) out.emplace(each.key, each.value.asString());
  }
  return out;
}

std::vector<FileChange> changes(const Sums& before, const configuration::Bundle& now, const Sums& alsoSame) {
  static const std::string kEmptyList = sumOf("[]\n");
  std::vector<FileChange> out;
  std::set<std::string_view> there;
  for (const configuration::BundleFile& file : now) {
    there.insert(file.path);
    const auto known = before.find(file.path);
    if (known == before.end()) {
      out.push_back({file.path, FileChange::Kind::created});
      continue;
    }
    const std::string sum = sumOf(file.content);
    const auto other = alsoSame.find(file.path);
    if (sum == known->second || (other != alsoSame.end() && sum == other->second)) continue;
    out.push_back({file.path, FileChange::Kind::modified});
  }
  for (const auto& [path, sum] : before) {
    // An empty list is equivalent to no file.
    if (!there.contains(path) && sum != kEmptyList) out.push_back({path, FileChange::Kind::removed});
  }
  std::ranges::sort(out, {}, &FileChange::path);
  return out;
}

std::unexpected<Error> brokenState(const std::filesystem::path& path) {
  return fail(ErrorCode::validation,
              fmt::format("{} cannot be read: remove it, then link and pull again", path.string()));
}

}  // namespace

Result<std::optional<doc::Document>> LocalState::read(std::string_view name) const {
  const std::filesystem::path path = folder_ / name;
  std::error_code failed;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, failed))) return std::optional<doc::Document>();
  TRY(const std::string text, readWhole(path, kMaxStateBytes));
  auto parsed = doc::parseJson(text);
  if (!parsed) return brokenState(path);
  return std::optional(*std::move(parsed));
}

Result<std::optional<Link>> LocalState::link() const {
  TRY(const auto document, read("link.json"));
  if (!document) return std::optional<Link>();
  auto link = doc::decode<Link>(*document, doc::UnknownFields::ignore);
  if (!link) return brokenState(folder_ / "link.json");
  return std::optional(*std::move(link));
}

Result<std::optional<PullRecord>> LocalState::record() const {
  TRY(const auto document, read("pull.json"));
  if (!document) return std::optional<PullRecord>();
  auto stored = doc::decode<StoredRecord>(*document, doc::UnknownFields::ignore);
  if (!stored || stored->formatVersion != kFormat) return brokenState(folder_ / "pull.json");
  return std::optional(
      PullRecord{std::move(stored->url), std::move(stored->projectId), sumsOf(stored->files), sumsOf(stored->written)});
}

Result<> LocalState::write(std::string_view name, const doc::Document& document) const {
  std::error_code failed;
  std::filesystem::create_directories(folder_.parent_path(), failed);
  if (::mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST) return fileError("make", folder_);
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(folder_, failed))) {
    return fail(ErrorCode::validation, fmt::format("{} must be a folder: remove it", folder_.string()));
  }
  // The folder is local to this machine.
  if (!std::filesystem::exists(folder_ / ".gitignore", failed))
    RETURN_IF_ERROR(writeWhole(folder_ / ".gitignore", "*\n"));
  const std::string& bytes = document.bytes();
  return writeWhole(folder_ / name, doc::toPrettyJson({doc::BsonType::document, bytes.data(), bytes.size()}) + "\n");
}

Result<> LocalState::keep(const Link& link) const {
  return write("link.json", doc::encode(link));
}

Result<> LocalState::keep(const PullRecord& record) const {
  return write("pull.json", doc::encode(StoredRecord{kFormat, record.url, record.projectId, documentOf(record.files),
                                                     documentOf(record.written)}));
}

std::string sumOf(std::string_view content) {
  return toHex(sha256(content));
}

PullRecord recordOf(std::string url, const ProjectRef& project, const configuration::Bundle& server,
                    const configuration::Bundle& folder) {
  PullRecord out{std::move(url), project.id, {}, {}};
  for (const configuration::BundleFile& file : server) out.files.emplace(file.path, sumOf(file.content));
  for (const configuration::BundleFile& file : folder) {
    const auto known = out.files.find(file.path);
    std::string sum = sumOf(file.content);
    if (known != out.files.end() && known->second != sum) out.written.emplace(file.path, std::move(sum));
  }
  return out;
}

std::string_view nameOf(FileChange::Kind kind) {
  switch (kind) {
    case FileChange::Kind::created:
      return "new";
    case FileChange::Kind::modified:
      return "modified";
    case FileChange::Kind::removed:
      return "removed";
  }
  return "";
}

std::vector<FileChange> changedHere(const PullRecord& record, const configuration::Bundle& folder) {
  return changes(record.files, folder, record.written);
}

std::vector<FileChange> changedThere(const PullRecord& record, const configuration::Bundle& server) {
  return changes(record.files, server, {});
}

}  // namespace mb::cli

#include "cli/bundle_folder.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/files.h"

namespace mb::cli {

namespace {

namespace fs = std::filesystem;
using configuration::Bundle;
using configuration::BundleFile;

constexpr size_t kMaxFileBytes = 16 << 20;
constexpr size_t kMaxFolderBytes = 64 << 20;
constexpr size_t kMaxEntries = 50'000;

// Reads the files of a bundle from a folder, one level of folders deep.
class Reader {
 public:
  explicit Reader(const fs::path& root) : root_(root) {}

  Result<BundleFolder::Contents> read() {
    std::error_code failed;
    folder("", failed);
    if (failed) return fail(ErrorCode::internal, fmt::format("cannot read {}: {}", root_.string(), failed.message()));
    std::ranges::sort(out_.bundle, {}, &BundleFile::path);
    std::ranges::sort(out_.foreign);
    if (problems_.empty()) return std::move(out_);
    std::ranges::sort(problems_, {}, &ErrorDetail::path);
    return fail(Error(ErrorCode::validation, fmt::format("{} cannot be read: fix the files below", root_.string()))
                    .withDetails(std::move(problems_)));
  }

 private:
  void problem(const std::string& path, std::string message) { problems_.push_back({path, std::move(message)}); }

  void folder(const std::string& below, std::error_code& failed) {
    fs::directory_iterator entries(root_ / below, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
      const std::string name = entries->path().filename().string();
      // .manybase, .git and the like.
      if (name.starts_with('.')) continue;
      if (++entries_ > kMaxEntries) return problem(below, fmt::format("holds more than {} files", kMaxEntries));
      entry(below.empty() ? name : below + "/" + name, !below.empty(), failed);
    }
  }

  void entry(const std::string& path, bool inFolder, std::error_code& failed) {
    const fs::file_status status = fs::symlink_status(root_ / path, failed);
    if (failed) return;
    const bool isFolder = status.type() == fs::file_type::directory;
    // A folder belongs to the layout if it may hold files of a bundle.
    const bool holdsFiles = !inFolder && !configuration::isForeign(path + "/x.json");
    if (isFolder && holdsFiles) return folder(path, failed);
    if (!holdsFiles && configuration::isForeign(path)) return out_.foreign.push_back(path + (isFolder ? "/" : ""));
    if (status.type() == fs::file_type::symlink) {
      return problem(path, "is a symbolic link, which is refused: replace it by the file");
    }
    if (isFolder) return problem(path, "must be a file, not a folder: move it away");
    if (status.type() != fs::file_type::regular) return problem(path, "must be a regular file");
    take(path);
  }

  void take(const std::string& path) {
    auto text = readWhole(root_ / path, kMaxFileBytes);
    if (!text) return problem(path, text.error().message());
    bytes_ += text->size();
    if (bytes_ > kMaxFolderBytes) {
      if (!std::exchange(full_, true)) problem(path, fmt::format("makes it more than {} MiB", kMaxFolderBytes >> 20));
      return;
    }
    out_.bundle.push_back({path, *std::move(text)});
  }

  const fs::path& root_;
  BundleFolder::Contents out_;
  std::vector<ErrorDetail> problems_;
  size_t entries_ = 0;
  size_t bytes_ = 0;
  bool full_ = false;
};

// Whether this is a path such as "collections/notes.json": plain names, at most one folder. The server's response is
// untrusted.
bool isPlain(std::string_view path) {
  if (std::ranges::count(path, '/') > 1 || path.starts_with('/') || path.ends_with('/')) return false;
  for (size_t from = 0; from <= path.size();) {
    const size_t end = std::min(path.find('/', from), path.size());
    const std::string_view name = path.substr(from, end - from);
    if (name.empty() || name.starts_with('.') || name.find('\\') != std::string_view::npos) return false;
    if (std::ranges::any_of(name, [](char c) { return static_cast<uint8_t>(c) < 0x20; })) return false;
    from = end + 1;
  }
  return true;
}

Result<> makeFolder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return fileError("make", folder);
  return {};
}

Result<> writeFile(const fs::path& root, const BundleFile& file) {
  const fs::path path = root / file.path;
  if (path.parent_path() != root) {
    if (::mkdir(path.parent_path().c_str(), 0777) != 0 && errno != EEXIST) return fileError("make", path.parent_path());
    std::error_code failed;
    if (fs::symlink_status(path.parent_path(), failed).type() != fs::file_type::directory) {
      return fail(ErrorCode::validation, fmt::format("{} is not a folder: remove it", path.parent_path().string()));
    }
  }
  return writeWhole(path, file.content);
}

const BundleFile* find(const Bundle& bundle, std::string_view path) {
  const auto found = std::ranges::lower_bound(bundle, path, {}, &BundleFile::path);
  return found != bundle.end() && found->path == path ? &*found : nullptr;
}

}  // namespace

bool BundleFolder::there() const {
  std::error_code failed;
  return fs::exists(fs::symlink_status(root_ / "meta.json", failed));
}

Result<BundleFolder::Contents> BundleFolder::read() const {
  if (!there()) {
    return fail(
        ErrorCode::notFound,
        fmt::format("there is no bundle in {0} (no {0}/meta.json): go to the folder that holds it, name it with "
                    "--dir, or create one with `manybase pull`",
                    root_.string()));
  }
  return Reader(root_).read();
}

Result<BundleFolder::Written> BundleFolder::write(const Bundle& before, const Bundle& after) const {
  Written out;
  RETURN_IF_ERROR(makeFolder(root_));
  for (const BundleFile& file : after) {
    if (!isPlain(file.path)) {
      return fail(ErrorCode::upstreamFailed, fmt::format("the server sent an invalid file name \"{}\"", file.path));
    }
    const BundleFile* old = find(before, file.path);
    if (old != nullptr && old->content == file.content) continue;
    RETURN_IF_ERROR(writeFile(root_, file));
    out.written.push_back(file.path);
  }
  for (const BundleFile& file : before) {
    if (find(after, file.path) != nullptr) continue;
    std::error_code failed;
    fs::remove(root_ / file.path, failed);
    if (failed) return fail(ErrorCode::internal, fmt::format("cannot remove {}: {}", file.path, failed.message()));
    out.removed.push_back(file.path);
    // Removes the folder if it is empty now.
    const fs::path folder = (root_ / file.path).parent_path();
    if (folder != root_) fs::remove(folder, failed);
  }
  return out;
}

}  // namespace mb::cli

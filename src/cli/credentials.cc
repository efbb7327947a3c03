#include "cli/credentials.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/files.h"
#include "document/json.h"
#include "document/pretty_json.h"

namespace mb::cli {

namespace {

constexpr size_t kMaxCredentialBytes = 1 << 20;

struct Stored {
  doc::Document servers;
  static constexpr auto shape() { return doc::shape<Stored>("Credentials", doc::field("servers", &Stored::servers)); }
};

std::unexpected<Error> broken(const std::filesystem::path& path) {
  return fail(ErrorCode::validation,
              fmt::format("{} cannot be read: remove it and run `manybase login` again", path.string()));
}

// Locks the folder, held during a read-modify-write of the file.
Result<Descriptor> locked(const std::filesystem::path& folder) {
  Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held.open()) return fileError("open", folder);
  while (::flock(held.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return fileError("lock", folder);
  }
  return held;
}

}  // namespace

Result<> Credentials::makeFolder() const {
  if (folder_.empty()) {
    return fail(
        ErrorCode::validation,
        "there is no folder to keep a login in: set HOME or XDG_CONFIG_HOME, or give a token in MANYBASE_TOKEN");
  }
  std::error_code failed;
  std::filesystem::create_directories(folder_.parent_path(), failed);
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return fileError("make", folder_);
  if (::chmod(folder_.c_str(), 0700) != 0) return fileError("make", folder_);
  return {};
}

Result<std::map<std::string, Login>> Credentials::all() const {
  std::map<std::string, Login> out;
  if (folder_.empty()) return out;
  struct stat found{};
  if (::lstat(file().c_str(), &found) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return out;
    return fileError("read", file());
  }
  if ((found.st_mode & 077) != 0) {
    return fail(ErrorCode::validation, fmt::format("{} may be read by others: run `chmod 600` on it", file().string()));
  }
  TRY(const std::string text, readWhole(file(), kMaxCredentialBytes));
  const auto parsed = doc::parseJson(text);
  if (!parsed) return broken(file());
  const auto stored = doc::decode<Stored>(*parsed, doc::UnknownFields::ignore);
  if (!stored) return broken(file());
  for (const doc::Element& each : stored->servers.view()) {
    if (each.value.type() != doc::BsonType::document) return broken(file());
    auto login = doc::decode<Login>(each.value.asDocument(), doc::UnknownFields::ignore);
    if (!login) return broken(file());
    out.emplace(each.key, *std::move(login));
  }
  return out;
}

Result<std::optional<Login>> Credentials::of(const std::string& url) const {
  TRY(auto logins, all());
  const auto found = logins.find(url);
  return found == logins.end() ? std::nullopt : std::optional(std::move(found->second));
}

Result<> Credentials::write(const std::map<std::string, Login>& logins) const {
  doc::BsonWriter servers;
  for (const auto& [url, login] : logins) servers.appendDocument(url, doc::encode(login));
  const doc::Document document = doc::encode(Stored{servers.finish()});
  const std::string& bytes = document.bytes();
  return writeDurably(file(), doc::toPrettyJson({doc::BsonType::document, bytes.data(), bytes.size()}) + "\n");
}

Result<> Credentials::keep(const std::string& url, const Login& login) const {
  RETURN_IF_ERROR(makeFolder());
  TRY(const Descriptor held, locked(folder_));
  TRY(auto logins, all());
  logins[url] = login;
  return write(logins);
}

Result<bool> Credentials::forget(const std::string& url) const {
  TRY(const auto before, all());
  if (!before.contains(url)) return false;
  TRY(const Descriptor held, locked(folder_));
  TRY(auto logins, all());
  logins.erase(url);
  RETURN_IF_ERROR(write(logins));
  return true;
}

}  // namespace mb::cli

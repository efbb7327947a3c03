#include "app/data_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitset>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace mb::app {

namespace {

constexpr size_t kSecretBytes = 32;
constexpr size_t kFewestDistinctBytes = 8;

std::unexpected<Error> refused(std::string line) {
  return fail(ErrorCode::internal, std::move(line));
}

std::string lastError() {
  return std::generic_category().message(errno);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_;
};

bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Under its final name only when it is whole and on the disk.
Result<> writeDurably(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path partial = path.string() + ".partial";
  {
    const Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.open() || !writeAll(file.get(), text) || ::fsync(file.get()) != 0) {
      return refused("cannot write " + path.string() + ": " + lastError());
    }
  }
  if (::rename(partial.c_str(), path.c_str()) != 0) {
    return refused("cannot write " + path.string() + ": " + lastError());
  }
  const Descriptor directory(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.open() || ::fsync(directory.get()) != 0) {
    return refused("cannot write " + path.string() + ": " + lastError());
  }
  return {};
}

}  // namespace

Result<> prepareDataDirectory(const std::filesystem::path& directory) {
  std::error_code failed;
  const std::filesystem::path parent = std::filesystem::absolute(directory, failed).parent_path();
  std::filesystem::create_directories(parent, failed);
  if (::mkdir(directory.c_str(), 0700) == 0) return {};
  const int error = errno;
  if (error == EEXIST && std::filesystem::is_directory(directory, failed)) {
    if (::access(directory.c_str(), R_OK | W_OK | X_OK) == 0) return {};
    return refused("the data directory " + directory.string() + " cannot be written to");
  }
  return refused("cannot make the data directory " + directory.string() + ": " +
                 std::generic_category().message(error));
}

Result<MasterSecret> parseMasterSecret(std::string_view base64) {
  auto bytes = fromBase64(base64);
  if (!bytes || bytes->size() != kSecretBytes) {
    return refused("must be 32 random bytes in base64; make them with: openssl rand -base64 32");
  }
  std::bitset<256> seen;
  for (const char c : *bytes) seen.set(static_cast<unsigned char>(c));
  if (seen.count() < kFewestDistinctBytes) {
    return refused("is no secret; make one with: openssl rand -base64 32");
  }
  return MasterSecret(Secret(*std::move(bytes)));
}

Result<MasterSecret> loadMasterSecret(const std::optional<Secret>& given, const std::filesystem::path& directory) {
  if (given) return parseMasterSecret(given->reveal());
  const std::filesystem::path path = directory / "secret";
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    std::string bytes(kSecretBytes, '\0');
    fillRandom({reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
    CHECK(writeDurably(path, toBase64(bytes) + "\n"));
    return MasterSecret(Secret(std::move(bytes)));
  }
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  auto secret = parseMasterSecret(text);
  if (!secret) return refused("the file " + path.string() + " does not hold the deployment's secret any more");
  return secret;
}

}  // namespace mb::app

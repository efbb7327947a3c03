#include "app/data_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <bitset>
#include <cerrno>
#include <system_error>

#include "base/files.h"

namespace mb::app {

namespace {

constexpr size_t kSecretBytes = 32;
constexpr size_t kMinDistinctBytes = 8;
constexpr size_t kMaxSecretFile = 256;

std::unexpected<Error> refusedDirectory(std::string line) {
  return fail(ErrorCode::internal, std::move(line));
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
    return refusedDirectory("the data directory " + directory.string() + " cannot be written to");
  }
  return refusedDirectory("cannot create the data directory " + directory.string() + ": " +
                          std::generic_category().message(error));
}

Result<> refuseUnfinished(const std::filesystem::path& directory) {
  for (const auto& [folder, what] : {std::pair(kRestoringFolder, "restore"), std::pair(kMovingFolder, "move")}) {
    std::error_code failed;
    if (!std::filesystem::exists(directory / folder, failed)) continue;
    return fail(ErrorCode::conflict,
                fmt::format("a {} into {} did not end well: run it again", what, directory.string()));
  }
  return {};
}

bool isSameDirectory(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code failed;
  return std::filesystem::equivalent(one, other, failed);
}

Result<MasterSecret> parseMasterSecret(std::string_view base64) {
  auto bytes = fromBase64(base64);
  if (!bytes || bytes->size() != kSecretBytes) {
    return refusedDirectory("must be 32 random bytes in base64; create them with: openssl rand -base64 32");
  }
  std::bitset<256> seen;
  for (const char c : *bytes) seen.set(static_cast<unsigned char>(c));
  if (seen.count() < kMinDistinctBytes) {
    return refusedDirectory("is not a random secret; create one with: openssl rand -base64 32");
  }
  return MasterSecret(Secret(*std::move(bytes)));
}

Result<MasterSecret> loadMasterSecret(const std::optional<Secret>& given, const std::filesystem::path& directory) {
  if (given) return parseMasterSecret(given->reveal());
  const std::filesystem::path path = directory / kSecretFile;
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    std::string bytes(kSecretBytes, '\0');
    fillRandom({reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
    RETURN_IF_ERROR(writeDurably(path, toBase64(bytes) + "\n"));
    return MasterSecret(Secret(std::move(bytes)));
  }
  if (const auto text = readValue(path, kMaxSecretFile)) {
    if (auto secret = parseMasterSecret(*text)) return secret;
  }
  return refusedDirectory("the file " + path.string() + " does not hold a valid secret: restore it");
}

Result<std::optional<Secret>> secretText(const std::optional<Secret>& given, const std::filesystem::path& directory) {
  if (given) return given;
  const std::filesystem::path path = directory / kSecretFile;
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return std::optional<Secret>();
  TRY(std::string text, readValue(path, kMaxSecretFile));
  Secret secret(std::move(text));
  RETURN_IF_ERROR(parseMasterSecret(secret.reveal()));
  return std::optional(std::move(secret));
}

Result<Secret> readSecret(const std::filesystem::path& file) {
  TRY(std::string text, readValue(file, kMaxSecretFile));
  Secret secret(std::move(text));
  const auto parsed = parseMasterSecret(secret.reveal());
  if (parsed) return secret;
  return fail(ErrorCode::validation, fmt::format("the content of {} {}", file.string(), parsed.error().message()));
}

Result<std::string> fingerprintOf(const std::optional<Secret>& secret) {
  if (!secret) return std::string();
  TRY(const MasterSecret master, parseMasterSecret(secret->reveal()));
  return toHex(sha256(master.subkey("bkup-fpr").reveal())).substr(0, 16);
}

}  // namespace mb::app

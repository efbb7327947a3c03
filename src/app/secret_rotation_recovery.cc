// Finds the secret at the start of a server or a command, and completes an interrupted rotation.
#include <cstdio>

#include "app/data_directory.h"
#include "app/secret_rotation.h"
#include "base/blocking.h"
#include "base/files.h"
#include "base/log.h"
#include "identity/signing_keys.h"

namespace mb::app {

namespace {

bool isThere(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

Result<std::optional<MasterSecret>> parsed(const std::optional<Secret>& text) {
  if (!text) return std::optional<MasterSecret>();
  TRY(MasterSecret master, parseMasterSecret(text->reveal()));
  return std::optional(std::move(master));
}

const MasterSecret* pointerTo(const std::optional<MasterSecret>& master) {
  return master ? &*master : nullptr;
}

}  // namespace

Result<> promoteNextSecret(const std::filesystem::path& directory) {
  const std::filesystem::path next = directory / kNextSecretFile;
  if (std::rename(next.c_str(), (directory / kSecretFile).c_str()) != 0) return fileError("rename", next);
  return syncDirectory(directory);
}

Result<> recoverSecretRotation(store::DocumentStore& store, Cores& cores, const std::optional<Secret>& given,
                               const std::filesystem::path& directory) {
  NullProgress progress;
  SecretRotation change(store, cores, sealedFields(), progress);
  TRY(const std::optional<Secret> text, secretText(given, directory));
  TRY(const std::optional<MasterSecret> master, parsed(text));
  TRY(const SecretRotation::Open open, change.open(pointerTo(master)));
  if (open == SecretRotation::Open::none) return {};
  const std::filesystem::path next = directory / kNextSecretFile;
  if (open == SecretRotation::Open::fitsNot) {
    const std::string before = fmt::format("the deployment's secret was changed: {} holds the earlier one",
                                           given ? "SERVICE_SECRET" : "the data directory");
    if (given || !isThere(next)) return fail(ErrorCode::conflict, before);
    TRY(const std::string bytes, readValue(next, 256));
    TRY(const MasterSecret waiting, parseMasterSecret(bytes));
    TRY(const SecretRotation::Open fit, change.open(&waiting));
    if (fit != SecretRotation::Open::fits) return fail(ErrorCode::conflict, before);
    RETURN_IF_ERROR(promoteNextSecret(directory));
  }
  logInfo("interrupted secret rotation is completed");
  return change.promote();
}

Result<MasterSecret> rightSecret(store::DocumentStore& store, Cores& cores, const std::optional<Secret>& given,
                                 const std::filesystem::path& directory) {
  RETURN_IF_ERROR(recoverSecretRotation(store, cores, given, directory));
  TRY(const std::optional<Secret> text, secretText(given, directory));
  TRY(const std::optional<MasterSecret> master, parsed(text));
  TRY(const identity::SecretFit fit, runBlocking(cores, identity::fitOf(store, pointerTo(master))));
  if (fit == identity::SecretFit::wrong) {
    if (master) return fail(ErrorCode::internal, std::string(identity::kOtherSecret));
    return fail(ErrorCode::internal,
                fmt::format("the data in {} is sealed under a missing secret: set SERVICE_SECRET, or restore the file "
                            "{}",
                            directory.string(), (directory / kSecretFile).string()));
  }
  // Left by a rotation that was never decided.
  std::error_code ignored;
  std::filesystem::remove(directory / kNextSecretFile, ignored);
  return loadMasterSecret(given, directory);
}

}  // namespace mb::app

// The data directory: the store, and the deployment's secret where SERVICE_SECRET is unset.
#pragma once

#include <filesystem>
#include <optional>

#include "base/crypto.h"

namespace mb::app {

inline constexpr std::string_view kSecretFile = "secret";
// The work directory of a restore in progress; a data directory that has it must not be served.
inline constexpr std::string_view kRestoringFolder = "restoring";

// The work directory of a move into the directory; the same holds.
inline constexpr std::string_view kMovingFolder = "moving";

// Creates the directory (mode 0700) where it is missing. Fails with a message to print.
Result<> prepareDataDirectory(const std::filesystem::path& directory);

// Fails with conflict and a message to print if a restore or a move into the directory did not end well.
Result<> refuseUnfinished(const std::filesystem::path& directory);

// Whether both exist and are the same one.
bool isSameDirectory(const std::filesystem::path& one, const std::filesystem::path& other);

// Decodes 32 bytes from base64. Fails with a message to print for anything else, and for secrets that are not random
// (the same few bytes repeated).
Result<MasterSecret> parseMasterSecret(std::string_view base64);

// The secret in `given` (SERVICE_SECRET); without it the directory's own, created at the first call (mode 0600, durable
// before it is used). REQUIRES: the directory's store is open, so that no two processes create one. Fails with a
// message to print.
Result<MasterSecret> loadMasterSecret(const std::optional<Secret>& given, const std::filesystem::path& directory);

// As loadMasterSecret(), in base64, but creates no secret: nullopt while it does not exist. Fails with a message to
// print.
Result<std::optional<Secret>> secretText(const std::optional<Secret>& given, const std::filesystem::path& directory);
// The secret that a file holds, in base64. Fails with a message to print.
Result<Secret> readSecret(const std::filesystem::path& file);
// 16 hex digits that identify a secret without revealing it; "" without a secret.
Result<std::string> fingerprintOf(const std::optional<Secret>& secret);

}  // namespace mb::app

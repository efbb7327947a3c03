// The directory that holds everything: the store, and the deployment's secret where none is set.
#pragma once

#include <filesystem>
#include <optional>

#include "base/crypto.h"

namespace mb::app {

inline constexpr std::string_view kSecretFile = "secret";
// Where a restore works until all is there; a directory that has it is not to be served.
inline constexpr std::string_view kRestoringFolder = "restoring";

// Creates the directory (mode 0700) where it is missing. Fails with the line to show.
Result<> prepareDataDirectory(const std::filesystem::path& directory);

// 32 bytes from their base64. Fails with the line to show for anything else, and for secrets that are none (the same
// few bytes over and over).
Result<MasterSecret> parseMasterSecret(std::string_view base64);

// What SERVICE_SECRET gives; without it the directory's own secret, made at the first call (mode 0600, durable before
// it is used). Only with the store of the directory open, so that no two processes make one. Fails with the line to
// show.
Result<MasterSecret> loadMasterSecret(const std::optional<Secret>& given, const std::filesystem::path& directory);

// The same in base64, where there is one: nothing is made. Fails with the line to show.
Result<std::optional<Secret>> secretText(const std::optional<Secret>& given, const std::filesystem::path& directory);
// 16 hex digits that tell one secret from another and nothing more; "" for none.
Result<std::string> fingerprintOf(const std::optional<Secret>& secret);

}  // namespace mb::app

// The directory that holds everything: the store, and the deployment's secret where none is set.
#pragma once

#include <filesystem>
#include <optional>

#include "base/crypto.h"

namespace mb::app {

// Creates the directory (mode 0700) where it is missing. Fails with the line to show.
Result<> prepareDataDirectory(const std::filesystem::path& directory);

// 32 bytes from their base64. Fails with the line to show for anything else, and for secrets that are none (the same
// few bytes over and over).
Result<MasterSecret> parseMasterSecret(std::string_view base64);

// What SERVICE_SECRET gives; without it the directory's own secret, made at the first call (mode 0600, durable before
// it is used). Only with the store of the directory open, so that no two processes make one. Fails with the line to
// show.
Result<MasterSecret> loadMasterSecret(const std::optional<Secret>& given, const std::filesystem::path& directory);

}  // namespace mb::app

// Settings of the composition root, and the names of settings that this version does not support.
#pragma once

#include <filesystem>
#include <optional>

#include "base/log.h"
#include "base/settings.h"

namespace mb::app {

struct LogSettings {
  explicit LogSettings(Settings& settings);
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
};

struct AppSettings {
  explicit AppSettings(Settings& settings);
  std::string baseUrl;  // without a slash at its end
  std::filesystem::path dataDirectory;
  std::optional<Secret> secret;
  LogSettings log;
};

// Declares every unsupported setting: a value that would change something stops the start.
void declareUnsupportedSettings(Settings& settings);

}  // namespace mb::app

// What the composition root itself reads, and the names of modules that this version does not have.
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

// Declares every setting whose module is still to come: a value that would change something stops the start.
void declareLaterRooms(Settings& settings);

}  // namespace mb::app

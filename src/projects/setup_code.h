// The code that a first registration must carry where its request may come from another machine.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/error.h"

namespace mb::projects {

inline constexpr std::string_view kSetupCodeFile = "setup-code";

// A file of the data directory (mode 0600) from the first start until there is a first user. The code is used up by the
// record of the instance, in the commit of the first user; a file that a crash leaves behind has no effect, and the
// next start removes it. Thread-safe once it is open.
class SetupCode {
 public:
  explicit SetupCode(const std::filesystem::path& directory) : path_(directory / kSetupCodeFile) {}
  // REQUIRES: called before the first request. Reads or creates the code, or removes the file where there is a first
  // user. Fails with a message to print.
  Result<> open(bool hasFirstUser);
  // The code to print; nullopt where there was a first user at the start.
  const std::optional<std::string>& text() const { return text_; }
  const std::filesystem::path& path() const { return path_; }
  bool matches(std::string_view given) const;
  // Removes the file, since there is a first user. Does not wait for the removal.
  void discard();

 private:
  const std::filesystem::path path_;
  std::optional<std::string> text_;
  std::once_flag discarded_;
  std::jthread remover_;
};

}  // namespace mb::projects

// The code that the first registration brings along where its request may come from another machine.
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

// A file of the data directory (mode 0600) from the first start until there is a first user. What uses the code up is
// the record of the instance, in the commit of the first user; a file that a crash leaves behind opens nothing, and the
// next start removes it. Thread-safe once it is open.
class SetupCode {
 public:
  explicit SetupCode(const std::filesystem::path& directory) : path_(directory / kSetupCodeFile) {}
  // Before the first request. Reads or makes the code, or removes the file where there is a first user. Fails with the
  // line to show.
  Result<> open(bool hasFirstUser);
  // What to print; nullopt where there was a first user at the start.
  const std::optional<std::string>& text() const { return text_; }
  const std::filesystem::path& path() const { return path_; }
  bool matches(std::string_view given) const;
  // There is a first user: removes the file. Does not wait for it.
  void discard();

 private:
  const std::filesystem::path path_;
  std::optional<std::string> text_;
  std::once_flag discarded_;
  std::jthread remover_;
};

}  // namespace mb::projects

// The folder that keeps mails when no mail server is set. Private to mail/.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mb::mail {

class Outbox {
 public:
  // Keeps the newest `max` mails.
  Outbox(std::filesystem::path folder, size_t max) : folder_(std::move(folder)), max_(max) {}

  // Writes `<name>.eml` (mode 0600) atomically into the folder, which is created if missing (0700), and returns the
  // file's path. An existing file of that name is replaced. Blocks. Fails with internal.
  // REQUIRES: names ascend with time.
  Result<std::filesystem::path> keep(std::string_view name, std::string_view message);

 private:
  void trim() const;

  const std::filesystem::path folder_;
  const size_t max_;
};

}  // namespace mb::mail

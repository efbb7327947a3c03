// Where mails are kept when no mail server is set. Private to mail/.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mb::mail {

class Outbox {
 public:
  // `max`: the newest so many stay.
  Outbox(std::filesystem::path folder, size_t max) : folder_(std::move(folder)), max_(max) {}

  // Writes `<name>.eml` (mode 0600), whole or not at all, into the folder, which is made where missing (0700); names
  // ascend with time. A name that is there already is written anew. The file's path. Blocks. Fails with internal.
  Result<std::filesystem::path> keep(std::string_view name, std::string_view message);

 private:
  void trim() const;

  const std::filesystem::path folder_;
  const size_t max_;
};

}  // namespace mb::mail

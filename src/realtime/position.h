// Positions of the change log as sent to clients: opaque, bound to their project, and without information about the
// number of changes between two of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/block_cipher.h"
#include "store/store.h"

namespace mb::realtime {

// One instance a core.
class PositionCipher {
 public:
  explicit PositionCipher(const MasterSecret& master);

  // 22 characters of base64url.
  std::string write(store::ProjectNo project, uint64_t position);
  // nullopt for a text that was not written here, or for another project.
  std::optional<uint64_t> read(store::ProjectNo project, std::string_view text);

 private:
  BlockCipher cipher_;
};

}  // namespace mb::realtime

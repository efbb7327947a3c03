#include "store/embedded/commit.h"

namespace mb::store::embedded {

void Commit::put(Family family, std::string_view key, std::string_view value) {
  putElsewhere(family, key, {nullptr, value.size()});
  ops.back().valueAt = static_cast<uint32_t>(arena.size());
  arena += value;
}

void Commit::putElsewhere(Family family, std::string_view key, std::string_view value, DocumentVersion version) {
  ops.push_back({family, false, static_cast<uint32_t>(arena.size()), static_cast<uint32_t>(key.size()), kElsewhere,
                 value, version});
  arena += key;
  bytes += key.size() + value.size() + (version == 0 ? 0 : kVersionBytes);
}

void Commit::remove(Family family, std::string_view key) {
  ops.push_back(
      {family, true, static_cast<uint32_t>(arena.size()), static_cast<uint32_t>(key.size()), kElsewhere, {}, 0});
  arena += key;
  bytes += key.size();
}

}  // namespace mb::store::embedded

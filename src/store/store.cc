#include "store/store.h"

namespace mb::store {

std::string defaultIndexName(const std::vector<IndexKey>& keys) {
  std::string name;
  for (const IndexKey& key : keys) {
    if (!name.empty()) name += '_';
    name += key.path;
    name += key.direction < 0 ? "_-1" : "_1";
  }
  return name;
}

}  // namespace mb::store

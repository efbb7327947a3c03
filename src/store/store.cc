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

std::string foldedName(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return folded;
}

doc::Document idDocument(std::string_view id) {
  doc::BsonWriter out;
  out.appendString("id", id);
  return out.finish();
}

}  // namespace mb::store

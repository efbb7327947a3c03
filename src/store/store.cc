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

std::optional<std::pair<std::string, int64_t>> countedOf(const CounterSource& source, doc::DocumentView document) {
  std::string group;
  if (!source.groupedBy.empty()) {
    const auto held = document.find(source.groupedBy);
    if (!held || held->type() != doc::BsonType::string) return std::nullopt;
    group = held->asString();
  }
  if (source.summed.empty()) return std::pair(std::move(group), int64_t{1});
  const auto value = document.find(source.summed);
  const int64_t amount = value ? value->toInteger().value_or(0) : 0;
  return std::pair(std::move(group), amount);
}

}  // namespace mb::store

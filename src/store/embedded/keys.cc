#include "store/embedded/keys.h"

namespace mb::store::embedded {

void appendRangePrefix(std::string& out, ProjectNo project, uint32_t number) {
  appendU32(out, project);
  appendU32(out, number);
}

std::string rangePrefix(ProjectNo project, uint32_t number) {
  std::string out;
  appendRangePrefix(out, project, number);
  return out;
}

std::string documentKey(ProjectNo project, CollectionNo collection, std::string_view id) {
  std::string out;
  out.reserve(kPrefixBytes + id.size());
  appendRangePrefix(out, project, collection);
  out += id;
  return out;
}

std::string logKey(ProjectNo project, uint64_t position) {
  std::string out;
  appendU32(out, project);
  appendU64(out, position);
  return out;
}

std::string successor(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(static_cast<uint8_t>(prefix.back()) + 1);
  return prefix;
}

namespace row {

std::string plain(char kind) {
  return std::string(1, kind);
}

std::string of(char kind, uint32_t project) {
  std::string out(1, kind);
  appendU32(out, project);
  return out;
}

std::string of(char kind, uint32_t project, uint32_t number) {
  std::string out(1, kind);
  appendU32(out, project);
  appendU32(out, number);
  return out;
}

std::string tombstone(uint64_t number) {
  std::string out(1, kTombstone);
  appendU64(out, number);
  return out;
}

}  // namespace row

}  // namespace mb::store::embedded

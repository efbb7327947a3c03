#include "functions/checked_codes.h"

#include <fmt/format.h>

#include "base/crypto.h"

namespace mb::functions {

namespace {

std::string keyOf(store::ProjectNo project, std::string_view code) {
  return fmt::format("{}/{}", project, toHex(sha256(code)));
}

}  // namespace

std::shared_ptr<const workers::CheckedCode> CheckedCodes::find(store::ProjectNo project, std::string_view code) {
  const std::string key = keyOf(project, code);
  const std::scoped_lock lock(mutex_);
  const auto found = byKey_.find(key);
  if (found == byKey_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->checked;
}

void CheckedCodes::put(store::ProjectNo project, std::string_view code, workers::CheckedCode checked) {
  const size_t bytes = checked.code.size() + checked.map.size() + 200;
  Entry entry{keyOf(project, code), std::make_shared<const workers::CheckedCode>(std::move(checked)), bytes};
  const std::scoped_lock lock(mutex_);
  if (bytes > maxBytes_ || byKey_.contains(entry.key)) return;
  entries_.push_front(std::move(entry));
  byKey_.emplace(entries_.front().key, entries_.begin());
  bytes_ += bytes;
  while (bytes_ > maxBytes_) {
    bytes_ -= entries_.back().bytes;
    byKey_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace mb::functions

// A ChildIndex finds the children of a tree node by name: by hash if there are many, so that a walk over a document
// with many fields looks up each in constant time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/key_index.h"

namespace mb::doc {

// `Map` has std::string keys and must not change after build().
template <class Map>
class ChildIndex {
 public:
  void build(const Map& children) {
    if (children.size() <= kFew) return;
    index_.emplace(children.size());
    for (auto child = children.begin(); child != children.end(); ++child) {
      index_->add(child->first, static_cast<uint32_t>(children_.size()), keyAt());
      children_.push_back(child);
    }
  }
  typename Map::const_iterator find(const Map& children, std::string_view key) const {
    if (!index_) return children.find(key);
    const auto found = index_->find(key, keyAt());
    return found ? children_[*found] : children.end();
  }

 private:
  static constexpr size_t kFew = 8;

  auto keyAt() const {
    return [this](uint32_t at) -> std::string_view { return children_[at]->first; };
  }

  std::optional<KeyIndex> index_;
  std::vector<typename Map::const_iterator> children_;
};

}  // namespace mb::doc

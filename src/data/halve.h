// Divides the documents of a commit that is refused, or too large.
#pragma once

#include <iterator>
#include <string>
#include <vector>

namespace mb::data {

// Moves the second half of `ids` to the front of `later`.
inline void halve(std::vector<std::string>& ids, std::vector<std::string>& later) {
  const auto half = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
  later.insert(later.begin(), std::make_move_iterator(half), std::make_move_iterator(ids.end()));
  ids.erase(half, ids.end());
}

}  // namespace mb::data

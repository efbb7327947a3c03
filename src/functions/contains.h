// Membership in a list.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>

namespace mb::functions {

template <class List, class Value, class Projection = std::identity>
bool contains(const List& list, const Value& value, Projection projection = {}) {
  return std::ranges::find(list, value, projection) != std::end(list);
}

}  // namespace mb::functions

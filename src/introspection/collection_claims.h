// Which collections are being changed by a call, so that calls exclude each other.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "store/store_types.h"

namespace mb::introspection {

// Of this process. Any thread.
class CollectionClaims : public std::enable_shared_from_this<CollectionClaims> {
 public:
  using Claim = std::shared_ptr<const void>;

  // Holds the collection until the last copy of the result is destroyed; null where it is held already.
  Claim take(store::ProjectNo project, const std::string& collection);

 private:
  using Held = std::pair<store::ProjectNo, std::string>;
  void release(const Held& held);

  std::mutex mutex_;
  std::set<Held> held_;
};

}  // namespace mb::introspection

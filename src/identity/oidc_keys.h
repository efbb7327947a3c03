// The keys that an issuer publishes (RFC 7517). Private to identity/.
#pragma once

#include <string>
#include <vector>

#include "base/public_key.h"
#include "document/bson.h"

namespace mb::identity {

class KeySet {
 public:
  // Skips entries that are not signature keys of a supported algorithm; reads the first 64 entries only.
  static KeySet parse(doc::DocumentView jwks);
  // The key by its id; with an empty id the only one of the algorithm. Null if not found.
  const PublicKey* find(std::string_view id, std::string_view algorithm) const;
  size_t size() const { return keys_.size(); }

 private:
  struct Key {
    std::string id;
    PublicKey key;
  };
  std::vector<Key> keys_;
};

}  // namespace mb::identity

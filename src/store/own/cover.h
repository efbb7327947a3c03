// The ids by which documents of an owner's database are named that have no id of their own: covers of their ObjectIds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/block_cipher.h"

namespace mb::store::own {

// Converts ObjectIds to covers and back, without anything stored: a cover is the ObjectId's 12 bytes and four zero
// bytes, enciphered as one block under a key of the project, in base64url. Not thread-safe: one per thread.
class Cover {
 public:
  static constexpr size_t kKeyBytes = 32;
  static constexpr size_t kTextSize = 22;

  // REQUIRES: the key has kKeyBytes bytes.
  explicit Cover(std::string_view key);

  // The cover, kTextSize characters. REQUIRES: 12 bytes.
  std::string of(std::string_view objectId);
  // An id for a document whose `_id` is not an ObjectId: kTextSize characters that follow from `key`, which names the
  // `_id`. Never a cover.
  std::string ofOther(std::string_view key);
  // The 12 bytes of the ObjectId; nullopt for any other text than a cover under this key.
  std::optional<std::string> objectIdOf(std::string_view cover);

 private:
  std::string textOf(const CipherBlock& block);

  BlockCipher cipher_;
};

}  // namespace mb::store::own

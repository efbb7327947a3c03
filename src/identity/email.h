// Addresses: only the shape is checked. Source: decisions 3.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace mb::identity {

struct Email {
  std::string text;  // trimmed
  std::string key;   // lower case, as it is compared
};
// One "@", something before it, dotted labels after it, no blanks or control characters, at most 254 bytes. Fails with
// validation at /email.
Result<Email> parseEmail(std::string_view text);
// The key that `text` would have; for look-ups, where a wrong shape just finds nothing.
std::string emailKey(std::string_view text);

}  // namespace mb::identity

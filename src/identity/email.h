// Email addresses: only the syntax is checked. They are compared in one normal form: the local part by NFKC and full
// case folding, the domain in its ASCII form (UTS 46), so one mailbox has one account however its address is typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mb::identity {

struct Email {
  std::string text;  // trimmed
  std::string key;   // its normal form, for comparisons
};
// One "@", a local part before it, dotted labels after it, no blanks, control or other invisible characters, at most
// 254 bytes. Fails with validation at /email.
Result<Email> parseEmail(std::string_view text);
// The key that `text` would have; for look-ups, where invalid text finds nothing.
std::string emailKey(std::string_view text);
// The keys under which an account of this address may be stored, in the order to look them up. The first is the form
// that versions before the normal form stored (ASCII letters in lower case), so that each of two such accounts that
// have one address today is found by its own spelling; the last is emailKey(). They differ only beyond ASCII.
std::vector<std::string> storedEmailKeys(std::string_view text);

}  // namespace mb::identity

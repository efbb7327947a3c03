// Tokens of links in mails. A user has at most one of each purpose: a newer one replaces the older. Only its hash is
// stored, with the address it was mailed to: it verifies only that address. Private to identity/.
#pragma once

#include <optional>
#include <string>

#include "identity/identity_deps.h"
#include "identity/realm.h"
#include "identity/user_types.h"

namespace mb::identity {

inline constexpr int64_t kVerificationMs = 24LL * 3600 * 1000;
inline constexpr int64_t kResetMs = 3600LL * 1000;

enum class LinkPurpose { verifyEmail, resetPassword };

struct OneTimeTokenRecord {
  std::string id;        // "<purpose>:<user id>"
  std::string hash;      // sha256 of the token, hex
  std::string emailKey;  // the address it was mailed to
  Timestamp expiresAt;
  static constexpr auto shape() {
    return doc::shape<OneTimeTokenRecord>(
        "OneTimeTokenRecord", doc::field("id", &OneTimeTokenRecord::id), doc::field("hash", &OneTimeTokenRecord::hash),
        doc::field("emailKey", &OneTimeTokenRecord::emailKey), doc::field("expiresAt", &OneTimeTokenRecord::expiresAt));
  }
};

// The record of a user's token of this purpose.
store::WriteTarget tokenTarget(const Realm& realm, LinkPurpose purpose, const UserId& user);

struct NewToken {
  std::string text;  // "<user id>.<secret>"; only the mail has it
  OneTimeTokenRecord record;
};
NewToken newToken(LinkPurpose purpose, const UserRecord& user, Timestamp now);

// The user that the token's text names; nullopt where it is malformed.
std::optional<UserId> userOfToken(std::string_view text);

// Checks that `stored` is the record of the token `text`, not expired, and of the user's address. Fails with validation
// at /token, with one message for every reason.
Result<> checkToken(const std::optional<doc::Document>& stored, std::string_view text, const UserRecord& user,
                    Timestamp now);
Error badToken();

}  // namespace mb::identity

// Tokens of links in mails. A user has at most one of each purpose: a newer one takes the place of the older. Only its
// hash is stored, with the address it was mailed to: it proves that one and no other. Private to identity/.
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

// The place of a user's token of this purpose.
store::WriteTarget tokenTarget(const Realm& realm, LinkPurpose purpose, const UserId& user);

struct NewToken {
  std::string text;  // "<user id>.<secret>", handed out once
  OneTimeTokenRecord record;
};
NewToken newToken(LinkPurpose purpose, const UserRecord& user, Timestamp now);

// Whose token the text may be; nullopt where it does not have its form.
std::optional<UserId> userOfToken(std::string_view text);

// Whether `stored`, as it is in the store, is the token of this text, still good, and of this address. Fails with
// validation at /token, in the same words whatever is wrong.
Result<> checkToken(const std::optional<doc::Document>& stored, std::string_view text, const UserRecord& user,
                    Timestamp now);
Error badToken();

}  // namespace mb::identity

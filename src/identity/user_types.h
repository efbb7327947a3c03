// Users: the stored record, request bodies and responses.
#pragma once

#include <optional>
#include <string>

#include "base/id.h"
#include "document/shape.h"

namespace mb::identity {

inline constexpr std::string_view kStatusActive = "active";
inline constexpr std::string_view kStatusInactive = "inactive";
inline constexpr std::string_view kStatusBlocked = "blocked";
inline constexpr std::string_view kDefaultUserRole = "user";
inline constexpr std::string_view kSuperAdmin = "super-admin";
inline constexpr std::string_view kFreePlan = "free";

// ---- stored

struct UserRecord {
  UserId id;
  std::string email;                // as it was sent, trimmed
  std::string emailKey;             // its normal form (email.h), for comparisons; unique in the realm
  doc::Nullable<std::string> name;  // set by setName() (user_names.h)
  bool emailVerified = false;
  std::string passwordHash;  // argon2id in its encoded form
  doc::Document metadata;    // metadata.role is the end-user role
  std::string status = std::string(kStatusActive);
  bool mfaEnabled = false;
  std::optional<std::string> platformRole;  // of platform users: "super-admin" or "user"
  std::optional<std::string> plan;          // of platform users
  std::optional<Timestamp> signedOutAt;     // sessions from before are over
  Timestamp createdAt;
  Timestamp updatedAt;
  std::optional<bool> notifyLimits = {};    // of platform users: mails about limits of plans; absent is true
  std::optional<std::string> nameKey = {};  // nameKey() of the name (user_names.h); absent without one
  static constexpr auto shape() {
    return doc::shape<UserRecord>(
        "UserRecord", doc::field("id", &UserRecord::id), doc::field("email", &UserRecord::email),
        doc::field("emailKey", &UserRecord::emailKey), doc::field("name", &UserRecord::name),
        doc::field("emailVerified", &UserRecord::emailVerified), doc::field("passwordHash", &UserRecord::passwordHash),
        doc::field("metadata", &UserRecord::metadata), doc::field("status", &UserRecord::status),
        doc::field("mfaEnabled", &UserRecord::mfaEnabled), doc::field("platformRole", &UserRecord::platformRole),
        doc::field("plan", &UserRecord::plan), doc::field("signedOutAt", &UserRecord::signedOutAt),
        doc::field("createdAt", &UserRecord::createdAt), doc::field("updatedAt", &UserRecord::updatedAt),
        doc::field("notifyLimits", &UserRecord::notifyLimits), doc::field("nameKey", &UserRecord::nameKey));
  }
  bool active() const { return status == kStatusActive; }
};

// ---- in

struct Registration {
  std::string email;
  std::string password;
  std::optional<std::string> name;
  std::optional<std::string> invite = {};     // of platform users: the token in the link of an invite's mail
  std::optional<std::string> setupCode = {};  // of the first platform user
  bool local = false;                         // RegistrationClaims::local; not on the wire
  static constexpr auto shape() {
    return doc::shape<Registration>(
        "Registration", doc::field("email", &Registration::email), doc::field("password", &Registration::password),
        doc::field("name", &Registration::name), doc::field("invite", &Registration::invite),
        doc::field("setupCode", &Registration::setupCode));
  }
};

struct Credentials {
  std::string email;
  std::string password;
  static constexpr auto shape() {
    return doc::shape<Credentials>("Credentials", doc::field("email", &Credentials::email),
                                   doc::field("password", &Credentials::password));
  }
};

struct PasswordChange {
  std::string current;
  std::string password;
  static constexpr auto shape() {
    return doc::shape<PasswordChange>("PasswordChange", doc::field("current", &PasswordChange::current),
                                      doc::field("password", &PasswordChange::password));
  }
};

struct NewUser {
  std::string email;
  std::string password;
  std::optional<std::string> name;
  std::optional<bool> emailVerified;
  static constexpr auto shape() {
    return doc::shape<NewUser>("NewUser", doc::field("email", &NewUser::email),
                               doc::field("password", &NewUser::password), doc::field("name", &NewUser::name),
                               doc::field("emailVerified", &NewUser::emailVerified));
  }
};

// null clears the name; metadata replaces the whole document.
struct UserPatch {
  std::optional<std::string> email;
  doc::Patch<std::string> name;
  std::optional<bool> emailVerified;
  std::optional<doc::Document> metadata;
  static constexpr auto shape() {
    return doc::shape<UserPatch>(
        "UserPatch", doc::field("email", &UserPatch::email), doc::field("name", &UserPatch::name),
        doc::field("emailVerified", &UserPatch::emailVerified), doc::field("metadata", &UserPatch::metadata));
  }
};

// ---- out

struct UserView {
  UserId id;
  std::string email;
  doc::Nullable<std::string> name;
  bool emailVerified = false;
  doc::Document metadata;
  std::string status;
  bool mfaEnabled = false;
  std::optional<std::string> platformRole;
  std::optional<std::string> plan;
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<UserView>(
        "User", doc::field("id", &UserView::id), doc::field("email", &UserView::email),
        doc::field("name", &UserView::name), doc::field("emailVerified", &UserView::emailVerified),
        doc::field("metadata", &UserView::metadata), doc::field("status", &UserView::status),
        doc::field("mfaEnabled", &UserView::mfaEnabled), doc::field("platformRole", &UserView::platformRole),
        doc::field("plan", &UserView::plan), doc::field("createdAt", &UserView::createdAt),
        doc::field("updatedAt", &UserView::updatedAt));
  }
};
UserView viewOf(const UserRecord& user);

// The end-user role that metadata.role names: "user" where it is absent, "" where it is not a string.
std::string roleOf(const UserRecord& user);

}  // namespace mb::identity

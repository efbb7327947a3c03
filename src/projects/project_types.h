// Types of the control plane: stored records, request bodies and responses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "document/shape.h"

namespace mb::projects {

inline constexpr int64_t kDefaultMaxFileSize = 50LL << 20;
inline constexpr int64_t kLargestMaxFileSize = 10LL << 30;

inline constexpr std::string_view kOwner = "Owner";
inline constexpr std::string_view kAdmin = "Admin";

// ---- stored

struct ProjectSettings {
  std::vector<std::string> allowedOrigins;  // of browsers on the data plane; empty: any
  bool hideRegistered = false;
  bool rotateRefreshTokens = false;
  // Those that belong to the project's configuration; absent when empty (identity/project_settings.h).
  std::optional<std::vector<std::string>> tokenClaims = {};
  std::optional<std::vector<std::string>> profileFields = {};
  std::optional<bool> requireTests = {};  // absent when false
  static constexpr auto shape() {
    return doc::shape<ProjectSettings>("ProjectSettings",
                                       doc::field("allowedOrigins", &ProjectSettings::allowedOrigins),
                                       doc::field("hideRegistered", &ProjectSettings::hideRegistered),
                                       doc::field("rotateRefreshTokens", &ProjectSettings::rotateRefreshTokens),
                                       doc::field("tokenClaims", &ProjectSettings::tokenClaims),
                                       doc::field("profileFields", &ProjectSettings::profileFields),
                                       doc::field("requireTests", &ProjectSettings::requireTests));
  }
};

// An environment in its root project's record.
struct EnvironmentEntry {
  ProjectId id;
  std::string label;
  static constexpr auto shape() {
    return doc::shape<EnvironmentEntry>("EnvironmentEntry", doc::field("id", &EnvironmentEntry::id),
                                        doc::field("label", &EnvironmentEntry::label));
  }
};

// The offer to an Owner to pay for a root project (transfers.h).
struct TransferOffer {
  UserId to;
  UserId by;  // the Owner who made it
  Timestamp expiresAt;
  static constexpr auto shape() {
    return doc::shape<TransferOffer>("TransferOffer", doc::field("to", &TransferOffer::to),
                                     doc::field("by", &TransferOffer::by),
                                     doc::field("expiresAt", &TransferOffer::expiresAt));
  }
};

struct ProjectRecord {
  ProjectId id;
  int64_t number = 0;  // store::ProjectNo
  std::string slug;
  std::string name;
  std::string status;  // active, suspended, deleted
  OrgId organizationId;
  doc::Nullable<ProjectId> parentId;
  doc::Nullable<std::string> environment;
  doc::Nullable<std::string> color;
  doc::Nullable<std::string> icon;
  int64_t maxFileSize = kDefaultMaxFileSize;
  ProjectSettings settings;
  std::vector<std::string> owners;  // user ids; never empty while the project is live
  // The live environments of a root project: labels are unique among them, and the root is not deleted while it has
  // any.
  std::optional<std::vector<EnvironmentEntry>> environments = {};
  // Of a root project. It ends when one of both users stops being an Owner, and when the project moves or is deleted;
  // past its expiry it counts as absent.
  std::optional<TransferOffer> transfer = {};
  Timestamp createdAt;
  std::optional<Timestamp> resumedAt;
  std::optional<Timestamp> deletedAt;
  static constexpr auto shape() {
    return doc::shape<ProjectRecord>(
        "ProjectRecord", doc::field("id", &ProjectRecord::id), doc::field("number", &ProjectRecord::number),
        doc::field("slug", &ProjectRecord::slug), doc::field("name", &ProjectRecord::name),
        doc::field("status", &ProjectRecord::status), doc::field("organizationId", &ProjectRecord::organizationId),
        doc::field("parentId", &ProjectRecord::parentId), doc::field("environment", &ProjectRecord::environment),
        doc::field("color", &ProjectRecord::color), doc::field("icon", &ProjectRecord::icon),
        doc::field("maxFileSize", &ProjectRecord::maxFileSize), doc::field("settings", &ProjectRecord::settings),
        doc::field("owners", &ProjectRecord::owners), doc::field("environments", &ProjectRecord::environments),
        doc::field("transfer", &ProjectRecord::transfer), doc::field("createdAt", &ProjectRecord::createdAt),
        doc::field("resumedAt", &ProjectRecord::resumedAt), doc::field("deletedAt", &ProjectRecord::deletedAt));
  }
};

struct OrganizationRecord {
  OrgId id;
  std::string name;
  bool personal = true;
  UserId ownerId;
  Timestamp createdAt;
  // Grows with each project that is added under a limit of the owner's plan (project_quota.h); absent before the first.
  std::optional<int64_t> revision = {};
  static constexpr auto shape() {
    return doc::shape<OrganizationRecord>(
        "OrganizationRecord", doc::field("id", &OrganizationRecord::id), doc::field("name", &OrganizationRecord::name),
        doc::field("personal", &OrganizationRecord::personal), doc::field("ownerId", &OrganizationRecord::ownerId),
        doc::field("createdAt", &OrganizationRecord::createdAt), doc::field("revision", &OrganizationRecord::revision));
  }
};

struct MembershipRecord {
  MembershipId id;
  ProjectId projectId;
  UserId userId;
  std::string role;
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<MembershipRecord>(
        "MembershipRecord", doc::field("id", &MembershipRecord::id),
        doc::field("projectId", &MembershipRecord::projectId), doc::field("userId", &MembershipRecord::userId),
        doc::field("role", &MembershipRecord::role), doc::field("createdAt", &MembershipRecord::createdAt));
  }
};

// Locked by each invitation to an address and each registration of it, so that neither misses the other. Its id is the
// normalised address.
struct InvitedAddress {
  std::string id;
  int64_t revision = 0;  // grows with each invite
  static constexpr auto shape() {
    return doc::shape<InvitedAddress>("InvitedAddress", doc::field("id", &InvitedAddress::id),
                                      doc::field("revision", &InvitedAddress::revision));
  }
};

// A membership that waits until its address is registered and, with a mail service, verified. Becomes a
// MembershipRecord under the same id.
struct InviteRecord {
  MembershipId id;
  ProjectId projectId;
  int64_t projectNumber = 0;
  std::string email;  // the normalised address
  std::string role;
  UserId invitedBy;
  Timestamp createdAt;
  // Hash of the token in the mailed link; a registration with that token has verified the address.
  std::optional<std::string> tokenHash = {};  // sha256, hex
  std::optional<Timestamp> tokenExpiresAt = {};
  std::optional<std::string> address = {};  // as entered, ASCII in lower case; mails go there. Absent: `email`
  const std::string& given() const { return address ? *address : email; }
  static constexpr auto shape() {
    return doc::shape<InviteRecord>(
        "InviteRecord", doc::field("id", &InviteRecord::id), doc::field("projectId", &InviteRecord::projectId),
        doc::field("projectNumber", &InviteRecord::projectNumber), doc::field("email", &InviteRecord::email),
        doc::field("role", &InviteRecord::role), doc::field("invitedBy", &InviteRecord::invitedBy),
        doc::field("createdAt", &InviteRecord::createdAt), doc::field("tokenHash", &InviteRecord::tokenHash),
        doc::field("tokenExpiresAt", &InviteRecord::tokenExpiresAt), doc::field("address", &InviteRecord::address));
  }
};

// What a project's own database can do, as it was found last.
struct ByoCapabilities {
  bool changeStreams = false;
  bool preImages = false;
  bool transactions = false;
  static constexpr auto shape() {
    return doc::shape<ByoCapabilities>("ByoCapabilities", doc::field("changeStreams", &ByoCapabilities::changeStreams),
                                       doc::field("preImages", &ByoCapabilities::preImages),
                                       doc::field("transactions", &ByoCapabilities::transactions));
  }
};

struct ProjectWarning {
  std::string code;
  std::string message;
  static constexpr auto shape() {
    return doc::shape<ProjectWarning>("ProjectWarning", doc::field("code", &ProjectWarning::code),
                                      doc::field("message", &ProjectWarning::message));
  }
};

// The database that a project's owner brings. Its id is the project's.
struct OwnDatabaseRecord {
  ProjectId id;
  int64_t number = 0;    // of the project
  std::string identity;  // a hash under a key of the deployment; of a deleted project one that no database has
  std::string sealed;    // own_databases.cc: SealedDatabase; base64
  ByoCapabilities capabilities;
  std::vector<ProjectWarning> warnings;
  Timestamp checkedAt;
  static constexpr auto shape() {
    return doc::shape<OwnDatabaseRecord>(
        "OwnDatabaseRecord", doc::field("id", &OwnDatabaseRecord::id), doc::field("number", &OwnDatabaseRecord::number),
        doc::field("identity", &OwnDatabaseRecord::identity), doc::field("sealed", &OwnDatabaseRecord::sealed),
        doc::field("capabilities", &OwnDatabaseRecord::capabilities),
        doc::field("warnings", &OwnDatabaseRecord::warnings), doc::field("checkedAt", &OwnDatabaseRecord::checkedAt));
  }
};

// ---- request bodies

struct NewProject {
  std::string name;
  std::optional<std::string> mongoUrl;
  static constexpr auto shape() {
    return doc::shape<NewProject>("NewProject", doc::field("name", &NewProject::name),
                                  doc::field("mongoUrl", &NewProject::mongoUrl));
  }
};

struct NewEnvironment {
  std::string environment;  // the label
  std::optional<std::string> color;
  std::optional<std::string> mongoUrl = {};
  static constexpr auto shape() {
    return doc::shape<NewEnvironment>("NewEnvironment", doc::field("environment", &NewEnvironment::environment),
                                      doc::field("color", &NewEnvironment::color),
                                      doc::field("mongoUrl", &NewEnvironment::mongoUrl));
  }
};

struct NewTransfer {
  std::string userId;
  static constexpr auto shape() {
    return doc::shape<NewTransfer>("NewTransfer", doc::field("userId", &NewTransfer::userId));
  }
};

struct Promotion {
  std::string fromProjectId;
  std::string toProjectId;
  static constexpr auto shape() {
    return doc::shape<Promotion>("Promotion", doc::field("fromProjectId", &Promotion::fromProjectId),
                                 doc::field("toProjectId", &Promotion::toProjectId));
  }
};

// An empty list removes the setting, and so does `requireTests` false.
struct SettingsPatch {
  std::optional<std::vector<std::string>> allowedOrigins;
  std::optional<bool> hideRegistered;
  std::optional<bool> rotateRefreshTokens;
  std::optional<std::vector<std::string>> tokenClaims = {};
  std::optional<std::vector<std::string>> profileFields = {};
  std::optional<bool> requireTests = {};
  static constexpr auto shape() {
    return doc::shape<SettingsPatch>("SettingsPatch", doc::field("allowedOrigins", &SettingsPatch::allowedOrigins),
                                     doc::field("hideRegistered", &SettingsPatch::hideRegistered),
                                     doc::field("rotateRefreshTokens", &SettingsPatch::rotateRefreshTokens),
                                     doc::field("tokenClaims", &SettingsPatch::tokenClaims),
                                     doc::field("profileFields", &SettingsPatch::profileFields),
                                     doc::field("requireTests", &SettingsPatch::requireTests));
  }
};

// null clears color and icon.
struct ProjectPatch {
  std::optional<std::string> name;
  std::optional<int64_t> maxFileSize;
  doc::Patch<std::string> color;
  doc::Patch<std::string> icon;
  std::optional<SettingsPatch> settings;
  doc::Patch<std::string> mongoUrl = {};
  static constexpr auto shape() {
    return doc::shape<ProjectPatch>(
        "ProjectPatch", doc::field("name", &ProjectPatch::name), doc::field("maxFileSize", &ProjectPatch::maxFileSize),
        doc::field("color", &ProjectPatch::color), doc::field("icon", &ProjectPatch::icon),
        doc::field("settings", &ProjectPatch::settings), doc::field("mongoUrl", &ProjectPatch::mongoUrl));
  }
};

struct NewMember {
  std::string email;
  std::string role;
  static constexpr auto shape() {
    return doc::shape<NewMember>("NewMember", doc::field("email", &NewMember::email),
                                 doc::field("role", &NewMember::role));
  }
};

// Of one's own account.
struct AccountPatch {
  std::optional<bool> notifyLimits;
  static constexpr auto shape() {
    return doc::shape<AccountPatch>("AccountPatch", doc::field("notifyLimits", &AccountPatch::notifyLimits));
  }
};

struct MemberPatch {
  std::string role;
  static constexpr auto shape() {
    return doc::shape<MemberPatch>("MemberPatch", doc::field("role", &MemberPatch::role));
  }
};

// ---- responses

struct ProjectView {
  ProjectId id;
  std::string slug;
  std::string name;
  std::string status;
  std::string role;  // the caller's
  OrgId organizationId;
  doc::Nullable<ProjectId> parentId;
  doc::Nullable<std::string> environment;
  doc::Nullable<std::string> color;
  doc::Nullable<std::string> icon;
  int64_t maxFileSize = 0;
  bool byo = false;
  ProjectSettings settings;
  Timestamp createdAt;
  std::optional<ByoCapabilities> byoCapabilities = {};  // with byo
  // About the project's own database, or of a new environment: what was not copied. Absent when empty.
  std::optional<std::vector<ProjectWarning>> warnings = {};
  static constexpr auto shape() {
    return doc::shape<ProjectView>(
        "Project", doc::field("id", &ProjectView::id), doc::field("slug", &ProjectView::slug),
        doc::field("name", &ProjectView::name), doc::field("status", &ProjectView::status),
        doc::field("role", &ProjectView::role), doc::field("organizationId", &ProjectView::organizationId),
        doc::field("parentId", &ProjectView::parentId), doc::field("environment", &ProjectView::environment),
        doc::field("color", &ProjectView::color), doc::field("icon", &ProjectView::icon),
        doc::field("maxFileSize", &ProjectView::maxFileSize), doc::field("byo", &ProjectView::byo),
        doc::field("settings", &ProjectView::settings), doc::field("createdAt", &ProjectView::createdAt),
        doc::field("byoCapabilities", &ProjectView::byoCapabilities), doc::field("warnings", &ProjectView::warnings));
  }
};

// The response to a check of a project's own database.
struct DatabaseCheck {
  ByoCapabilities byoCapabilities;
  std::vector<ProjectWarning> warnings;
  bool reachable = false;
  static constexpr auto shape() {
    return doc::shape<DatabaseCheck>("DatabaseCheck", doc::field("byoCapabilities", &DatabaseCheck::byoCapabilities),
                                     doc::field("warnings", &DatabaseCheck::warnings),
                                     doc::field("reachable", &DatabaseCheck::reachable));
  }
};

struct MemberView {
  MembershipId id;
  doc::Nullable<UserId> userId;  // null while pending
  std::string email;
  doc::Nullable<std::string> name;
  std::string role;
  std::string status;  // active, pending
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<MemberView>("Member", doc::field("id", &MemberView::id),
                                  doc::field("userId", &MemberView::userId), doc::field("email", &MemberView::email),
                                  doc::field("name", &MemberView::name), doc::field("role", &MemberView::role),
                                  doc::field("status", &MemberView::status),
                                  doc::field("createdAt", &MemberView::createdAt));
  }
};

struct OrganizationView {
  OrgId id;
  std::string name;
  bool personal = true;
  static constexpr auto shape() {
    return doc::shape<OrganizationView>("Organization", doc::field("id", &OrganizationView::id),
                                        doc::field("name", &OrganizationView::name),
                                        doc::field("personal", &OrganizationView::personal));
  }
};

struct MembershipView {
  MembershipId id;
  ProjectId projectId;
  std::string projectName;
  std::string role;
  static constexpr auto shape() {
    return doc::shape<MembershipView>(
        "Membership", doc::field("id", &MembershipView::id), doc::field("projectId", &MembershipView::projectId),
        doc::field("projectName", &MembershipView::projectName), doc::field("role", &MembershipView::role));
  }
};

struct ProjectToken {
  std::string token;
  int64_t expiresIn = 0;  // seconds
  static constexpr auto shape() {
    return doc::shape<ProjectToken>("ProjectToken", doc::field("token", &ProjectToken::token),
                                    doc::field("expiresIn", &ProjectToken::expiresIn));
  }
};

struct SetupStatus {
  bool needsSetup = true;
  bool setupCodeRequired = false;  // of a first registration, by this caller
  bool registrationOpen = true;
  bool operatorsEnabled = false;
  bool billingEnabled = false;
  bool storageEnabled = false;
  bool connectionsEnabled = false;
  bool byoEnabled = false;  // projects may bring a database
  std::vector<std::string> oauthProviders;
  static constexpr auto shape() {
    return doc::shape<SetupStatus>("SetupStatus", doc::field("needsSetup", &SetupStatus::needsSetup),
                                   doc::field("setupCodeRequired", &SetupStatus::setupCodeRequired),
                                   doc::field("registrationOpen", &SetupStatus::registrationOpen),
                                   doc::field("operatorsEnabled", &SetupStatus::operatorsEnabled),
                                   doc::field("billingEnabled", &SetupStatus::billingEnabled),
                                   doc::field("storageEnabled", &SetupStatus::storageEnabled),
                                   doc::field("connectionsEnabled", &SetupStatus::connectionsEnabled),
                                   doc::field("byoEnabled", &SetupStatus::byoEnabled),
                                   doc::field("oauthProviders", &SetupStatus::oauthProviders));
  }
};

}  // namespace mb::projects

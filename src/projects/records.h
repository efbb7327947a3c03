// System collections that hold the control plane's records. Private to projects/.
#pragma once

#include <optional>
#include <string>

#include "projects/project_types.h"
#include "snapshot/snapshot.h"
#include "store/record_query.h"
#include "store/records.h"
#include "store/store.h"

namespace mb::projects {

// Numbers 30 to 49 of the system collections belong to this module; used in the control project only.
inline constexpr store::CollectionNo kOrganizations = 30;
inline constexpr store::CollectionNo kProjects = 31;
inline constexpr store::CollectionNo kMemberships = 32;
inline constexpr store::CollectionNo kInvites = 33;
inline constexpr store::CollectionNo kInvitedAddresses = 34;
inline constexpr store::CollectionNo kInstance = 35;
inline constexpr store::CollectionNo kOperatorInvites = 36;
inline constexpr store::CollectionNo kOwnDatabases = 37;

// The one document of kInstance; it exists from the first registration on.
inline constexpr std::string_view kInstanceId = "instance";

inline store::CollectionRef controlCollection(store::CollectionNo number) {
  return {store::kControlProject, number, 0};
}
inline store::WriteTarget target(store::CollectionNo number, std::string id) {
  return {controlCollection(number), std::move(id)};
}

// A document whose id was created for this write.
inline store::Insert insertOf(store::CollectionNo number, doc::Document document) {
  return {.collection = controlCollection(number), .document = std::move(document), .idIsNew = true};
}

using store::fromStore;

// Increments the revision of the InvitedAddress at `target`, in a write callback that invites the address: a
// registration that was prepared before is then prepared again.
Result<> countInvite(store::Target target, const std::string& address, const store::PreImages& before,
                     store::Changes& changes);

// Keeps the token of an earlier invite, to a project or of an operator, where no new mail is sent: the mailed link
// stays valid.
template <class Invite>
void keepLink(Invite& renewed, const Invite& earlier) {
  if (renewed.tokenHash) return;
  renewed.tokenHash = earlier.tokenHash;
  renewed.tokenExpiresAt = earlier.tokenExpiresAt;
}

// Root projects that are not deleted.
doc::Filter liveRoots();

// The record as a project of the snapshot registry.
Result<snapshot::ProjectInfo> infoOf(doc::Document stored);

// The response for a member with this role.
ProjectView viewOf(const ProjectRecord& record, std::string role);

// A query of the control project in ascending id, with a deadline of ten seconds.
inline store::Query queryOf(store::CollectionNo collection, doc::Filter filter, uint64_t skip, uint64_t limit) {
  return store::queryOf(controlCollection(collection), std::move(filter), limit, store::readDeadline(), skip);
}

}  // namespace mb::projects

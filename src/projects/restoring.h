// Restores a project from a backup, under its own id or as a new one: its record, members and invites. The project is
// not visible before publish(), which is one commit. Until then a placeholder record, marked deleted, names its data,
// so that the purge of deleted projects removes what a crash leaves behind.
#pragma once

#include "audit/audit.h"
#include "base/clock.h"
#include "projects/project_quota.h"
#include "projects/project_types.h"
#include "store/store.h"

namespace mb::projects {

// A member or an invite in a backup: by address, since accounts belong to their deployment.
struct BackedUpMember {
  std::string email;
  std::string role;
  Timestamp createdAt;
  static constexpr auto shape() {
    return doc::shape<BackedUpMember>("BackedUpMember", doc::field("email", &BackedUpMember::email),
                                      doc::field("role", &BackedUpMember::role),
                                      doc::field("createdAt", &BackedUpMember::createdAt));
  }
};

struct RestoreOptions {
  ProjectRecord record;             // as backed up
  std::optional<std::string> slug;  // of a new project; nullopt: restore the same project
  std::string owner;                // an address whose account becomes an Owner, or ""; required if no owner has one
  std::vector<BackedUpMember> members;
  bool verifiedOnly = false;  // an account whose address is not verified is invited like a missing one
  // From another deployment, which keeps it: it arrives suspended, and as a new one it counts for the owner's plan.
  bool moved = false;
};

struct RestoredProject {
  ProjectId id;
  std::string slug;
  uint64_t members = 0;
  uint64_t invited = 0;
};

class Restoring {
 public:
  // All outlive it. `plans`: null without billing.
  Restoring(store::DocumentStore& store, IdGenerator& ids, const Clock& clock, audit::Auditor& auditor,
            PlanLookup* plans = nullptr)
      : store_(store), ids_(ids), clock_(clock), auditor_(auditor), plans_(plans) {}

  // Checks whether the project may be restored, and creates the placeholder for its data; number() is valid then. Fails
  // with conflict (the project is live, its slug or its label is another's, no owner has an account), notFound (no
  // account has the owner's address), validation (the slug), planLimit (a new project past the owner's maxProjects).
  Task<> begin(RestoreOptions options);
  // Between begin() and publish(): the project has this database of its owner, sealed for its id(), unless a record of
  // a restored one is here. It is used once a probe has found that no other project uses it.
  void bring(OwnDatabaseRecord database);
  store::ProjectNo number() const { return static_cast<store::ProjectNo>(record_.number); }
  const ProjectId& id() const { return record_.id; }
  // Makes the project live: members who have an account are members, the others are invited. Fails with conflict where
  // a concurrent change took the slug or changed the project, and with planLimit as begin() does.
  Task<RestoredProject> publish();
  // Instead of publish(): removes the placeholder and its data.
  Task<> abandon();

 private:
  Task<> settleIdentity();
  Task<> settleFamily();
  Task<> settleOwners();
  // Of a new project, also of one that is moved here. Restores of the same project are never refused, and have no
  // limit.
  Task<ProjectQuota> quota();
  Task<std::optional<UserId>> accountOf(std::string email);
  Task<> putPlaceholder();
  Task<> removePlaceholder();
  // The documents that the commit changes. Documents that it inserts are only in the write.
  struct Targets;
  // Fails with retry where the quota has to be read again.
  Task<> commitAll();
  // In the write callback.
  Result<> apply(const Targets& targets, const store::PreImages& before, store::Changes& changes) const;
  // Adds the addresses of the invites.
  std::vector<store::Target> addInvites(store::Write& write);
  // Adds the deleted project's documents of a collection to the write and to `old`.
  Task<> addOld(store::CollectionNo collection, store::Write& write, std::vector<store::Target>& old);
  Task<> joinLate();
  Task<> dropOld();

  store::DocumentStore& store_;
  IdGenerator& ids_;
  const Clock& clock_;
  audit::Auditor& auditor_;
  PlanLookup* const plans_;
  RestoreOptions options_;
  ProjectRecord record_;
  std::string formerStatus_;
  ProjectId placeholder_;
  std::optional<store::ProjectNo> root_;  // of an environment that is restored into it
  std::optional<ProjectRecord> old_;      // the deleted project that it replaces
  std::optional<OwnDatabaseRecord> brought_;
  std::vector<std::pair<UserId, BackedUpMember>> members_;
  std::vector<BackedUpMember> invited_;
  std::vector<InviteRecord> invites_;
  bool begun_ = false;
};

}  // namespace mb::projects

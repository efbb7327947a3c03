// A project that comes back from a backup, under its own id or as a new one: its record, members and invites. Nobody
// sees it before publish(), which is one commit. Until then a record of its own, marked deleted, stands for it, so that
// what a crash leaves behind goes with the purge of deleted projects.
#pragma once

#include "audit/audit.h"
#include "base/clock.h"
#include "projects/project_types.h"
#include "store/store.h"

namespace mb::projects {

// A member or an invite as a backup has them: by address, since accounts belong to their deployment.
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
  ProjectRecord record;             // as it was
  std::optional<std::string> slug;  // of a new project; nullopt: the same project again
  std::string owner;                // an address; who owns it where none of its owners has an account; or ""
  std::vector<BackedUpMember> members;
  bool provenOnly = false;  // an account whose address is not proven is invited like one that is not there
};

struct RestoredProject {
  ProjectId id;
  std::string slug;
  uint64_t members = 0;
  uint64_t invited = 0;
};

class Restoring {
 public:
  // All outlive it.
  Restoring(store::DocumentStore& store, IdGenerator& ids, const Clock& clock, audit::Auditor& auditor)
      : store_(store), ids_(ids), clock_(clock), auditor_(auditor) {}

  // Finds out whether the project may come back, and makes a place for its data; number() is its own then. Fails with
  // conflict (the project is live, its slug or its label is another's, nobody could own it), notFound (no account has
  // the owner's address), validation (the slug).
  Task<> begin(RestoreOptions options);
  store::ProjectNo number() const { return static_cast<store::ProjectNo>(record_.number); }
  const ProjectId& id() const { return record_.id; }
  // The project is live from here on, members who have an account are members, the others invited. Fails with conflict
  // when somebody was quicker.
  Task<RestoredProject> publish();
  // In place of publish(): nothing stays.
  Task<> abandon();

 private:
  Task<> settleIdentity();
  Task<> settleFamily();
  Task<> settleOwners();
  Task<std::optional<UserId>> accountOf(std::string email);
  Task<> putPlaceholder();
  Task<> removePlaceholder();
  // The documents that the commit changes; what it inserts is in the write alone.
  struct Targets;
  Task<> commitAll();
  // In the write callback.
  Result<> apply(const Targets& targets, const store::PreImages& before, store::Changes& changes) const;
  // The addresses of the invites.
  std::vector<store::Target> addInvites(store::Write& write);
  // The documents of the deleted project in a collection, which are added to `old`.
  Task<> addOld(store::CollectionNo collection, store::Write& write, std::vector<store::Target>& old);
  Task<> joinLate();
  Task<> dropOld();

  store::DocumentStore& store_;
  IdGenerator& ids_;
  const Clock& clock_;
  audit::Auditor& auditor_;
  RestoreOptions options_;
  ProjectRecord record_;
  std::string formerStatus_;
  ProjectId placeholder_;
  std::optional<store::ProjectNo> root_;  // of an environment that comes back to it
  std::optional<ProjectRecord> old_;      // the deleted project whose place it takes
  std::vector<std::pair<UserId, BackedUpMember>> members_;
  std::vector<BackedUpMember> invited_;
  std::vector<InviteRecord> invites_;
  bool begun_ = false;
};

}  // namespace mb::projects

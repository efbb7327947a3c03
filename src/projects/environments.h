// Environments: projects that belong to a root project, are created from it and promoted within its family.
#pragma once

#include <string>
#include <vector>

#include "jobs/jobs.h"
#include "projects/configuration_copier.h"
#include "projects/projects.h"

namespace mb::projects {

struct MembershipContext;
struct ReachedDatabase;

// Limit of the members and pending invites copied into an environment.
inline constexpr uint64_t kMaxCopiedPeople = 2000;

// Calls fail with notFound where the caller is not a member of a named project. References outlive it. Any core.
class Environments {
 public:
  // Declares a job kind: construct before the queue starts.
  Environments(const ProjectDeps& deps, ConfigurationCopier& copier, jobs::Queue& queue);

  // The databases that environments may have of their own. Outlives this. Set before the first call.
  void setOwnDatabases(OwnDatabases& databases) { own_ = &databases; }

  // Creates an environment of `root` with its members, pending invites (without a second mail), settings and
  // configuration. Parts of the configuration that could not be copied are `warnings` of the view. Owner of the root,
  // else forbidden. Fails with validation (label, colour, an environment of an environment), conflict (the label is
  // taken), planLimit (environmentsPerProject of the root's plan); with a database of its own also as Projects::create.
  Task<ProjectView> create(By by, std::string root, NewEnvironment input);

  // Imports the configuration of one project of a family into another and returns the result of
  // ConfigurationCopier::promote. Owner of both, else forbidden. Fails with validation (not two of one family,
  // problems of the import), projectSuspended.
  Task<doc::Document> promote(By by, Promotion input, ImportMode mode);

 private:
  struct People;
  struct Parts;
  struct Created;
  Task<People> peopleOf(ProjectId root, By by, std::vector<std::string>& warnings);
  // Inserts the environment, with a job that copies the configuration should the server stop before it has. Fails with
  // retry where the members changed since `people` was read.
  Task<Created> insert(By by, const MembershipContext& root, const Parts& parts, const People& people);
  // Inserts with the first free slug, from attempt `slug` on; the next call continues there.
  Task<Created> insertWithFreeSlug(By by, const MembershipContext& root, Parts parts, std::string slugBase, int& slug,
                                   std::vector<std::string>& warnings);
  // `reached`: the database that the environment brings; null for none.
  Task<Created> put(By by, const MembershipContext& root, const NewEnvironment& input, const ReachedDatabase* reached,
                    std::vector<std::string>& warnings);
  // Handler of the copy job: does the copy that a stopped server left undone.
  Task<> copyLate(jobs::JobRun run);
  Task<> copyShape(By by, const MembershipContext& root, ProjectId environment, std::vector<std::string>& warnings);
  Task<> notePromotion(By by, const MembershipContext& from, const MembershipContext& to, doc::Document outcome);
  // The project, with the permissions of its Owner role for the caller.
  ConfigurationCopier::Side sideOf(By by, snapshot::SnapshotPtr project) const;

  const ProjectDeps& deps_;
  ConfigurationCopier& copier_;
  jobs::Queue& queue_;
  OwnDatabases* own_ = nullptr;
};

}  // namespace mb::projects

// Environments: projects with a root project, made from it and promoted to within the family. Source:
// contract 2.2, 4.8; decisions 6 and 8.
#pragma once

#include <string>
#include <vector>

#include "jobs/jobs.h"
#include "projects/projects.h"
#include "projects/shape_copier.h"

namespace mb::projects {

struct MembershipContext;

// Members and pending invites that an environment can be made with.
inline constexpr uint64_t kMaxCopiedPeople = 2000;

// Fails with notFound for those who are no members of a project that is named. References outlive it. Any core.
class Environments {
 public:
  // Declares a kind of job: before the queue starts.
  Environments(const ProjectDeps& deps, ShapeCopier& copier, jobs::Queue& queue);

  // An environment of `root` with its members, its pending invites (which nobody is mailed about again), its settings
  // and, as far as that goes, its shape; the view has `warnings` about what of it was not copied. Owner of the root,
  // else forbidden. Fails with validation (label, colour, an environment of an environment), conflict (the label is
  // taken).
  Task<ProjectView> create(By by, std::string root, NewEnvironment input);

  // The shape of one project of a family into another: what ShapeCopier::promote answers. Owner of both, else
  // forbidden. Fails with validation (no two of one family, problems of the import), projectSuspended.
  Task<doc::Document> promote(By by, Promotion input, ImportMode mode);

 private:
  struct People;
  struct Created;
  Task<People> peopleOf(ProjectId root, By by, std::vector<std::string>& warnings);
  // With a job that copies the configuration should the server go down before it has. Fails with retry where the
  // members changed since `people` was read.
  Task<Created> insert(By by, const MembershipContext& root, ProjectRecord record, const People& people);
  // Tries slugs from the number `slug` on; the next call continues there.
  Task<Created> insertWithFreeSlug(By by, const MembershipContext& root, ProjectRecord record, std::string slugBase,
                                   int& slug, std::vector<std::string>& warnings);
  Task<Created> put(By by, const MembershipContext& root, const NewEnvironment& input,
                    std::vector<std::string>& warnings);
  // What a server that went down while it copied left undone.
  Task<> copyLate(jobs::JobRun run);
  Task<> copyShape(By by, const MembershipContext& root, ProjectId environment, std::vector<std::string>& warnings);
  Task<> notePromotion(By by, const MembershipContext& from, const MembershipContext& to, doc::Document outcome);
  // What the caller may do in a project that they own.
  ShapeCopier::Side sideOf(By by, snapshot::SnapshotPtr project) const;

  const ProjectDeps& deps_;
  ShapeCopier& copier_;
  jobs::Queue& queue_;
};

}  // namespace mb::projects

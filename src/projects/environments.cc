#include "projects/environments.h"

#include <algorithm>

#include "base/log.h"
#include "projects/environment_rules.h"
#include "projects/members.h"
#include "projects/membership_context.h"
#include "projects/own_databases.h"
#include "projects/project_rules.h"
#include "store/configuration_limits.h"
#include "store/retry.h"

namespace mb::projects {

// Payload of the job that copies the configuration into a new environment. It is enqueued in the commit that creates
// the environment, for a server that stops before the copy is done.
struct CopyJob {
  ProjectId root;
  ProjectId environment;
  std::string userId;
  std::string email;
  static constexpr auto shape() {
    return doc::shape<CopyJob>("Copying", doc::field("root", &CopyJob::root),
                               doc::field("environment", &CopyJob::environment), doc::field("userId", &CopyJob::userId),
                               doc::field("email", &CopyJob::email));
  }
};

// The root's members and invites as read before the commit, which reads each again.
struct Environments::People {
  std::vector<MembershipRecord> members;
  std::vector<InviteRecord> invites;
};

// What a new environment consists of, besides its people.
struct Environments::Parts {
  ProjectRecord record;
  std::optional<OwnDatabaseRecord> database;
};

struct Environments::Created {
  ProjectRecord record;
  std::string jobId;  // of CopyJob
};

namespace {

constexpr int kMaxRaces = 5;
constexpr std::string_view kMembersChange = "the members of this project are being changed: try again";
constexpr std::string_view kCopyJob = "environment.copy";
constexpr std::chrono::seconds kCopyTime{30};

doc::Document describe(const ProjectRecord& environment, bool byo) {
  doc::BsonWriter out;
  out.appendString("name", environment.name);
  out.appendString("environment", environment.environment.value.value_or(""));
  out.appendString("parentId", rootOf(environment).str());
  if (byo) out.appendBool("byo", true);
  return out.finish();
}

// The documents of the write that creates an environment: the root project, the caller's membership in it, the
// environment, and each member and invite of the root with its copy.
class EnvironmentWrite {
 public:
  EnvironmentWrite(store::Write& write, const MembershipContext& root, ProjectRecord record,
                   const std::vector<MembershipRecord>& members, const std::vector<InviteRecord>& invites,
                   IdGenerator& ids, const plans::PlanInForce& plan)
      : record_(std::move(record)),
        plan_(plan),
        root_(write.change(target(kProjects, root.id().str()))),
        actor_(write.hold(target(kMemberships, root.membershipId))),
        environment_(write.create(controlCollection(kProjects), record_.id.str())) {
    for (const MembershipRecord& member : members) {
      const store::Target source = write.hold(target(kMemberships, member.id.str()));
      const auto id = ids.next<MembershipTag>();
      members_.push_back({source, id, write.create(controlCollection(kMemberships), id.str())});
    }
    for (const InviteRecord& invite : invites) {
      const store::Target source = write.hold(target(kInvites, invite.id.str()));
      const auto id = ids.next<MembershipTag>();
      const store::Target copy = write.create(controlCollection(kInvites), id.str());
      invites_.push_back({{source, id, copy}, write.change(target(kInvitedAddresses, invite.email))});
    }
  }

  // In the write callback. Returns the environment as it is stored.
  Result<ProjectRecord> apply(const store::PreImages& before, store::Changes& changes) const {
    TRY(std::optional<ProjectRecord> root, fromStore<ProjectRecord>(before[root_]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[actor_]));
    RETURN_IF_ERROR(mustOwn({root, actor}));
    RETURN_IF_ERROR(mayAddEnvironment(*root, plan_));
    RETURN_IF_ERROR(noteEnvironment(*root, record_.id, *record_.environment.value));
    ProjectRecord record = record_;
    record.organizationId = root->organizationId;
    record.owners.clear();
    for (const Copied& member : members_) RETURN_IF_ERROR(copyMember(member, record, before, changes));
    for (const CopiedInvite& invite : invites_) RETURN_IF_ERROR(copyInvite(invite, before, changes));
    changes.put(root_, doc::encode(*root));
    changes.put(environment_, doc::encode(record));
    return record;
  }

 private:
  struct Copied {
    store::Target source;
    MembershipId id;
    store::Target copy;
  };
  struct CopiedInvite : Copied {
    store::Target address;
  };

  static std::unexpected<Error> membersChanged() {
    return fail(ErrorCode::retry, "the members changed since they were read");
  }
  static Result<> copyMember(const Copied& copied, ProjectRecord& record, const store::PreImages& before,
                             store::Changes& changes) {
    TRY(std::optional<MembershipRecord> member, fromStore<MembershipRecord>(before[copied.source]));
    if (!member) return membersChanged();
    member->id = copied.id;
    member->projectId = record.id;
    member->createdAt = record.createdAt;
    noteRole(record, member->userId, member->role);
    changes.put(copied.copy, doc::encode(*member));
    return {};
  }
  // Locks the address as an invitation does, so that a concurrent registration does not miss it.
  Result<> copyInvite(const CopiedInvite& copied, const store::PreImages& before, store::Changes& changes) const {
    TRY(std::optional<InviteRecord> invite, fromStore<InviteRecord>(before[copied.source]));
    if (!invite) return membersChanged();
    RETURN_IF_ERROR(countInvite(copied.address, invite->email, before, changes));
    invite->id = copied.id;
    invite->projectId = record_.id;
    invite->projectNumber = record_.number;
    invite->createdAt = record_.createdAt;
    // The mailed link names the invite to the root.
    invite->tokenHash.reset();
    invite->tokenExpiresAt.reset();
    changes.put(copied.copy, doc::encode(*invite));
    return {};
  }

  const ProjectRecord record_;
  const plans::PlanInForce& plan_;  // outlives this
  const store::Target root_;
  const store::Target actor_;
  const store::Target environment_;
  std::vector<Copied> members_;
  std::vector<CopiedInvite> invites_;
};

}  // namespace

Environments::Environments(const ProjectDeps& deps, ConfigurationCopier& copier, jobs::Queue& queue)
    : deps_(deps), copier_(copier), queue_(queue) {
  jobs::Kind kind;
  kind.name = kCopyJob;
  kind.handler = [this](jobs::JobRun run) { return copyLate(std::move(run)); };
  kind.backoff = {std::chrono::seconds(10), std::chrono::seconds(60)};
  kind.timeout = kCopyTime + std::chrono::seconds(10);
  kind.concurrency = 2;
  kind.perProject = 1;
  queue_.declare(std::move(kind));
}

// ---- creating

Task<Environments::People> Environments::peopleOf(ProjectId root, By by, std::vector<std::string>& warnings) {
  People people;
  CO_TRY(const store::QueryResult members,
         co_await deps_.store.find(
             queryOf(kMemberships, doc::Filter::equals("projectId", root.str()), 0, kMaxCopiedPeople + 1)));
  CO_TRY(people.members, fromStore<MembershipRecord>(members.documents));
  CO_TRY(const store::QueryResult invites,
         co_await deps_.store.find(
             queryOf(kInvites, doc::Filter::equals("projectId", root.str()), 0, kMaxCopiedPeople + 1)));
  CO_TRY(std::vector<InviteRecord> pending, fromStore<InviteRecord>(invites.documents));
  if (people.members.size() + pending.size() > kMaxCopiedPeople) {
    co_return fail(ErrorCode::conflict, "this project has too many members and invites to make an environment of it");
  }
  for (InviteRecord& invite : pending) {
    CO_TRY(const uint64_t held, co_await deps_.store.count(controlCollection(kInvites),
                                                           doc::Filter::equals("email", invite.email), by.deadline));
    if (held < kInvitesPerAddress) {
      people.invites.push_back(std::move(invite));
    } else {
      warnings.push_back(invite.email + " has too many pending invites and was not invited here");
    }
  }
  co_return people;
}

Task<Environments::Created> Environments::insert(By by, const MembershipContext& root, const Parts& parts,
                                                 const People& people) {
  const ProjectRecord& record = parts.record;
  const auto number = static_cast<store::ProjectNo>(record.number);
  const bool byo = parts.database.has_value();
  store::Write write = projectWrite(
      by, {root.number(), number},
      auditOf(deps_, by.caller, number, "project.created", "projects/" + record.id.str(), describe(record, byo)));
  write.insert(auditOf(deps_, by.caller, root.number(), "environment.created",
                       "environments/" + *record.environment.value, describe(record, byo)));
  if (parts.database) {
    write.insert(insertOf(kOwnDatabases, doc::encode(*parts.database)));
    write.options.notices.push_back(databaseNotice(number, record.id));
  }
  jobs::JobSpec spec;
  spec.kind = kCopyJob;
  spec.project = number;
  spec.payload = doc::encode(CopyJob{root.id(), record.id, by.caller.id, by.caller.email});
  // Not before this request can have ended: the job is for a server that stopped.
  spec.notBefore = Timestamp{deps_.clock.now().ms + 2 * std::chrono::milliseconds(kCopyTime).count()};
  CO_TRY(store::Insert job, queue_.insertOf(std::move(spec)));
  std::string jobId = job.id();
  write.insert(std::move(job));
  const EnvironmentWrite environment(write, root, record, people.members, people.invites, deps_.ids,
                                     root.project->get(deps_.plan));
  CO_TRY(ProjectRecord stored,
         co_await store::writeReturning(
             deps_.store, std::move(write),
             [&environment = std::as_const(environment)](const store::PreImages& before, store::Changes& changes) {
               return environment.apply(before, changes);
             }));
  co_return Created{std::move(stored), std::move(jobId)};
}

Task<Environments::Created> Environments::insertWithFreeSlug(By by, const MembershipContext& root, Parts parts,
                                                             std::string slugBase, int& slug,
                                                             std::vector<std::string>& warnings) {
  for (; slug < kSlugTries; ++slug) {
    warnings.clear();
    CO_TRY(const People people, co_await peopleOf(root.id(), by, warnings));
    parts.record.slug = slugToTry(slugBase, slug);
    auto created = co_await insert(by, root, parts, people);
    const Violation* const violation = created ? nullptr : store::indexViolation(created.error());
    if (violation == nullptr) co_return created;
    if (violation->name == kIdentityIndex) co_return fail(databaseUsed());
  }
  co_return fail(ErrorCode::conflict, std::string(kMembersChange));
}

Task<Environments::Created> Environments::put(By by, const MembershipContext& root, const NewEnvironment& input,
                                              const ReachedDatabase* reached, std::vector<std::string>& warnings) {
  const ProjectRecord& parent = root.project->get(deps_.record);
  Parts parts{environmentOf(parent, input), {}};
  ProjectRecord& record = parts.record;
  CO_TRY(const store::ProjectNo number, co_await deps_.store.allocateProject());
  record.number = number;
  record.id = deps_.ids.next<ProjectTag>();
  record.createdAt = deps_.clock.now();
  if (reached != nullptr) parts.database = own_->recordOf(record.id, number, *input.mongoUrl, *reached);
  int slug = 0;
  CO_TRY(Created created,
         co_await store::retryWrite(kMaxRaces, Error(ErrorCode::conflict, std::string(kMembersChange)), [&] {
           return insertWithFreeSlug(by, root, parts, slugBase(parent.slug, input.environment), slug, warnings);
         }));
  if (parts.database) own_->opened(*parts.database);
  co_return created;
}

namespace {

// A project above the limit cannot be copied completely. API keys are not copied.
Task<> checkCopiedSize(store::DocumentStore& store, store::ProjectNo project) {
  CO_TRY(std::vector<store::PartSize> parts, co_await store::configurationSizes(store, project));
  std::erase_if(parts, [](const store::PartSize& part) { return part.name == store::kApiKeysPart; });
  uint64_t total = 0;
  for (const store::PartSize& part : parts) total += part.bytes;
  if (!store::passesConfigurationLimit(0, total)) co_return Result<>();
  co_return fail(store::configurationTooLarge(std::move(parts)));
}

}  // namespace

Task<ProjectView> Environments::create(By by, std::string rootId, NewEnvironment input) {
  CO_TRY(const MembershipContext root, co_await membershipContext(deps_, by, std::move(rootId)));
  if (root.role != kOwner) co_return fail(ErrorCode::forbidden, "this needs the role Owner");
  if (root.project->get(deps_.record).parentId.value) {
    co_return fail(ErrorCode::validation, "an environment has no environments of its own");
  }
  CO_RETURN_IF_ERROR(checkEnvironment(input));
  // Before anything is read for the copy; the write checks again.
  CO_RETURN_IF_ERROR(mayAddEnvironment(root.project->get(deps_.record), root.project->get(deps_.plan)));
  CO_RETURN_IF_ERROR(co_await checkCopiedSize(deps_.store, root.project->info().number));
  std::optional<ReachedDatabase> reached;
  if (input.mongoUrl) {
    if (own_ == nullptr) co_return fail(ErrorCode::forbidden, "this deployment takes no databases of projects' owners");
    CO_RETURN_IF_ERROR(own_->mayBring());
    CO_TRY(reached, co_await own_->reach(by.caller.id, *input.mongoUrl));
  }
  std::vector<std::string> warnings;
  CO_TRY(const Created created, co_await put(by, root, input, reached ? &*reached : nullptr, warnings));
  const ProjectRecord& record = created.record;
  // The environment exists and works from here on, even if the rest fails.
  const Result<> copied = co_await copyShape(by, root, record.id, warnings);
  if (!copied) {
    logWarn("environment configuration copy failed",
            {{"project", record.id.str()}, {"message", copied.error().message()}, {"cause", copied.error().cause()}});
  }
  if (!copied && copied.error().code() == ErrorCode::unavailable) {
    warnings.push_back("the configuration is copied in some minutes");
  } else {
    if (!copied) warnings.push_back("the configuration was not copied: promote it once the server is available");
    const auto cancelled = co_await queue_.cancel(created.jobId);
    if (!cancelled) {
      logWarn("environment copy job could not be cancelled; the configuration is copied twice",
              {{"project", record.id.str()}});
    }
  }
  std::vector<ProjectView> views = {viewOf(record, std::string(kOwner))};
  CO_RETURN_IF_ERROR(co_await describeOwnDatabases(deps_.store, views));
  ProjectView& view = views.front();
  if (!view.warnings) view.warnings.emplace();
  for (std::string& warning : warnings) view.warnings->push_back({"not-copied", std::move(warning)});
  co_return std::move(view);
}

Task<> Environments::copyShape(By by, const MembershipContext& root, ProjectId environment,
                               std::vector<std::string>& warnings) {
  CO_TRY(snapshot::SnapshotPtr made, co_await deps_.snapshots.find(environment.str()));
  if (!made) co_return fail(ErrorCode::notFound, "the environment was deleted");
  CO_TRY(std::vector<std::string> about,
         co_await copier_.clone(sideOf(by, root.project), sideOf(by, std::move(made)), by.deadline));
  std::move(about.begin(), about.end(), std::back_inserter(warnings));
  co_return Result<>();
}

Task<> Environments::copyLate(jobs::JobRun run) {
  CO_TRY(const auto job, doc::decode<CopyJob>(run.payload, doc::UnknownFields::ignore));
  policy::Caller caller;
  caller.kind = policy::CallerKind::platform;
  caller.id = job.userId;
  caller.email = job.email;
  const By by{caller, std::min(run.deadline, std::chrono::steady_clock::now() + kCopyTime)};
  auto root = co_await membershipContext(deps_, by, job.root.str());
  std::vector<std::string> warnings;
  Result<> copied = root ? co_await copyShape(by, *root, job.environment, warnings) : fail(root.error().clone());
  // One of the projects was deleted, or its creator is no longer a member: nothing is left to do.
  if (!copied && copied.error().code() == ErrorCode::notFound) co_return Result<>();
  for (const std::string& warning : warnings) {
    logWarn("part of an environment's configuration was not copied",
            {{"project", job.environment.str()}, {"message", warning}});
  }
  co_return copied;
}

ConfigurationCopier::Side Environments::sideOf(By by, snapshot::SnapshotPtr project) const {
  policy::Caller caller = by.caller;
  caller.kind = policy::CallerKind::member;
  caller.project = project->info().number;
  caller.projectId = project->info().id;
  caller.role = kOwner;
  caller.permissions = project->get(deps_.slots.roles).member.find(kOwner)->second;
  caller.superAdmin = false;
  return {std::move(project), std::move(caller)};
}

// ---- promoting

Task<doc::Document> Environments::promote(By by, Promotion input, ImportMode mode) {
  CO_TRY(const MembershipContext from, co_await membershipContext(deps_, by, std::move(input.fromProjectId)));
  CO_TRY(const MembershipContext to, co_await membershipContext(deps_, by, std::move(input.toProjectId)));
  if (from.role != kOwner || to.role != kOwner) {
    co_return fail(ErrorCode::forbidden, "this needs the role Owner in both projects");
  }
  if (from.id() == to.id()) {
    const std::string problem = "must be another project than fromProjectId";
    co_return fail(Error(ErrorCode::validation, "/toProjectId " + problem).withDetail("/toProjectId", problem));
  }
  if (rootOf(from.project->get(deps_.record)) != rootOf(to.project->get(deps_.record))) {
    const std::string problem = "must be of the same family: a root project or one of its environments";
    co_return fail(Error(ErrorCode::validation, "/toProjectId " + problem).withDetail("/toProjectId", problem));
  }
  for (const MembershipContext* one : {&from, &to}) {
    if (one->project->info().status == snapshot::ProjectStatus::active) continue;
    co_return fail(ErrorCode::projectSuspended, "this project is suspended");
  }
  const bool dryRun = mode.dryRun;
  const bool skipsTests = mode.skipTests;
  auto answer =
      co_await copier_.promote(sideOf(by, from.project), sideOf(by, to.project), std::move(mode), by.deadline);
  if (dryRun ||
      (!answer && (answer.error().code() == ErrorCode::validation || answer.error().code() == ErrorCode::forbidden ||
                   answer.error().code() == ErrorCode::testsFailed))) {
    co_return answer;  // nothing was applied
  }
  doc::BsonWriter outcome;
  outcome.appendString("from", from.id().str());
  outcome.appendString("to", to.id().str());
  if (skipsTests) outcome.appendBool("skipTests", true);
  if (answer) {
    const auto plan = answer->view().find("plan");
    const bool hasPlan = plan && plan->type() == doc::BsonType::document;
    const auto summary = hasPlan ? plan->asDocument().find("summary") : std::nullopt;
    if (summary) outcome.append("summary", *summary);
  } else {
    outcome.appendString("failed", meaningOf(answer.error().code()).wire);
  }
  CO_RETURN_IF_ERROR(co_await notePromotion(by, from, to, outcome.finish()));
  co_return answer;
}

Task<> Environments::notePromotion(By by, const MembershipContext& from, const MembershipContext& to,
                                   doc::Document outcome) {
  std::vector<store::Insert> entries =
      auditOf(deps_, by.caller, from.number(), "environment.promoted", "projects/" + to.id().str(), outcome);
  auto arrived =
      auditOf(deps_, by.caller, to.number(), "environment.promoted", "projects/" + to.id().str(), std::move(outcome));
  std::move(arrived.begin(), arrived.end(), std::back_inserter(entries));
  if (entries.empty()) co_return Result<>();
  CO_RETURN_IF_ERROR(co_await deps_.store.write(projectWrite(by, {}, std::move(entries)), nullptr));
  co_return Result<>();
}

}  // namespace mb::projects

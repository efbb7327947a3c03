#include "projects/environments.h"

#include <algorithm>

#include "base/log.h"
#include "projects/environment_rules.h"
#include "projects/members.h"
#include "projects/project_rules.h"
#include "projects/standing.h"
#include "store/configuration_limits.h"

namespace mb::projects {

// The job, in the commit that makes an environment, that gives it its shape should the server go down before it has:
// who asked for what.
struct Copying {
  ProjectId root;
  ProjectId environment;
  std::string userId;
  std::string email;
  std::string jobId;  // not stored in it
  static constexpr auto shape() {
    return doc::shape<Copying>("Copying", doc::field("root", &Copying::root),
                               doc::field("environment", &Copying::environment), doc::field("userId", &Copying::userId),
                               doc::field("email", &Copying::email));
  }
};

// Who comes along, as they were before the commit; it takes each as they are in it.
struct Environments::People {
  std::vector<MembershipRecord> members;
  std::vector<InviteRecord> invites;
};

namespace {

using Changes = std::vector<store::Change>;

constexpr int kMostRaces = 5;
constexpr std::string_view kCopyJob = "environment.copy";
constexpr std::chrono::seconds kCopyTime{30};

doc::Document describe(const ProjectRecord& environment) {
  doc::BsonWriter out;
  out.appendString("name", environment.name);
  out.appendString("environment", environment.environment.value.value_or(""));
  out.appendString("parentId", rootOf(environment).str());
  return out.finish();
}

// The targets of the commit that makes an environment, in order: the root, the asking membership, the environment; then
// of each member the one in the root and the one here; then of each invite those two and its address.
class Making {
 public:
  Making(const Standing& root, ProjectRecord& record, IdGenerator& ids, Timestamp now)
      : record_(record), ids_(ids), now_(now), actor_(root.membershipId) {
    targets.push_back(target(kProjects, root.id().str()));
    targets.push_back(target(kMemberships, root.membershipId));
    targets.push_back(target(kProjects, record.id.str()));
  }

  void add(const MembershipRecord& member) {
    members_.push_back(ids_.next<MembershipTag>());
    // The asking member's own is among the targets already.
    if (member.id.str() == actor_) {
      actorAt_ = members_.size() - 1;
    } else {
      targets.push_back(target(kMemberships, member.id.str()));
    }
    targets.push_back(target(kMemberships, members_.back().str()));
  }
  void add(const InviteRecord& invite) {
    invites_.push_back(ids_.next<MembershipTag>());
    targets.push_back(target(kInvites, invite.id.str()));
    targets.push_back(target(kInvites, invites_.back().str()));
    targets.push_back(target(kInvitedAddresses, invite.email));
  }

  Result<Changes> judge(Before before) {
    TRY(std::optional<ProjectRecord> root, fromStore<ProjectRecord>(before[0]));
    TRY(const auto actor, fromStore<MembershipRecord>(before[1]));
    CHECK(mustOwn({root, actor}));
    CHECK(noteEnvironment(*root, record_.id, *record_.environment.value));
    record_.owners.clear();
    Changes changes(before.size());
    size_t at = 3;
    for (size_t i = 0; i < members_.size(); ++i) {
      const auto& stored = i == actorAt_ ? before[1] : before[at++];
      CHECK(copyMember(stored, members_[i], changes[at++]));
    }
    for (const MembershipId& invite : invites_) {
      CHECK(copyInvite(before.subspan(at, 3), invite, std::span(changes).subspan(at, 3)));
      at += 3;
    }
    changes[0] = store::Change::put(doc::encode(*root));
    changes[2] = store::Change::put(doc::encode(record_));
    return changes;
  }

  std::vector<store::WriteTarget> targets;

 private:
  static std::unexpected<Error> changedMeanwhile() {
    return fail(ErrorCode::staleCatalogue, "the members changed meanwhile");
  }
  Result<> copyMember(const std::optional<doc::Document>& stored, const MembershipId& id, store::Change& change) {
    TRY(std::optional<MembershipRecord> member, fromStore<MembershipRecord>(stored));
    if (!member) return changedMeanwhile();
    member->id = id;
    member->projectId = record_.id;
    member->createdAt = now_;
    noteRole(record_, member->userId, member->role);
    change = store::Change::put(doc::encode(*member));
    return {};
  }
  // Locks the address as an inviter does, so that its registration is not missed.
  Result<> copyInvite(Before before, const MembershipId& id, std::span<store::Change> changes) {
    TRY(std::optional<InviteRecord> invite, fromStore<InviteRecord>(before[0]));
    if (!invite) return changedMeanwhile();
    TRY(std::optional<InvitedAddress> address, fromStore<InvitedAddress>(before[2]));
    if (!address) address = InvitedAddress{invite->email, 0};
    ++address->revision;
    invite->id = id;
    invite->projectId = record_.id;
    invite->projectNumber = record_.number;
    invite->createdAt = now_;
    // The link that was mailed names the invite to the root.
    invite->tokenHash.reset();
    invite->tokenExpiresAt.reset();
    changes[1] = store::Change::put(doc::encode(*invite));
    changes[2] = store::Change::put(doc::encode(*address));
    return {};
  }

  ProjectRecord& record_;
  IdGenerator& ids_;
  const Timestamp now_;
  const std::string actor_;
  size_t actorAt_ = SIZE_MAX;
  std::vector<MembershipId> members_;
  std::vector<MembershipId> invites_;
};

}  // namespace

Environments::Environments(const ProjectDeps& deps, ShapeCopier& copier, jobs::Queue& queue)
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
         co_await deps_.store.find(queryOf(kMemberships, equals("projectId", root.str()), 0, kMostCopiedPeople + 1)));
  CO_TRY(people.members, fromStore<MembershipRecord>(members.documents));
  CO_TRY(const store::QueryResult invites,
         co_await deps_.store.find(queryOf(kInvites, equals("projectId", root.str()), 0, kMostCopiedPeople + 1)));
  CO_TRY(std::vector<InviteRecord> pending, fromStore<InviteRecord>(invites.documents));
  if (people.members.size() + pending.size() > kMostCopiedPeople) {
    co_return fail(ErrorCode::conflict, "this project has too many members and invites to make an environment of it");
  }
  for (InviteRecord& invite : pending) {
    CO_TRY(const uint64_t held,
           co_await deps_.store.count(controlCollection(kInvites), equals("email", invite.email), by.deadline));
    if (held < kInvitesPerAddress) {
      people.invites.push_back(std::move(invite));
    } else {
      warnings.push_back(invite.email + " has too many pending invites and was not invited here");
    }
  }
  co_return people;
}

Task<bool> Environments::insert(By by, const Standing& root, ProjectRecord& record, const People& people,
                                Copying& copying) {
  const auto number = static_cast<store::ProjectNo>(record.number);
  Making making(root, record, deps_.ids, record.createdAt);
  for (const auto& member : people.members) making.add(member);
  for (const auto& invite : people.invites) making.add(invite);
  auto audit = auditOf(deps_, by.caller, number, "project.created", "projects/" + record.id.str(), describe(record));
  auto ofRoot = auditOf(deps_, by.caller, root.number(), "environment.created",
                        "environments/" + *record.environment.value, describe(record));
  std::move(ofRoot.begin(), ofRoot.end(), std::back_inserter(audit));
  copying = {root.id(), record.id, by.caller.id, by.caller.email, ""};
  jobs::JobSpec spec;
  spec.kind = kCopyJob;
  spec.project = number;
  spec.payload = doc::encode(copying);
  // Later than this request may take: it is for a server that went down.
  spec.notBefore = Timestamp{deps_.clock.now().ms + 2 * std::chrono::milliseconds(kCopyTime).count()};
  CO_TRY(auto job, queue_.asChange(std::move(spec)));
  copying.jobId = job.first.id;
  audit.push_back({job.first.collection, std::move(job.second.after)});
  store::Judge judge = [&making](Before before) { return making.judge(before); };
  CO_TRY(const store::JudgeOutcome outcome,
         co_await commit(deps_, by, {root.number(), number}, making.targets, std::move(judge), std::move(audit)));
  co_return outcome.committed();
}

Task<ProjectRecord> Environments::put(By by, const Standing& root, const NewEnvironment& input,
                                      std::vector<std::string>& warnings, Copying& copying) {
  const ProjectRecord& parent = root.project->get(deps_.record);
  ProjectRecord record = environmentOf(parent, input);
  CO_TRY(const store::ProjectNo number, co_await deps_.store.allocateProject());
  record.number = number;
  record.id = deps_.ids.next<ProjectTag>();
  record.createdAt = deps_.clock.now();
  const std::string base = slugBase(parent.slug, input.environment);
  int slug = 0;
  for (int race = 0; race < kMostRaces && slug < kSlugTries;) {
    warnings.clear();
    CO_TRY(const People people, co_await peopleOf(root.id(), by, warnings));
    record.slug = slugToTry(base, slug);
    const auto committed = co_await insert(by, root, record, people, copying);
    if (committed && *committed) co_return record;
    if (committed) {
      ++slug;
    } else if (committed.error().code() == ErrorCode::staleCatalogue) {
      ++race;
    } else {
      co_return fail(committed.error().clone());
    }
  }
  co_return fail(ErrorCode::conflict, "the members of this project are being changed, try again");
}

namespace {

// A project that is above the limit cannot be copied whole. API keys are not copied.
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
  CO_TRY(const Standing root, co_await standingOf(deps_, by, std::move(rootId)));
  if (root.role != kOwner) co_return fail(ErrorCode::forbidden, "this needs the role Owner");
  if (root.project->get(deps_.record).parentId.value) {
    co_return fail(ErrorCode::validation, "an environment has no environments of its own");
  }
  CO_CHECK(checkEnvironment(input));
  CO_CHECK(co_await checkCopiedSize(deps_.store, root.project->info().number));
  std::vector<std::string> warnings;
  Copying copying;
  CO_TRY(const ProjectRecord record, co_await put(by, root, input, warnings, copying));
  // It is there and works from here on, whatever becomes of the rest.
  const Result<> copied = co_await copyShape(by, root, record.id, warnings);
  if (!copied) {
    logWarn("the configuration of an environment was not copied",
            {{"project", record.id.str()}, {"message", copied.error().message()}, {"cause", copied.error().cause()}});
  }
  if (!copied && copied.error().code() == ErrorCode::unavailable) {
    warnings.push_back("the configuration is copied in some minutes");
  } else {
    if (!copied) warnings.push_back("the configuration was not copied: promote it when the server is well again");
    const auto cancelled = co_await queue_.cancel(copying.jobId);
    if (!cancelled) logWarn("an environment is copied twice", {{"project", record.id.str()}});
  }
  ProjectView view = viewOf(record, std::string(kOwner));
  view.warnings = std::move(warnings);
  co_return view;
}

Task<> Environments::copyShape(By by, const Standing& root, ProjectId environment, std::vector<std::string>& warnings) {
  CO_TRY(snapshot::SnapshotPtr made, co_await deps_.snapshots.find(environment.str()));
  if (!made) co_return fail(ErrorCode::notFound, "the environment was deleted meanwhile");
  CO_TRY(std::vector<std::string> about,
         co_await copier_.clone(sideOf(by, root.project), sideOf(by, std::move(made)), by.deadline));
  std::move(about.begin(), about.end(), std::back_inserter(warnings));
  co_return Result<>();
}

Task<> Environments::copyLate(jobs::JobRun run) {
  CO_TRY(const auto copying, doc::decode<Copying>(run.payload, doc::UnknownFields::ignore));
  policy::Caller caller;
  caller.kind = policy::CallerKind::platform;
  caller.id = copying.userId;
  caller.email = copying.email;
  const By by{caller, std::min(run.deadline, std::chrono::steady_clock::now() + kCopyTime)};
  auto root = co_await standingOf(deps_, by, copying.root.str());
  std::vector<std::string> warnings;
  Result<> copied = root ? co_await copyShape(by, *root, copying.environment, warnings) : fail(root.error().clone());
  // Gone since, or its maker has no business there any more: nothing is left to do.
  if (!copied && copied.error().code() == ErrorCode::notFound) co_return Result<>();
  for (const std::string& warning : warnings) {
    logWarn("part of an environment was not copied", {{"project", copying.environment.str()}, {"message", warning}});
  }
  co_return copied;
}

ShapeCopier::Side Environments::sideOf(By by, snapshot::SnapshotPtr project) const {
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
  CO_TRY(const Standing from, co_await standingOf(deps_, by, std::move(input.fromProjectId)));
  CO_TRY(const Standing to, co_await standingOf(deps_, by, std::move(input.toProjectId)));
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
  for (const Standing* one : {&from, &to}) {
    if (one->project->info().status == snapshot::ProjectStatus::active) continue;
    co_return fail(ErrorCode::projectSuspended, "this project is suspended");
  }
  const bool dryRun = mode.dryRun;
  auto answer =
      co_await copier_.promote(sideOf(by, from.project), sideOf(by, to.project), std::move(mode), by.deadline);
  if (dryRun ||
      (!answer && (answer.error().code() == ErrorCode::validation || answer.error().code() == ErrorCode::forbidden))) {
    co_return answer;  // nothing was applied
  }
  doc::BsonWriter outcome;
  outcome.appendString("from", from.id().str());
  outcome.appendString("to", to.id().str());
  if (answer) {
    const auto plan = answer->view().find("plan");
    const bool told = plan && plan->type() == doc::BsonType::document;
    const auto summary = told ? plan->asDocument().find("summary") : std::nullopt;
    if (summary) outcome.append("summary", *summary);
  } else {
    outcome.appendString("failed", meaningOf(answer.error().code()).wire);
  }
  CO_CHECK(co_await notePromotion(by, from, to, outcome.finish()));
  co_return answer;
}

Task<> Environments::notePromotion(By by, const Standing& from, const Standing& to, doc::Document outcome) {
  std::vector<store::Insert> entries =
      auditOf(deps_, by.caller, from.number(), "environment.promoted", "projects/" + to.id().str(), outcome);
  auto arrived =
      auditOf(deps_, by.caller, to.number(), "environment.promoted", "projects/" + to.id().str(), std::move(outcome));
  std::move(arrived.begin(), arrived.end(), std::back_inserter(entries));
  if (entries.empty()) co_return Result<>();
  std::vector<store::WriteTarget> targets;
  for (const auto& entry : entries) {
    targets.push_back({entry.collection, std::string(entry.document.view().stringOr("id"))});
  }
  store::Judge judge = [&entries](Before) -> Result<Changes> {
    Changes changes;
    for (auto& entry : entries) changes.push_back(store::Change::put(std::move(entry.document)));
    return changes;
  };
  store::WriteOptions options{by.deadline, {"platform", by.caller.id}, store::Lane::normal, {}};
  CO_CHECK(co_await deps_.store.write(std::move(targets), std::move(judge), std::move(options)));
  co_return Result<>();
}

}  // namespace mb::projects

#include "connections/connections.h"

#include <algorithm>

#include "projects/standing.h"

namespace mb::connections {

namespace {

using projects::Before;
using projects::By;
using projects::controlCollection;
using projects::equals;
using projects::queryOf;
using projects::target;
using store::fromStore;
using Changes = std::vector<store::Change>;

// Numbers 80 to 84 of the system collections belong to this room; used in the control project only.
constexpr store::CollectionNo kConnections = 80;
constexpr store::CollectionNo kScopes = 81;

Error noConnection() {
  return Error(ErrorCode::notFound, "no such connection");
}

Error takenName() {
  return Error(ErrorCode::conflict, "there is a connection of this name already");
}

bool isProject(std::string_view scope) {
  return scope.starts_with(ProjectTag::prefix);
}

std::string sealContext(std::string_view id) {
  return "connection:" + std::string(id);
}

ConnectionView viewOf(const ConnectionRecord& record) {
  ScopeView scope;
  (isProject(record.scope) ? scope.projectId : scope.orgId) = record.scope;
  scope.type = scope.projectId ? "project" : "org";
  const auto held = [&](const std::string& name) {
    return std::ranges::find(record.secretNames, name) != record.secretNames.end();
  };
  doc::BsonWriter secrets;
  const Kind* kind = findKind(record.kind);
  for (const std::string& name : kind == nullptr ? record.secretNames : kind->secrets) {
    secrets.beginDocument(name);
    secrets.appendBool("configured", held(name));
    secrets.end();
  }
  return {record.id,     record.kind,      std::move(scope), record.name,
          record.config, secrets.finish(), record.createdAt, record.updatedAt};
}

// What a change did, for the audit record; of secrets the names.
doc::Document detailsOf(std::string_view kind, const Checked& input) {
  doc::BsonWriter out;
  out.appendString("kind", kind);
  if (input.name) out.appendString("name", *input.name);
  if (input.config) out.appendDocument("config", *input.config);
  std::vector<std::string> given;
  for (const auto& [name, text] : input.secrets) given.push_back(name);
  doc::encodeValue(out, "secretsGiven", given);
  return out.finish();
}

}  // namespace

ConnectionSettings::ConnectionSettings(Settings& settings)
    : on(settings.flag("SERVICE_CONNECTIONS", true, "connections registry")) {}

std::vector<store::SystemCollection> systemCollections() {
  store::IndexSpec name;
  name.name = "scope_name";
  name.keys = {{"scope", 1}, {"nameKey", 1}};
  name.unique = true;
  return {{kConnections, "__connections", {std::move(name)}}, {kScopes, "__connection_scopes", {}}};
}

std::vector<store::SealedField> sealedFields() {
  return {{kConnections, "secrets", store::SealedField::Form::base64,
           [](std::string_view, doc::DocumentView connection) { return sealContext(connection.stringOr("id")); }}};
}

std::vector<projects::GoesAlong> purgedAlong() {
  return {{kConnections, "scope"}, {kScopes, "id"}};
}

// ---- who may

// A scope that the caller may change, and what a commit looks at to judge that again.
struct Connections::Place {
  std::string scope;
  store::ProjectNo auditedIn = store::kControlProject;
  std::string membershipId = {};  // of a project's member; an organization's owner never changes

  void addTargets(std::vector<store::WriteTarget>& targets) const {
    if (membershipId.empty()) return;
    targets.push_back(target(projects::kProjects, scope));
    targets.push_back(target(projects::kMemberships, membershipId));
  }
  // In the judge, given what stands at the targets that were added last.
  Result<> judge(Before before) const {
    if (membershipId.empty()) return {};
    TRY(const auto project, fromStore<projects::ProjectRecord>(before[before.size() - 2]));
    TRY(const auto actor, fromStore<projects::MembershipRecord>(before.back()));
    if (!projects::mayManage({project, actor})) return fail(noConnection());
    return {};
  }
  void keep(Changes& changes) const {
    if (membershipId.empty()) return;
    changes.push_back(store::Change::keep());
    changes.push_back(store::Change::keep());
  }
};

Task<std::string> Connections::ownOrganization(By by) {
  CO_TRY(const store::QueryResult owned,
         co_await deps_.store.find(queryOf(projects::kOrganizations, equals("ownerId", by.caller.id), 0, 1)));
  if (owned.documents.empty()) {
    co_return fail(Error(ErrorCode::internal, "this account has no organization").withCause(by.caller.id));
  }
  co_return std::string(owned.documents.front().view().stringOr("id"));
}

Task<Connections::Place> Connections::placeFor(By by, std::string scope) {
  if (!isProject(scope)) {
    CO_TRY(std::string own, co_await ownOrganization(by));
    if (own != scope) co_return fail(noConnection());
    co_return Place{std::move(scope)};
  }
  CO_TRY(const projects::Standing standing, co_await projects::standingOf(deps_, by, std::move(scope)));
  if (!projects::manages(standing.role)) co_return fail(ErrorCode::notFound, "no such project");
  co_return Place{standing.id().str(), standing.number(), standing.membershipId};
}

// ---- seeing

Task<std::vector<ConnectionRecord>> Connections::recordsOf(std::string scope) {
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(queryOf(kConnections, equals("scope", scope), 0, kMostConnections)));
  co_return fromStore<ConnectionRecord>(found.documents);
}

Task<std::vector<ConnectionView>> Connections::listOwn(By by) {
  CO_TRY(std::string own, co_await ownOrganization(by));
  CO_TRY(const auto records, co_await recordsOf(std::move(own)));
  std::vector<ConnectionView> views;
  for (const auto& record : records) views.push_back(viewOf(record));
  co_return views;
}

Task<std::vector<ConnectionView>> Connections::listOf(By by, std::string project) {
  CO_TRY(const projects::Standing standing, co_await projects::standingOf(deps_, by, std::move(project)));
  const OrgId& organization = standing.project->get(deps_.record).organizationId;
  CO_TRY(const auto own, co_await recordsOf(standing.id().str()));
  CO_TRY(const auto shared, co_await recordsOf(organization.str()));
  std::vector<ConnectionView> views;
  for (const auto& record : own) views.push_back(viewOf(record));
  for (const auto& record : shared) views.push_back(viewOf(record));
  co_return views;
}

Task<ConnectionRecord> Connections::find(std::string id) {
  if (!id.starts_with(ConnectionTag::prefix)) co_return fail(noConnection());
  CO_TRY(const auto stored, co_await deps_.store.get(controlCollection(kConnections), std::move(id)));
  CO_TRY(auto record, fromStore<ConnectionRecord>(stored));
  if (!record) co_return fail(noConnection());
  co_return *std::move(record);
}

// ---- changing

// Those that are given take the place of those held; the others stay.
Result<> Connections::setSecrets(ConnectionRecord& record, Secrets given) const {
  if (given.empty()) return {};
  const auto isGiven = [&](const std::string& name) { return given.contains(name); };
  // What can no longer be opened can be entered anew.
  if (!std::ranges::all_of(record.secretNames, isGiven)) {
    TRY(const std::string sealed, fromBase64(record.secrets));
    TRY(const Secret plain, master_.unseal(sealed, sealContext(record.id.str())));
    TRY(const doc::Document held, doc::Document::fromUntrusted(std::string(plain.reveal())));
    for (const doc::Element& secret : held.view()) given.emplace(secret.key, secret.value.asString());
  }
  record.secretNames.clear();
  doc::BsonWriter out;
  for (const auto& [name, text] : given) {
    record.secretNames.push_back(name);
    out.appendString(name, text);
  }
  record.secrets = toBase64(master_.seal(out.finish().bytes(), sealContext(record.id.str())));
  return {};
}

Task<ConnectionView> Connections::createOwn(By by, NewConnection input) {
  CO_TRY(std::string own, co_await ownOrganization(by));
  co_return co_await create(by, Place{std::move(own)}, std::move(input));
}

Task<ConnectionView> Connections::createOf(By by, std::string project, NewConnection input) {
  if (!isProject(project)) co_return fail(ErrorCode::notFound, "no such project");
  CO_TRY(Place place, co_await placeFor(by, std::move(project)));
  co_return co_await create(by, std::move(place), std::move(input));
}

Task<ConnectionView> Connections::create(By by, Place place, NewConnection input) {
  CO_TRY(Checked checked, check(input));
  const Timestamp now = deps_.clock.now();
  ConnectionRecord record{deps_.ids.next<ConnectionTag>(),
                          std::move(input.kind),
                          place.scope,
                          *checked.name,
                          nameKey(*checked.name),
                          checked.config.value_or(doc::Document()),
                          {},
                          {},
                          now,
                          now};
  auto audit = projects::auditOf(deps_, by.caller, place.auditedIn, "connection.created",
                                 "connections/" + record.id.str(), detailsOf(record.kind, checked));
  CO_CHECK(setSecrets(record, std::move(checked.secrets)));
  std::vector<store::WriteTarget> targets{target(kConnections, record.id.str()), target(kScopes, place.scope)};
  place.addTargets(targets);
  store::Judge judge = [&](Before before) -> Result<Changes> {
    CHECK(place.judge(before));
    TRY(auto scope, fromStore<ScopeRecord>(before[1]));
    if (!scope) scope = ScopeRecord{place.scope, 0};
    if (++scope->connections > kMostConnections) {
      return fail(ErrorCode::conflict, fmt::format("there are at most {} connections here", kMostConnections));
    }
    Changes changes;
    changes.push_back(store::Change::put(doc::encode(record)));
    changes.push_back(store::Change::put(doc::encode(*scope)));
    place.keep(changes);
    return changes;
  };
  CO_TRY(const store::JudgeOutcome outcome,
         co_await projects::commit(deps_, by, {}, std::move(targets), std::move(judge), std::move(audit)));
  if (!outcome.committed()) co_return fail(takenName());
  co_return viewOf(record);
}

Task<> Connections::change(By by, std::string id, ConnectionPatch patch) {
  CO_TRY(const ConnectionRecord known, co_await find(std::move(id)));
  auto place = co_await placeFor(by, known.scope);
  if (!place) co_return fail(place.error().code() == ErrorCode::notFound ? noConnection() : place.error().clone());
  const Kind* kind = findKind(known.kind);
  if (kind == nullptr) co_return fail(Error(ErrorCode::internal, "this kind is not known").withCause(known.kind));
  CO_TRY(Checked checked, check(*kind, patch));
  auto audit = projects::auditOf(deps_, by.caller, place->auditedIn, "connection.changed",
                                 "connections/" + known.id.str(), detailsOf(known.kind, checked));
  std::vector<store::WriteTarget> targets{target(kConnections, known.id.str())};
  place->addTargets(targets);
  store::Judge judge = [&](Before before) -> Result<Changes> {
    CHECK(place->judge(before));
    TRY(auto record, fromStore<ConnectionRecord>(before[0]));
    if (!record) return fail(noConnection());
    if (checked.name) {
      record->name = *checked.name;
      record->nameKey = nameKey(*checked.name);
    }
    if (checked.config) record->config = *checked.config;
    CHECK(setSecrets(*record, std::move(checked.secrets)));
    record->updatedAt = deps_.clock.now();
    Changes changes;
    changes.push_back(store::Change::put(doc::encode(*record)));
    place->keep(changes);
    return changes;
  };
  CO_TRY(const store::JudgeOutcome outcome,
         co_await projects::commit(deps_, by, {}, std::move(targets), std::move(judge), std::move(audit)));
  if (!outcome.committed()) co_return fail(takenName());
  co_return Result<>();
}

Task<> Connections::remove(By by, std::string id) {
  CO_TRY(const ConnectionRecord known, co_await find(std::move(id)));
  auto place = co_await placeFor(by, known.scope);
  if (!place) co_return fail(place.error().code() == ErrorCode::notFound ? noConnection() : place.error().clone());
  Checked told;
  told.name = known.name;
  auto audit = projects::auditOf(deps_, by.caller, place->auditedIn, "connection.removed",
                                 "connections/" + known.id.str(), detailsOf(known.kind, told));
  std::vector<store::WriteTarget> targets{target(kConnections, known.id.str()), target(kScopes, place->scope)};
  place->addTargets(targets);
  store::Judge judge = [&](Before before) -> Result<Changes> {
    CHECK(place->judge(before));
    TRY(auto scope, fromStore<ScopeRecord>(before[1]));
    if (!before[0] || !scope) return fail(noConnection());
    --scope->connections;
    Changes changes;
    changes.push_back(store::Change::remove());
    changes.push_back(store::Change::put(doc::encode(*scope)));
    place->keep(changes);
    return changes;
  };
  CO_CHECK(co_await projects::commit(deps_, by, {}, std::move(targets), std::move(judge), std::move(audit)));
  co_return Result<>();
}

}  // namespace mb::connections

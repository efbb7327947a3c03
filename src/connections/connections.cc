#include "connections/connections.h"

#include <algorithm>

#include "projects/membership_context.h"
#include "projects/payer.h"

namespace mb::connections {

namespace {

using projects::By;
using projects::controlCollection;
using projects::queryOf;
using projects::target;
using store::fromStore;

// Numbers 80 to 84 of the system collections belong to this module, in the control project only.
constexpr store::CollectionNo kConnections = 80;
constexpr store::CollectionNo kScopes = 81;

Error noConnection() {
  return Error(ErrorCode::notFound, "no such connection");
}

Error takenName() {
  return Error(ErrorCode::conflict, "a connection of this name exists: use another name");
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

// The details of a change for the audit record; of secrets only the names.
doc::Document detailsOf(std::string_view kind, const CheckedInput& input) {
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
  return {{.number = kConnections, .name = "__connections", .indexes = {std::move(name)}, .projectField = "scope"},
          {.number = kScopes, .name = "__connection_scopes", .indexes = {}, .projectField = "id"}};
}

std::vector<store::SealedField> sealedFields() {
  return {{kConnections, "secrets", store::SealedField::Form::base64,
           [](std::string_view, doc::DocumentView connection) { return sealContext(connection.stringOr("id")); }}};
}

// ---- access

// A scope that the caller may change.
struct Connections::Scope {
  std::string scope;
  store::ProjectNo auditedIn = store::kControlProject;
  std::string membershipId = {};  // of a project's member; the owner of an organization never changes
};

namespace {

// The documents that a write reads to check the caller's authority over a scope again; none for an organization.
class Authority {
 public:
  Authority(store::Write& write, const std::string& scope, const std::string& membershipId) {
    if (membershipId.empty()) return;
    project_ = write.hold(target(projects::kProjects, scope));
    membership_ = write.hold(target(projects::kMemberships, membershipId));
  }
  // In the write callback.
  Result<> check(const store::PreImages& before) const {
    if (!project_) return {};
    TRY(const auto project, fromStore<projects::ProjectRecord>(before[*project_]));
    TRY(const auto actor, fromStore<projects::MembershipRecord>(before[*membership_]));
    if (!projects::mayManage({project, actor})) return fail(noConnection());
    return {};
  }

 private:
  std::optional<store::Target> project_;
  std::optional<store::Target> membership_;
};

// The index on names is the only unique one that these writes can violate.
Error nameTakenOr(const Error& error) {
  return store::indexViolation(error) ? takenName() : error.clone();
}

}  // namespace

Task<std::string> Connections::ownOrganization(By by) {
  CO_TRY(
      const store::QueryResult owned,
      co_await deps_.store.find(queryOf(projects::kOrganizations, doc::Filter::equals("ownerId", by.caller.id), 0, 1)));
  if (owned.documents.empty()) {
    co_return fail(Error(ErrorCode::internal, "account has no organization").withCause(by.caller.id));
  }
  co_return std::string(owned.documents.front().view().stringOr("id"));
}

Task<Connections::Scope> Connections::editableScope(By by, std::string scope) {
  if (!isProject(scope)) {
    CO_TRY(std::string own, co_await ownOrganization(by));
    if (own != scope) co_return fail(noConnection());
    co_return Scope{std::move(scope)};
  }
  CO_TRY(const projects::MembershipContext context, co_await projects::membershipContext(deps_, by, std::move(scope)));
  if (!projects::manages(context.role)) co_return fail(ErrorCode::notFound, "no such project");
  co_return Scope{context.id().str(), context.number(), context.membershipId};
}

// ---- listing

Task<std::vector<ConnectionRecord>> Connections::recordsOf(std::string scope) {
  CO_TRY(const store::QueryResult found,
         co_await deps_.store.find(queryOf(kConnections, doc::Filter::equals("scope", scope), 0, kMaxConnections)));
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
  CO_TRY(const projects::MembershipContext context,
         co_await projects::membershipContext(deps_, by, std::move(project)));
  CO_TRY(const auto own, co_await recordsOf(context.id().str()));
  CO_TRY(const std::optional<OrgId> organization, co_await projects::payingOrganization(deps_, context.project));
  std::vector<ConnectionView> views;
  for (const auto& record : own) views.push_back(viewOf(record));
  if (!organization) co_return views;
  CO_TRY(const auto shared, co_await recordsOf(organization->str()));
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

namespace {

// Given secrets replace the stored ones; the others stay.
Result<> setSecrets(ConnectionRecord& record, Secrets given, const MasterSecret& master) {
  if (given.empty()) return {};
  const auto isGiven = [&](const std::string& name) { return given.contains(name); };
  // Secrets that can no longer be opened can be set again.
  if (!std::ranges::all_of(record.secretNames, isGiven)) {
    TRY(const std::string sealed, fromBase64(record.secrets));
    TRY(const Secret plain, master.unseal(sealed, sealContext(record.id.str())));
    TRY(const doc::Document held, doc::Document::fromUntrusted(std::string(plain.reveal())));
    for (const doc::Element& secret : held.view()) given.emplace(secret.key, secret.value.asString());
  }
  record.secretNames.clear();
  doc::BsonWriter out;
  for (const auto& [name, text] : given) {
    record.secretNames.push_back(name);
    out.appendString(name, text);
  }
  record.secrets = toBase64(master.seal(out.finish().bytes(), sealContext(record.id.str())));
  return {};
}

}  // namespace

Task<ConnectionView> Connections::createOwn(By by, NewConnection input) {
  CO_TRY(std::string own, co_await ownOrganization(by));
  co_return co_await create(by, Scope{std::move(own)}, std::move(input));
}

Task<ConnectionView> Connections::createOf(By by, std::string project, NewConnection input) {
  if (!isProject(project)) co_return fail(ErrorCode::notFound, "no such project");
  CO_TRY(Scope editable, co_await editableScope(by, std::move(project)));
  co_return co_await create(by, std::move(editable), std::move(input));
}

Task<ConnectionView> Connections::create(By by, Scope editable, NewConnection input) {
  CO_TRY(CheckedInput checked, check(input));
  const Timestamp now = deps_.clock.now();
  ConnectionRecord record{deps_.ids.next<ConnectionTag>(),
                          std::move(input.kind),
                          editable.scope,
                          *checked.name,
                          nameKey(*checked.name),
                          checked.config.value_or(doc::Document()),
                          {},
                          {},
                          now,
                          now};
  auto audit = projects::auditOf(deps_, by.caller, editable.auditedIn, "connection.created",
                                 "connections/" + record.id.str(), detailsOf(record.kind, checked));
  CO_RETURN_IF_ERROR(setSecrets(record, std::move(checked.secrets), master_));
  store::Write write = projects::projectWrite(by, {}, std::move(audit));
  const store::Target created = write.create(controlCollection(kConnections), record.id.str());
  const store::Target counted = write.change(target(kScopes, editable.scope));
  const Authority authority(write, editable.scope, editable.membershipId);
  const auto callback = [created, counted, authority, &editable = std::as_const(editable),
                         &record = std::as_const(record)](const store::PreImages& before,
                                                          store::Changes& changes) -> Result<> {
    RETURN_IF_ERROR(authority.check(before));
    TRY(auto scope, fromStore<ScopeRecord>(before[counted]));
    if (!scope) scope = ScopeRecord{editable.scope, 0};
    if (++scope->connections > kMaxConnections) {
      return fail(ErrorCode::conflict, fmt::format("at most {} connections are allowed: delete one", kMaxConnections));
    }
    changes.put(created, doc::encode(record));
    changes.put(counted, doc::encode(*scope));
    return {};
  };
  const auto written = co_await deps_.store.write(std::move(write), callback);
  if (!written) co_return fail(nameTakenOr(written.error()));
  co_return viewOf(record);
}

Task<> Connections::change(By by, std::string id, ConnectionPatch patch) {
  CO_TRY(const ConnectionRecord known, co_await find(std::move(id)));
  auto editable = co_await editableScope(by, known.scope);
  if (!editable) {
    co_return fail(editable.error().code() == ErrorCode::notFound ? noConnection() : editable.error().clone());
  }
  const Kind* kind = findKind(known.kind);
  if (kind == nullptr) co_return fail(Error(ErrorCode::internal, "unknown kind of connection").withCause(known.kind));
  CO_TRY(CheckedInput checked, check(*kind, patch));
  auto audit = projects::auditOf(deps_, by.caller, editable->auditedIn, "connection.changed",
                                 "connections/" + known.id.str(), detailsOf(known.kind, checked));
  store::Write write = projects::projectWrite(by, {}, std::move(audit));
  const store::Target changed = write.change(target(kConnections, known.id.str()));
  const Authority authority(write, editable->scope, editable->membershipId);
  const auto callback = [changed, authority, &checked = std::as_const(checked), &master = std::as_const(master_),
                         &clock = std::as_const(deps_.clock)](const store::PreImages& before,
                                                              store::Changes& changes) -> Result<> {
    RETURN_IF_ERROR(authority.check(before));
    TRY(auto record, fromStore<ConnectionRecord>(before[changed]));
    if (!record) return fail(noConnection());
    if (checked.name) {
      record->name = *checked.name;
      record->nameKey = nameKey(*checked.name);
    }
    if (checked.config) record->config = *checked.config;
    RETURN_IF_ERROR(setSecrets(*record, checked.secrets, master));
    record->updatedAt = clock.now();
    changes.put(changed, doc::encode(*record));
    return {};
  };
  const auto written = co_await deps_.store.write(std::move(write), callback);
  if (!written) co_return fail(nameTakenOr(written.error()));
  co_return Result<>();
}

Task<> Connections::remove(By by, std::string id) {
  CO_TRY(const ConnectionRecord known, co_await find(std::move(id)));
  auto editable = co_await editableScope(by, known.scope);
  if (!editable) {
    co_return fail(editable.error().code() == ErrorCode::notFound ? noConnection() : editable.error().clone());
  }
  CheckedInput input;
  input.name = known.name;
  auto audit = projects::auditOf(deps_, by.caller, editable->auditedIn, "connection.removed",
                                 "connections/" + known.id.str(), detailsOf(known.kind, input));
  store::Write write = projects::projectWrite(by, {}, std::move(audit));
  const store::Target removed = write.change(target(kConnections, known.id.str()));
  const store::Target counted = write.change(target(kScopes, editable->scope));
  const Authority authority(write, editable->scope, editable->membershipId);
  const auto callback = [removed, counted, authority](const store::PreImages& before,
                                                      store::Changes& changes) -> Result<> {
    RETURN_IF_ERROR(authority.check(before));
    TRY(auto scope, fromStore<ScopeRecord>(before[counted]));
    if (!before[removed] || !scope) return fail(noConnection());
    --scope->connections;
    changes.remove(removed);
    changes.put(counted, doc::encode(*scope));
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), callback));
  co_return Result<>();
}

}  // namespace mb::connections

#include "projects/own_databases.h"

#include <algorithm>

#include "base/async_condition.h"
#include "base/log.h"
#include "document/fields.h"
#include "projects/membership_context.h"
#include "projects/missed_changes.h"
#include "store/own/pending_writes.h"

namespace mb::projects {

namespace {

namespace own = store::own;

constexpr auto kReachTime = std::chrono::seconds(10);
// The least time until "could not be reached", so that it does not show why.
constexpr auto kNotReachedTime = std::chrono::seconds(1);
constexpr int kProbeThreads = 4;
constexpr FairPoolLimits kProbeLimits{.waitingOfProject = 8, .waiting = 64, .runningOfProject = 2};
constexpr size_t kCoverKeyBytes = 32;
constexpr size_t kMaxNamed = 10;  // warnings of one kind, each of which names a collection

struct SealedHost {
  std::string name;
  int64_t port = 0;
  static constexpr auto shape() {
    return doc::shape<SealedHost>("SealedHost", doc::field("name", &SealedHost::name),
                                  doc::field("port", &SealedHost::port));
  }
};

// What is sealed in OwnDatabaseRecord::sealed.
struct SealedDatabase {
  std::string url;  // as given
  std::string uri;  // own::Address
  std::string database;
  std::vector<SealedHost> hosts;
  bool hasTls = false;
  std::string coverKey;  // base64
  static constexpr auto shape() {
    return doc::shape<SealedDatabase>(
        "SealedDatabase", doc::field("url", &SealedDatabase::url), doc::field("uri", &SealedDatabase::uri),
        doc::field("database", &SealedDatabase::database), doc::field("hosts", &SealedDatabase::hosts),
        doc::field("hasTls", &SealedDatabase::hasTls), doc::field("coverKey", &SealedDatabase::coverKey));
  }
};

std::string sealContext(std::string_view id) {
  return "own-database:" + std::string(id);
}

SealedDatabase sealedOf(const std::string& url, const own::Address& address, std::string coverKey) {
  SealedDatabase sealed{url, address.uri, address.database, {}, address.hasTls, std::move(coverKey)};
  for (const own::Host& host : address.hosts) sealed.hosts.push_back({host.name, host.port});
  return sealed;
}

std::string seal(const MasterSecret& master, const ProjectId& id, const SealedDatabase& database) {
  return toBase64(master.seal(doc::encode(database).bytes(), sealContext(id.str())));
}

Result<SealedDatabase> unseal(const MasterSecret& master, const OwnDatabaseRecord& record) {
  TRY(const std::string sealed, fromBase64(record.sealed));
  TRY(const Secret plain, master.unseal(sealed, sealContext(record.id.str())));
  TRY(const doc::Document document, doc::Document::fromUntrusted(std::string(plain.reveal())));
  return store::fromStore<SealedDatabase>(document.view());
}

Result<own::DatabaseConfig> configOf(const SealedDatabase& database, const ByoCapabilities& found) {
  own::DatabaseConfig config;
  config.address = {database.uri, database.database, {}, database.hasTls};
  for (const SealedHost& host : database.hosts)
    config.address.hosts.push_back({host.name, static_cast<int>(host.port)});
  config.capabilities = {found.changeStreams, found.preImages, found.transactions};
  TRY(config.coverKey, fromBase64(database.coverKey));
  return config;
}

// Warns of each collection of the project that is among `there`.
void warnOf(OwnDatabaseRecord& record, std::string_view code, const std::vector<std::string>& there,
            const OwnDatabases::CollectionNames& names) {
  size_t count = 0;
  for (const std::string& each : there) {
    const auto name = names.find(each);
    if (name == names.end() || count++ == kMaxNamed) continue;
    own::Warning warning = own::warningOf(code);
    record.warnings.push_back({std::move(warning.code), fmt::format("\"{}\" {}", name->second, warning.message)});
  }
}

using Absent = std::set<std::string, std::less<>>;

// The collections of the project that the database does not have, by their names there.
Absent absentOf(const own::Probe& probe, const OwnDatabases::CollectionNames& names) {
  Absent absent;
  // The list may end before them.
  if (probe.collections.size() >= own::kMaxListed) return absent;
  for (const auto& [there, _] : names) {
    if (std::ranges::find(probe.collections, there) == probe.collections.end()) absent.insert(there);
  }
  return absent;
}

void putFindings(OwnDatabaseRecord& record, const ReachedDatabase& reached,
                 const OwnDatabases::CollectionNames& names) {
  const own::Capabilities& found = reached.probe.capabilities;
  record.capabilities = {found.changeStreams, found.preImages, found.transactions};
  record.warnings.clear();
  for (const own::Warning& warning : reached.probe.warnings) record.warnings.push_back({warning.code, warning.message});
  const Absent absent = absentOf(reached.probe, names);
  warnOf(record, "collection-missing", {absent.begin(), absent.end()}, names);
  warnOf(record, "default-collation", reached.probe.collated, names);
  warnOf(record, "index-on-id-missing", reached.probe.withoutIdIndex, names);
  if (reached.address.hasTls) return;
  own::Warning plain = own::warningOf("plain-connection");
  record.warnings.push_back({std::move(plain.code), std::move(plain.message)});
}

// Parses and probes; blocks.
Result<ReachedDatabase> reachNow(const std::string& url, const own::HostGuard& guard,
                                 const std::vector<std::string>& used) {
  ReachedDatabase reached;
  TRY(reached.address, own::parseAddress(url, guard));
  store::mongo::Connection connection(reached.address.uri, own::checkOf(reached.address, guard));
  TRY(reached.probe, own::probe(connection, reached.address.database, used));
  return reached;
}

// A call on a thread, which its caller may leave.
struct Attempt {
  AsyncCondition ended;
  std::atomic<bool> isDone = false;
  std::optional<Result<ReachedDatabase>> result;  // written before isDone
};

std::vector<std::string> namesThere(const OwnDatabases::CollectionNames& names) {
  std::vector<std::string> there;
  for (const auto& [name, _] : names) there.push_back(name);
  return there;
}

Error noDatabase() {
  return Error(ErrorCode::notFound, "this project has no database of its own");
}

}  // namespace

OwnDatabaseSettings::OwnDatabaseSettings(Settings& settings)
    : on(settings.flag("SERVICE_BYO", true, "projects on a MongoDB database of their owner")) {}

std::vector<store::SealedField> sealedFields() {
  return {{kOwnDatabases, "sealed", store::SealedField::Form::base64,
           [](std::string_view, doc::DocumentView database) { return sealContext(database.stringOr("id")); }}};
}

Error databaseUsed() {
  return Error(ErrorCode::conflict, "this database is used already");
}

std::string unusedIdentity(const ProjectId& id) {
  return "deleted " + id.str();
}

bool isFreed(const OwnDatabaseRecord& record) {
  return record.identity == unusedIdentity(record.id);
}

store::Notice databaseNotice(store::ProjectNo project, const ProjectId& id) {
  return {project, store::NoticeKind::ownDatabase, id.str()};
}

Task<> describeOwnDatabases(store::DocumentStore& store, std::vector<ProjectView>& views) {
  std::vector<std::string> ids;
  for (const ProjectView& view : views) ids.push_back(view.id.str());
  for (const ProjectView& view : views) ids.push_back(view.parentId.value ? view.parentId.value->str() : view.id.str());
  CO_TRY(const auto stored, co_await store.getMany(controlCollection(kOwnDatabases), std::move(ids)));
  for (size_t i = 0; i < views.size(); ++i) {
    CO_TRY(const auto record, fromStore<OwnDatabaseRecord>(stored[i]));
    if (!record && stored[views.size() + i]) {
      views[i].warnings.emplace().push_back(
          {"database-not-inherited", "the environment keeps its documents on the deployment's store"});
    }
    if (!record) continue;
    views[i].byo = true;
    views[i].byoCapabilities = record->capabilities;
    if (!record->warnings.empty()) views[i].warnings = record->warnings;
    CO_TRY(auto missed, co_await missedChanges(store, static_cast<store::ProjectNo>(record->number)));
    if (missed.empty()) continue;
    if (!views[i].warnings) views[i].warnings.emplace();
    std::ranges::move(missed, std::back_inserter(*views[i].warnings));
  }
  co_return Result<>();
}

OwnDatabases::OwnDatabases(const ProjectDeps& deps, OwnDatabaseSettings settings, const MasterSecret& master,
                           own::Databases& databases, const own::HostGuard& guard, std::string mainStore)
    : deps_(deps),
      settings_(settings),
      master_(master),
      databases_(databases),
      guard_(guard),
      mainStore_(std::move(mainStore)),
      threads_("probe", kProbeThreads, kProbeLimits) {
  databases_.setChanged([this](store::ProjectNo number) { (void)spawn(probeChanged(number)); });
}

// ---- reaching

Result<> OwnDatabases::mayBring() const {
  if (settings_.on) return {};
  return fail(ErrorCode::forbidden, "bring-your-own databases are not enabled on this deployment");
}

std::string OwnDatabases::hashOf(const std::string& identity) const {
  return toHex(hmacSha256(master_.subkey("own-db").reveal(), identity));
}

Task<ReachedDatabase> OwnDatabases::reach(std::string key, std::string url, std::vector<std::string> used) {
  const auto start = std::chrono::steady_clock::now();
  const auto attempt = std::make_shared<Attempt>();
  const bool taken =
      threads_.submit(key, [attempt, start, url = std::move(url), used = std::move(used), &guard = guard_] {
        // A caller that has waited too long is not there any more.
        const bool isLate = std::chrono::steady_clock::now() - start >= kReachTime;
        attempt->result = isLate ? fail(own::addressError(own::kNotReached)) : reachNow(url, guard, used);
        attempt->isDone = true;
        attempt->ended.notifyAll();
      });
  if (!taken) co_return fail(ErrorCode::unavailable, "the server is busy, try again");
  const bool ended = co_await attempt->ended.waitUntil(start + kReachTime, [&] { return attempt->isDone.load(); });
  Result<ReachedDatabase> reached = ended ? *std::move(attempt->result) : fail(own::addressError(own::kNotReached));
  if (!reached) {
    if (reached.error().message() != own::kNotReached) co_return reached;
    AsyncCondition never;
    (void)co_await never.waitUntil(start + kNotReachedTime, [] { return false; });
    co_return fail(own::addressError(own::kNotReached));
  }
  const std::string& identity = reached->probe.identity;
  if (!mainStore_.empty() && (identity == mainStore_ || identity.starts_with(mainStore_ + "_p"))) {
    co_return fail(databaseUsed());
  }
  co_return reached;
}

OwnDatabaseRecord OwnDatabases::recordOf(ProjectId id, store::ProjectNo number, const std::string& url,
                                         const ReachedDatabase& reached) const {
  OwnDatabaseRecord record;
  std::string key(kCoverKeyBytes, '\0');
  fillRandom(std::span(reinterpret_cast<uint8_t*>(key.data()), key.size()));
  record.sealed = seal(master_, id, sealedOf(url, reached.address, toBase64(key)));
  record.id = std::move(id);
  record.number = number;
  record.identity = hashOf(reached.probe.identity);
  putFindings(record, reached, {});
  record.checkedAt = deps_.clock.now();
  return record;
}

// ---- opening and closing

void OwnDatabases::opened(const OwnDatabaseRecord& record) {
  const auto number = static_cast<store::ProjectNo>(record.number);
  const auto database = unseal(master_, record);
  auto config = database ? configOf(*database, record.capabilities) : fail(database.error().clone());
  if (config) return databases_.set(number, *std::move(config));
  logError("a project's own database cannot be opened; its documents are unavailable",
           {{"project", record.id.str()}, {"cause", config.error().cause()}});
  databases_.close(number);
}

void OwnDatabases::closed(store::ProjectNo number) {
  if (databases_.find(number)) databases_.close(number);
}

Task<std::optional<OwnDatabaseRecord>> OwnDatabases::recordFor(std::string id) {
  CO_TRY(const auto stored, co_await deps_.store.get(controlCollection(kOwnDatabases), std::move(id)));
  co_return fromStore<OwnDatabaseRecord>(stored);
}

Task<> OwnDatabases::resumed(std::string id) {
  CO_TRY(const auto record, co_await recordFor(std::move(id)));
  if (record) openOrProbe(*record);
  co_return Result<>();
}

// ---- changing

Task<> OwnDatabases::change(By by, std::string id, doc::Patch<std::string> url, Missing missing) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(id)));
  if (context.role != kOwner) co_return fail(ErrorCode::forbidden, "this needs the role Owner");
  CO_RETURN_IF_ERROR(mayBring());
  CO_TRY(const auto stored, co_await recordFor(context.id().str()));
  if (!stored) co_return fail(ErrorCode::conflict, "a project's kind cannot change");
  if (url.value.empty()) co_return fail(own::addressError(own::kNotAnAddress));
  const CollectionNames names = collectionNames_(context.project);
  CO_TRY(const ReachedDatabase reached, co_await reach(by.caller.id, url.value, namesThere(names)));
  Absent absent = absentOf(reached.probe, names);
  if (!absent.empty() && missing == Missing::refused) {
    std::set<std::string> here;
    for (const std::string& there : absent) here.insert(names.find(there)->second);
    co_return fail(ErrorCode::conflict, fmt::format("these collections are missing there: {}", fmt::join(here, ", ")));
  }
  OwnDatabaseRecord record = recordOf(context.id(), context.number(), url.value, reached);
  // Ids that clients hold stay valid. One restored from a deployment of another secret gets a new key for them.
  if (const auto before = unseal(master_, *stored)) {
    record.sealed = seal(master_, record.id, sealedOf(url.value, reached.address, before->coverKey));
  }
  putFindings(record, reached, names);
  doc::BsonWriter details;
  details.appendBool("byo", true);
  store::Write write = projectWrite(by, {context.number()},
                                    auditOf(deps_, by.caller, context.number(), "project.database_changed",
                                            "projects/" + context.id().str(), details.finish()));
  write.options.notices.push_back(databaseNotice(context.number(), context.id()));
  const store::Target project = write.hold(target(kProjects, context.id().str()));
  const store::Target membership = write.hold(target(kMemberships, context.membershipId));
  const store::Target database = write.change(target(kOwnDatabases, context.id().str()));
  // Its changes are followed from now on, and subscribers get a gap.
  const store::Target stream = write.change(own::streamOf(context.number()), std::string(own::kStreamId));
  const auto callback = [project, membership, database, stream, &record = std::as_const(record)](
                            const store::PreImages& images, store::Changes& changes) -> Result<bool> {
    TRY(const auto holder, fromStore<ProjectRecord>(images[project]));
    TRY(const auto actor, fromStore<MembershipRecord>(images[membership]));
    RETURN_IF_ERROR(mustOwn({holder, actor}));
    changes.put(database, doc::encode(record));
    TRY(doc::Document restarted, own::restarted(images[stream]));
    changes.put(stream, std::move(restarted));
    return holder->status == "active";
  };
  const auto written = co_await store::writeReturning(deps_.store, std::move(write), callback);
  if (!written && store::indexViolation(written.error())) co_return fail(databaseUsed());
  if (!written) co_return fail(written.error().clone());
  if (*written) opened(record);
  co_return co_await probed_(context.project, std::move(absent));
}

// ---- probing

Task<OwnDatabases::Probed> OwnDatabases::probe(OwnDatabaseRecord record, bool isActive) {
  const Result<SealedDatabase> unsealed = unseal(master_, record);
  const SealedDatabase database = unsealed ? *unsealed : SealedDatabase();
  const std::string probedSealed = record.sealed;
  const bool wasFreed = isFreed(record);
  const ByoCapabilities known = record.capabilities;
  CO_TRY(const snapshot::SnapshotPtr project, co_await deps_.snapshots.find(record.id.str()));
  const CollectionNames names = project ? collectionNames_(project) : CollectionNames();
  Result<ReachedDatabase> reached = fail(own::addressError(own::kNotReached));
  // Where the address is sealed under another secret, an Owner has to name it again.
  if (unsealed) reached = co_await reach(record.id.str(), database.url, namesThere(names));
  Probed probed{std::move(record), reached.has_value()};
  bool isChanged = false;
  if (reached) {
    putFindings(probed.record, *reached, names);
    probed.record.identity = hashOf(reached->probe.identity);
    // Records of a mongodb+srv:// name may have changed.
    isChanged = reached->address.uri != database.uri;
    if (isChanged) {
      probed.record.sealed =
          seal(master_, probed.record.id, sealedOf(database.url, reached->address, database.coverKey));
    }
    const ByoCapabilities& found = probed.record.capabilities;
    isChanged |= found.changeStreams != known.changeStreams || found.preImages != known.preImages ||
                 found.transactions != known.transactions || wasFreed;
  } else if (reached.error().code() == ErrorCode::validation) {
    const bool isReadOnly = reached.error().message() == own::kNoRights;
    own::Warning warning = own::warningOf(isReadOnly ? "read-only" : "not-reachable");
    probed.reachable = isReadOnly;
    std::vector<ProjectWarning>& warnings = probed.record.warnings;
    std::erase_if(warnings,
                  [](const ProjectWarning& each) { return each.code == "read-only" || each.code == "not-reachable"; });
    warnings.push_back({std::move(warning.code), std::move(warning.message)});
  } else {
    co_return fail(reached.error().clone());
  }
  probed.record.checkedAt = deps_.clock.now();
  CO_RETURN_IF_ERROR(co_await store(probed.record, probedSealed, isChanged));
  if (isChanged && isActive) opened(probed.record);
  if (reached && project) CO_RETURN_IF_ERROR(co_await probed_(project, absentOf(reached->probe, names)));
  co_return probed;
}

Task<> OwnDatabases::store(OwnDatabaseRecord record, std::string probedSealed, bool isChanged) {
  store::Write write({.deadline = store::readDeadline(), .actor = {}, .bumpEpochs = {}});
  if (isChanged) {
    write.options.notices.push_back(databaseNotice(static_cast<store::ProjectNo>(record.number), record.id));
  }
  const store::Target project = write.hold(target(kProjects, record.id.str()));
  const store::Target database = write.change(target(kOwnDatabases, record.id.str()));
  const auto callback = [project, database, &record = std::as_const(record),
                         &probedSealed = std::as_const(probedSealed)](const store::PreImages& images,
                                                                      store::Changes& changes) -> Result<> {
    TRY(const auto holder, fromStore<ProjectRecord>(images[project]));
    TRY(const auto stored, fromStore<OwnDatabaseRecord>(images[database]));
    // A deleted project has freed its database.
    if (!holder || holder->status == "deleted" || !stored || stored->sealed != probedSealed) return {};
    changes.put(database, doc::encode(record));
    return {};
  };
  const auto written = co_await deps_.store.write(std::move(write), callback);
  if (written) co_return Result<>();
  // The servers of two databases became one: both keep what they had.
  if (store::indexViolation(written.error())) co_return fail(databaseUsed());
  co_return fail(written.error().clone());
}

Task<DatabaseCheck> OwnDatabases::check(By by, std::string id) {
  CO_TRY(const MembershipContext context, co_await membershipContext(deps_, by, std::move(id)));
  if (!manages(context.role)) co_return fail(ErrorCode::forbidden, "this needs the role Owner or Admin");
  CO_TRY(auto record, co_await recordFor(context.id().str()));
  if (!record) co_return fail(noDatabase());
  const bool isActive = context.project->info().status == snapshot::ProjectStatus::active;
  CO_TRY(Probed probed, co_await probe(*std::move(record), isActive));
  std::vector<ProjectWarning> warnings = std::move(probed.record.warnings);
  CO_TRY(auto missed, co_await missedChanges(deps_.store, context.number()));
  std::ranges::move(missed, std::back_inserter(warnings));
  co_return DatabaseCheck{probed.record.capabilities, std::move(warnings), probed.reachable};
}

}  // namespace mb::projects

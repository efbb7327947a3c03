#include "app/application.h"

#include "api/admin_identity_routes.h"
#include "api/audit_routes.h"
#include "api/auth_routes.h"
#include "api/collection_routes.h"
#include "api/config_routes.h"
#include "api/connection_routes.h"
#include "api/control_routes.h"
#include "api/dashboard_routes.h"
#include "api/dispatch.h"
#include "api/document_routes.h"
#include "api/environment_routes.h"
#include "api/function_routes.h"
#include "api/function_run_routes.h"
#include "api/gatekeeper.h"
#include "api/graphql_routes.h"
#include "api/graphql_search.h"
#include "api/integration_routes.h"
#include "api/introspect_routes.h"
#include "api/job_routes.h"
#include "api/metric_series.h"
#include "api/metrics.h"
#include "api/mfa_routes.h"
#include "api/oauth_routes.h"
#include "api/openapi_routes.h"
#include "api/operator_routes.h"
#include "api/page_routes.h"
#include "api/policy_set_routes.h"
#include "api/policy_test_routes.h"
#include "api/query_routes.h"
#include "api/realtime_routes.h"
#include "api/reference_job_routes.h"
#include "api/route_operations.h"
#include "api/run_routes.h"
#include "api/storage_routes.h"
#include "api/transfer_routes.h"
#include "api/types_routes.h"
#include "api/variable_routes.h"
#include "api/vector_routes.h"
#include "api/webhook_routes.h"
#include "app/billing_parts.h"
#include "app/checkpoint.h"
#include "app/command_socket.h"
#include "app/data_directory.h"
#include "app/own_database_parts.h"
#include "app/secret_rotation.h"
#include "app/settings_parts.h"
#include "app/settings_section.h"
#include "audit/retention.h"
#include "base/blocking.h"
#include "base/log.h"
#include "base/time_zone.h"
#include "configuration/configuration_copier.h"
#include "data/data.h"
#include "functions/function_kind.h"
#include "functions/functions_runtime.h"
#include "functions/run_log.h"
#include "graphql/graphql.h"
#include "integrations/integration_kind.h"
#include "projects/directory.h"
#include "projects/environments.h"
#include "projects/members.h"
#include "projects/operators.h"
#include "projects/projects.h"
#include "projects/purge.h"
#include "projects/transfers.h"
#include "snapshot/snapshot.h"
#include "storage/bucket_kind.h"
#include "storage/s3_store.h"
#include "vectors/vector_kind.h"
#include "webhooks/webhook_kind.h"

namespace mb::app {

namespace {

const SystemClock kClock;
constexpr size_t kSnapshots = 10'000;
constexpr std::chrono::seconds kEndLimit{5};  // of background work, and of running jobs

}  // namespace

// Members in the order of construction: each refers only to those above it, or is connected to others in the
// constructor.
struct Application::Impl {
  Impl(const AllSettings& all, MasterSecret secret, std::unique_ptr<Cores> startedCores, OpenedStore opened,
       std::unique_ptr<storage::BlobStore> blobs, api::Version forVersion);
  Result<> open();
  void stop(std::chrono::milliseconds limit);
  const AllSettings settings;
  const std::string version;
  const MasterSecret master;
  std::unique_ptr<Cores> cores;
  OwnDatabaseConnections ownConnections{settings.outbound.allow};
  std::unique_ptr<store::own::Router> store;
  store::EmbeddedStore* const embedded;  // where the deployment's own documents are; null on MongoDB
  IdGenerator ids{kClock};
  audit::Auditor auditor{settings.audit.on, ids, kClock};
  snapshot::Snapshots snapshots{*store, *cores, kSnapshots};
  billing::Accounts accounts{{*store, kClock, auditor}};
  billing::AccountPlans accountPlans{accounts};
  const std::unique_ptr<snapshot::SlotSource> planSource{planSourceOf(settings.billing, *store, accounts)};
  const plans::PlanSlot planSlot{snapshots.addSlot<plans::PlanInForce>(*planSource)};
  api::RequestCounters requestCounters{cores->count(), kClock};
  const snapshot::SlotKey<api::ProjectCounters> counters{snapshots.addSlot<api::ProjectCounters>(requestCounters)};
  TaskGroup background;
  std::jthread zoneLoader;
  outbound::Client outbound{{settings.outbound.allow, settings.outbound.caFile, ""}};
  const std::unique_ptr<redis::Client> redis{redisOf(settings.redis, *cores)};
  const std::unique_ptr<jobs::Leases> leases{leasesOver(redis.get(), *store, *cores, master)};
  workers::Workers workers{{*cores, kClock, settings.workers, workerProgram()}};
  projects::Directory directory{*store};
  jobs::Queue queue{{*store, *cores, ids, kClock, master, leases.get(),
                     [this](store::ProjectNo project) { return directory.isSuspended(project); }}};
  mail::Mailer mailer;
  projects::MemberSource memberSource{*store};
  projects::RecordSource recordSource;
  variables::Variables variables{{*store, snapshots, kClock, auditor, master}};
  identity::Identity identity;
  identity::Oauth oauth;
  projects::ProjectDeps projectDeps;
  const api::LocalRequests localRequests{isLocalOnly(settings)};
  projects::SetupCode setupCode{settings.app.dataDirectory};
  projects::Registration registration{*store, ids, kClock, auditor, mailer, setupCode, settings.instance};
  OwnDatabaseParts own{settings, projectDeps, master, ownConnections, *store, *cores, leases.get()};
  projects::Projects projects{projectDeps};
  projects::Members members{projectDeps};
  projects::Transfers transfers{projectDeps};
  projects::Instance instance{projectDeps,
                              settings.instance,
                              settings.oauth.controlProviders(),
                              settings.connections.on,
                              settings.storage.kind != storage::StorageSettings::Kind::off,
                              settings.billing.on,
                              settings.ownDatabases.on};
  projects::Operators operators{projectDeps, settings.instance};
  audit::Retention retention{*store, ids, kClock, settings.audit.days};
  projects::Purge purge{projectDeps, retention, systemCollections()};
  connections::Connections connections{projectDeps, master};
  std::unique_ptr<data::Data> data;
  introspection::Introspection introspection{{ownConnections.lookup(), data->collections(), *store, auditor}};
  configuration::Configuration configuration{
      {*store, snapshots, kClock, auditor, identity, *data, variables, version, &introspection}};
  configuration::ConfigurationCopier copier{configuration};
  events::Dispatcher events{
      {*store, *store, queue, snapshots, *cores, std::chrono::seconds(30), store->peers() ? leases.get() : nullptr}};
  webhooks::Webhooks webhooks{
      {*store, snapshots, queue, events, outbound, *data, ids, kClock, auditor, master, variables}};
  vectors::Vectors vectors{{*store, *store, snapshots, queue, events, outbound, *data, *cores, ids, kClock, auditor,
                            [this] { return directory.numbers(); }, settings.app.dataDirectory / "vectors",
                            settings.vectors, store->peers() != nullptr}};
  integrations::Integrations integrations{
      {*store, snapshots, outbound, ids, kClock, auditor, master, variables, settings.bots, settings.app.baseUrl}};
  functions::Functions functions{{*store, snapshots, events, *data, workers, ids, kClock, auditor, variables}};
  functions::FunctionsRuntime functionsRuntime{{*store, snapshots, functions.slot(), planSlot, queue, events, *data,
                                                workers, integrations, variables, *cores, ids, kClock, auditor,
                                                settings.app.baseUrl, workerCount(settings.workers)}};
  api::GraphqlSearch graphqlSearch{vectors};
  graphql::Graphql graphql{snapshots, *data, &graphqlSearch};
  std::unique_ptr<storage::Storage> storage;  // null where it is off
  projects::Environments environments{projectDeps, copier, queue};
  realtime::Realtime realtime{{*store, identity.authenticator(), data->grants(), *cores, kClock, master, snapshots,
                               planSlot, [this](store::ProjectNo project) { return ownConnections.reach(project); }},
                              settings.realtime};
  std::unique_ptr<BillingParts> billing;  // null where it is off
  api::RouteTable routes;                 // above descriptionRoutes, which refers to it
  api::ServiceRoutes serviceRoutes;
  api::AuthRoutes authRoutes{identity, localRequests, settings.app.baseUrl};
  api::MfaRoutes mfaRoutes{identity, settings.app.baseUrl};
  api::OauthRoutes oauthRoutes{identity, oauth, localRequests, settings.app.baseUrl};
  api::AdminIdentityRoutes adminIdentityRoutes{identity};
  api::ControlRoutes controlRoutes{projects, members, instance, own.service, localRequests, settings.billing.on};
  api::EnvironmentRoutes environmentRoutes{environments};
  api::TransferRoutes transferRoutes{transfers};
  api::OperatorRoutes operatorRoutes{operators};
  api::CollectionRoutes collectionRoutes{data->collections(), introspection};
  api::IntrospectRoutes introspectRoutes{introspection};
  api::PolicySetRoutes policySetRoutes{data->policySets()};
  api::PolicyTestRoutes policyTestRoutes{*data, identity.describedCallers(), configuration};
  api::DocumentRoutes documentRoutes{data->documents()};
  api::QueryRoutes queryRoutes{*data, identity.describedCallers()};
  api::ConfigRoutes configRoutes{configuration};
  api::TypesRoutes typesRoutes{data->slot(), functions.slot()};
  api::AuditRoutes auditRoutes{*store, settings.audit.on};
  api::JobRoutes jobRoutes{queue, directory, projectDeps};
  api::ReferenceJobRoutes referenceJobRoutes{data->referenceJobs()};
  api::ConnectionRoutes connectionRoutes{connections, settings.connections.on};
  api::GraphqlRoutes graphqlRoutes{graphql};
  api::WebhookRoutes webhookRoutes{webhooks};
  std::unique_ptr<api::StorageRoutes> storageRoutes;
  api::VariableRoutes variableRoutes{variables};
  api::VectorRoutes vectorRoutes{vectors};
  api::IntegrationRoutes integrationRoutes{integrations};
  api::FunctionRoutes functionRoutes{functions};
  api::FunctionRunRoutes functionRunRoutes{functionsRuntime};
  api::RunRoutes runRoutes{{functionsRuntime.runner(), functions.slot(), snapshots, identity.authenticator(),
                            settings.app.baseUrl, settings.api}};
  api::MetricSeries metricSeries{{*store, requestCounters,
                                  [this](store::ProjectNo project) { return realtime.openSockets(project); },
                                  [this] { return functionsRuntime.log().takeEnded(); }, kClock}};
  api::MetricsRoutes metricsRoutes{counters, metricSeries};
  api::OpenApiRoutes openApiRoutes{{identity.authenticator(), data->slot(), version, settings.app.baseUrl}};
  identity::LocalRateLimiter publicRateLimiter{settings.api.publicRate, kClock};
  api::Gatekeeper gatekeeper;
  api::RealtimeRoutes realtimeRoutes{realtime, gatekeeper};
  api::PageRoutes pageRoutes{{gatekeeper, settings.api, identity.slots().oauth, settings.oauth.controlProviders(),
                              settings.app.baseUrl, instance, localRequests}};
  api::DashboardRoutes dashboardRoutes{settings.app.baseUrl, settings.api.control};
  std::unique_ptr<api::Dispatcher> dispatcher;
  std::unique_ptr<http::Server> server;
  std::optional<Deployment> deployment;
  std::unique_ptr<CommandSocket> commandSocket;
  bool stopped = false;

 private:
  projects::ProjectDeps joinProjects();
  void openStorage(std::unique_ptr<storage::BlobStore> blobs);
  void openBilling();
  void addRoutes();
  void openCommandSocket();
  void stopJobs();
};

Application::Impl::Impl(const AllSettings& all, MasterSecret secret, std::unique_ptr<Cores> startedCores,
                        OpenedStore opened, std::unique_ptr<storage::BlobStore> blobs, api::Version forVersion)
    : settings(all),
      version(forVersion.version),
      master(std::move(secret)),
      cores(std::move(startedCores)),
      store(std::make_unique<store::own::Router>(std::move(opened.store), ownConnections.databases)),
      embedded(opened.embedded),
      mailer({queue, outbound, kClock, settings.app.baseUrl, settings.app.dataDirectory / "outbox",
              settings.app.log.format == LogFormat::text},
             settings.mail),
      identity({*store, snapshots, *cores, ids, kClock, auditor, master, mailer, settings.app.baseUrl, variables},
               settings.identity),
      oauth({identity, snapshots, outbound, kClock, master, settings.app.baseUrl, settings.api.corsOrigins},
            settings.oauth),
      projectDeps(joinProjects()),
      data(data::Data::build(
          {*store, snapshots, *cores, ids, kClock, auditor, store->entryFields(), &queue, planSlot, &master},
          [this] { return directory.numbers(); })),
      serviceRoutes(std::move(forVersion), *store, redis.get(), workers),
      gatekeeper({settings.api, identity.authenticator(), identity.rateLimiter(), snapshots, projectDeps.record,
                  data->slot(), publicRateLimiter, settings.instance.operatorsEnabled}) {
  ids.startAbove(store->idFloorMs());
  store->rememberIdsOf(ids);
  identity.setRegistrationHook(registration);
  identity.users().setFollower(functionsRuntime.userFollower());
  projects.setStatusFollower([this](store::ProjectNo project) {
    queue.projectChanged(project);
    events.resumed(project);
  });
  projects.setOwnDatabases(own.service);
  environments.setOwnDatabases(own.service);
  own.service.setCollectionNames([this](const auto& project) { return data->collections().namesBySource(*project); });
  own.service.setProbed(probeFollower({*store, snapshots, data->slot()}, *store));
  if (store->peers() != nullptr) recordSource.setFollower(own.service.follower());
  projects.addClaimDependent(data->collections());
  configuration.add(settingsSection(projects));
  configuration.add(std::make_unique<integrations::IntegrationKind>(integrations));
  configuration.add(std::make_unique<functions::FunctionKind>(functions, &functionsRuntime.tests()));
  configuration.add(std::make_unique<webhooks::WebhookKind>(webhooks));
  if (settings.storage.kind != storage::StorageSettings::Kind::off) openStorage(std::move(blobs));
  configuration.add(std::make_unique<vectors::VectorKind>(vectors));
  if (settings.billing.on) openBilling();
  addRoutes();
  dispatcher = std::make_unique<api::Dispatcher>(routes, settings.api, gatekeeper,
                                                 api::Cors(settings.app.baseUrl, settings.api.corsOrigins), counters);
  dispatcher->setMissing([this](const http::Request& request) { return pageRoutes.inPlaceOf404(request); });
  server = std::make_unique<http::Server>(settings.http, *cores, *dispatcher);
}

projects::ProjectDeps Application::Impl::joinProjects() {
  snapshots.setDirectory(directory);
  identity.setMembers(memberSource);
  const auto record = snapshots.addSlot<projects::ProjectRecord>(recordSource);
  projects::PlanLookup* const lookup = settings.billing.on ? &accountPlans : nullptr;
  return {*store, snapshots, identity.users(), identity.links(), identity.tokens(),    identity.slots(), record,
          ids,    kClock,    auditor,          mailer,           settings.app.baseUrl, planSlot,         lookup};
}

void Application::Impl::openStorage(std::unique_ptr<storage::BlobStore> blobs) {
  if (!blobs) blobs = std::make_unique<storage::S3Store>(settings.storage.s3, outbound, kClock);
  storage = std::make_unique<storage::Storage>(
      storage::StorageDeps{*store, snapshots, *data, projectDeps.record, planSlot, [this] { return directory.all(); },
                           queue, ids, kClock, auditor, master, settings.app.baseUrl, store->peers() != nullptr},
      std::move(blobs));
  storage->files().setFollower(functionsRuntime.fileFollower());
  functionsRuntime.setFiles(storage->files());
  policyTestRoutes.setFiles(storage->fileTrials());
  projects.addClaimDependent(storage->buckets());
  configuration.add(std::make_unique<storage::BucketKind>(storage->buckets(), data->slot()));
  storageRoutes = std::make_unique<api::StorageRoutes>(*storage);
}

void Application::Impl::openBilling() {
  const auto sockets = [this](store::ProjectNo project) { return realtime.openSockets(project); };
  const billing::MetersDeps meters{*store, functionsRuntime.log(), kClock, sockets};
  billing = std::make_unique<BillingParts>(BillingPartsDeps{*store, accounts, outbound, queue, mailer, kClock, auditor,
                                                            settings.billing, settings.app.baseUrl, meters});
  metricsRoutes.setUsage(billing->overview, planSlot);
}

void Application::Impl::addRoutes() {
  serviceRoutes.addTo(routes);
  if (storageRoutes) {
    storageRoutes->addTo(routes);
  } else {
    serviceRoutes.addWithoutStorage(routes);
  }
  if (billing) {
    billing->addTo(routes);
  } else {
    serviceRoutes.addWithoutBilling(routes);
  }
  authRoutes.addTo(routes);
  mfaRoutes.addTo(routes);
  oauthRoutes.addTo(routes);
  adminIdentityRoutes.addTo(routes);
  controlRoutes.addTo(routes);
  environmentRoutes.addTo(routes);
  transferRoutes.addTo(routes);
  operatorRoutes.addTo(routes);
  collectionRoutes.addTo(routes);
  introspectRoutes.addTo(routes);
  policySetRoutes.addTo(routes);
  policyTestRoutes.addTo(routes);
  documentRoutes.addTo(routes);
  queryRoutes.addTo(routes);
  configRoutes.addTo(routes);
  typesRoutes.addTo(routes);
  auditRoutes.addTo(routes);
  jobRoutes.addTo(routes);
  referenceJobRoutes.addTo(routes);
  connectionRoutes.addTo(routes);
  graphqlRoutes.addTo(routes);
  realtimeRoutes.addTo(routes);
  webhookRoutes.addTo(routes);
  variableRoutes.addTo(routes);
  vectorRoutes.addTo(routes);
  integrationRoutes.addTo(routes);
  functionRoutes.addTo(routes);
  functionRunRoutes.addTo(routes);
  runRoutes.addTo(routes);
  metricsRoutes.addTo(routes);
  pageRoutes.addTo(routes);
  dashboardRoutes.addTo(routes);
  openApiRoutes.addTo(routes);
  api::declareQueries(routes, api::routeDocs());
  openApiRoutes.describe(routes);
}

Result<> Application::Impl::open() {
  RETURN_IF_ERROR(runBlocking(*cores, identity.start()));
  TRY(const bool hasFirstUser, runBlocking(*cores, instance.hasFirstUser()));
  RETURN_IF_ERROR(setupCode.open(hasFirstUser));
  own.service.start(cores->at(0).get_executor(), background);
  RETURN_IF_ERROR(runBlocking(*cores, own.service.load()));
  RETURN_IF_ERROR(runBlocking(*cores, functionsRuntime.start(background)));
  RETURN_IF_ERROR(runBlocking(*cores, events.start()));
  realtime.start();
  RETURN_IF_ERROR(server->listen());
  openCommandSocket();
  serviceRoutes.setNotReady(nullptr);
  if (leases) leases->start();
  if (redis) redis->start();
  // An expression that names a zone earlier waits for it.
  zoneLoader = std::jthread(loadTimeZones);
  workers.start();
  queue.start();
  if (billing) {
    RETURN_IF_ERROR(runBlocking(*cores, billing->events.start()));
    billing->start(cores->at(0).get_executor(), background);
  }
  data->expiry().start(background);
  metricSeries.start(cores->at(0).get_executor(), background);
  vectors.start();
  purge.start(cores->at(0).get_executor(), background);
  own.copier.start(cores->at(0).get_executor(), background);
  if (storage) storage->sweeper().start(cores->at(0).get_executor(), background);
  identity.signingKeys().start(cores->at(0).get_executor(), background);
  return {};
}

// A failure is only logged: the commands report that they cannot reach the server.
void Application::Impl::openCommandSocket() {
  removeLeftCheckpoints(settings.app.dataDirectory);
  auto secret = secretText(settings.app.secret, settings.app.dataDirectory);
  deployment.emplace(Deployment{settings.app.dataDirectory, *store, embedded, *cores, ids, kClock, auditor,
                                secret ? *std::move(secret) : std::nullopt, version, settings.app.secret.has_value(),
                                &identity, mailer.delivers(), storage ? &storage->pinnedBlobs() : nullptr, &vectors,
                                projectDeps.plans});
  commandSocket = std::make_unique<CommandSocket>(*deployment);
  if (const Result<> listening = commandSocket->listen(); !listening) logWarn(listening.error().message());
}

// Running jobs get time to end; then their calls out fail, and they run again after the next start. Leases end last.
void Application::Impl::stopJobs() {
  if (!events.stop(kEndLimit)) logWarn("change delivery did not end in time; it is repeated after the next start");
  bool ended = queue.stop(kEndLimit);
  outbound.stop();
  workers.stop();
  if (!ended) ended = queue.stop(std::chrono::seconds(1));
  if (!ended) logWarn("jobs did not end in time; they run again after the next start");
  own.copier.stop();
  if (leases) leases->stop();
  if (redis) redis->stop();
  mailer.stop();
}

void Application::Impl::stop(std::chrono::milliseconds limit) {
  if (std::exchange(stopped, true)) return;
  serviceRoutes.setNotReady("stopping");
  data->expiry().stop();
  functionsRuntime.stop();
  vectors.drain();
  purge.stop();
  own.stopPasses();
  if (storage) storage->sweeper().stop();
  if (billing) billing->stop();
  identity.signingKeys().stop();
  server->drain(limit);
  dispatcher->stop();
  metricSeries.stop();
  graphql.stop();
  openApiRoutes.stop();
  if (!realtime.stop(kEndLimit)) logWarn("realtime did not end in time");
  if (commandSocket) commandSocket->stop();
  stopJobs();
  configuration.stop();
  if (!vectors.stop(kEndLimit)) logWarn("some vector indexes not saved; they catch up after a restart");
  const Result<> logged = runBlocking(*cores, functionsRuntime.log().flush());
  if (!logged) logWarn("last function runs not logged", {{"problem", logged.error().message()}});
  if (!background.closeAndWait(kEndLimit)) logWarn("background work did not end in time");
  data->stop();
  own.stop();
  identity.stop();
  if (storage) storage->blobs().stop();
  store->close();
  // One line for operators and the benchmark: how many writes a sync carried.
  const store::CommitStats stats = store->commitStats();
  logInfo("the store is closed", {{"commits", stats.commits}, {"writes", stats.writes}});
  if (storage) {
    const storage::Sweeper& sweeper = storage->sweeper();
    logInfo("file sweeper stopped", {{"removed", sweeper.removed()}, {"orphans", sweeper.orphans()}});
  }
  cores->stop();
  cores->join();
}

Application::Application(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Application::~Application() {
  impl_->stop(std::chrono::milliseconds(0));
}

Result<std::unique_ptr<Application>> Application::start(const AllSettings& settings, api::Version version) {
  RETURN_IF_ERROR(prepareDataDirectory(settings.app.dataDirectory));
  RETURN_IF_ERROR(refuseUnfinished(settings.app.dataDirectory));
  auto cores = std::make_unique<Cores>(coreCount());
  TRY(OpenedStore opened, openStore(storeSettingsOf(settings), settings.app.dataDirectory, *cores, kClock));
  cores->start();
  auto blobs = blobsOf(settings);
  auto master = rightSecret(*opened.store, *cores, settings.app.secret, settings.app.dataDirectory);
  if (!master || !blobs) {
    opened.store->close();
    cores->stop();
    cores->join();
    return fail(master ? std::move(blobs).error() : std::move(master).error());
  }
  auto impl = std::make_unique<Impl>(settings, *std::move(master), std::move(cores), std::move(opened),
                                     *std::move(blobs), std::move(version));
  std::unique_ptr<Application> application(new Application(std::move(impl)));
  RETURN_IF_ERROR(application->impl_->open());
  return application;
}

const api::RouteTable& Application::routes() const {
  return impl_->routes;
}

const std::optional<std::string>& Application::setupCode() const {
  return impl_->setupCode.text();
}

bool Application::deliversMail() const {
  return impl_->mailer.delivers();
}

int Application::port() const {
  return impl_->server->port();
}

void Application::stop(std::chrono::milliseconds limit) {
  impl_->stop(limit);
}

}  // namespace mb::app

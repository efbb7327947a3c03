#include "app/application.h"

#include <future>

#include "api/admin_identity_routes.h"
#include "api/auth_routes.h"
#include "api/collection_routes.h"
#include "api/control_routes.h"
#include "api/dispatch.h"
#include "api/document_routes.h"
#include "api/gatekeeper.h"
#include "app/data_directory.h"
#include "base/log.h"
#include "data/data.h"
#include "projects/directory.h"
#include "projects/members.h"
#include "projects/projects.h"
#include "projects/purge.h"
#include "snapshot/snapshot.h"

namespace mb::app {

namespace {

const SystemClock kClock;
constexpr int kMostCores = 64;
constexpr size_t kSnapshots = 10'000;
constexpr auto kBackgroundLimit = std::chrono::seconds(5);

int coreCount() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostCores);
}

}  // namespace

std::vector<store::SystemCollection> systemCollections() {
  std::vector<store::SystemCollection> all = {audit::auditCollection()};
  for (const auto& room : {identity::systemCollections(), projects::systemCollections(), data::systemCollections()}) {
    all.insert(all.end(), room.begin(), room.end());
  }
  return all;
}

namespace {

// Runs a coroutine on the first core and blocks for its result. Only from the main thread.
Result<> runBlocking(Cores& cores, Task<> task) {
  auto done = std::make_shared<std::promise<Result<>>>();
  auto result = done->get_future();
  asio::co_spawn(cores.at(0).get_executor(), std::move(task), [done](std::exception_ptr thrown, Result<> value) {
    if (thrown) {
      done->set_exception(thrown);
    } else {
      done->set_value(std::move(value));
    }
  });
  return result.get();
}

}  // namespace

AllSettings::AllSettings(Settings& settings)
    : app(settings), http(settings), api(settings), store(settings), identity(settings), instance(settings) {
  declareLaterRooms(settings);
}

// Members in the order of their making: each refers only to those above it, or is joined to others in the constructor.
struct Application::Impl {
  Impl(const AllSettings& all, MasterSecret secret, std::unique_ptr<Cores> startedCores,
       std::unique_ptr<store::EmbeddedStore> openStore, api::Version version);
  Result<> open();
  void stop(std::chrono::milliseconds limit);

  const AllSettings settings;
  const MasterSecret master;
  std::unique_ptr<Cores> cores;
  std::unique_ptr<store::EmbeddedStore> store;
  IdGenerator ids{kClock};
  audit::Auditor auditor{settings.app.audit, ids, kClock};
  snapshot::Snapshots snapshots{*store, *cores, kSnapshots};
  TaskGroup background;

  projects::Directory directory{*store};
  projects::MemberSource memberSource{*store};
  projects::RecordSource recordSource;
  identity::Identity identity;
  projects::ProjectDeps projectDeps;
  projects::Registration registration{*store, ids, kClock, auditor, settings.instance};
  projects::Projects projects{projectDeps};
  projects::Members members{projectDeps};
  projects::Instance instance{projectDeps, settings.instance};
  projects::Purge purge{projectDeps};
  std::unique_ptr<data::Data> data;

  api::ServiceRoutes serviceRoutes;
  api::AuthRoutes authRoutes{identity};
  api::AdminIdentityRoutes adminIdentityRoutes{identity};
  api::ControlRoutes controlRoutes{projects, members, instance};
  api::CollectionRoutes collectionRoutes{data->collections()};
  api::DocumentRoutes documentRoutes{data->documents()};
  api::RouteTable routes;
  api::Gatekeeper gatekeeper;
  std::unique_ptr<api::Dispatcher> dispatcher;
  std::unique_ptr<http::Server> server;
  bool stopped = false;

 private:
  projects::ProjectDeps joinProjects();
  void addRoutes();
};

Application::Impl::Impl(const AllSettings& all, MasterSecret secret, std::unique_ptr<Cores> startedCores,
                        std::unique_ptr<store::EmbeddedStore> openStore, api::Version version)
    : settings(all),
      master(std::move(secret)),
      cores(std::move(startedCores)),
      store(std::move(openStore)),
      identity({*store, snapshots, *cores, ids, kClock, auditor, master, settings.app.baseUrl}, settings.identity),
      projectDeps(joinProjects()),
      data(
          data::Data::build({*store, snapshots, *cores, ids, kClock, auditor}, [this] { return directory.numbers(); })),
      serviceRoutes(std::move(version), *store),
      gatekeeper({settings.api, identity.authenticator(), identity.rateLimiter(), snapshots, projectDeps.record,
                  settings.instance.operatorsEnabled}) {
  ids.startAbove(store->idFloorMs());
  store->rememberIdsOf(ids);
  identity.setRegistrationHook(registration);
  addRoutes();
  dispatcher = std::make_unique<api::Dispatcher>(routes, settings.api, gatekeeper,
                                                 api::Cors(settings.app.baseUrl, settings.api.corsOrigins));
  server = std::make_unique<http::Server>(settings.http, *cores, *dispatcher);
}

projects::ProjectDeps Application::Impl::joinProjects() {
  snapshots.setDirectory(directory);
  identity.setMembers(memberSource);
  const auto record = snapshots.addSlot<projects::ProjectRecord>(recordSource);
  return {*store, snapshots, identity.users(), identity.tokens(), identity.slots(), record, ids, kClock, auditor};
}

void Application::Impl::addRoutes() {
  serviceRoutes.addTo(routes);
  authRoutes.addTo(routes);
  adminIdentityRoutes.addTo(routes);
  controlRoutes.addTo(routes);
  collectionRoutes.addTo(routes);
  documentRoutes.addTo(routes);
}

Result<> Application::Impl::open() {
  CHECK(runBlocking(*cores, identity.start()));
  CHECK(server->listen());
  serviceRoutes.setNotReady(nullptr);
  data->expiry().start(background);
  purge.start(cores->at(0).get_executor(), background);
  return {};
}

void Application::Impl::stop(std::chrono::milliseconds limit) {
  if (std::exchange(stopped, true)) return;
  serviceRoutes.setNotReady("stopping");
  data->expiry().stop();
  purge.stop();
  server->drain(limit);
  if (!background.closeAndWait(kBackgroundLimit)) logWarn("background work did not end in time");
  identity.stop();
  store->close();
  // One line for operators and the benchmark: how many writes a sync carried.
  const store::EmbeddedStats stats = store->embeddedStats();
  logInfo("the store is closed", {{"commits", stats.commits}, {"writes", stats.writes}});
  cores->stop();
  cores->join();
}

Application::Application(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Application::~Application() {
  impl_->stop(std::chrono::milliseconds(0));
}

Result<std::unique_ptr<Application>> Application::start(const AllSettings& settings, api::Version version) {
  CHECK(prepareDataDirectory(settings.app.dataDirectory));
  auto cores = std::make_unique<Cores>(coreCount());
  TRY(auto store,
      store::EmbeddedStore::open(settings.app.dataDirectory, settings.store, *cores, systemCollections(), kClock));
  TRY(MasterSecret master, loadMasterSecret(settings.app.secret, settings.app.dataDirectory));
  cores->start();
  auto impl =
      std::make_unique<Impl>(settings, std::move(master), std::move(cores), std::move(store), std::move(version));
  std::unique_ptr<Application> application(new Application(std::move(impl)));
  CHECK(application->impl_->open());
  return application;
}

const api::RouteTable& Application::routes() const {
  return impl_->routes;
}

int Application::port() const {
  return impl_->server->port();
}

void Application::stop(std::chrono::milliseconds limit) {
  impl_->stop(limit);
}

}  // namespace mb::app

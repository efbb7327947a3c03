#include "app/settings_parts.h"

#include "api/local_requests.h"
#include "jobs/redis_leases.h"
#include "jobs/store_leases.h"
#include "plans/plans.h"
#include "storage/local_store.h"

namespace mb::app {

namespace {

constexpr int kMaxCores = 64;
constexpr int kWorkersPerCore = 4;

}  // namespace

int coreCount() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxCores);
}

int workerCount(const workers::WorkerSettings& settings) {
  return settings.max > 0 ? settings.max : kWorkersPerCore * coreCount();
}

std::filesystem::path workerProgram() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "manybase-worker";
}

bool isLocalOnly(const AllSettings& settings) {
  return api::isLoopbackHost(settings.http.host) && api::isLoopbackUrl(settings.app.baseUrl) &&
         settings.api.trustedProxies.empty();
}

std::unique_ptr<redis::Client> redisOf(const redis::RedisSettings& settings, Cores& cores) {
  if (!settings.address) return nullptr;
  return std::make_unique<redis::Client>(cores.at(0).get_executor(), *settings.address);
}

// With the embedded engine, which allows one process to write to its store, jobs run with or without Redis; and leases
// of an earlier process are taken over.
std::unique_ptr<jobs::Leases> leasesOver(redis::Client* redis, store::MainStore& store, Cores& cores,
                                         const MasterSecret& master) {
  store::Peers* const peers = store.peers();
  if (!redis) {
    if (!peers) return nullptr;
    return std::make_unique<jobs::StoreLeases>(store, *peers, cores.at(0).get_executor());
  }
  const std::string space = toHex(sha256(master.subkey("redis").reveal())).substr(0, 16);
  return std::make_unique<jobs::RedisLeases>(
      *redis, cores.at(0).get_executor(),
      jobs::RedisLeasesConfig{
          .space = "manybase:" + space, .instance = peers ? peers->self() : "only", .alone = peers == nullptr});
}

Result<std::unique_ptr<storage::BlobStore>> blobsOf(const AllSettings& settings) {
  if (settings.storage.kind != storage::StorageSettings::Kind::local) return nullptr;
  TRY(auto local, storage::LocalStore::open(settings.app.dataDirectory / storage::kDirectory));
  return std::unique_ptr<storage::BlobStore>(std::move(local));
}

StoreSettings storeSettingsOf(const AllSettings& settings) {
  using Kind = storage::StorageSettings::Kind;
  using Files = store::MongoSettings::Files;
  StoreSettings store = settings.store;
  const Kind kind = settings.storage.kind;
  store.mongo.files = kind == Kind::off ? Files::none : kind == Kind::local ? Files::local : Files::shared;
  return store;
}

std::unique_ptr<snapshot::SlotSource> planSourceOf(const billing::BillingSettings& settings,
                                                   store::DocumentStore& store, billing::Accounts& accounts) {
  if (!settings.on) return std::make_unique<plans::Unlimited>();
  return std::make_unique<billing::PlanSource>(store, accounts);
}

}  // namespace mb::app

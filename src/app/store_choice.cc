#include "app/store_choice.h"

#include "app/application.h"
#include "base/log.h"

namespace mb::app {

namespace {
constexpr int64_t kNoLimit = int64_t{1} << 40;
constexpr int64_t kNoLimitHours = 24 * 365 * 100;
}  // namespace

StoreSettings fillingSettings() {
  Settings defaults({});
  StoreSettings settings(defaults);
  settings.embedded.changeLogBytes = settings.embedded.changeLogTotalBytes = kNoLimit;
  settings.embedded.changeLogHours = kNoLimitHours;
  settings.mongo.logLimits = {kNoLimitHours, kNoLimit, kNoLimit};
  return settings;
}

StoreSettings::StoreSettings(Settings& settings) : embedded(settings), mongo(store::mongoSettingsOf(settings)) {
  // What holds on both engines.
  mongo.logLimits = {embedded.changeLogHours, embedded.changeLogBytes, embedded.changeLogTotalBytes};
  mongo.callbackRuns = embedded.callbackRuns;
}

Result<OpenedStore> openStore(const StoreSettings& settings, const std::filesystem::path& directory, Cores& cores,
                              const Clock& clock) {
  if (settings.isOnMongo()) {
    auto store = store::MongoStore::open(settings.mongo, systemCollections(), clock);
    if (!store) {
      return fail(Error(store.error().code(), fmt::format("{}: {}", settings.mongoOption, store.error().message()))
                      .withCause(store.error().cause()));
    }
    logWarn("MongoDB as the store is a preview: it was tested on servers of its protocol, not on MongoDB itself");
    return OpenedStore{*std::move(store), nullptr};
  }
  TRY(auto store, store::EmbeddedStore::open(directory, settings.embedded, cores, systemCollections(), clock));
  store::EmbeddedStore* const embedded = store.get();
  return OpenedStore{std::move(store), embedded};
}

}  // namespace mb::app

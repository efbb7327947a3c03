#include "app/store_choice.h"

#include "app/application.h"
#include "base/log.h"

namespace mb::app {

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
      return fail(
          Error(store.error().code(), "MONGO_URL: " + store.error().message()).withCause(store.error().cause()));
    }
    logWarn("MongoDB as the store is a preview: it was tested on servers of its protocol, not on MongoDB itself");
    return OpenedStore{*std::move(store), nullptr};
  }
  TRY(auto store, store::EmbeddedStore::open(directory, settings.embedded, cores, systemCollections(), clock));
  store::EmbeddedStore* const embedded = store.get();
  return OpenedStore{std::move(store), embedded};
}

}  // namespace mb::app

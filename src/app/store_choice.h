// Which engine a deployment runs on: the embedded one, or MongoDB where MONGO_URL is set.
#pragma once

#include "store/embedded/embedded_store.h"
#include "store/mongo/mongo_store.h"

namespace mb::app {

struct StoreSettings {
  explicit StoreSettings(Settings& settings);
  store::EmbeddedSettings embedded;
  store::MongoSettings mongo;
  std::string_view mongoOption = "MONGO_URL";  // what the address was given by, for errors

  bool isOnMongo() const { return !mongo.uri.empty(); }
};

// Settings by which a command fills a store: no change log is trimmed, which the server that opens it later does.
// Without a database.
StoreSettings fillingSettings();

struct OpenedStore {
  std::unique_ptr<store::MainStore> store;
  store::EmbeddedStore* embedded = nullptr;  // the same; null on MongoDB
};

// Opens the store with the system collections of all modules. Fails with a complete message. Blocks.
Result<OpenedStore> openStore(const StoreSettings& settings, const std::filesystem::path& directory, Cores& cores,
                              const Clock& clock);

}  // namespace mb::app

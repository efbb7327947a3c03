#include "store/mongo/mongo_store.h"
#include "store/mongo/uri.h"

namespace mb::store {

MongoSettings mongoSettingsOf(Settings& settings) {
  MongoSettings mongo;
  const auto url = settings.secret("MONGO_URL",
                                   "MongoDB in place of the embedded engine, a preview: "
                                   "mongodb://host/database?replicaSet=name");
  mongo.threads = static_cast<int>(settings.integer("SERVICE_MONGO_THREADS", mongo.threads, 2, 256,
                                                    "threads that wait for MongoDB, with a connection each"));
  if (!url || url->reveal().empty()) return mongo;
  if (auto parsed = parseMongoUri(url->reveal())) {
    mongo.uri = std::move(parsed->uri);
    mongo.prefix = std::move(parsed->prefix);
  } else {
    settings.refuse("MONGO_URL", parsed.error().message());
  }
  return mongo;
}

}  // namespace mb::store

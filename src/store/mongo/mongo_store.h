// The engine on MongoDB: a replica set, which several instances may share. Layout: names.h. Rules: docs/engine.md.
#pragma once

#include <memory>

#include "base/cores.h"
#include "base/settings.h"
#include "store/log_limits.h"
#include "store/main_store.h"

namespace mb::store {

struct MongoSettings {
  std::string uri = {};     // as parseMongoUri() returned it
  std::string prefix = {};  // the database in it
  int threads = 16;         // which wait for the server
  LogLimits logLimits = {};
  std::chrono::milliseconds housekeeping{60'000};  // between two passes
  // Refuses to open while another instance has the database open: what they would have to share is not all there yet.
  bool alone = false;
  // How many times a write's callback runs; the last run counts. More than once for tests, since a store may do so.
  int callbackRuns = 1;
};

// Declares MONGO_URL and what belongs to it; `uri` is empty where it is not set.
MongoSettings mongoSettingsOf(Settings& settings);

class MongoStore : public MainStore {
 public:
  // Fails with a complete message if the server cannot be reached, or cannot keep what the store promises. Blocks.
  static Result<std::unique_ptr<MongoStore>> open(MongoSettings settings, std::vector<SystemCollection> system,
                                                  const Clock& clock);
};

}  // namespace mb::store

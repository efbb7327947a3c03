// The engine on MongoDB: a replica set, which several instances may share. Layout: names.h. Rules: docs/engine.md.
#pragma once

#include <memory>

#include "base/cores.h"
#include "base/progress.h"
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
  // Where this process keeps the files of users. Refuses to open together with another process of which the files are
  // not the same: each would have files that the other has not.
  enum class Files : uint8_t {
    none,    // it keeps none, such as a command
    local,   // on its own disk
    shared,  // where all processes have them
  } files = Files::none;
  // Opens a database that createLike() has made, before complete(); false: refuses such a one.
  bool incomplete = false;
  // Refuses a database that holds no deployment, in place of setting one up.
  bool existing = false;
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
  // Fills the database, which must be empty or hold what an earlier call without complete() left, with the projects,
  // collections, indexes, chains and change logs of the image, under their numbers, and without documents. Blocks.
  // Fails with a complete message, conflict for a database that is not empty.
  static Result<> createLike(const Image& source, const MongoSettings& settings, Progress& progress);
  // From now on the database is one that servers open. Blocks.
  static Result<> complete(const MongoSettings& settings);
};

}  // namespace mb::store

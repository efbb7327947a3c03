// The engine on MongoDB: a replica set, which several instances may share. Layout: names.h. Rules: docs/engine.md.
#pragma once

#include <memory>

#include "base/cores.h"
#include "store/change_feed.h"
#include "store/log_limits.h"

namespace mb::store {

struct MongoSettings {
  std::string uri = {};     // as parseMongoUri() returned it
  std::string prefix = {};  // the database in it
  int threads = 16;         // which wait for the server
  LogLimits logLimits = {};
  std::chrono::milliseconds housekeeping{60'000};  // between two passes
  // How many times a write's callback runs; the last run counts. More than once for tests, since a store may do so.
  int callbackRuns = 1;
};

class MongoStore : public DocumentStore, public ChangeFeed {
 public:
  // Fails with a complete message if the server cannot be reached, or cannot keep what the store promises. Blocks.
  static Result<std::unique_ptr<MongoStore>> open(MongoSettings settings, std::vector<SystemCollection> system,
                                                  const Clock& clock);
  // Refuses new work and ends running work. Not from a core. The destructor calls it.
  virtual void close() = 0;
  // A full consistency scan: counts, counters, positions, chains. At most 100 problems. Blocks.
  virtual std::vector<std::string> problems() = 0;
};

}  // namespace mb::store

// Reads of single documents by id. Those of one collection that wait at the same time go to the database in one
// command, since a command costs this process more than its documents.
#pragma once

#include <map>
#include <mutex>

#include "store/mongo/connection_pool.h"
#include "store/store.h"

namespace mb::store::mongo {

inline constexpr int kReadsAtOnce = 2;          // commands of one collection; further reads wait for one of them
inline constexpr size_t kDocumentsOfRead = 64;  // of one command
inline constexpr size_t kWaitingReads = 1024;   // of one collection; further ones are refused

// Thread-safe.
class DocumentReads {
 public:
  using LookupResult = std::optional<VersionedDocument>;
  // Reads documents that are stored under these ids, each once, by them. Blocks.
  using Read = std::function<Result<std::map<std::string, VersionedDocument>>(
      Connection& connection, const CollectionRef& collection, const std::vector<std::string>& ids, Deadline deadline)>;

  // `pool` outlives it, and has stopped before it is destroyed.
  DocumentReads(ConnectionPool& pool, Read read) : pool_(pool), read_(std::move(read)) {}

  // nullopt for no such document. Fails with unavailable past the deadline, or when too many reads wait.
  Async<Result<LookupResult>> get(CollectionRef collection, std::string id, Deadline deadline);

 private:
  struct Waiting {
    CollectionRef collection;
    std::string id;
    Deadline deadline;
    Resumer<Result<LookupResult>> resumer;
  };
  struct Queue {
    std::vector<Waiting> waiting;
    int running = 0;
  };
  using Key = std::pair<ProjectNo, CollectionNo>;

  void add(Waiting read);
  // Has a thread of the pool run the next command of a collection, which counts as running already.
  void submit(Key key);
  void runNext(Connection& connection, Key key);
  std::vector<Waiting> takeNext(Key key);
  void perform(Connection& connection, std::vector<Waiting> reads);
  Result<std::map<std::string, VersionedDocument>> outcome(Connection& connection, const CollectionRef& collection,
                                                           const std::vector<std::string>& ids,
                                                           Deadline deadline) const;

  ConnectionPool& pool_;
  const Read read_;
  std::mutex mutex_;
  std::map<Key, Queue> queues_;  // of collections with a read under way
};

}  // namespace mb::store::mongo

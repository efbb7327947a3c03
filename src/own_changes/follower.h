// Follows one project's database while it is connected. Private to this module.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/async_condition.h"
#include "base/fair_pool.h"
#include "base/lru_cache.h"
#include "base/task_group.h"
#include "own_changes/copier.h"
#include "own_changes/lookups.h"
#include "store/own/change_stream.h"
#include "store/own/pending_writes.h"

namespace mb::own_changes {

// Threads that read the streams of all projects: each waits for one stream at a time, shortly where there are many.
inline constexpr int kStreamThreads = 8;
// Entries that one project's log takes in a second; what comes faster waits in the database.
inline constexpr size_t kEntriesPerSecond = 2000;
// Ids of documents that have one of their own, which a removal does not say; of one project, in memory.
inline constexpr size_t kKnownIds = 20'000;
// Of one commit.
inline constexpr size_t kChunkEntries = 200;
inline constexpr size_t kChunkBytes = 4 << 20;

// What the followers share.
struct Followers {
  explicit Followers(CopierDeps given);
  // Whether `project` had no follower; it has one then.
  bool claim(store::ProjectNo project);
  void leave(store::ProjectNo project);
  // For how long a thread waits for the events of one stream.
  std::chrono::milliseconds streamWait();

  const CopierDeps deps;
  FairPool threads;
  AsyncCondition wake;  // stop, and each look
  std::atomic<bool> stopping = false;
  TaskGroup tasks;

 private:
  std::mutex mutex_;
  std::set<store::ProjectNo> projects_;
};

// Of the documents that are kept while one batch is copied.
inline constexpr size_t kPresentBytes = 32 << 20;

// Of one read of documents.
inline constexpr std::chrono::seconds kLookTime{10};

// A pending write whose event has come.
struct TakenWrite {
  int64_t number = 0;
  bool isOpen = false;  // the entry of its event is its change: nothing else has logged it
};

// Entries that are committed together.
struct Chunk {
  std::vector<store::ChangeEntry> entries;
  std::map<std::string, std::vector<TakenWrite>> taken;  // by key
  std::string trace;                                     // of all entries
  std::string token;
  size_t bytes = 0;
  int64_t unnamed = 0;  // removals without an entry
  bool changes() const { return !entries.empty() || !taken.empty() || unnamed > 0; }
};

// Turns events into entries, with what is known of the project. Used by one coroutine at a time.
class Translator {
 public:
  using Records = std::map<std::string, store::own::PendingWriteRecord>;  // by key
  struct Translation {
    std::vector<store::ChangeEntry> entries;
    std::optional<std::pair<std::string, TakenWrite>> taken;  // the pending write whose event it is, with its key
    std::string trace;
    bool isUnnamed = false;  // a document was removed whose id is not known
  };

  // `collection`: the number of the event's collection. Takes the pending write from `records`. `present`: the state of
  // the document that takes the place of the event's, which may be older than one that was shown.
  Translation translate(const store::own::StreamEvent& event, store::CollectionNo collection, Records& records,
                        const std::optional<doc::Document>& present = std::nullopt);

 private:
  void remember(const std::string& key, const store::own::StreamEvent& event);

  LruCache<std::string> knownIds_{kKnownIds};  // by key
};

class Follower {
 public:
  Follower(std::shared_ptr<Followers> shared, std::shared_ptr<store::own::Database> database);

  // Until the database is closed or replaced, or the copier stops.
  static Async<void> run(std::shared_ptr<Follower> self);

 private:
  struct Read {
    std::optional<store::own::StreamBatch> batch;  // nullopt: the past is lost
  };

  store::ProjectNo project() const { return database_->project(); }
  bool runs() const { return !shared_->stopping && !database_->isStopped(); }
  Async<void> pause(std::chrono::milliseconds time);
  Async<bool> holdsLease();
  void releaseLease();
  // Returns for how long nothing is to be done.
  Task<std::chrono::milliseconds> step();
  Task<> load();
  Task<> loadNames();
  Task<Read> read(std::string token);
  Async<void> closeStream();

  // Opens a stream from now on. `missed`: the one before cannot continue, or a restore went back to before its end.
  Task<> begin(bool missed);
  // Of a database without change streams: writes log themselves, and what they left is settled.
  Task<std::chrono::milliseconds> withoutStream();
  Task<> copy(store::own::StreamBatch batch);
  // Documents that were read while a batch is copied, by key.
  struct Present {
    std::optional<doc::Document> shown;
    store::DocumentVersion version = 0;
  };
  using PresentStates = LruCache<Present>;
  // The present state of the document of an event that is behind (Lookups); nullopt to leave the event as it is.
  Task<std::optional<doc::Document>> presentOf(const store::own::StreamEvent& event, std::string key,
                                               PresentStates& states);
  // Has the database probed where the event shows that it lost a collection of the project, or has it again.
  void noticeCollections(const store::own::StreamEvent& event);
  Task<> commit(Chunk chunk);
  // Stores `next`, with the entries; fails with retry where another process has stored the record, or a write has
  // logged its change itself.
  Task<> store(store::own::StreamRecord next, Chunk chunk, std::vector<store::Insert> audit);
  Task<Translator::Records> pendingWritesOf(const std::vector<store::own::StreamEvent>& events);

  // ---- settling.cc
  Task<std::vector<store::own::Announcement>> pending();
  // Logs the changes of pending writes whose documents are as they say, and removes those that are too old.
  Task<> settle(std::vector<store::own::Announcement> pending, store::own::Settled how);
  Task<> settleOne(store::own::Announcement one, store::own::Settled how);
  Task<> expire();

  const std::shared_ptr<Followers> shared_;
  const std::shared_ptr<store::own::Database> database_;
  const std::string lease_;
  bool leased_ = false;
  std::shared_ptr<store::own::ChangeStream> stream_;  // null: not open
  std::optional<store::own::StreamRecord> record_;    // nullopt: not read
  std::string token_;  // behind the events that were copied; record_ may have an earlier one
  std::chrono::steady_clock::time_point storedAt_;
  std::chrono::steady_clock::time_point expiredAt_;
  uint64_t namesEpoch_ = 0;
  std::map<std::string, store::CollectionNo> numbers_;  // by the name there
  std::set<std::string> absent_;                        // names there of collections that vanished
  Translator translator_;
  Lookups lookups_;
};

}  // namespace mb::own_changes

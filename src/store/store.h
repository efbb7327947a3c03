// The document store: collections, documents, filters and indexes, as coroutines. It knows nothing of policies, users
// or HTTP. Two engines implement it (embedded/, and mongo/ later) and pass one test suite. Rules: docs/engine.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/task.h"
#include "document/bson.h"
#include "document/field_set.h"
#include "document/filter.h"

namespace mb::store {

// Numbers are never reused. Project 1 is the control plane's own.
using ProjectNo = uint32_t;
using CollectionNo = uint32_t;
using IndexNo = uint32_t;
inline constexpr ProjectNo kControlProject = 1;
// Collections below this number are system collections (SystemCollection); users' collections start here.
inline constexpr CollectionNo kFirstUserCollection = 1000;
// Of a project, system collections aside.
inline constexpr size_t kMaxCollections = 1000;

using Deadline = std::chrono::steady_clock::time_point;

struct IndexKey {
  std::string path;
  int direction = 1;  // 1 or -1
};

struct IndexSpec {
  std::string name;
  std::vector<IndexKey> keys;
  bool unique = false;
  bool sparse = false;
  std::optional<doc::Document> partialFilter;
  std::optional<int64_t> expireAfterSeconds;
  // Its entries hold the documents too, as far as these are small, so that a list along it reads nothing else; each
  // change of a document is then written there as well. Not with `unique`.
  bool covering = false;
  // Paths whose values its entries keep, so that a filter over them is decided without reading the document. At most
  // kMaxIncluded; not with `covering`, whose entries hold everything.
  std::vector<std::string> include = {};
};
inline constexpr size_t kMaxIncluded = 16;

// How far the filling of an index is, in documents. Goes on while it is looked at, from any thread.
struct IndexProgress {
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> expected{0};
};

struct IndexInfo {
  IndexNo number = 0;
  IndexSpec spec;
  bool ready = false;                             // false while it is being filled: maintained by writes, not read
  std::shared_ptr<const IndexProgress> progress;  // null once it is ready
};

// A collection that every project has, declared in code by the room that owns it. Its changes are not in the change
// log.
struct SystemCollection {
  CollectionNo number;
  std::string name;  // "__users"
  std::vector<IndexSpec> indexes;
  // Inserts are chained in the order of their commits: chain.h. An index on `seq` alone, sparse, keeps up.
  bool chained = false;
  // A field that holds a string, by which documents are counted apart: tally(). "" for none; once declared it stays.
  std::string tallied = {};
};

struct CollectionInfo {
  CollectionNo number = 0;
  std::string name;
  uint64_t version = 0;  // grows with each change of name, config or indexes
  doc::Document config;  // opaque to the store: schema, policy, …, owned by data/
  std::vector<IndexInfo> indexes;
};

// A collection as the caller knows it. A write or alteration under an old version fails with staleCatalogue. System
// collections have version 0.
struct CollectionRef {
  ProjectNo project = 0;
  CollectionNo number = 0;
  uint64_t version = 0;
};

enum class Lane { normal, low };  // low: index builds, expiry, imports

struct Actor {
  std::string kind;  // "user", "member", "apikey", "platform", "server"
  std::string id;
};

struct WriteOptions {
  Deadline deadline;
  Actor actor;
  Lane lane = Lane::normal;
  // Projects whose epoch (authority, configuration) this write changes; bumped in the same commit, visible in epoch()
  // before the writer is answered.
  std::vector<ProjectNo> bumpEpochs;
  // False keeps the write out of the change log, and chains nothing: what a restore brings back is no change that
  // others are to follow.
  bool logged = true;
};

struct WriteTarget {
  CollectionRef collection;
  std::string id;  // the document's `id` field
  // An id that IdGenerator made for this write: nothing stands under it, and nothing is looked up.
  bool fresh = false;
};

struct Change {
  enum class Kind { keep, put, remove } kind = Kind::keep;
  doc::Document after;  // of put; its `id` is the target's
  // Whether a put over an existing document is an "update" or a "replace" in the change log.
  bool replaces = false;

  static Change keep() { return {}; }
  static Change put(doc::Document document) { return {Kind::put, std::move(document), false}; }
  static Change replace(doc::Document document) { return {Kind::put, std::move(document), true}; }
  static Change remove() { return {Kind::remove, {}, false}; }
};

// Decides what becomes of the targets, given each as it is now, under their key locks. One Change per target, in order.
// Runs once, on the caller's core; must not wait. An error leaves everything as it was and is the write's result.
using Judge =
    std::move_only_function<Result<std::vector<Change>>(std::span<const std::optional<doc::Document>> before)>;

struct WriteOutcome {
  // The unique index that refused the write (nothing was written), and the target that broke it; empty when committed.
  std::string violatedIndex;
  size_t violatingTarget = 0;
  bool committed() const { return violatedIndex.empty(); }
};

struct Insert {
  CollectionRef collection;
  doc::Document document;
};

struct SortKey {
  std::string path;
  int direction = 1;
};

// What a query is answered with.
enum class Answer {
  documents,
  ids,  // documents that hold their `id` and nothing else
  // The same in no order, one perhaps twice, where an index tells them without a look at documents.
  keyedIds,
};

// A document that holds its `id` and nothing else.
doc::Document idDocument(std::string_view id);

struct Query {
  CollectionRef collection;
  doc::Filter filter;
  uint64_t skip = 0;
  uint64_t limit = 50;
  std::vector<SortKey> sort;  // empty: ascending id
  Deadline deadline;
  Answer answer = Answer::documents;
  // Left out of the documents of the result, before their sizes count. Null for none.
  std::shared_ptr<const doc::FieldSet> hidden = {};
};

// How a query was answered, for those who ask.
struct Explain {
  // Name, "id" for the primary key, "" for a scan of the collection; where an $or took several, all, joined by ", ".
  std::string index;
  uint64_t keysExamined = 0;
  uint64_t documentsExamined = 0;
  std::chrono::microseconds took{0};
};

struct QueryResult {
  std::vector<doc::Document> documents;
  bool known = true;  // false: no index tells the keyedIds that were asked for
  Explain explain;
};

struct CollectionStats {
  uint64_t documents = 0;
  uint64_t bytes = 0;
};

// What an alteration of a collection changes; absent stays.
struct Alteration {
  std::optional<std::string> name;
  std::optional<doc::Document> config;
};

class DocumentStore {
 public:
  virtual ~DocumentStore() = default;

  // ---- documents
  // The document, or nullopt. Durable state only.
  virtual Task<std::optional<doc::Document>> get(CollectionRef collection, std::string id) = 0;
  // Each in the order of `ids`, which may repeat, without the fields in `hidden` (null for none). Fails with
  // payloadTooLarge past 16 MiB of what is left.
  virtual Task<std::vector<std::optional<doc::Document>>> getMany(
      CollectionRef collection, std::vector<std::string> ids,
      std::shared_ptr<const doc::FieldSet> hidden = nullptr) = 0;
  // Fails with payloadTooLarge past 16 MiB of answer, or of 32 MiB to sort; unavailable past the deadline.
  virtual Task<QueryResult> find(Query query) = 0;
  // Exact; from the collection's count where the filter matches all. explain, when given, must outlive the call.
  virtual Task<uint64_t> count(CollectionRef collection, doc::Filter filter, Deadline deadline) = 0;
  // Locks the targets, reads them, judges, commits all changes atomically and durably, then returns. Targets must be
  // distinct. Fails with what the judge failed with; staleCatalogue; payloadTooLarge (a document over 1 MiB, in a
  // system collection over 2 MiB); unavailable (deadline, queue full, disk nearly full).
  virtual Task<WriteOutcome> write(std::vector<WriteTarget> targets, Judge judge, WriteOptions options) = 0;
  virtual Task<CollectionStats> stats(CollectionRef collection) = 0;
  // The same of those documents whose SystemCollection::tallied field is `value`. Exact.
  virtual Task<CollectionStats> tally(CollectionRef collection, std::string value) = 0;

  // ---- projects
  // A number never used before, durable when returned.
  virtual Task<ProjectNo> allocateProject() = 0;
  // Marks the project dead at once; a sweeper frees its space.
  virtual Task<> dropProject(ProjectNo project) = 0;
  // The project's epoch, at most a second old; exact for changes made by this instance. Never blocks. Any thread.
  virtual uint64_t epoch(ProjectNo project) const = 0;

  // ---- catalogue. `alongside` are inserts into system collections in the same commit (audit entries). Each bumps the
  // project's epoch in its commit. Of a project's collections no two have the same foldedName(), and there are at most
  // kMaxCollections: conflict otherwise, judged in the commit.
  virtual Task<std::vector<CollectionInfo>> collections(ProjectNo project) = 0;
  virtual Task<CollectionInfo> createCollection(ProjectNo project, std::string name, doc::Document config,
                                                std::vector<Insert> alongside) = 0;
  virtual Task<CollectionInfo> alterCollection(CollectionRef collection, Alteration change,
                                               std::vector<Insert> alongside) = 0;
  virtual Task<> dropCollection(CollectionRef collection, std::vector<Insert> alongside) = 0;
  // Returns when the index is ready. Fails with conflict for a taken name, or for a unique index over duplicates
  // (nothing stays behind); validation past 64 indexes.
  virtual Task<IndexInfo> createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> alongside) = 0;
  virtual Task<> dropIndex(CollectionRef collection, std::string name, std::vector<Insert> alongside) = 0;

  // Whether writes are taken now (ready, disk space, not stopping); the reason when not.
  virtual Result<> healthy() const = 0;
};

// Names that differ by case, or by "-" and "_", are one name where they become files or types: they clash.
std::string foldedName(std::string_view name);

// The declared name of an index without one: "field_1_other_-1".
std::string defaultIndexName(const std::vector<IndexKey>& keys);

}  // namespace mb::store

// A DocumentStore holds collections, documents and indexes, and runs filters on them, as coroutines. It does not know
// policies, users or HTTP. embedded/ implements it on RocksDB; an engine on MongoDB is planned. Each engine passes one
// test suite (suite/). Rules: docs/engine.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "base/listeners.h"
#include "base/task.h"
#include "document/field_set.h"
#include "document/filter.h"
#include "store/write.h"

namespace mb::store {

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
  // Index entries hold the documents too, if these are small, so that a list in the index's order reads nothing else;
  // each change of a document is then written to the index as well. Not with `unique`.
  bool covering = false;
  // Paths whose values the entries hold, so that a filter on them is evaluated without reading the document. At most
  // kMaxIncluded; not with `covering`, whose entries hold everything.
  std::vector<std::string> include = {};
};
inline constexpr size_t kMaxIncluded = 16;

// The progress of an index fill, in documents; concurrent inserts may raise `done` above `expected`.
struct IndexProgress {
  uint64_t done = 0;
  uint64_t expected = 0;
};

struct IndexInfo {
  IndexNo number = 0;
  IndexSpec spec;
  bool ready = false;  // false during the fill: maintained by writes, not read
};

// What a counter counts in a collection: the sum of an integer field, or the number of documents. Several collections
// may feed one counter. A new or changed declaration is counted while the store opens.
struct CounterSource {
  CounterNo counter = 0;
  std::string name;            // of the counter, in errors
  std::string summed = {};     // "" counts documents
  std::string groupedBy = {};  // a string field; documents without it are not counted. "" for one sum per project
  std::string where = {};      // a field; documents without it, or with null there, are not counted. "" for all
};

// The fields of a collection of the control project by which its documents keep changes in the change logs: each keeps
// the changes after the position in `position`, of the project with the number in `project`, that are not trimmed yet.
struct LogFloor {
  std::string project;
  std::string position;
};

// A collection that exists in every project, declared in code by the module that owns it. Its changes are not in the
// change log.
struct SystemCollection {
  CollectionNo number;
  std::string name;  // "__users"
  std::vector<IndexSpec> indexes;
  // Inserts are chained in the order of their commits (chain.h). Of indexes on the chain's fields, only a sparse one on
  // `seq` alone is maintained.
  bool chained = false;
  // A string field by whose values documents are counted: statsByField(). "" for none; a declaration cannot be removed.
  std::string countedBy = {};
  std::vector<CounterSource> counters = {};
  // Paths whose values have marks: DocumentStore::mark().
  std::vector<std::string> marked = {};
  // Of a collection of the control project: the field that holds a project's id. A document is deleted when that
  // project is purged. "" for none.
  std::string projectField = {};
  std::optional<LogFloor> logFloor = {};
  // Brings a document that an earlier release stored to the form of this one; nullopt if it has that form. Runs on all
  // documents while the store opens if an index of the collection is new, before that index is filled. REQUIRES: it
  // keeps the values that earlier indexes and counters use, and the collection has neither a chain nor `countedBy`.
  std::function<std::optional<doc::Document>(doc::DocumentView)> upgrade = {};
};

struct CollectionInfo {
  CollectionNo number = 0;
  std::string name;
  uint64_t version = 0;  // increases with each change of name, config or indexes
  doc::Document config;  // opaque to the store: schema, policy, …, owned by data/
  std::vector<IndexInfo> indexes;
};

struct SortKey {
  std::string path;
  int direction = 1;
};

// The largest result, unless a query sets less.
inline constexpr size_t kMaxResultBytes = 16 << 20;

struct ReadOptions {
  Deadline deadline = {};  // Deadline(): the engine's own limit
};

// What a query returns of the documents that match.
enum class Projection {
  documents,
  ids,  // documents that hold their `id` and nothing else
  // The same, unordered and possibly with duplicates, if an index yields them without reading documents.
  unorderedIds,
};

// A document that holds its `id` and nothing else.
doc::Document idDocument(std::string_view id);

struct Query {
  CollectionRef collection;
  doc::Filter filter;
  uint64_t skip = 0;
  uint64_t limit = 50;
  // Empty: ascending id. In MongoDB's order of values, missing ones as null, an array by its least element (descending:
  // its greatest), one without elements before null; ties by ascending id. Fails with validation if a document that is
  // sorted has two of the keys in two arrays.
  std::vector<SortKey> sort;
  Deadline deadline;
  Projection projection = Projection::documents;
  // Omitted from the documents of the result, before their sizes count. Null for none.
  std::shared_ptr<const doc::FieldSet> hidden = {};
  // All that the documents of the result keep, of what is not hidden (doc::keepFields). Null for everything.
  std::shared_ptr<const doc::FieldSet> fields = {};
  // True: the result holds what fits maxBytes (at least one document, if any match) and the position to continue from.
  // False: a result larger than maxBytes fails with payloadTooLarge.
  bool paged = false;
  size_t maxBytes = kMaxResultBytes;
  // With `paged` and without `skip`: QueryResult::next of an earlier page of the same query; "" for the first page. In
  // an order of ids it is the id of the page's last document. Where an index serves the sort, the page is read
  // from there on; else the documents are sorted again, of which those up to `limit` are kept. Concurrent inserts,
  // changes and removals do not affect other documents: none whose sort keys are unchanged is repeated or missed.
  std::string after = {};
  // With `paged`: QueryResult::more is also true where `limit` ends the page; one document more is read for it.
  bool seesMore = false;
  // Whether QueryResult::explain is filled. It may cost as much as the query itself.
  bool explain = false;
};

// The access path and cost of a query.
struct Explain {
  // The index name, "id" for the primary key, "" for a collection scan; if an $or used several indexes, all, joined by
  // ", ".
  std::string index;
  uint64_t keysExamined = 0;
  uint64_t documentsExamined = 0;
  std::chrono::microseconds took{0};
};

struct QueryResult {
  std::vector<doc::Document> documents;
  // Of a paged query: whether it stopped before `limit` because of maxBytes (or see Query::seesMore), and the value of
  // Query::after that continues after the last document ("" if there are no documents). It is as long as the values of
  // the sort keys.
  bool more = false;
  std::string next;
  bool known = true;  // false: no index can yield the requested unorderedIds
  Explain explain;    // with Query::explain
};

struct VersionedDocument {
  doc::Document document;
  DocumentVersion version = 0;
};

struct CollectionStats {
  uint64_t documents = 0;
  uint64_t bytes = 0;
};

struct IndexUsage {
  IndexNo number = 0;
  uint64_t entries = 0;
  uint64_t bytes = 0;
  bool approximate = false;  // the numbers are estimates
};

struct CollectionUsage {
  CollectionNo number = 0;
  CollectionStats stats;
  std::vector<IndexUsage> indexes;  // in the order of CollectionInfo::indexes
  // The last change of its documents, up to a second early; nullopt if they never changed since the store keeps it.
  std::optional<Timestamp> lastWrite;
};

// A counter that a recount found to differ from its documents.
struct CounterCorrection {
  CounterKey counter;
  std::string name;  // CounterSource::name
  int64_t was = 0;
  int64_t is = 0;  // the sum over the documents
};

struct CounterRecount {
  uint64_t counters = 0;  // those that were compared
  std::vector<CounterCorrection> corrections;
};

struct RecountOptions {
  bool correct = true;  // false: returns the corrections without applying them
  // Ends the recount soon once it is true; must outlive the call. Null: none.
  const std::atomic<bool>* stop = nullptr;
  Deadline deadline = {};  // Deadline(): the engine's own limit
};

// The changes that an alteration makes to a collection; absent fields stay unchanged.
struct Alteration {
  std::optional<std::string> name;
  std::optional<doc::Document> config;
};

// A listener of notices runs on a thread of the store, in the order of the commits; it must return at once.
using Notices = Listeners<const Notice&>;

class DocumentStore {
 public:
  virtual ~DocumentStore() = default;

  // ---- documents
  // Reads fail with unavailable past their deadline, unless the result is in memory.
  //
  // The document, or nullopt. Durable state only.
  virtual Task<std::optional<doc::Document>> get(CollectionRef collection, std::string id,
                                                 ReadOptions options = {}) = 0;
  // The same, with the document's version.
  virtual Task<std::optional<VersionedDocument>> getVersioned(CollectionRef collection, std::string id,
                                                              ReadOptions options = {}) = 0;
  // The documents in the order of `ids`, which may repeat, without the fields in `hidden` (null for none). Fails with
  // payloadTooLarge for a result over 16 MiB.
  virtual Task<std::vector<std::optional<doc::Document>>> getMany(CollectionRef collection,
                                                                  std::vector<std::string> ids,
                                                                  std::shared_ptr<const doc::FieldSet> hidden = nullptr,
                                                                  ReadOptions options = {}) = 0;
  // Fails with payloadTooLarge for a result over maxBytes, unless it is paged, and where the positions of `skip` +
  // `limit` documents, which no index yields in their order, take more than 32 MiB; with unavailable past the deadline.
  virtual Task<QueryResult> find(Query query) = 0;
  // Exact; uses the collection's count if the filter matches everything.
  virtual Task<uint64_t> count(CollectionRef collection, doc::Filter filter, Deadline deadline) = 0;
  // Locks the targets, reads them, runs the callback (null: only the inserts), commits all changes atomically and
  // durably, then returns. Fails with the callback's error; conflict if an insert's document exists, and, with the
  // Violation, if a unique index already holds a value or a condition does not hold; planLimit, with the Violation,
  // past the limit of a counter; staleCatalogue; payloadTooLarge (a document over 1 MiB, in a system collection over 2
  // MiB); unavailable (deadline, queue full, disk nearly full). On failure nothing is written.
  virtual Task<WriteOutcome> write(Write write, WriteCallback callback) = 0;
  // A new id for a document of a user collection of the project, for which WriteTarget::idIsNew holds. Any thread.
  virtual std::string newId(ProjectNo project, IdGenerator& ids) const;
  virtual Task<CollectionStats> stats(CollectionRef collection, ReadOptions options = {}) = 0;
  // The same for the documents whose SystemCollection::countedBy field is `value`. Exact.
  virtual Task<CollectionStats> statsByField(CollectionRef collection, std::string value, ReadOptions options = {}) = 0;
  // What the user collections of a project take, by number: exact counts of documents, estimates of large indexes.
  // Reads no documents, and at most a few entries of each index. Fails with unavailable past the deadline, or if too
  // many scans wait.
  virtual Task<std::vector<CollectionUsage>> usage(ProjectNo project, ReadOptions options = {}) = 0;
  // The counter as of the last commit: exact, unless an earlier fault left it wrong, which may be below 0.
  virtual Task<int64_t> counter(CounterKey key) = 0;
  // Counts the documents behind the project's counters and corrects those that differ. Exact under concurrent writes,
  // which neither wait nor are lost. Corrections are durable when it returns, and logged. One project is counted at a
  // time; further calls wait. Fails with notFound for a project that does not exist or was dropped, and with
  // unavailable when it was stopped, past the deadline, or if too many scans wait.
  virtual Task<CounterRecount> recountCounters(ProjectNo project, RecountOptions options = {}) = 0;

  // ---- marks: whether the data of a cache entry may have changed
  // The mark of `value` at `path`, which is one of SystemCollection::marked or of markPath(). Never blocks. Any thread.
  virtual Mark mark(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const = 0;
  // Once it has returned, values at the path of a user collection have marks, until the store closes. Idempotent.
  virtual Task<> markPath(ProjectNo project, CollectionNo collection, std::string path) = 0;

  // ---- projects
  // A number that was never used before; durable when returned.
  virtual Task<ProjectNo> allocateProject() = 0;
  // Marks the project as dropped at once; a sweeper frees its space later.
  virtual Task<> dropProject(ProjectNo project) = 0;
  // Exact for changes made by this instance. Never blocks. Any thread.
  virtual Epoch epoch(ProjectNo project) const = 0;
  // The epoch in the store now, including changes of other instances. Fails with unavailable.
  virtual Task<uint64_t> epochNow(ProjectNo project) = 0;

  // ---- catalogue. `extraInserts` are inserts into system collections in the same commit (audit entries). Each change
  // bumps the project's epoch in its commit. A project's collections have distinct foldedName()s, and there are at most
  // kMaxCollections of them; the commit checks both and fails with conflict.
  virtual Task<std::vector<CollectionInfo>> collections(ProjectNo project) = 0;
  virtual Task<CollectionInfo> createCollection(ProjectNo project, std::string name, doc::Document config,
                                                std::vector<Insert> extraInserts) = 0;
  virtual Task<CollectionInfo> alterCollection(CollectionRef collection, Alteration change,
                                               std::vector<Insert> extraInserts) = 0;
  virtual Task<> dropCollection(CollectionRef collection, std::vector<Insert> extraInserts) = 0;
  // Returns when the index is ready. Fails with conflict for a taken name, or for a unique index over duplicates (then
  // the index is removed); validation past 64 indexes.
  virtual Task<IndexInfo> createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) = 0;
  virtual Task<> dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) = 0;
  // Of the index's fill; nullopt if it is ready, or does not exist.
  virtual Task<std::optional<IndexProgress>> indexProgress(CollectionRef collection, IndexNo index) = 0;

  // The listeners of WriteOptions::notices.
  virtual Notices& notices() = 0;

  // Whether writes are accepted now (ready, disk space, not stopping); the reason if not.
  virtual Result<> healthy() const = 0;
};

// The T that a callback returns as a Result<T>.
template <class Callback>
using ReturnedBy = typename std::invoke_result_t<const Callback&, const PreImages&, Changes&>::value_type;

// `callback`, which returns a Result<T>, as one that keeps the T of its last run in `returned`. Both outlive it.
template <class Callback>
WriteCallback keepReturned(const Callback& callback, std::optional<ReturnedBy<Callback>>& returned) {
  return [&returned, &callback](const PreImages& before, Changes& changes) -> Result<> {
    returned.reset();
    TRY(returned, callback(before, changes));
    return {};
  };
}

// Runs a write whose callback returns a Result<T>, and returns the T of the run that was committed.
template <class Callback>
auto writeReturning(DocumentStore& store, Write write, Callback callback) -> Task<ReturnedBy<Callback>> {
  std::optional<ReturnedBy<Callback>> returned;
  CO_RETURN_IF_ERROR(co_await store.write(std::move(write), keepReturned(callback, returned)));
  co_return *std::move(returned);
}

// The same, with the write's outcome.
template <class Callback>
auto writeWithOutcome(DocumentStore& store, Write write, Callback callback)
    -> Task<std::pair<ReturnedBy<Callback>, WriteOutcome>> {
  std::optional<ReturnedBy<Callback>> returned;
  CO_TRY(WriteOutcome outcome, co_await store.write(std::move(write), keepReturned(callback, returned)));
  co_return std::pair(*std::move(returned), std::move(outcome));
}

// Folds case, and "-" to "_": names that are equal after folding clash where they become files or types.
std::string foldedName(std::string_view name);

// What a source counts of a document: its group and amount; nullopt if it does not count the document.
std::optional<std::pair<std::string, int64_t>> countedOf(const CounterSource& source, doc::DocumentView document);

// Lowers a project's entry in `floors` to the position after which the document keeps changes.
void addLogFloor(const LogFloor& fields, doc::DocumentView document, std::map<ProjectNo, uint64_t>& floors);

// The name of an index that is declared without one: "field_1_other_-1".
std::string defaultIndexName(const std::vector<IndexKey>& keys);

}  // namespace mb::store

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

// What a counter counts of a collection: the sum of an integer field, or the number of documents. Several collections
// may feed one counter. A declaration that is new or changed is counted while the store opens.
struct CounterSource {
  CounterNo counter = 0;
  std::string name;            // of the counter, in errors
  std::string summed = {};     // "" counts documents
  std::string groupedBy = {};  // a string field; documents without one are not counted. "" for one sum a project
};

// A collection that every project has, declared in code by the module that owns it. Its changes are not in the change
// log.
struct SystemCollection {
  CollectionNo number;
  std::string name;  // "__users"
  std::vector<IndexSpec> indexes;
  // Inserts are chained in the order of their commits: chain.h. An index on `seq` alone, sparse, keeps up.
  bool chained = false;
  // A field that holds a string, by which documents are counted apart: statsByField(). "" for none; once declared it
  // stays.
  std::string countedBy = {};
  std::vector<CounterSource> counters = {};
  // Paths whose values have marks: DocumentStore::mark().
  std::vector<std::string> marked = {};
  // Of a collection of the control project: the field that holds a project's id. A document is deleted when that
  // project is purged. "" for none.
  std::string projectField = {};
};

struct CollectionInfo {
  CollectionNo number = 0;
  std::string name;
  uint64_t version = 0;  // grows with each change of name, config or indexes
  doc::Document config;  // opaque to the store: schema, policy, …, owned by data/
  std::vector<IndexInfo> indexes;
};

struct SortKey {
  std::string path;
  int direction = 1;
};

// Of an answer, unless a query says less.
inline constexpr size_t kMaxResultBytes = 16 << 20;

// What a query returns of the documents that match.
enum class Projection {
  documents,
  ids,  // documents that hold their `id` and nothing else
  // The same in no order, one perhaps twice, where an index tells them without a look at documents.
  unorderedIds,
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
  Projection projection = Projection::documents;
  // Left out of the documents of the result, before their sizes count. Null for none.
  std::shared_ptr<const doc::FieldSet> hidden = {};
  // True: the result holds what fits maxBytes (one document at least, where there is one), and says whether there is
  // more and where to go on. False: a result larger than maxBytes fails with payloadTooLarge.
  bool paged = false;
  size_t maxBytes = kMaxResultBytes;
  // Of `paged`, without `skip`: QueryResult::next of an earlier page of the same query; "" from the start. Of a query
  // without `sort` it is the id of the page's last document. With sort keys the documents before it are still read and
  // passed by. What was
  // inserted, changed or removed in between moves nothing else: no document whose sort keys stay is repeated or missed.
  std::string after = {};
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
  // Of a paged query: whether it stopped before `limit` because of maxBytes, and what Query::after continues behind the
  // last document ("" where there is none).
  bool more = false;
  std::string next;
  bool known = true;  // false: no index tells the unorderedIds that were asked for
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

// A listener of notices is called on a thread of the store, in the order of the commits; it must return at once.
using Notices = Listeners<const Notice&>;

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
  // Fails with payloadTooLarge past maxBytes of answer, or of 32 MiB to sort, unless it is paged; unavailable past
  // the deadline.
  virtual Task<QueryResult> find(Query query) = 0;
  // Exact; from the collection's count where the filter matches all. explain, when given, must outlive the call.
  virtual Task<uint64_t> count(CollectionRef collection, doc::Filter filter, Deadline deadline) = 0;
  // Locks the targets, reads them, runs the callback (which may be null: the inserts alone), commits all changes
  // atomically and durably, then returns. Fails with what the callback failed with; conflict where an insert's document
  // exists, and, with the Violation, where a unique index holds a value already or a condition does not hold;
  // planLimit, with the Violation, past the limit of a counter; staleCatalogue; payloadTooLarge (a document over 1 MiB,
  // in a system collection over 2 MiB); unavailable (deadline, queue full, disk nearly full). Nothing is written then.
  virtual Task<WriteOutcome> write(Write write, WriteCallback callback) = 0;
  virtual Task<CollectionStats> stats(CollectionRef collection) = 0;
  // The same of those documents whose SystemCollection::countedBy field is `value`. Exact.
  virtual Task<CollectionStats> statsByField(CollectionRef collection, std::string value) = 0;
  // The counter as the last commit left it. Exact.
  virtual Task<int64_t> counter(CounterKey key) = 0;

  // ---- marks: whether what a cache was made from may have changed
  // Of `value` at `path`, which is one of SystemCollection::marked or of markPath(). Never blocks. Any thread.
  virtual Mark mark(ProjectNo project, CollectionNo collection, std::string_view path, doc::ValueView value) const = 0;
  // From its return on, values at the path of a user collection have marks, until the store closes. Idempotent.
  virtual Task<> markPath(ProjectNo project, CollectionNo collection, std::string path) = 0;

  // ---- projects
  // A number never used before, durable when returned.
  virtual Task<ProjectNo> allocateProject() = 0;
  // Marks the project dead at once; a sweeper frees its space.
  virtual Task<> dropProject(ProjectNo project) = 0;
  // Exact for changes made by this instance. Never blocks. Any thread.
  virtual Epoch epoch(ProjectNo project) const = 0;
  // The epoch as it is in the store now, changes of other instances included. Fails with unavailable.
  virtual Task<uint64_t> epochNow(ProjectNo project) = 0;

  // ---- catalogue. `extraInserts` are inserts into system collections in the same commit (audit entries). Each bumps
  // the project's epoch in its commit. Of a project's collections no two have the same foldedName(), and there are at
  // most kMaxCollections: conflict otherwise, judged in the commit.
  virtual Task<std::vector<CollectionInfo>> collections(ProjectNo project) = 0;
  virtual Task<CollectionInfo> createCollection(ProjectNo project, std::string name, doc::Document config,
                                                std::vector<Insert> extraInserts) = 0;
  virtual Task<CollectionInfo> alterCollection(CollectionRef collection, Alteration change,
                                               std::vector<Insert> extraInserts) = 0;
  virtual Task<> dropCollection(CollectionRef collection, std::vector<Insert> extraInserts) = 0;
  // Returns when the index is ready. Fails with conflict for a taken name, or for a unique index over duplicates
  // (nothing stays behind); validation past 64 indexes.
  virtual Task<IndexInfo> createIndex(CollectionRef collection, IndexSpec spec, std::vector<Insert> extraInserts) = 0;
  virtual Task<> dropIndex(CollectionRef collection, std::string name, std::vector<Insert> extraInserts) = 0;

  // Listeners of what writes announce.
  virtual Notices& notices() = 0;

  // Whether writes are taken now (ready, disk space, not stopping); the reason when not.
  virtual Result<> healthy() const = 0;
};

// Runs a write whose callback returns a Result<T>, and returns the T of the run that was committed.
template <class Callback>
auto writeReturning(DocumentStore& store, Write write, Callback callback)
    -> Task<typename std::invoke_result_t<const Callback&, const PreImages&, Changes&>::value_type> {
  using T = typename std::invoke_result_t<const Callback&, const PreImages&, Changes&>::value_type;
  std::optional<T> returned;
  CO_RETURN_IF_ERROR(co_await store.write(
      std::move(write),
      [&returned, &callback = std::as_const(callback)](const PreImages& before, Changes& changes) -> Result<> {
        returned.reset();
        TRY(returned, callback(before, changes));
        return {};
      }));
  co_return *std::move(returned);
}

// Names that differ by case, or by "-" and "_", are one name where they become files or types: they clash.
std::string foldedName(std::string_view name);

// What a source counts of a document: its group and amount; nullopt where it counts nothing of it.
std::optional<std::pair<std::string, int64_t>> countedOf(const CounterSource& source, doc::DocumentView document);

// The declared name of an index without one: "field_1_other_-1".
std::string defaultIndexName(const std::vector<IndexKey>& keys);

}  // namespace mb::store

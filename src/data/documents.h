// Documents is the access to documents for all callers. Reading: permission, policy filter AND the caller's, denied
// fields removed, expand. Writing: permission, pre-hooks, then under the document's lock policy filter, change, system
// fields, schema, field rules and CEL, commit (docs/architecture.md, "The path of a request"; docs/engine.md,
// "Writing").
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/collection_table.h"
#include "data/pre_hook.h"
#include "data/write_condition.h"
#include "policy/caller.h"
#include "snapshot/snapshot.h"

namespace mb::data {

struct DataDeps;
class Grants;

// The data plane needs permission and policy; the admin plane needs permission only, and nothing is hidden. A key of
// scope service has Authority::admin on the data plane too (authorityOf() in data/grant.h).
enum class Authority { policies, admin };

struct Access {
  const policy::Caller& caller;  // outlives the call
  snapshot::SnapshotPtr project;
  Authority authority = Authority::policies;  // of the plane
  store::Deadline deadline;
  policy::Trace* trace = nullptr;  // of a trial, which caches no sets, as they may be drafts. Null in requests
};

inline constexpr uint64_t kDefaultLimit = 50;
inline constexpr uint64_t kMaxLimit = 1000;

struct ReadQuery {
  std::optional<doc::Document> filter;  // the caller's, unparsed
  uint64_t skip = 0;
  uint64_t limit = kDefaultLimit;    // clamped to kMaxLimit; 0 returns nothing
  std::vector<std::string> expand;   // paths of x-ref fields; others are ignored
  std::vector<store::SortKey> sort;  // of list(); empty: ascending id
  bool explain = false;              // of list() and query(): whether the result explains its access path
};

// A query with chosen fields, in pages.
struct DocumentQuery {
  ReadQuery read;
  // What the documents keep besides `id` and the expanded references; nullopt for everything.
  std::optional<std::vector<std::string>> fields;
  // Where the page starts, without `skip`: DocumentPage::next of an earlier page, or in the order of ids a document's
  // id.
  std::optional<std::string> after = {};
  std::optional<std::string> afterId = {};
  bool total = false;  // counts the matches
};

struct DocumentPage {
  std::vector<doc::Document> documents;
  std::optional<std::string> next;  // the cursor of the page that follows; nullopt for the last page
  std::optional<uint64_t> total;
  store::Explain explain;
};

// A document and the fields to omit when it is written as JSON (null: none).
struct VisibleDocument {
  doc::Document document;
  std::shared_ptr<const doc::FieldSet> hidden;
  // nullopt with expanded references, which have versions of their own, and for a document that was deleted.
  std::optional<store::DocumentVersion> version = {};
};
// Documents without the fields that the caller may not read: the store removes these, so they do not count in limits.
struct VisibleDocuments {
  std::vector<doc::Document> documents;
  store::Explain explain;
};

// Arguments taken by reference must live until the returned coroutine has ended. Every call may fail with forbidden
// (permission, missing rule, unresolvable placeholder), notFound (collection) and the errors of the store. On any core.
class Documents {
 public:
  // The references outlive this.
  Documents(const DataDeps& deps, FairPool& pool, const Grants& grants);
  ~Documents();
  // Only at start-up; `hook` outlives this.
  void setPreHook(PreHook& hook);

  // Returns one document. Ignores skip and limit. Fails with notFound (absent, hidden by the rule's filter or not
  // matched by the query's), invalidFilter, forbidden (the filter names a denied field), payloadTooLarge (expand).
  Task<VisibleDocument> get(const Access& access, const std::string& collection, const std::string& id,
                            const ReadQuery& query);
  // In ascending id or the query's order, by the `list` rule, or by the `read` rule for search. Fails as get does, and
  // with forbidden for a denied field among the sort keys.
  Task<VisibleDocuments> list(const Access& access, const std::string& collection, const ReadQuery& query,
                              policy::Operation operation = policy::Operation::list);
  // A page by the `list` rule: at most `limit` documents and 16 MiB. Fails as list does, with forbidden for a denied
  // field among `fields`, `expand` and the sort keys, with invalidCursor, and with validation for a sort by two arrays
  // of one document.
  Task<DocumentPage> query(const Access& access, const std::string& collection, const DocumentQuery& query);
  // The collections whose documents `expand` adds to results of `collection`; "users" for profiles. Fails with
  // notFound.
  Result<std::vector<std::string>> expandedCollections(const snapshot::ProjectSnapshot& project,
                                                       std::string_view collection,
                                                       const std::vector<std::string>& expand) const;
  // The documents of `ids` (distinct, at most 4,000) that the `read` rule allows, without their denied fields; the
  // others are nullopt. In the order of `ids`. "users": the profiles of end users, nullopt without the project's
  // setting profileFields. Fails with payloadTooLarge above 16 MiB.
  Task<std::vector<std::optional<doc::Document>>> byIds(const Access& access, const std::string& collection,
                                                        const std::vector<std::string>& ids);
  // The number of documents that list() could return, whatever skip and limit.
  Task<uint64_t> count(const Access& access, const std::string& collection, const ReadQuery& query);

  // What get() would return of a document that the same caller has just written; nullopt if the caller may not read it.
  Task<std::optional<VisibleDocument>> readable(const Access& access, const std::string& collection,
                                                VisibleDocument written);

  // Stores `body` as a new document under its `id`, or under a generated one. Fails with validation (id, schema, keys),
  // conflict (id or unique value taken), forbidden (field rules, CEL, the rule's filter).
  Task<VisibleDocument> create(const Access& access, const std::string& collection, doc::Document body);
  // A change fails with preconditionFailed where `condition` does not hold. That is checked under the lock, once it is
  // known that the caller may see the document and change it.
  //
  // `body` is either update operators or fields to set. Fails with notFound, invalidUpdate, and as create does.
  Task<VisibleDocument> update(const Access& access, const std::string& collection, const std::string& id,
                               doc::Document body, WriteCondition condition = {});
  // Replaces everything by `body`, except the fields of the server and the fields that the caller may not read and does
  // not name. Fails with invalidBody for keys that start with "$", and as update does. With a condition that demands
  // absence it is create() under `id`, whatever `id` the body has.
  Task<VisibleDocument> replace(const Access& access, const std::string& collection, const std::string& id,
                                doc::Document body, WriteCondition condition = {});
  Task<> remove(const Access& access, const std::string& collection, const std::string& id,
                WriteCondition condition = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mb::data

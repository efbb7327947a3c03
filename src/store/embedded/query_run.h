// One find or count on its way: plans, reads, filters and collects, in steps that each end before an iterator gets old.
// Between steps it holds no iterator and no snapshot, only where it was. One thread at a time.
#pragma once

#include "base/work_budget.h"
#include "store/embedded/catalogue.h"
#include "store/embedded/document_batch.h"
#include "store/embedded/key_stream.h"
#include "store/embedded/plan_choice.h"
#include "store/embedded/sorter.h"

namespace mb::store::embedded {

// What the matching of one query may cost in all its steps (base/work_budget.h): some two seconds of a thread.
inline constexpr int64_t kQueryWork = 2'000'000'000;

// What queries read from; outlives them.
struct QueryContext {
  Database& database;
  const Catalogue& catalogue;
  PlanMemory& memory;
};

// What one step may use.
struct Budget {
  Tier tier = Tier::disk;
  uint64_t keys = UINT64_MAX;
  int64_t work = kQueryWork;
  // Asked now and then: true ends the step.
  std::function<bool()> expired;
};

class QueryRun {
 public:
  enum class Step {
    done,
    disk,  // the memory does not hold what is needed
    more,  // the budget is used up
  };
  QueryRun(QueryContext context, CollectionHandle collection, Query query, bool counting);

  // Goes on until done or stopped. Fails with queryTooCostly once all that the query may cost is used up.
  Result<Step> step(const Budget& budget);
  // After done. Fails with payloadTooLarge where what was skipped alone is too large to be sorted.
  Result<QueryResult> takeResult();
  uint64_t counted() const { return counted_; }

  const Query& query() const { return query_; }
  const Explain& explain() const { return result_.explain; }

 private:
  struct Session;
  // again: the choice of the plan was a mistake, or does not hold any more; costly: the work that the step may do is
  // used up, and what the last match said means nothing.
  enum class Flow { on, enough, disk, more, again, costly };

  Result<Step> steps(const Budget& budget);
  Result<Flow> run(Session& session);
  void restart();
  Result<Flow> choosePlan(Session& session);
  bool isCurrent();
  Result<Flow> readByIds(Session& session);
  Result<Flow> readDocuments(Session& session);
  Result<Flow> readStream(Session& session);
  void keepPending(DocumentBatch batch, const KeyStream& stream);
  Result<Flow> readWindows(Session& session);
  // Looks at the first documents in the order of ids, `most` of them. On where these are not enough.
  Result<Flow> tryInOrder(Session& session, uint64_t max);
  Result<Flow> fillWindow(Session& session);
  Result<Flow> drainWindow(Session& session);
  void cutWindow();
  // Reads the documents of the batch and hands over those that match.
  Result<Flow> fetch(Session& session, DocumentBatch& batch);
  bool keysSuffice(const Session& session, const DocumentBatch& batch) const;
  bool passesBy();
  Result<Flow> accept(std::string_view id, std::string document);
  // What the result holds of a document.
  std::string shown(std::string_view id, std::string document) const;
  bool isMatch(Session& session, std::string_view document, bool known) const;
  // Counts a key; again when there were too many for the choice that was made.
  Flow examine();
  DocumentBatch batchOf(size_t expected) const {
    return DocumentBatch(collection_.state->project, collection_.state->number, expected);
  }
  uint64_t wanted() const;  // documents still to be found
  // The keys alone tell the answer.
  bool isCovered() const { return counting_ && plan_->exact && plan_->entriesOnly(); }
  void resetAnswer();
  // Whether places in the order are those of ids, or have sort keys in them.
  bool ordersByKeys() const { return !order_.keys.empty(); }
  Result<> takeSorted();

  const QueryContext context_;
  CollectionHandle collection_;
  const Query query_;
  const SortOrder order_;
  const bool counting_;

  std::optional<Plan> plan_;
  bool trusting_ = true;  // a remembered choice is taken
  uint64_t distrustAfter_ = UINT64_MAX;
  std::vector<uint64_t> traits_;  // of the indexes, as they were when it was planned
  // Where in the plan the next read goes on.
  KeyStream::Places places_;
  size_t at_ = 0;       // among its ids
  std::string next_;    // among the documents; empty: at the start
  bool tried_ = false;  // tryInOrder() did not suffice
  // Of a plan whose ids come out of order: the lowest ones above `floor_`, gathered and then fetched in order.
  std::vector<std::string> window_;
  size_t windowAt_ = 0;
  bool windowReady_ = false;
  bool windowCut_ = false;      // more ids lie above its last
  bool windowMatches_ = false;  // its ids are known to match under the snapshot they were gathered from
  bool anyFloor_ = false;
  std::string floor_;
  // Gathered along an index and not yet fetched, as the memory does not hold them.
  std::optional<DocumentBatch> pending_;
  uint64_t gathered_ = 0;  // the step whose snapshot the ids come from
  uint64_t session_ = 0;

  SortPlaces sortPlaces_;  // of its sort keys, once there is a plan
  // Of the last document, where the result does not show what its place rests on.
  std::string lastPlace_;
  std::optional<Sorter> sorter_;
  uint64_t skipLeft_ = 0;
  uint64_t counted_ = 0;
  size_t bytes_ = 0;
  QueryResult result_;
  int64_t workLeft_ = kQueryWork;
};

}  // namespace mb::store::embedded

// A QueryRun executes one find or count: it plans, reads, filters and collects, in steps that each end before an
// iterator gets old. Between steps it holds no iterator and no snapshot, only its position. One thread at a time.
#pragma once

#include "base/work_budget.h"
#include "store/embedded/catalogue.h"
#include "store/embedded/document_batch.h"
#include "store/embedded/key_stream.h"
#include "store/embedded/plan_choice.h"
#include "store/embedded/sorter.h"

namespace mb::store::embedded {

// The maximum cost of matching for one query in all its steps (base/work_budget.h): some two seconds of a thread.
inline constexpr int64_t kQueryWork = 2'000'000'000;

// The parts of the engine that queries read from; they outlive the queries.
struct QueryContext {
  Database& database;
  const Catalogue& catalogue;
  PlanMemory& memory;
};

// The limits of one step.
struct Budget {
  Tier tier = Tier::disk;
  uint64_t keys = UINT64_MAX;
  int64_t work = kQueryWork;
  // Called from time to time: true ends the step.
  std::function<bool()> expired;
};

class QueryRun {
 public:
  enum class Step {
    done,
    disk,  // data that is needed is not in memory
    more,  // the budget is used up
  };
  QueryRun(QueryContext context, CollectionHandle collection, Query query, bool counting);

  // Continues until done or stopped. Fails with queryTooCostly once the maximum cost of a query is exceeded.
  Result<Step> step(const Budget& budget);
  // Call after `done`.
  Result<QueryResult> takeResult();
  uint64_t counted() const { return counted_; }

  const Query& query() const { return query_; }
  const Explain& explain() const { return result_.explain; }

 private:
  struct Session;
  // again: the plan was a wrong choice, or is no longer valid; costly: the step's work budget is used up, and the last
  // match result is meaningless.
  enum class Flow { on, enough, disk, more, again, costly };

  Result<Step> steps(const Budget& budget);
  Result<Flow> run(Session& session);
  Result<Flow> readPlan(Session& session);
  void restart();
  Result<Flow> choosePlan(Session& session);
  bool isCurrent();
  Result<Flow> readByIds(Session& session);
  Result<Flow> readDocuments(Session& session);
  Result<Flow> readStream(Session& session);
  void keepPending(DocumentBatch batch, const KeyStream& stream);
  Result<Flow> readWindows(Session& session);
  // Reads up to `max` of the first documents in the order of ids. Returns Flow::on if these are not enough.
  Result<Flow> tryInOrder(Session& session, uint64_t max);
  Result<Flow> fillWindow(Session& session);
  Result<Flow> drainWindow(Session& session);
  // Reads the documents of sorted positions; a document that has changed since is left out.
  Result<Flow> readSorted(Session& session);
  void truncateWindow();
  // Reads the documents of the batch and accepts those that match.
  Result<Flow> fetch(Session& session, DocumentBatch& batch);
  bool keysSuffice(const Session& session, const DocumentBatch& batch) const;
  bool countOrSkip();
  Result<Flow> accept(std::string_view id, std::string document);
  // The projected document for the result.
  std::string project(std::string_view id, std::string document) const;
  bool isMatch(Session& session, std::string_view document, bool known) const;
  // Counts a key; returns Flow::again if too many were read for the chosen plan.
  Flow examine();
  DocumentBatch batchOf(size_t expected) const {
    return DocumentBatch(collection_.state->project, collection_.state->number, expected);
  }
  uint64_t wanted() const;  // number of documents still to find
  // Whether the keys alone give the result.
  bool isCovered() const { return counting_ && plan_->exact && plan_->entriesOnly(); }
  void resetResult();
  // Whether positions in the order contain sort keys, not only ids.
  bool ordersByKeys() const { return !order_.keys.empty(); }
  Result<> takeSorted();
  // Adds a document to the result; false if it does not fit.
  Result<bool> add(std::string document, std::string position);

  const QueryContext context_;
  CollectionHandle collection_;
  const Query query_;
  const SortOrder order_;
  const bool counting_;

  std::optional<Plan> plan_;
  bool trusting_ = true;  // a remembered choice may be used
  uint64_t distrustAfter_ = UINT64_MAX;
  std::vector<uint64_t> traits_;  // of the indexes, at planning
  // Where the next read continues in the plan.
  KeyStream::Positions positions_;
  size_t at_ = 0;       // in its ids
  std::string next_;    // in the documents; empty: from the start
  bool tried_ = false;  // tryInOrder() was not enough
  // For a plan that does not yield ids in order: the lowest ids above `floor_`, gathered and then read in order.
  std::vector<std::string> window_;
  size_t windowAt_ = 0;
  bool windowReady_ = false;
  bool windowTruncated_ = false;  // there are more ids above its last
  bool windowMatches_ = false;    // its ids are known to match under the snapshot of their step
  bool anyFloor_ = false;
  std::string floor_;
  // Gathered along an index but not read yet, since the documents are not in memory.
  std::optional<DocumentBatch> pending_;
  uint64_t gathered_ = 0;  // the step whose snapshot yielded the ids
  uint64_t session_ = 0;

  SortPositions sortPositions_;  // of the sort keys; set with the plan
  // The position of the last document, if the result may lack its sort keys or its id.
  std::string lastPosition_;
  std::optional<Sorter> sorter_;
  // The result, if the sorter holds positions alone.
  std::optional<std::vector<Sorter::Entry>> sorted_;
  size_t sortedAt_ = 0;
  uint64_t skipLeft_ = 0;
  uint64_t counted_ = 0;
  size_t bytes_ = 0;
  QueryResult result_;
  int64_t workLeft_ = kQueryWork;
};

}  // namespace mb::store::embedded

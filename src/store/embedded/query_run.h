// One find or count on its way: plans, reads, filters and collects, in steps that each end before an iterator gets old.
// Between steps it holds no iterator and no snapshot, only where it was. One thread at a time.
#pragma once

#include "store/embedded/catalogue.h"
#include "store/embedded/planner.h"
#include "store/embedded/sorter.h"

namespace mb::store::embedded {

inline constexpr size_t kAnswerBytes = 16 << 20;

// What one step may use.
struct Budget {
  Tier tier = Tier::disk;
  uint64_t keys = UINT64_MAX;
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
  QueryRun(Database& database, CollectionHandle collection, Query query, bool counting);

  // Goes on until done or stopped. After `disk`, restart() comes first.
  Result<Step> step(const Budget& budget);
  void restart();
  // After done.
  QueryResult takeResult();
  uint64_t counted() const { return counted_; }

 private:
  struct Session;
  enum class Flow { on, enough, disk, more };

  Result<Flow> choosePlan(Session& session);
  std::optional<uint64_t> countKeys(Session& session, const Plan& plan, uint64_t cap);
  Result<Flow> readByIds(Session& session);
  Result<Flow> readDocuments(Session& session);
  Result<Flow> readIndex(Session& session);
  Result<Flow> readStream(Session& session);
  Result<Flow> readWindows(Session& session);
  Result<Flow> tryInOrder(Session& session);
  Result<Flow> fillWindow(Session& session);
  Result<Flow> drainWindow(Session& session);
  void cutWindow();
  // Reads the documents of `ids` and hands over those that match.
  Result<Flow> fetch(Session& session, std::span<const std::string> ids);
  Result<Flow> accept(std::string_view id, std::string_view document);
  bool isMatch(Session& session, std::string_view document) const;
  std::string_view idOf(std::string_view key, std::string_view value) const;
  uint64_t wanted() const;  // documents still to be found
  void resetAnswer();

  Database& database_;
  const CollectionHandle collection_;
  const Query query_;
  const bool counting_;

  std::optional<Plan> plan_;
  // Where in plan_'s ranges (or ids) the next read goes on.
  size_t at_ = 0;
  std::string next_;    // empty: at the start of the range
  bool tried_ = false;  // tryInOrder() was
  // Of a plan whose ids come out of order: the lowest ones above `floor_`, gathered and then fetched in order.
  std::vector<std::string> window_;
  size_t windowAt_ = 0;
  bool windowReady_ = false;
  bool windowCut_ = false;  // more ids lie above its last
  bool anyFloor_ = false;
  std::string floor_;
  uint64_t windowSession_ = 0;
  uint64_t session_ = 0;

  std::optional<Sorter> sorter_;
  uint64_t skipLeft_ = 0;
  uint64_t counted_ = 0;
  size_t bytes_ = 0;
  QueryResult result_;
};

}  // namespace mb::store::embedded

// A job as it is stored. Private to jobs/.
//
//   place  "r" key due seq (ready) or "d" died seq (dead-lettered), with the fairness key, and times as 16 digits of
//          milliseconds: one index finds the due jobs of each key, skips from key to key, and finds old dead jobs
//   `lane` the fairness key: kind, project, group, each followed by \x01. The store counts rows by it, for the load of
//          a group; absent without a group, and in dead jobs
//   chain  kind, project, order key, `seq`, each but the last followed by \x01; absent without an order key, and in
//          dead jobs
#pragma once

#include <chrono>
#include <string>

#include "document/bson.h"
#include "store/store.h"

namespace mb::jobs {

// A FairnessKey identifies the jobs that are scheduled as one: those of one kind, project and group, or of no group.
class FairnessKey {
 public:
  FairnessKey() = default;
  FairnessKey(std::string_view kind, store::ProjectNo project, std::string_view group);
  // Each is a prefix of the places of its ready rows, and of the next one.
  std::string_view ofKind() const { return std::string_view(text_).substr(0, kindEnd_); }
  std::string_view ofProject() const { return std::string_view(text_).substr(0, projectEnd_); }
  const std::string& all() const { return text_; }
  bool grouped() const { return text_.size() > projectEnd_ + 1; }
  // The value of the row's field.
  std::string_view stored() const { return std::string_view(text_).substr(1); }

 private:
  std::string text_;
  size_t kindEnd_ = 0;
  size_t projectEnd_ = 0;
};
std::string kindPrefix(std::string_view kind);
// The smallest text above all that begin with `prefix`. REQUIRES: `prefix` ends in \x01.
std::string behind(std::string_view prefix);

// Each attempt changes the state of a row that it does not remove.
struct RowState {
  std::string seq;
  Timestamp dueAt;
  int failedAttempts = 0;
  bool operator==(const RowState&) const = default;
};

struct Row {
  std::string id;
  std::string kind;
  store::ProjectNo project = 0;
  std::string group;
  std::string seq;  // ascends in the order of creation; a row of the same id with another `seq` is another job
  Timestamp createdAt;
  Timestamp dueAt;  // of a dead job: when it was dead-lettered
  bool dead = false;
  int failedAttempts = 0;
  std::string orderKey;
  std::chrono::milliseconds repeatEvery{0};
  Timestamp repeatFrom;  // fires are at this time plus multiples of repeatEvery
  doc::Document payload;
  std::string sealed;  // in place of the payload
  std::string error;   // of the last attempt
  std::string trace;

  RowState state() const { return {seq, dueAt, failedAttempts}; }
  // That of a stored row.
  static RowState stateOf(doc::DocumentView stored);
  // The row without payload, error and repetition.
  Row head() const;
  FairnessKey fairnessKey() const { return {kind, project, group}; }
  // The prefix shared by the jobs that must not overlap with this one; "" for none.
  std::string chain() const;
  // Of a periodic job: its first fire after `now`. Missed fires are skipped.
  Timestamp nextFire(Timestamp now) const;
  doc::Document toDocument() const;
  // Fails with internal if the document is not a valid job.
  static Result<Row> fromDocument(doc::DocumentView stored);
};

inline constexpr std::string_view kPlacePath = "place";
inline constexpr std::string_view kFairnessKeyPath = "lane";
inline constexpr std::string_view kChainPath = "chain";
std::string readyPlace(const FairnessKey& fairnessKey, Timestamp dueAt, std::string_view seq);
std::string deadPlace(Timestamp diedAt, std::string_view seq);

// The seal context that binds a payload to its job.
std::string sealContext(std::string_view id);

}  // namespace mb::jobs

// A job as it is stored. Private to jobs/.
//
//   place  "r" lane due seq (ready) or "d" given-up seq (given up), times as 16 digits of milliseconds: one index finds
//          what is due of each fairness key, leaps from one to the next, and finds what has been dead for long
//   lane   the fairness key: kind, project, group, each followed by \x01: rows are counted by it, for the load of a
//   group; absent without one, and when
//          given up
//   chain  kind, project, order key, `seq`, each but the last followed by \x01; absent without an order key, and when
//          given up
#pragma once

#include <chrono>
#include <string>

#include "document/bson.h"
#include "store/store.h"

namespace mb::jobs {

// What shares its turns: of one kind and project the jobs of one group, or those of none.
class FairnessKey {
 public:
  FairnessKey() = default;
  FairnessKey(std::string_view kind, store::ProjectNo project, std::string_view group);
  // Each stands before the places of its ready rows, and before the next.
  std::string_view ofKind() const { return std::string_view(text_).substr(0, kindEnd_); }
  std::string_view ofProject() const { return std::string_view(text_).substr(0, projectEnd_); }
  const std::string& all() const { return text_; }
  bool grouped() const { return text_.size() > projectEnd_ + 1; }
  // What the row says of it.
  std::string_view stored() const { return std::string_view(text_).substr(1); }

 private:
  std::string text_;
  size_t kindEnd_ = 0;
  size_t projectEnd_ = 0;
};
std::string kindPrefix(std::string_view kind);
// The first text behind all that begin with `prefix`, which ends in \x01.
std::string behind(std::string_view prefix);

struct Row {
  std::string id;
  std::string kind;
  store::ProjectNo project = 0;
  std::string group;
  std::string seq;  // ascends with the making of jobs; another one under the same id is another job
  Timestamp createdAt;
  Timestamp dueAt;  // of a dead one: when it was given up
  bool dead = false;
  int failedAttempts = 0;
  std::string orderKey;
  std::chrono::milliseconds repeatEvery{0};
  Timestamp repeatFrom;  // its fires are so many times repeatEvery from here
  doc::Document payload;
  std::string sealed;  // in place of the payload
  std::string error;   // of the last attempt

  // Without what it carries.
  Row head() const;
  FairnessKey fairnessKey() const { return {kind, project, group}; }
  // What all jobs share that must not overlap with this one; "" for none.
  std::string chain() const;
  // Of a periodic job: its first fire after `now`. Those missed are left out.
  Timestamp nextFire(Timestamp now) const;
  doc::Document toDocument() const;
  // Fails with internal when the document is no job.
  static Result<Row> fromDocument(doc::DocumentView stored);
};

inline constexpr std::string_view kPlacePath = "place";
inline constexpr std::string_view kFairnessKeyPath = "lane";
inline constexpr std::string_view kChainPath = "chain";
std::string readyPlace(const FairnessKey& fairnessKey, Timestamp dueAt, std::string_view seq);
std::string deadPlace(Timestamp givenUpAt, std::string_view seq);

// What binds a sealed payload to its job.
std::string sealContext(std::string_view id);

}  // namespace mb::jobs

// A job as it is stored. Private to jobs/.
//
//   place  "r" (ready) or "d" (given up), 16 digits of milliseconds (due, or given up), `seq`: one index finds what is
//   due,
//          what came first, and what has been dead for long
//   chain  kind, project, order key, `seq`, each but the last followed by \x01; absent without an order key
#pragma once

#include <chrono>
#include <string>

#include "document/bson.h"
#include "store/store.h"

namespace mb::jobs {

struct Row {
  std::string id;
  std::string kind;
  store::ProjectNo project = 0;
  std::string seq;  // ascends with the making of jobs; another one under the same id is another job
  Timestamp createdAt;
  Timestamp dueAt;  // of a dead one: when it was given up
  bool dead = false;
  int failedAttempts = 0;
  std::string orderKey;
  std::chrono::milliseconds repeatEvery{0};
  doc::Document payload;
  std::string sealed;  // in place of the payload
  std::string error;   // of the last attempt

  // What all jobs share that must not overlap with this one; "" for none.
  std::string chain() const;
  doc::Document toDocument() const;
  // Fails with internal when the document is no job.
  static Result<Row> fromDocument(doc::DocumentView stored);
};

inline constexpr std::string_view kPlacePath = "place";
inline constexpr std::string_view kChainPath = "chain";
std::string placeOf(bool dead, Timestamp at, std::string_view seq);

// What binds a sealed payload to its job.
std::string sealContext(std::string_view id);

}  // namespace mb::jobs

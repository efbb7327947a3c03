// One write on its way to the disk. It belongs to the suspended coroutine that made it; the commit thread reads it, and
// touches it no more once it has resumed that coroutine.
#pragma once

#include <boost/container/small_vector.hpp>

#include "store/change_feed.h"
#include "store/embedded/catalogue.h"

namespace mb::store::embedded {

struct Commit {
  struct Op {
    Family family = Family::documents;
    bool remove = false;
    uint32_t keyAt = 0;  // in `arena`
    uint32_t keySize = 0;
    // A value of the arena when `valueAt` says so; else somebody else's bytes, alive until the commit is done.
    uint32_t valueAt = kElsewhere;
    std::string_view value;
  };
  struct LogItem {
    uint32_t headAt = 0;  // in `arena`: change_log.h
    uint32_t headSize = 0;
    std::string_view before;
    std::string_view after;
  };
  struct Count {
    CollectionState* collection;
    int64_t documents;
    int64_t bytes;
  };
  // What changes of the documents that hold one value of the field that a collection is counted by.
  struct GroupDelta {
    CollectionState* collection;
    std::string value;
    int64_t documents;
    int64_t bytes;
  };
  struct Mark {
    ProjectNo project;  // of the 'M' row: 0 for system indexes
    IndexNo index;
    IndexTraits* traits;
    // What the row said when it was written.
    uint32_t multikey = 0;
    uint32_t truncated = 0;
  };
  // An insert into a chained collection, which the commit thread gives its place.
  struct Link {
    uint32_t op;  // in `ops`
    CollectionState* collection;
    const Index* bySeq;  // null where there is none
  };
  struct Head {
    CollectionState* collection;
    ChainHead head;
  };
  static constexpr uint32_t kElsewhere = UINT32_MAX;

  ProjectState* project = nullptr;  // whose turn it takes, and whose log it writes
  WritePriority priority = WritePriority::normal;
  size_t bytes = 0;
  std::string arena;
  boost::container::small_vector<Op, 4> ops;
  boost::container::small_vector<LogItem, 1> log;
  boost::container::small_vector<Count, 2> counts;
  boost::container::small_vector<Link, 1> links;
  std::vector<Head> heads;  // of chains that were restored
  std::vector<GroupDelta> groupCounts;
  std::vector<CounterDelta> counters;  // each counter once
  std::vector<uint32_t> stripes;       // of marks that move
  const std::vector<Notice>* notices = nullptr;
  std::vector<Mark> marks;
  std::vector<ProjectState*> bumps;
  // By how much the schemas of the project's user collections grow (configuredBytes()).
  int64_t schemaBytes = 0;
  // Refused where it would pass a limit of configuration_limits.h.
  bool limited = false;
  // Runs on the commit thread once all is durable, before anybody sees the new epochs.
  std::move_only_function<void()> onDurable;

  // Both copy `key`; put() copies `value` too, putElsewhere() does not.
  void put(Family family, std::string_view key, std::string_view value);
  void putElsewhere(Family family, std::string_view key, std::string_view value);
  void remove(Family family, std::string_view key);
  std::string_view keyOf(const Op& op) const { return std::string_view(arena).substr(op.keyAt, op.keySize); }
  std::string_view valueOf(const Op& op) const {
    return op.valueAt == kElsewhere ? op.value : std::string_view(arena).substr(op.valueAt, op.value.size());
  }
  bool empty() const { return ops.empty() && heads.empty() && bumps.empty() && !onDurable; }

  // The commit thread's.
  Resumer<bool> resumer;
  int core = -1;
  std::optional<Error> refused;  // nothing of it was written
  uint64_t position = 0;         // of its last entry in the change log
};

}  // namespace mb::store::embedded

// One write to be committed. The suspended coroutine that created it owns it; the commit thread reads it, and does not
// access it after resuming that coroutine.
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
    // The value's position in the arena; kElsewhere: `value` refers to external bytes, which must live until the commit
    // is done.
    uint32_t valueAt = kElsewhere;
    std::string_view value;
    DocumentVersion version = 0;  // of a document: written after the value, unless it is 0
  };
  struct LogItem {
    uint32_t headAt = 0;  // in `arena`; format: change_log.h
    uint32_t headSize = 0;
    std::string_view before;
    std::string_view after;
  };
  struct Count {
    CollectionState* collection;
    int64_t documents;
    int64_t bytes;
  };
  // The change in the documents that hold one value of SystemCollection::countedBy.
  struct GroupDelta {
    CollectionState* collection;
    std::string value;
    int64_t documents;
    int64_t bytes;
  };
  // A row::kIndexTraits row that the write changes.
  struct TraitsRow {
    ProjectNo project;  // of the row: 0 for system indexes
    IndexNo index;
    IndexTraits* traits;
    // The values in the row when it was written.
    uint32_t multikey = 0;
    uint32_t truncated = 0;
  };
  // An insert into a chained collection, whose sequence number the commit thread assigns.
  struct ChainedInsert {
    uint32_t op;  // in `ops`
    CollectionState* collection;
    const Index* bySeq;  // null if there is no such index
  };
  struct Head {
    CollectionState* collection;
    ChainHead head;
  };
  static constexpr uint32_t kElsewhere = UINT32_MAX;

  ProjectState* project = nullptr;  // its place in the round robin, and the log that it writes
  WritePriority priority = WritePriority::normal;
  size_t bytes = 0;
  std::string arena;
  boost::container::small_vector<Op, 4> ops;
  boost::container::small_vector<LogItem, 1> log;
  std::string_view trace;  // of the entries in `log`; must live until the commit is done
  boost::container::small_vector<Count, 2> counts;
  boost::container::small_vector<ChainedInsert, 1> chained;
  std::vector<Head> heads;  // of restored chains
  std::vector<GroupDelta> groupCounts;
  std::vector<CounterDelta> counters;  // at most one per counter
  std::vector<uint32_t> stripes;       // of marks that change
  const std::vector<Notice>* notices = nullptr;
  std::vector<TraitsRow> traits;
  std::vector<ProjectState*> bumps;
  // By how many bytes the schemas of the project's user collections grow (configuredBytes()).
  int64_t schemaBytes = 0;
  // Refused if it exceeds a limit of configuration_limits.h.
  bool limited = false;
  // Runs on the commit thread once the commit is durable, before the new epochs are visible.
  std::move_only_function<void()> onDurable;

  // Both copy `key`; put() copies `value` too, putElsewhere() does not.
  void put(Family family, std::string_view key, std::string_view value);
  void putElsewhere(Family family, std::string_view key, std::string_view value, DocumentVersion version = 0);
  void remove(Family family, std::string_view key);
  std::string_view keyOf(const Op& op) const { return std::string_view(arena).substr(op.keyAt, op.keySize); }
  std::string_view valueOf(const Op& op) const {
    return op.valueAt == kElsewhere ? op.value : std::string_view(arena).substr(op.valueAt, op.value.size());
  }
  bool empty() const { return ops.empty() && log.empty() && heads.empty() && bumps.empty() && !onDurable; }

  // Used by the commit thread.
  Resumer<bool> resumer;
  int core = -1;
  std::optional<Error> refused;  // set if nothing of it was written
  uint64_t position = 0;         // of its last entry in the change log
};

}  // namespace mb::store::embedded

#include "store/embedded/key_stream.h"

#include <algorithm>

#include "document/filter_match.h"
#include "store/embedded/held_fields.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

std::string_view idOf(const AccessPath& path, std::string_view key, std::string_view value) {
  return entryParts(*path.index, key, value).id;
}

std::string_view documentOf(const AccessPath& path, std::string_view value) {
  return entryParts(*path.index, {}, value).document;
}

KeyStream::Verdict verdictOf(const AccessPath& path, std::string_view value) {
  using Verdict = KeyStream::Verdict;
  const Verdict met = path.decides ? Verdict::match : Verdict::unknown;
  if (path.parts.empty()) return met;
  const auto fields = heldFields(*path.index, entryParts(*path.index, {}, value).held);
  if (!fields) return Verdict::unknown;
  const bool all = std::ranges::all_of(
      path.parts, [&](const doc::FilterNode* part) { return doc::matchesDocument(*part, *fields); });
  return all ? met : Verdict::noMatch;
}

KeyStream::Position ended() {
  KeyStream::Position position;
  position.ended = true;
  return position;
}

// Path after path, and range after range (or id after id) in each.
class ForwardStream final : public KeyStream {
 public:
  ForwardStream(Database& database, const rocksdb::ReadOptions& options, const std::vector<AccessPath>& accessPaths,
                const Positions& positions)
      : database_(database), options_(options), accessPaths_(accessPaths) {
    if (positions.empty()) {
      enter();
    } else {
      resume(positions.front());
    }
  }

  bool valid() const override { return path_ < accessPaths_.size() && status_.ok(); }
  std::string_view id() const override {
    const AccessPath& path = accessPaths_[path_];
    return path.index ? idOf(path, reader_->key(), reader_->value()) : std::string_view(path.ids[range_]);
  }
  std::string_view document() const override {
    const AccessPath& path = accessPaths_[path_];
    return path.index ? documentOf(path, reader_->value()) : std::string_view();
  }
  Verdict verdict() const override {
    const AccessPath& path = accessPaths_[path_];
    return path.index ? verdictOf(path, reader_->value()) : Verdict::unknown;
  }
  void next() override {
    if (accessPaths_[path_].index) {
      reader_->next();
      settle();
    } else if (++range_ == accessPaths_[path_].ids.size()) {
      leave();
    }
  }
  rocksdb::Status status() const override { return status_; }
  Positions positions() const override {
    if (!valid()) return {ended()};
    const AccessPath& path = accessPaths_[path_];
    return {Position{.path = path_, .range = range_, .key = path.index ? std::string(reader_->key()) : std::string()}};
  }

 private:
  void open() {
    const AccessPath& path = accessPaths_[path_];
    reader_.emplace(database_, Family::indexes, options_, std::span(path.ranges).subspan(range_));
  }
  // Moves to the first entry from path_ on.
  void enter() {
    range_ = 0;
    for (; path_ < accessPaths_.size(); ++path_) {
      const AccessPath& path = accessPaths_[path_];
      if (!path.index && !path.ids.empty()) return;
      if (!path.index || path.ranges.empty()) continue;
      open();
      reader_->seek(path.ranges.front().from);
      return settle();
    }
  }
  void leave() {
    ++path_;
    enter();
  }
  void resume(const Position& position) {
    path_ = position.ended ? accessPaths_.size() : position.path;
    range_ = position.range;
    if (path_ >= accessPaths_.size() || !accessPaths_[path_].index) return;
    open();
    reader_->seek(position.key);
    settle();
  }
  // Moves to the next range if the current one has ended.
  void settle() {
    const std::vector<KeyRange>& ranges = accessPaths_[path_].ranges;
    while (!reader_->isBelow(ranges[range_].to)) {
      status_ = reader_->status();
      if (!status_.ok()) return;
      if (++range_ == ranges.size()) return leave();
      reader_->seek(ranges[range_].from);
    }
  }

  Database& database_;
  const rocksdb::ReadOptions& options_;
  const std::vector<AccessPath>& accessPaths_;
  size_t path_ = 0;
  size_t range_ = 0;
  std::optional<RangeReader> reader_;
  rocksdb::Status status_;
};

// One access path from its end: entry by entry, or group by group with each group's entries ascending. A group is the
// entries with equal fields. Most groups have one entry: it is copied aside while the reader is already at the entry
// before it.
class BackwardStream final : public KeyStream {
 public:
  BackwardStream(Database& database, const rocksdb::ReadOptions& options, const AccessPath& path, bool groups,
                 const Positions& positions)
      : path_(path),
        groups_(groups && !path.index->spec.unique),
        reader_(database, Family::indexes, options, path.ranges) {
    if (path.ranges.empty() || (!positions.empty() && positions.front().ended)) return;
    range_ = positions.empty() ? path.ranges.size() - 1 : positions.front().range;
    if (positions.empty() || positions.front().group == 0) {
      reader_.seekBelow(positions.empty() ? path.ranges[range_].to : positions.front().key + '\0');
      settle();
    } else {
      reader_.seek(positions.front().key);
      inGroup_ = true;
      group_ = positions.front().key.substr(0, positions.front().group);
      stayInGroup();
    }
  }

  bool valid() const override { return valid_; }
  std::string_view id() const override {
    return alone_ ? std::string_view(key_).substr(group_.size()) : idOf(path_, reader_.key(), reader_.value());
  }
  std::string_view document() const override { return documentOf(path_, value()); }
  Verdict verdict() const override { return verdictOf(path_, value()); }
  void next() override {
    if (inGroup_) {
      reader_.next();
      return stayInGroup();
    }
    if (!alone_) reader_.previous();
    settle();
  }
  rocksdb::Status status() const override { return status_; }
  Positions positions() const override {
    if (!valid_) return {ended()};
    return {Position{.path = 0,
                     .range = range_,
                     .key = alone_ ? key_ : std::string(reader_.key()),
                     .group = alone_ || inGroup_ ? group_.size() : 0}};
  }

 private:
  std::string_view value() const { return alone_ ? std::string_view(value_) : reader_.value(); }
  // REQUIRES: the reader is at the last entry that was not returned yet, or below the range.
  void settle() {
    inGroup_ = alone_ = valid_ = false;
    while (!reader_.isFrom(path_.ranges[range_].from)) {
      if (fails() || range_ == 0) return;
      reader_.seekBelow(path_.ranges[--range_].to);
    }
    valid_ = true;
    if (!groups_) return;
    key_ = reader_.key();
    group_ = key_.substr(0, key_.size() - idOf(path_, reader_.key(), reader_.value()).size());
    value_ = reader_.value();
    reader_.previous();
    if (!reader_.valid() && fails()) return;
    alone_ = !reader_.valid() || !reader_.key().starts_with(group_);
    if (alone_) return;
    inGroup_ = true;
    reader_.seek(std::max(group_, path_.ranges[range_].from));
    stayInGroup();
  }
  // If the reader has left the group, moves to the group before it.
  void stayInGroup() {
    valid_ = reader_.isBelow(path_.ranges[range_].to) && reader_.key().starts_with(group_);
    if (valid_ || (!reader_.valid() && fails())) return;
    reader_.seekBelow(group_);
    settle();
  }
  bool fails() {
    status_ = reader_.status();
    valid_ = valid_ && status_.ok();
    return !status_.ok();
  }

  const AccessPath& path_;
  const bool groups_;
  RangeReader reader_;
  size_t range_ = 0;
  bool valid_ = false;
  bool inGroup_ = false;  // the reader moves upwards inside the group
  bool alone_ = false;    // key_ is the whole group, and the reader is below it
  std::string group_;
  std::string key_;
  std::string value_;  // of key_
  rocksdb::Status status_;
};

// Entries of a range that are read at a time: doubled each time, up to these. Entries with documents or fields are
// larger, so fewer are read.
constexpr size_t kFirstRun = 2;
constexpr size_t kMaxRun = 16;
constexpr size_t kMaxCoveringRun = 4;
size_t maxRunOf(const Index& index) {
  return index.spec.covering || !index.held.empty() ? kMaxCoveringRun : kMaxRun;
}

// Merges all ranges and ids of all paths: the lowest first, compared by the bytes after the fixed ones; duplicates are
// skipped. The ranges of a path share one iterator: each range buffers a few entries, and the iterator seeks back to it
// when these are consumed.
class MergedStream final : public KeyStream {
 public:
  MergedStream(Database& database, const rocksdb::ReadOptions& options, const std::vector<AccessPath>& accessPaths,
               const Positions& positions) {
    size_t count = 0;
    for (const AccessPath& path : accessPaths) count += path.index ? path.ranges.size() : 1;
    runs_.reserve(count);  // the heap points to them
    readers_.reserve(accessPaths.size());
    for (const AccessPath& path : accessPaths) {
      if (!path.index) {
        runs_.push_back({.path = &path});
        continue;
      }
      readers_.push_back(std::make_unique<RangeReader>(database, Family::indexes, options, path.ranges));
      for (const KeyRange& range : path.ranges) {
        runs_.push_back({.path = &path, .range = &range, .reader = readers_.back().get()});
      }
    }
    heap_.reserve(count);
    for (size_t i = 0; i < runs_.size() && status_.ok(); ++i) {
      Run& run = runs_[i];
      if (i < positions.size()) {
        run.at = run.range ? 0 : positions[i].range;
        run.ended = positions[i].ended;
      }
      if (run.range && !run.ended) fill(run, i < positions.size() ? positions[i].key : run.range->from);
      advance(run);
      if (!run.ended) heap_.push_back(&run);
    }
    std::ranges::make_heap(heap_, isBehind);
  }

  bool valid() const override { return !heap_.empty() && status_.ok(); }
  std::string_view id() const override {
    const Run& run = lowest();
    return run.range ? idOf(*run.path, run.entry().key, run.entry().value) : run.part;
  }
  std::string_view document() const override {
    const Run& run = lowest();
    return run.range ? documentOf(*run.path, run.entry().value) : std::string_view();
  }
  Verdict verdict() const override {
    const Run& run = lowest();
    return run.range ? verdictOf(*run.path, run.entry().value) : Verdict::unknown;
  }
  void next() override {
    last_ = lowest().part;
    do {
      std::ranges::pop_heap(heap_, isBehind);
      Run& run = *heap_.back();
      ++run.at;
      advance(run);
      if (run.ended) {
        heap_.pop_back();
      } else {
        std::ranges::push_heap(heap_, isBehind);
      }
    } while (valid() && lowest().part == last_);
  }
  rocksdb::Status status() const override { return status_; }
  Positions positions() const override {
    Positions positions;
    for (const Run& run : runs_) {
      positions.push_back({.path = 0, .range = run.range ? 0 : run.at, .key = {}, .group = 0, .ended = run.ended});
      if (run.range && !run.ended) positions.back().key = run.entry().key;
    }
    return positions;
  }

 private:
  struct Entry {
    std::string key;
    std::string value;
  };
  struct Run {
    const AccessPath* path = nullptr;
    const KeyRange* range = nullptr;  // null: the path's ids
    RangeReader* reader = nullptr;
    size_t at = 0;  // in entries, or in the path's ids
    bool ended = false;
    bool last = false;  // the range has no entries after the buffered ones
    std::vector<Entry> entries = {};
    size_t count = 0;  // of valid entries
    size_t take = kFirstRun;
    std::string_view part = {};  // the bytes that are compared
    const Entry& entry() const { return entries[at]; }
  };
  static bool isBehind(const Run* a, const Run* b) { return a->part > b->part; }
  const Run& lowest() const { return *heap_.front(); }

  // Buffers the next entries of the range, from `key` on.
  void fill(Run& run, std::string_view key) {
    run.at = run.count = 0;
    RangeReader& reader = *run.reader;
    for (reader.seek(key); run.count < run.take && reader.isBelow(run.range->to); reader.next()) {
      if (run.count == run.entries.size()) run.entries.emplace_back();
      run.entries[run.count].key = reader.key();
      run.entries[run.count].value = reader.value();
      ++run.count;
    }
    if (!reader.status().ok()) status_ = reader.status();
    run.last = run.count < run.take;
    run.take = std::min(run.take * 2, maxRunOf(*run.path->index));
  }
  // Sets `part` for the entry at `at`; buffers further entries if needed, and ends the run after its last one.
  void advance(Run& run) {
    if (!run.range) {
      run.ended = run.at >= run.path->ids.size();
      if (!run.ended) run.part = run.path->ids[run.at];
      return;
    }
    if (run.ended) return;
    if (run.at == run.count && !run.last) fill(run, run.entries[run.count - 1].key + '\0');
    run.ended = run.at == run.count;
    if (run.ended) return;
    const Entry& entry = run.entry();
    // The key of a unique index whose fields are all fixed ends there; its value is the id.
    run.part = run.path->index->spec.unique && entry.key.size() == run.range->fixed
                   ? idOf(*run.path, entry.key, entry.value)
                   : std::string_view(entry.key).substr(run.range->fixed);
  }

  std::vector<std::unique_ptr<RangeReader>> readers_;
  std::vector<Run> runs_;
  std::vector<Run*> heap_;  // runs that have not ended, the lowest first
  std::string last_;
  rocksdb::Status status_;
};

}  // namespace

std::unique_ptr<KeyStream> KeyStream::open(Database& database, const rocksdb::ReadOptions& options, const Plan& plan,
                                           Reading reading, const Positions& positions) {
  switch (reading) {
    case Reading::merged:
      return std::make_unique<MergedStream>(database, options, plan.accessPaths, positions);
    case Reading::backward:
    case Reading::backwardGroups:
      return std::make_unique<BackwardStream>(database, options, plan.accessPaths.front(),
                                              reading == Reading::backwardGroups, positions);
    case Reading::forward:
      break;
  }
  return std::make_unique<ForwardStream>(database, options, plan.accessPaths, positions);
}

}  // namespace mb::store::embedded

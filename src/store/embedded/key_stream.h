// The entries of a plan's ways, one after the other in the order that its reading gives. Knows where it is, so that
// another stream can go on there under a newer snapshot.
#pragma once

#include "store/embedded/range_reader.h"

namespace mb::store::embedded {

class KeyStream {
 public:
  // Where to go on: in one way; a merged stream has a place for each of its ranges.
  struct Place {
    size_t path = 0;
    size_t range = 0;
    // The next key, or the next id of a way of ids. Without one: at the start of the range.
    std::string key;
    // Of a reading by groups: bytes of `key` that the group has in common. Otherwise the key itself is not yet read.
    size_t group = 0;
    bool ended = false;
  };
  using Places = std::vector<Place>;

  virtual ~KeyStream() = default;
  // False at the end, and after an error.
  virtual bool valid() const = 0;
  // Of the entry; until next().
  virtual std::string_view id() const = 0;
  // The document as the entry holds it, under the snapshot that is read; empty where it does not. Until next().
  virtual std::string_view document() const = 0;
  // What the entry decides of its document, under the snapshot that is read: that it matches the filter, that it does
  // not, or neither. Charges the thread's WorkBudget, as Filter::matches does.
  enum class Verdict { match, noMatch, unknown };
  virtual Verdict verdict() const = 0;
  virtual void next() = 0;
  virtual rocksdb::Status status() const = 0;
  virtual Places places() const = 0;

  // What the plan says, from `places` on (empty: the start). `plan` and `options` must outlive it.
  static std::unique_ptr<KeyStream> open(Database& database, const rocksdb::ReadOptions& options, const Plan& plan,
                                         Reading reading, const Places& places);
};

}  // namespace mb::store::embedded

// A KeyStream yields the entries of a plan's access paths in the order of its Reading. Its position can be saved, so
// that another stream continues there under a newer snapshot.
#pragma once

#include "store/embedded/range_reader.h"

namespace mb::store::embedded {

class KeyStream {
 public:
  // A position to continue from: in one access path; a merged stream has one position per range.
  struct Position {
    size_t path = 0;
    size_t range = 0;
    // The next key, or the next id of a path of ids. Empty: the start of the range.
    std::string key;
    // For a reading by groups: the length of the group's common prefix of `key`. 0: the key itself is not read yet.
    size_t group = 0;
    bool ended = false;
  };
  using Positions = std::vector<Position>;

  virtual ~KeyStream() = default;
  // False at the end, and after an error.
  virtual bool valid() const = 0;
  // The id of the entry; valid until next().
  virtual std::string_view id() const = 0;
  // The document in the entry, under the snapshot that is read; empty if the entry has none. Valid until next().
  virtual std::string_view document() const = 0;
  // The result of the filter on the entry alone, under the snapshot that is read: the document matches, does not match,
  // or must be read. Charges the thread's WorkBudget, as Filter::matches does.
  enum class Verdict { match, noMatch, unknown };
  virtual Verdict verdict() const = 0;
  virtual void next() = 0;
  virtual rocksdb::Status status() const = 0;
  virtual Positions positions() const = 0;

  // Opens the stream of a plan at `positions` (empty: the start). `plan` and `options` must outlive it.
  static std::unique_ptr<KeyStream> open(Database& database, const rocksdb::ReadOptions& options, const Plan& plan,
                                         Reading reading, const Positions& positions);
};

}  // namespace mb::store::embedded

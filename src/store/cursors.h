// Cursors say where the next page of a query begins. A client can neither read nor make one: a cursor is sealed, and
// opens only for the collection, filter and sort that it was made for, for any caller.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/crypto.h"
#include "store/store.h"

namespace mb::store {

// A cursor opens for this long.
inline constexpr std::chrono::hours kCursorLife{7 * 24};
// The longest position in a cursor: some 87 KiB as text.
inline constexpr size_t kMaxCursorPosition = 64 << 10;

// The query that a cursor belongs to, as the seal binds it. Takes a hash, so a query that opens a cursor and seals the
// next one has one of these.
class CursorQuery {
 public:
  // The filter is the caller's, as it was given.
  CursorQuery(const CollectionRef& collection, const std::optional<doc::Document>& filter,
              const std::vector<SortKey>& sort);
  const std::string& context() const { return context_; }

 private:
  std::string context_;
};

// Any core.
class Cursors {
 public:
  // `master` outlives this; null: a secret of this process, with which its cursors end. So does the clock.
  Cursors(const MasterSecret* master, const Clock& clock);

  // Fails with payloadTooLarge for a position over kMaxCursorPosition.
  Result<std::string> seal(const CursorQuery& query, std::string_view position) const;
  // The position. Fails with invalidCursor, its detail at `pointer`.
  Result<std::string> open(const CursorQuery& query, std::string_view cursor, const std::string& pointer) const;

 private:
  std::unique_ptr<const MasterSecret> own_;
  const MasterSecret& master_;
  const Clock& clock_;
};

}  // namespace mb::store

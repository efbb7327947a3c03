// Gives documents an `id`. The only write of introspection to documents of an owner's database. Blocks.
#pragma once

#include "document/shape.h"
#include "introspection/source.h"
#include "store/own/cover.h"

namespace mb::introspection {

inline constexpr int64_t kMaxBackfill = 10'000;  // documents of one call
inline constexpr int64_t kDefaultBackfill = 1000;
inline constexpr std::string_view kIdIndex = "mb_id";

struct BackfillReport {
  int64_t matched = 0;    // documents that were looked at
  int64_t modified = 0;   // those that got an id
  int64_t remaining = 0;  // documents without an id
  static constexpr auto shape() {
    return doc::shape<BackfillReport>("Backfill", doc::field("matched", &BackfillReport::matched),
                                      doc::field("modified", &BackfillReport::modified),
                                      doc::field("remaining", &BackfillReport::remaining));
  }
};

// Gives an id to documents without the field `id`, at most `limit`, in the order of `_id`: the cover of an ObjectId, a
// string of the form of an id itself, else one that follows from the `_id`. A document that got an `id` since it was
// read keeps it.
Outcome<BackfillReport> backfillIds(Source& source, const std::string& collection, int64_t limit,
                                    store::own::Cover& cover);

// Creates the unique index kIdIndex on `id`, of strings. Fails with kDuplicateKey where documents share an id.
Outcome<> createIdIndex(Source& source, const std::string& collection);

// Makes the collection keep pre-images of its documents.
Outcome<> keepPreImages(Source& source, const std::string& collection);

}  // namespace mb::introspection

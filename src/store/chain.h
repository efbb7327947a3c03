// The chain of a chained collection (SystemCollection::chained), one a project: each document that is inserted gets its
// place and the hash of the one before, so that a document that was removed, edited, added or moved afterwards shows.
//
//   seq    int64: 1, 2, … in the order of commits
//   prev   the hash of the document with seq - 1; 64 zeros for the first
//   hash   SHA-256 over the 32 bytes that `prev` spells, followed by the document's BSON without its field `hash`, the
//          other fields in the order in which they are stored
//
// Hashes are lower-case hex. Nothing in it depends on the project's number or id.
#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "document/bson.h"

namespace mb::store {

inline constexpr std::string_view kChainSeq = "seq";
inline constexpr std::string_view kChainPrev = "prev";
inline constexpr std::string_view kChainHash = "hash";

// The last document of a chain; seq 0 where there is none yet.
struct ChainHead {
  uint64_t seq = 0;
  Digest hash{};
  bool operator==(const ChainHead&) const = default;
};

// The document as it is to be stored behind `head`, which becomes it.
std::string chained(doc::DocumentView document, ChainHead& head);

// What a document says of its place.
struct ChainLink {
  uint64_t seq = 0;
  Digest prev{};
  Digest hash{};
};
// Whether it has one of the three fields.
bool namesPlace(doc::DocumentView document);
// nullopt where one of the three fields is missing or has another form.
std::optional<ChainLink> linkOf(doc::DocumentView document);
// The hash that a stored document has to have behind one with the hash `prev`.
Digest chainHash(const Digest& prev, doc::DocumentView document);

// 64 hex digits of either case; nullopt for anything else.
std::optional<Digest> digestOf(std::string_view hex);

}  // namespace mb::store

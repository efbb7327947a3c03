// The chain of a chained collection (SystemCollection::chained), one per project. Each inserted document gets a
// sequence number and the hash of the document before it, so that a later removal, edit, addition or move is detected.
//
//   seq    int64: 1, 2, … in the order of commits
//   prev   the hash of the document with seq - 1; 64 zeros for the first
//   hash   SHA-256 over the 32 bytes that `prev` spells, followed by the document's BSON without its field `hash`, the
//          other fields in the order in which they are stored
//
// Hashes are lower-case hex. They do not depend on the project's number or id.
#pragma once

#include <optional>
#include <string>

#include "base/crypto.h"
#include "document/bson.h"

namespace mb::store {

inline constexpr std::string_view kChainSeq = "seq";
inline constexpr std::string_view kChainPrev = "prev";
inline constexpr std::string_view kChainHash = "hash";

// The last document of a chain; seq 0 for an empty chain.
struct ChainHead {
  uint64_t seq = 0;
  Digest hash{};
  bool operator==(const ChainHead&) const = default;
};

// The document as it is stored after `head`; `head` becomes that document.
std::string chained(doc::DocumentView document, ChainHead& head);

// The chain fields of a document.
struct ChainLink {
  uint64_t seq = 0;
  Digest prev{};
  Digest hash{};
};
// Whether the document has one of the three fields.
bool namesPlace(doc::DocumentView document);
// nullopt if one of the three fields is missing or malformed.
std::optional<ChainLink> linkOf(doc::DocumentView document);
// The hash that a stored document must have after a document with the hash `prev`.
Digest chainHash(const Digest& prev, doc::DocumentView document);

// 64 hex digits of either case; nullopt for anything else.
std::optional<Digest> digestOf(std::string_view hex);

}  // namespace mb::store

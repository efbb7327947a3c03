// Where documents are stored: names of databases and collections, and the stored form of a document.
//
// Databases: <prefix> holds what is shared by all projects, <prefix>_p<project> the user collections of one.
// Collections of users are c<number>, those of SystemCollection sys_<number>. Numbers everywhere, so that a rename
// moves nothing.
//
// A stored document is {_id, _v, …}: `_v` is its DocumentVersion (user collections), or a number that another write
// changes (system collections). `_g` is changed by writes that need the document unchanged. `_id` is the id; in a
// system collection, which holds those of all projects, the project's number as 8 hex digits and the id, and a field
// `_p` with the number follows. A field `id` that is the first one is left out. Fields of the document named _id, _v,
// _p or _g, or with a name that begins with _mb, get the prefix _mb.
#pragma once

#include <string>
#include <string_view>

#include "document/bson.h"
#include "store/store_types.h"

namespace mb::store::mongo {

// The collections of the shared database.
inline constexpr std::string_view kHeads = "heads";          // a Head for each project
inline constexpr std::string_view kCatalogue = "catalogue";  // {_id: {p, c}, …} for each user collection
inline constexpr std::string_view kCounts = "counts";        // {_id: {p, c, g}, n, bytes, at}
inline constexpr std::string_view kCounters = "counters";    // {_id: {p, k, g}, n}
inline constexpr std::string_view kChains = "chains";        // {_id: {p, c}, seq, hash}
inline constexpr std::string_view kLog = "log";              // the change logs
inline constexpr std::string_view kGuards = "guards";        // documents that do not exist and were held by a write
inline constexpr std::string_view kNotices = "notices";      // what commits send to other instances (watcher.h)
inline constexpr std::string_view kBuilds = "builds";        // {_id, p, c, i, by: <instance>} for each index build
inline constexpr std::string_view kDrops = "drops";          // {_id, p, c, i} for what is to be dropped (drops.h)
inline constexpr std::string_view kBeats = "beats";          // {_id: <instance>, n, at, ids?, ended?}
inline constexpr std::string_view kSessions = "sessions";    // {_id, by: <instance>, session} (sessions.h)
inline constexpr std::string_view kMeta = "meta";            // the layout, the next project

// In a head: the number of the last group that an instance committed, by instances.
inline constexpr std::string_view kGroups = "g";
inline constexpr std::string_view kGroupsPrefix = "g.";

inline constexpr bool isSystem(CollectionNo collection) {
  return collection < kFirstUserCollection;
}

class Names {
 public:
  // `prefix`: the database that MONGO_URL names.
  explicit Names(std::string prefix) : prefix_(std::move(prefix)) {}

  const std::string& shared() const { return prefix_; }
  std::string databaseOf(ProjectNo project, CollectionNo collection) const;
  static std::string collectionOf(CollectionNo collection);

 private:
  std::string prefix_;
};

// The `_id` of a document.
std::string storedId(ProjectNo project, CollectionNo collection, std::string_view id);
// The id in a stored `_id`.
std::string_view idOf(CollectionNo collection, std::string_view storedId);

// The stored form of `document`, whose id is `id`.
doc::Document stored(ProjectNo project, CollectionNo collection, std::string_view id, doc::DocumentView document,
                     DocumentVersion version);
struct Unstored {
  doc::Document document;
  DocumentVersion version = 0;  // also of system collections, whose callers do not see it
};
// Fails with internal for a document that stored() did not make.
Result<Unstored> unstored(CollectionNo collection, doc::DocumentView stored);

// The path of a stored document that holds the value at `path` of the document.
std::string storedPath(std::string_view path);

}  // namespace mb::store::mongo

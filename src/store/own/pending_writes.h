// How writes that are made here get into the project's change log once, with their actor, in the database's order.
//
// Before a write changes a document there, its pending write is stored in the main store. Where the database's change
// stream is copied (own_changes/), the copier finds the pending write of an event by the document and what it became,
// and logs the change as the pending write says; else the write logs it itself, in the commit that removes the pending
// write. A pending write that a crash left behind is settled later: if the document is as the pending write says, the
// change is logged.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "document/foreign_bson.h"
#include "document/shape.h"
#include "store/main_store.h"

namespace mb::store::own {

// In each project.
inline constexpr CollectionNo kPendingWrites = 110;  // PendingWriteRecord
inline constexpr CollectionNo kStream = 111;         // StreamRecord, one document
inline constexpr CollectionNo kIndexDrops = 112;     // IndexDropRecord (router_catalogue.cc)
inline constexpr std::string_view kStreamId = "stream";
std::vector<SystemCollection> systemCollections();

// What a write is about to do to a document.
struct PendingWrite {
  int64_t number = 0;      // of this pending write: random
  int64_t after = 0;       // versionOf() the document as it will be stored; 0: it will be removed
  int64_t collection = 0;  // its number here
  std::string id;
  std::optional<doc::Document> before;  // as shown; absent if it did not exist, or is too large
  bool existed = false;
  bool replaces = false;  // Change::replaces
  bool silent = false;    // the write is not to be logged
  bool logged = false;    // the change is in the log: its event is still to come
  std::string actorKind;
  std::string actorId;
  std::string trace;
  Timestamp at;
  static constexpr auto shape() {
    return doc::shape<PendingWrite>(
        "PendingWrite", doc::field("number", &PendingWrite::number), doc::field("after", &PendingWrite::after),
        doc::field("collection", &PendingWrite::collection), doc::field("id", &PendingWrite::id),
        doc::field("before", &PendingWrite::before), doc::field("existed", &PendingWrite::existed),
        doc::field("replaces", &PendingWrite::replaces), doc::field("silent", &PendingWrite::silent),
        doc::field("logged", &PendingWrite::logged), doc::field("actorKind", &PendingWrite::actorKind),
        doc::field("actorId", &PendingWrite::actorId), doc::field("trace", &PendingWrite::trace),
        doc::field("at", &PendingWrite::at));
  }
};

// The pending writes for one document, oldest first; at most kMaxPendingWrites: where the copier is more behind, the
// events of the oldest count as changes by others.
struct PendingWriteRecord {
  std::string id;  // pendingWriteKey()
  std::vector<PendingWrite> pendingWrites;
  static constexpr auto shape() {
    return doc::shape<PendingWriteRecord>("PendingWrites", doc::field("id", &PendingWriteRecord::id),
                                          doc::field("pendingWrites", &PendingWriteRecord::pendingWrites));
  }
};
inline constexpr size_t kMaxPendingWrites = 64;
// Of the documents in one record; what does not fit is left out.
inline constexpr size_t kMaxPendingWriteBytes = 3 << 19;
// How long a pending write is kept whose change is not seen.
inline constexpr std::chrono::minutes kPendingWriteTime{10};

// For how long a project warns of what a stream did not say.
inline constexpr std::chrono::days kMissedTime{7};

// The copying of a project's change stream.
struct StreamRecord {
  std::string id;         // kStreamId
  std::string token;      // where the stream continues, in base64; "": no stream is copied, and writes log themselves
  int64_t moves = 0;      // increases with each change of this record
  bool restarts = false;  // the database is another one: subscribers must get a gap
  // The last time that changes were missed.
  std::optional<Timestamp> missedAt;
  // Set by a restore, with `restarts`: what changed since the backup counts as missed. Absent where it is false.
  std::optional<bool> restored = {};
  // A stream is about to be opened: it may bring the events of writes that log themselves. Absent where it is false.
  std::optional<bool> opening = {};
  // How many documents others deleted whose ids were not known, and when the last; counted again after kMissedTime
  // without one.
  std::optional<int64_t> unnamed = {};
  std::optional<Timestamp> unnamedAt = {};
  static constexpr auto shape() {
    return doc::shape<StreamRecord>(
        "Stream", doc::field("id", &StreamRecord::id), doc::field("token", &StreamRecord::token),
        doc::field("moves", &StreamRecord::moves), doc::field("restarts", &StreamRecord::restarts),
        doc::field("missedAt", &StreamRecord::missedAt), doc::field("restored", &StreamRecord::restored),
        doc::field("opening", &StreamRecord::opening), doc::field("unnamed", &StreamRecord::unnamed),
        doc::field("unnamedAt", &StreamRecord::unnamedAt));
  }
};

inline CollectionRef pendingWritesOf(ProjectNo project) {
  return {project, kPendingWrites, 0};
}
inline CollectionRef indexDropsOf(ProjectNo project) {
  return {project, kIndexDrops, 0};
}
inline CollectionRef streamOf(ProjectNo project) {
  return {project, kStream, 0};
}

// Names a document by nameOfKey() of its `_id`.
std::string pendingWriteKey(CollectionNo collection, std::string_view keyName);

// The record, with `restarts`, for the commit that gives the project another database. Fails with internal.
Result<doc::Document> restarted(const std::optional<doc::Document>& stream);
// The same for a project that is restored from a backup, with `restored`. Fails with internal.
Result<doc::Document> restoredStream(const std::optional<doc::Document>& stream);

// The entry of the change; `after`: the document as shown, of one that is not removed.
ChangeEntry entryOf(const PendingWrite& pendingWrite, std::optional<doc::Document> after);

// A pending write, and the key of its record.
struct Announcement {
  std::string key;
  PendingWrite pendingWrite;
};
// Stores the pending writes. Returns whether the copier logs their changes. The main store's errors.
Task<bool> announce(MainStore& main, ProjectNo project, std::vector<Announcement> all, Deadline deadline);
// Removes pending writes of statements that had no effect. A failure is only logged: the pending writes expire.
Async<void> retract(MainStore& main, ProjectNo project, std::vector<Announcement> all, Deadline deadline);

// In a write callback: removes the pending writes with these numbers from their record, or marks them as logged.
enum class Settled { removed, logged };
Result<Change> settle(const std::optional<doc::Document>& record, const std::vector<int64_t>& numbers, Settled how);
// The numbers of those in the record whose changes are not logged. Fails with internal.
Result<std::set<int64_t>> openIn(const std::optional<doc::Document>& record);
// Whether the record holds the pending write, with its change not logged. Fails with internal.
Result<bool> isOpen(const std::optional<doc::Document>& record, int64_t number);
// Whether the record says that a stream is copied. Fails with internal.
Result<bool> isCopied(const std::optional<doc::Document>& stream);
// Whether it says that a stream, one that is about to be opened included, may bring the events of changes from now on.
// Fails with internal.
Result<bool> mayBring(const std::optional<doc::Document>& stream);

}  // namespace mb::store::own

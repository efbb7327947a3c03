// The grammar of every key.
//
//   documents  project collection id                 the document's BSON; in user collections then u64 its version,
//                                                    if a release with versions wrote it (stored_document.h)
//   indexes    project index field* id               u16: where the id begins      (ordinary index)
//              project index field*                  the id                        (unique index)
//                                                    then, if the entry holds fields: u32 layout, BSON; a unique
//                                                    index that includes fields has u16 size of the id before the id
//   log        project position                      a change entry: change_log.h
//   traces     project position                      the trace context of the log's entry, if it has one
//   system     'F'                                   u32 format version: kFormatVersion
//              'I'                                   i64 all assigned ids are at or below this millisecond
//              'G'                                   u32 next project number, u32 next number of a system index
//              'S' collection                        BSON: a system collection's indexes: schema.h
//              'P' project                           u32 next collection or index number
//              'C' project collection                BSON: a user collection
//              'N' project collection                u64 documents, u64 bytes
//              'V' project collection                i64 the millisecond of its last write, up to a second early
//              'Y' project collection value          u64 documents, u64 bytes of the value: group_counts.h
//              'D' project counter group             i64: a counter (counters.h)
//              'O'                                   for which the 'D' rows are valid: counter_specs.cc
//              'A' project collection                u64 seq, 32 bytes hash: its chain head (store/chain.h)
//              'E' project                           u64 epoch
//              'L' project                           u64 last position, u64 bytes ever logged, i64 time of the last
//              'W' project                           u64 low-water mark of the log: entries at or below are trimmed
//              'B' project index                     an index build: u64 documents passed, u64 expected, u16
//                                                    size of an id, the id of the last document passed, the id of
//                                                    the last one to pass
//              'M' project index                     u32 multikey fields, u32 truncated fields (bit 0 the first)
//              'T' number(u64)                       BSON: a dropped range to sweep
//
// project, collection, index: u32; position: u64; all numbers in keys and in these values big-endian. Indexes
// of system collections have numbers below 1000, one for all projects, and their 'M' rows have project 0. field is the
// encoding of one value (value_key.h). Ids are raw bytes at the end, so keys with equal fields are in the order of ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/big_endian.h"
#include "store/store.h"

namespace mb::store::embedded {

// The format of a directory, which each opening for writing raises to this, and the highest that this version reads.
// Format 2 brought index entries that hold fields, format 3 the versions after documents.
inline constexpr uint32_t kFormatVersion = 3;

// The length of rangePrefix(), with which every documents and indexes key begins.
inline constexpr size_t kPrefixBytes = 8;
// `project number`: the prefix of a collection's documents or of an index's entries.
std::string rangePrefix(ProjectNo project, uint32_t number);
void appendRangePrefix(std::string& out, ProjectNo project, uint32_t number);
std::string documentKey(ProjectNo project, CollectionNo collection, std::string_view id);
std::string logKey(ProjectNo project, uint64_t position);

// The smallest key above all keys that start with `prefix`; empty (no bound) if no key is above them.
std::string successor(std::string prefix);

// Keys of the system family, and the letters with which they begin (above).
namespace row {
inline constexpr char kFormat = 'F';
inline constexpr char kIdFloor = 'I';
inline constexpr char kNextNumbers = 'G';
inline constexpr char kSystemCollection = 'S';
inline constexpr char kNextNumber = 'P';
inline constexpr char kCollection = 'C';
inline constexpr char kCount = 'N';
inline constexpr char kLastWrite = 'V';
inline constexpr char kGroupCount = 'Y';
inline constexpr char kCounter = 'D';
inline constexpr char kCounterStamp = 'O';
inline constexpr char kChainHead = 'A';
inline constexpr char kEpoch = 'E';
inline constexpr char kChangeLog = 'L';
inline constexpr char kLogLowWater = 'W';
inline constexpr char kIndexBuild = 'B';
inline constexpr char kIndexTraits = 'M';
inline constexpr char kTombstone = 'T';
std::string plain(char kind);
std::string of(char kind, uint32_t project);
std::string of(char kind, uint32_t project, uint32_t number);
std::string tombstone(uint64_t number);
}  // namespace row

}  // namespace mb::store::embedded

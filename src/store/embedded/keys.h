// The grammar of every key.
//
//   documents  project collection id                 the document's BSON
//   indexes    project index field* id               u16: where the id begins      (ordinary index)
//              project index field*                  the id                        (unique index)
//                                                    then, where the entry holds fields: u32 layout, BSON; a unique
//                                                    index that includes fields has u16 size of the id before the id
//   log        project position                      a change entry: change_log.h
//   jobs       project …                             the queue's
//   system     'F'                                   u32 format version: kFormatVersion
//              'I'                                   i64 ids given so far are at or below this millisecond
//              'G'                                   u32 next project number, u32 next number of a system index
//              'S' collection                        BSON: a system collection's indexes: catalogue_rows.h
//              'P' project                           u32 next collection or index number
//              'C' project collection                BSON: a user collection
//              'N' project collection                u64 documents, u64 bytes
//              'Y' project collection value          u64 documents, u64 bytes of the value: group_counts.h
//              'D' project counter group             i64: a counter (counters.h)
//              'O'                                   what the 'D' rows were right for: counter_specs.cc
//              'A' project collection                u64 seq, 32 bytes hash: the end of its chain (store/chain.h)
//              'E' project                           u64 epoch
//              'L' project                           u64 last position, u64 bytes ever logged, i64 time of the last
//              'W' project                           u64 low-water mark of the log: entries at or below are gone
//              'B' project index                     an index build: u64 documents it has passed, u64 it is to
//                                                    pass, u16 size of an id, the id of the last one passed, the
//                                                    id of the last one of all
//              'M' project index                     u32 multikey fields, u32 truncated fields (bit 0 the first)
//              'T' number(u64)                       BSON: a dropped range to sweep
//
// project, collection, index: u32; position: u64; all numbers in keys and in these values big-endian. System
// collections' indexes are numbered below 1000 over all projects, and their 'M' rows stand under project 0. field is
// value_key.h's encoding of one value. Ids are raw bytes at the end, so equal fields leave ids in order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/store.h"

namespace mb::store::embedded {

// What a new directory has; what it has from the first index on whose entries hold fields, which versions that read
// only the first would leave as they are where a field changes; and the highest that this version reads.
inline constexpr uint32_t kFirstFormat = 1;
inline constexpr uint32_t kHoldingFormat = 2;
inline constexpr uint32_t kFormatVersion = kHoldingFormat;

void appendU16(std::string& out, uint16_t value);
void appendU32(std::string& out, uint32_t value);
void appendU64(std::string& out, uint64_t value);
uint16_t readU16(const char* at);
uint32_t readU32(const char* at);
uint64_t readU64(const char* at);

// Bytes of every documents and indexes key before its own part.
inline constexpr size_t kPrefixBytes = 8;
// `project number`: the prefix of a collection's documents or of an index's entries.
std::string rangePrefix(ProjectNo project, uint32_t number);
void appendRangePrefix(std::string& out, ProjectNo project, uint32_t number);
std::string documentKey(ProjectNo project, CollectionNo collection, std::string_view id);
std::string logKey(ProjectNo project, uint64_t position);

// The smallest key above every key that starts with `prefix`; empty (no bound) when there is none.
std::string successor(std::string prefix);

// Keys of the system family, and the letters that they begin with (above).
namespace row {
inline constexpr char kFormat = 'F';
inline constexpr char kIdFloor = 'I';
inline constexpr char kNextNumbers = 'G';
inline constexpr char kSystemCollection = 'S';
inline constexpr char kNextNumber = 'P';
inline constexpr char kCollection = 'C';
inline constexpr char kCount = 'N';
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

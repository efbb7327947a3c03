// Reads what a report needs. Nothing is written. Blocks.
#pragma once

#include <vector>

#include "introspection/facts.h"
#include "introspection/source.h"

namespace mb::introspection {

inline constexpr size_t kMaxCollections = 1000;  // in the list
inline constexpr size_t kMaxSample = 1000;       // documents
inline constexpr size_t kDefaultSample = 200;
inline constexpr size_t kMaxSampleBytes = 8 << 20;
inline constexpr std::chrono::seconds kSampleTime{5};
inline constexpr std::chrono::seconds kCountTime{2};

// A collection in the list, with the database's own estimates; nullopt where there was no time to read them.
struct Listed {
  CollectionFacts facts;
  std::optional<int64_t> documents;
  std::optional<int64_t> bytes;
};

// By name, kMaxCollections at most, without those of the server (system.*).
Outcome<std::vector<Listed>> listCollections(Source& source);

// At most as many as a server keeps; none if there is no such collection.
Outcome<std::vector<IndexFacts>> readIndexes(Source& source, const std::string& collection);

// All facts but the counts of ids; nullopt if there is no such collection. Of a view nothing but that it is one.
Outcome<std::optional<CollectionFacts>> readFacts(Source& source, const std::string& collection);

// Exact; nullopt where counting takes more than kCountTime.
Outcome<std::optional<IdCounts>> countIds(Source& source, const std::string& collection);

// Random documents as BSON, `size` at most: those read in kSampleTime, up to kMaxSampleBytes but at least one.
Outcome<std::vector<std::string>> sampleDocuments(Source& source, const CollectionFacts& facts, size_t size);

}  // namespace mb::introspection

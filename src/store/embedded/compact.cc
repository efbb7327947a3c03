// Compaction on demand, in consecutive ranges of about 64 MiB, so that it reports progress, can be stopped, and delays
// other work little.
#include <rocksdb/metadata.h>

#include "base/log.h"
#include "store/embedded/engine.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

constexpr uint64_t kCompactSliceBytes = 64 << 20;
constexpr std::array kCompacted = {Family::documents, Family::indexes, Family::log, Family::traces, Family::system};

// The files of a family with keys in [from, to); an empty string means no bound.
struct Range {
  std::string from;
  std::string to;
};

bool touches(const rocksdb::SstFileMetaData& file, const Range& range) {
  return (range.to.empty() || file.smallestkey < range.to) && (range.from.empty() || file.largestkey >= range.from);
}

std::vector<rocksdb::SstFileMetaData> filesIn(Database& database, Family family, const Range& range) {
  rocksdb::ColumnFamilyMetaData all;
  database.db().GetColumnFamilyMetaData(database.family(family), &all);
  std::vector<rocksdb::SstFileMetaData> files;
  for (const auto& level : all.levels) {
    std::copy_if(level.files.begin(), level.files.end(), std::back_inserter(files),
                 [&](const auto& file) { return touches(file, range); });
  }
  return files;
}

uint64_t bytesIn(Database& database, const Range& range) {
  uint64_t bytes = 0;
  for (const Family family : kCompacted) {
    for (const auto& file : filesIn(database, family, range)) bytes += file.size;
  }
  return bytes;
}

struct Slice {
  Family family = Family::documents;
  Range range;
  uint64_t bytes = 0;
};

// Splits a family's range at file boundaries into parts of about kCompactSliceBytes.
void splitRange(Database& database, Family family, const Range& whole, std::vector<Slice>& out) {
  auto files = filesIn(database, family, whole);
  if (files.empty()) return;
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.smallestkey < b.smallestkey; });
  Slice slice{family, {whole.from, {}}, 0};
  for (const auto& file : files) {
    if (slice.bytes >= kCompactSliceBytes && file.smallestkey > slice.range.from) {
      slice.range.to = file.smallestkey;
      out.push_back(std::exchange(slice, Slice{family, {file.smallestkey, {}}, 0}));
    }
    slice.bytes += file.size;
  }
  slice.range.to = whole.to;
  out.push_back(std::move(slice));
}

std::string_view nameOf(Family family) {
  switch (family) {
    case Family::documents:
      return "documents";
    case Family::indexes:
      return "indexes";
    case Family::log:
    case Family::traces:
      return "change log";
    default:
      return "catalogue";
  }
}

Result<> compactSlice(Database& database, const Slice& part, Progress& progress) {
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.canceled = &progress.stopFlag();
  const rocksdb::Slice from = slice(part.range.from);
  const rocksdb::Slice to = slice(part.range.to);
  const rocksdb::Status status =
      database.db().CompactRange(options, database.family(part.family), part.range.from.empty() ? nullptr : &from,
                                 part.range.to.empty() ? nullptr : &to);
  if (progress.stopped()) return fail(ErrorCode::unavailable, "the compaction was stopped");
  if (status.ok()) return {};
  if (status.IsNoSpace()) return fail(ErrorCode::unavailable, "no space is left on the disk to compact");
  return fail(ErrorCode::internal, "the compaction failed: " + status.ToString());
}

}  // namespace

Result<CompactReport> Engine::compact(std::optional<ProjectNo> project, Progress& progress) {
  const Gate::Holder holder(gate_);
  if (!holder) return stopping();
  Range whole;
  if (project) {
    const ProjectState* state = catalogue_.project(*project);
    if (!state || state->dead) return fail(ErrorCode::notFound, "no such project");
    appendU32(whole.from, *project);
    whole.to = successor(whole.from);
  }
  database_->flush();
  CompactReport report{bytesIn(*database_, whole), 0};
  std::vector<Slice> slices;
  for (const Family family : kCompacted) {
    // Rows of the catalogue begin with their kind, so they have no key range per project.
    if (family != Family::system || !project) splitRange(*database_, family, whole, slices);
  }
  uint64_t total = 0;
  for (const Slice& part : slices) total += part.bytes;
  uint64_t done = 0;
  for (const Slice& part : slices) {
    progress.at(nameOf(part.family), done, total);
    RETURN_IF_ERROR(compactSlice(*database_, part, progress));
    done += part.bytes;
  }
  report.bytesAfter = bytesIn(*database_, whole);
  return report;
}

}  // namespace mb::store::embedded

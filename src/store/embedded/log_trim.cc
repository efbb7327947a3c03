#include "store/embedded/log_trim.h"

#include <rocksdb/convenience.h>

#include "base/log.h"
#include "store/embedded/change_log.h"
#include "store/embedded/keys.h"
#include "store/log_limits.h"

namespace mb::store::embedded {

Result<std::map<ProjectNo, uint64_t>> LogTrimmer::floors() const {
  std::map<ProjectNo, uint64_t> floors;
  for (const auto& [number, schema] : catalogue_.systemCollections()) {
    if (!schema->logFloor) continue;
    const std::string prefix = rangePrefix(kControlProject, number);
    const std::unique_ptr<rocksdb::Iterator> at(
        database_.db().NewIterator(Database::reading(Tier::disk), database_.family(Family::documents)));
    for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
      addLogFloor(*schema->logFloor, doc::DocumentView(view(at->value())), floors);
    }
    if (!at->status().ok()) return fail(readError(at->status()));
  }
  return floors;
}

Result<uint64_t> LogTrimmer::loggedUpTo(ProjectNo project, uint64_t position) const {
  rocksdb::PinnableSlice entry;
  const auto status = database_.get(Tier::disk, Family::log, logKey(project, position), &entry);
  if (status.IsNotFound()) return 0;
  if (!status.ok()) return fail(readError(status));
  return readLogStamp(view(entry)).logged;
}

Result<uint64_t> LogTrimmer::lastTrimmable(const ProjectState& project, uint64_t last,
                                           const std::function<bool(std::string_view entry)>& trimmable) const {
  uint64_t low = project.lowWater;
  uint64_t high = last;
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    rocksdb::PinnableSlice entry;
    const auto status = database_.get(Tier::disk, Family::log, logKey(project.number, middle), &entry);
    if (!status.ok() && !status.IsNotFound()) return fail(readError(status));
    if (status.IsNotFound() || trimmable(view(entry))) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

void LogTrimmer::raiseMark(ProjectState& project, const Result<uint64_t>& mark) {
  if (!mark) {
    logWarn("change log not trimmed; retrying at the next pass",
            {{"project", project.number}, {"problem", mark.error().cause()}});
    return;
  }
  if (*mark <= project.lowWater) return;
  project.lowWater.store(*mark, std::memory_order_release);
  std::string value;
  appendU64(value, *mark);
  rocksdb::WriteBatch batch;
  batch.Put(database_.family(Family::system), row::of(row::kLogLowWater, project.number), value);
  database_.write(batch);
  const std::string from = logKey(project.number, 0);
  const std::string to = logKey(project.number, *mark);
  const rocksdb::Slice begin = slice(from);
  const rocksdb::Slice end = slice(to);
  // Deletes the files that are entirely below the mark; compaction drops the other entries.
  for (const Family family : {Family::log, Family::traces}) {
    rocksdb::DeleteFilesInRange(&database_.db(), database_.family(family), &begin, &end, false).PermitUncheckedError();
  }
}

void LogTrimmer::run(Timestamp now) {
  const int64_t oldest = now.ms - settings_.changeLogHours * 3600 * 1000;
  // Reads the positions first: a document that is inserted after floors() needs no entry up to them.
  std::vector<std::pair<ProjectState*, uint64_t>> logs;
  catalogue_.forEachProject([&](ProjectState& project) { logs.emplace_back(&project, project.lastPosition); });
  const auto floors = this->floors();
  if (!floors) {
    logWarn("change logs not trimmed; retrying at the next pass", {{"problem", floors.error().cause()}});
    return;
  }
  std::vector<Held> held;
  for (const auto& [state, logged] : logs) {
    ProjectState& project = *state;
    const auto floor = floors->find(project.number);
    const uint64_t last = floor == floors->end() ? logged : std::min(logged, floor->second);
    if (project.lowWater >= last) continue;
    raiseMark(project,
              lastTrimmable(project, last, [&](std::string_view entry) { return readLogStamp(entry).at.ms < oldest; }));
    if (project.lowWater >= last) continue;
    const Result<uint64_t> before = loggedUpTo(project.number, project.lowWater + 1);
    if (before) held.push_back({&project, last, project.loggedBytes - *before});
  }
  std::vector<uint64_t> bytes;
  for (const Held& each : held) bytes.push_back(each.bytes);
  const uint64_t share = std::min(shareOfTotal(std::move(bytes), static_cast<uint64_t>(settings_.changeLogTotalBytes)),
                                  static_cast<uint64_t>(settings_.changeLogBytes));
  for (const Held& each : held) {
    if (each.bytes <= share) continue;
    const uint64_t keepAfter = each.project->loggedBytes - share;
    raiseMark(*each.project, lastTrimmable(*each.project, each.last, [&](std::string_view entry) {
      return readLogStamp(entry).logged <= keepAfter;
    }));
  }
}

}  // namespace mb::store::embedded

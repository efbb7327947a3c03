#include "store/embedded/check.h"

#include "store/embedded/change_log.h"
#include "store/embedded/held_fields.h"
#include "store/embedded/index_entries.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {
constexpr size_t kMaxProblems = 100;
constexpr uint64_t kProgressInterval = 1000;
}  // namespace

Checker::Checker(Database& database, const Catalogue& catalogue, Progress* progress)
    : database_(database),
      catalogue_(catalogue),
      progress_(progress),
      snapshot_(database.db()),
      options_(Database::reading(Tier::disk)) {
  options_.snapshot = snapshot_.get();
  options_.fill_cache = false;
}

void Checker::problem(std::string text) {
  if (report_.problems.size() < kMaxProblems) report_.problems.push_back(std::move(text));
}

std::string Checker::nameOf(const CollectionHandle& handle) const {
  return fmt::format("project {} collection {} ({})", handle.state->project, handle.schema->number,
                     handle.schema->name);
}

std::unique_ptr<rocksdb::Iterator> Checker::iterate(Family family) const {
  return std::unique_ptr<rocksdb::Iterator>(database_.db().NewIterator(options_, database_.family(family)));
}

bool Checker::shouldContinue(std::string_view step, uint64_t done, uint64_t total) {
  if (!progress_) return true;
  if (done % kProgressInterval == 0) progress_->at(step, done, total);
  return !progress_->stopped();
}

CheckReport Checker::run() {
  const auto stopped = [this] { return progress_ && progress_->stopped(); };
  checkDocuments();
  if (!stopped()) checkCounts();
  if (!stopped()) checkGroupCounts();
  if (!stopped()) checkCounters();
  if (!stopped()) checkEntries();
  if (!stopped()) checkLogs();
  return std::move(report_);
}

void Checker::checkDocuments() {
  const auto at = iterate(Family::documents);
  RangeId range;
  CollectionHandle handle;
  uint64_t total = 0;
  catalogue_.forEachProject([&](const ProjectState& project) {
    for (const auto& state : catalogue_.states(project.number)) total += state->documents;
  });
  for (at->SeekToFirst(); at->Valid() && shouldContinue("documents", report_.documents, total); at->Next()) {
    const std::string_view key = view(at->key());
    if (key.size() <= kPrefixBytes) {
      problem("a document key is too short");
      continue;
    }
    const RangeId found(readU32(key.data()), readU32(key.data() + 4));
    if (found != range) {
      range = found;
      handle = catalogue_.collection(range.first, range.second);
    }
    // Dropped documents wait for the sweeper.
    if (!handle) continue;
    const std::string_view value = view(at->value());
    // Records have no versions.
    checkDocument(handle, key.substr(kPrefixBytes), handle.schema->system() ? value : splitStored(value).bson);
  }
  if (!at->status().ok()) problem("the documents cannot be read: " + at->status().ToString());
}

void Checker::checkDocument(const CollectionHandle& handle, std::string_view id, std::string_view bytes) {
  ++report_.documents;
  Counted& counted = counted_[{handle.state->project, handle.schema->number}];
  ++counted.documents;
  counted.bytes += bytes.size();
  const auto document = doc::Document::fromUntrusted(std::string(bytes));
  if (!document) {
    problem(fmt::format("{} document {}: corrupt ({})", nameOf(handle), id, document.error().message()));
    return;
  }
  if (document->view().stringOr("id") != id) {
    problem(fmt::format("{} document {}: is stored under a key that is not its id", nameOf(handle), id));
  }
  const std::string_view value =
      handle.schema->countedBy.empty() ? "" : document->view().stringOr(handle.schema->countedBy);
  if (!value.empty()) {
    Counted& grouped = grouped_[{{handle.state->project, handle.schema->number}, std::string(value)}];
    ++grouped.documents;
    grouped.bytes += bytes.size();
  }
  addCounted(handle.schema->counters, handle.state->project, *document, counters_);
  EntrySet entries;
  std::string buffer;
  for (const auto& index : handle.schema->indexes) {
    if (!index->ready) continue;
    const auto collected = collectEntries(*index, handle.state->project, *document, id, entries);
    if (!collected) {
      problem(fmt::format("{} document {}: cannot be in index {} ({})", nameOf(handle), id, index->spec.name,
                          collected.error().message()));
      continue;
    }
    expected_[{handle.state->project, index->number}] += entries.entries.size();
    for (size_t i = 0; i < entries.entries.size(); ++i) {
      checkEntry(handle, *index, entries.key(i), id, entryValue(*index, entries, i, *document, id, buffer));
    }
  }
}

void Checker::checkEntry(const CollectionHandle& handle, const Index& index, std::string_view key, std::string_view id,
                         std::string_view expected) {
  std::string value;
  const auto status = database_.db().Get(options_, database_.family(Family::indexes), slice(key), &value);
  if (!status.ok()) {
    problem(fmt::format("{} document {}: has no entry in index {}", nameOf(handle), id, index.spec.name));
    return;
  }
  if (value == expected) return;
  const bool stale = withoutHeld(index, value) == withoutHeld(index, expected) ||
                     (index.spec.covering && value.starts_with(expected.substr(0, 2)));
  // Until it is rewritten, an entry may hold the fields of an earlier layout.
  if (stale && index.refilling && !heldFields(index, entryParts(index, key, value).held)) return;
  problem(fmt::format("{} document {}: its entry in index {} {}", nameOf(handle), id, index.spec.name,
                      stale ? "does not match the document" : "belongs to another document"));
}

void Checker::checkCounts() {
  const auto at = iterate(Family::system);
  for (at->Seek(row::plain(row::kCount)); at->Valid() && at->key()[0] == row::kCount; at->Next()) {
    if (at->key().size() != 9 || at->value().size() != 16) {
      problem("a count row is corrupt");
      continue;
    }
    const RangeId range(readU32(at->key().data() + 1), readU32(at->key().data() + 5));
    const CollectionHandle handle = catalogue_.collection(range.first, range.second);
    if (!handle) continue;
    const Counted counted = counted_[range];
    const uint64_t documents = readU64(at->value().data());
    const uint64_t bytes = readU64(at->value().data() + 8);
    if (documents != counted.documents || bytes != counted.bytes) {
      problem(fmt::format("{}: {} documents of {} bytes are counted, but {} of {} are stored", nameOf(handle),
                          documents, bytes, counted.documents, counted.bytes));
    }
    counted_.erase(range);
  }
  for (const auto& [range, counted] : counted_) {
    if (counted.documents > 0)
      problem(fmt::format("project {} collection {}: has no count", range.first, range.second));
  }
}

void Checker::checkGroupCounts() {
  const auto at = iterate(Family::system);
  const size_t prefix = row::of(row::kGroupCount, 0, 0).size();
  const auto compare = [this](RangeId range, const std::string& value, const Counted& stored, const Counted& counted) {
    if (stored.documents == counted.documents && stored.bytes == counted.bytes) return;
    problem(fmt::format(
        "project {} collection {}: {} documents of {} bytes are counted for \"{}\", but {} of {} are stored",
        range.first, range.second, stored.documents, stored.bytes, value, counted.documents, counted.bytes));
  };
  for (at->Seek(row::plain(row::kGroupCount)); at->Valid() && at->key()[0] == row::kGroupCount; at->Next()) {
    if (at->key().size() <= prefix || at->value().size() != 16) {
      problem("a group count row is corrupt");
      continue;
    }
    const RangeId range(readU32(at->key().data() + 1), readU32(at->key().data() + 5));
    if (!catalogue_.collection(range.first, range.second)) continue;
    const std::string value(view(at->key()).substr(prefix));
    const auto counted = grouped_.extract({range, value});
    compare(range, value, {readU64(at->value().data()), readU64(at->value().data() + 8)},
            counted ? counted.mapped() : Counted{});
  }
  for (const auto& [which, counted] : grouped_) compare(which.first, which.second, {}, counted);
}

void Checker::checkCounters() {
  const auto at = iterate(Family::system);
  const auto compare = [this](const CounterKey& key, int64_t stored, int64_t counted) {
    if (stored == counted) return;
    problem(fmt::format("project {}: the counter {}{}{} is {}, but its documents sum up to {}", key.project,
                        catalogue_.counterName(key.counter), key.group.empty() ? "" : " of ", key.group, stored,
                        counted));
  };
  for (at->Seek(row::plain(row::kCounter)); at->Valid() && at->key()[0] == row::kCounter; at->Next()) {
    const auto key = counterOfRow(view(at->key()));
    if (!key || at->value().size() != 8) {
      problem("a counter row is corrupt");
      continue;
    }
    const ProjectState* project = catalogue_.project(key->project);
    if (!project || project->dead) continue;
    // Counters are declared in code only, and an image is read without declarations.
    if (catalogue_.counterName(key->counter).empty()) continue;
    const auto counted = counters_.extract(*key);
    compare(*key, static_cast<int64_t>(readU64(at->value().data())), counted ? counted.mapped() : 0);
  }
  for (const auto& [key, counted] : counters_) compare(key, 0, counted);
}

// The entries of each document were checked before; a wrong number of entries reveals an extra one.
void Checker::checkEntries() {
  std::map<RangeId, std::pair<CollectionHandle, const Index*>> indexes;
  catalogue_.forEachProject([&](ProjectState& project) {
    for (const auto& state : catalogue_.states(project.number)) {
      const CollectionHandle handle = catalogue_.collection(project.number, state->number);
      if (!handle) continue;
      for (const auto& index : handle.schema->indexes) {
        if (index->ready) indexes[{project.number, index->number}] = {handle, index.get()};
      }
    }
  });
  uint64_t total = 0;
  for (const auto& [_, entries] : expected_) total += entries;
  const auto at = iterate(Family::indexes);
  for (const auto& [range, owner] : indexes) {
    const std::string prefix = rangePrefix(range.first, range.second);
    const uint64_t before = report_.indexEntries;
    for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
      if (!shouldContinue("index entries", report_.indexEntries++, total)) return;
    }
    if (report_.indexEntries - before == expected_[range]) continue;
    for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
      checkEntry(owner.first, *owner.second, view(at->key()), view(at->value()));
    }
  }
  if (!at->status().ok()) problem("the indexes cannot be read: " + at->status().ToString());
}

void Checker::checkEntry(const CollectionHandle& handle, const Index& index, std::string_view key,
                         std::string_view value) {
  const std::string_view id = entryParts(index, key, value).id;
  std::string stored;
  const auto status = database_.db().Get(options_, database_.family(Family::documents),
                                         documentKey(handle.state->project, handle.schema->number, id), &stored);
  const doc::DocumentView document(splitStored(stored).bson);
  EntrySet entries;
  bool belongs = false;
  if (status.ok() && collectEntries(index, handle.state->project, document, id, entries)) {
    for (size_t i = 0; i < entries.entries.size(); ++i) belongs |= entries.key(i) == key;
  }
  if (!belongs) {
    problem(
        fmt::format("{} index {}: holds an entry that document {} does not have", nameOf(handle), index.spec.name, id));
  }
}

void Checker::checkLogs() {
  catalogue_.forEachProject([this](ProjectState& project) { checkLog(project); });
}

void Checker::checkLog(const ProjectState& project) {
  std::string row;
  const auto status =
      database_.db().Get(options_, database_.family(Family::system), row::of(row::kChangeLog, project.number), &row);
  const uint64_t last = status.ok() && row.size() == 24 ? readU64(row.data()) : 0;
  const auto at = iterate(Family::log);
  std::string prefix;
  appendU32(prefix, project.number);
  uint64_t next = project.lowWater + 1;
  int64_t time = 0;
  for (at->Seek(logKey(project.number, next)); at->Valid() && at->key().starts_with(prefix); at->Next(), ++next) {
    const uint64_t position = readU64(at->key().data() + 4);
    const auto entry = decodeLogEntry(position, view(at->value()));
    if (!entry) problem(fmt::format("project {} change log: the entry at {} is corrupt", project.number, position));
    if (position != next)
      problem(fmt::format("project {} change log: position {} found where {} was expected", project.number, position,
                          next));
    next = position;
    if (entry && entry->at.ms < time)
      problem(fmt::format("project {} change log: time goes back at {}", project.number, position));
    if (entry) time = entry->at.ms;
  }
  const auto traces = iterate(Family::traces);
  for (traces->Seek(logKey(project.number, last + 1)); traces->Valid() && traces->key().starts_with(prefix);
       traces->Next()) {
    problem(fmt::format("project {} change log: the trace of the entry at {} belongs to no entry", project.number,
                        readU64(traces->key().data() + 4)));
  }
  if (next != std::max<uint64_t>(last, project.lowWater) + 1) {
    problem(fmt::format("project {} change log: ends at {}, but {} is the last assigned position", project.number,
                        next - 1, last));
  }
}

}  // namespace mb::store::embedded

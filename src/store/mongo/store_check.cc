#include "store/mongo/store_check.h"

#include "document/fields.h"
#include "store/mongo/attempt.h"
#include "store/mongo/log_entry.h"

namespace mb::store::mongo {

namespace {

constexpr size_t kMaxProblems = 100;
constexpr int kAttempts = 3;

CollectionStats statsOf(const std::vector<doc::Document>& counts) {
  if (counts.empty()) return {};
  const doc::DocumentView row = counts.front();
  return {static_cast<uint64_t>(doc::integerOr(row, "n")), static_cast<uint64_t>(doc::integerOr(row, "bytes"))};
}

doc::Document findCount(ProjectNo project, CollectionNo collection) {
  const std::string id = countId(project, collection, "");
  return findByIds(kCounts, std::span(&id, 1));
}

bool areEqual(const std::vector<doc::Document>& a, const std::vector<doc::Document>& b) {
  return std::ranges::equal(a, b, {}, &doc::Document::bytes, &doc::Document::bytes);
}

// Whether the work of a transaction may run again.
bool mayRunAgain(const CommandError& error) {
  return error.transient || error.code == CommandError::kWriteConflict;
}

}  // namespace

void StoreCheck::add(std::string problem) {
  if (report_.problems.size() < kMaxProblems) report_.problems.push_back(std::move(problem));
}

CheckReport StoreCheck::run() {
  std::vector<ProjectNo> projects;
  const auto heads = rows(std::bind_front(&StoreCheck::read, this), kHeads, findAll(kHeads));
  Outcome<> done;
  if (!heads) done = std::unexpected(heads.error());
  for (size_t i = 0; done && i < heads->size(); ++i) {
    if (decodeHead((*heads)[i]).dead) continue;
    done = checkProject(static_cast<ProjectNo>(doc::integerOr((*heads)[i], "_id")));
  }
  if (!done) add(fmt::format("the check failed: {} {}", done.error().code, done.error().message));
  return std::move(report_);
}

Outcome<> StoreCheck::checkProject(ProjectNo project) {
  if (auto done = checkLog(project); !done) return done;
  std::vector<CollectionNo> numbers;
  for (const SystemCollection& system : states_.systemCollections()) numbers.push_back(system.number);
  const auto catalogue =
      rows(std::bind_front(&StoreCheck::read, this), kCatalogue, findWhere(kCatalogue, "_id.p", project));
  if (!catalogue) return std::unexpected(catalogue.error());
  for (const doc::Document& row : *catalogue) numbers.push_back(decodeCollection(row).number);
  for (const CollectionNo number : numbers) {
    if (!isCounted(states_, number)) continue;
    if (auto done = checkCount(project, number); !done) return done;
  }
  return {};
}

Outcome<> StoreCheck::checkLog(ProjectNo project) {
  Outcome<> done = compareLog(project);
  for (int attempt = 1; !done && mayRunAgain(done.error()) && attempt < kAttempts; ++attempt) {
    done = compareLog(project);
  }
  return done;
}

// In one transaction: a log is bounded.
Outcome<> StoreCheck::compareLog(ProjectNo project) {
  Transaction transaction(connection_);
  const Run inside = std::bind_front(&Transaction::run, &transaction);
  if (auto begun = transaction.begin(); !begun) return begun;
  const auto heads = rows(inside, kHeads, findWhere(kHeads, "_id", project));
  if (!heads) return std::unexpected(heads.error());
  if (heads->empty()) return {};
  const Head head = decodeHead(heads->front());
  if (head.dead) return {};
  std::vector<std::string> problems;
  uint64_t expected = head.lostUpTo;
  const doc::Document entries = findAll(kLog, [&](doc::BsonWriter& out) {
    out.beginDocument("_id");
    out.appendBinary("$gte", logId(project, 0));
    out.appendBinary("$lte", logId(project, UINT64_MAX));
    out.end();
  });
  const auto logged = transaction.each(names_.shared(), kLog, entries, [&](doc::DocumentView view) {
    const auto entry = decodeLogEntry(view);
    if (!entry) {
      problems.push_back(fmt::format("an entry of the change log of project {} is corrupt", project));
    } else if (entry->position != ++expected) {
      problems.push_back(
          fmt::format("the change log of project {} has {} in place of {}", project, entry->position, expected));
      expected = entry->position;
    }
  });
  if (!logged) return logged;
  if (expected != head.position) {
    problems.push_back(
        fmt::format("the change log of project {} ends at {}, its head says {}", project, expected, head.position));
  }
  for (std::string& problem : problems) add(std::move(problem));
  return {};
}

Outcome<> StoreCheck::checkCount(ProjectNo project, CollectionNo collection) {
  std::optional<Compared> compared;
  for (int attempt = 0; !compared && attempt < kAttempts; ++attempt) {
    auto settled = compareSettled(project, collection);
    if (!settled) return std::unexpected(std::move(settled).error());
    compared = *std::move(settled);
  }
  for (int attempt = 0; !compared && attempt < kAttempts; ++attempt) {
    auto inside = compareInTransaction(project, collection);
    if (inside) {
      compared = *std::move(inside);
    } else if (!mayRunAgain(inside.error()) || attempt + 1 == kAttempts) {
      return std::unexpected(std::move(inside).error());
    }
  }
  report_.documents += compared->is.documents;
  const CollectionStats& is = compared->is;
  const CollectionStats& counted = compared->counted;
  if (is.documents == counted.documents && is.bytes == counted.bytes && compared->corrupt.empty()) return {};
  const auto there = exists(project, collection);
  if (!there) return std::unexpected(there.error());
  if (!*there) return {};
  for (std::string& problem : compared->corrupt) add(std::move(problem));
  if (is.documents != counted.documents || is.bytes != counted.bytes) {
    add(fmt::format("{} of project {} holds {} documents of {} bytes, counted are {} of {}",
                    Names::collectionOf(collection), project, is.documents, is.bytes, counted.documents,
                    counted.bytes));
  }
  return {};
}

Outcome<std::optional<StoreCheck::Compared>> StoreCheck::compareSettled(ProjectNo project, CollectionNo collection) {
  const Run outside = std::bind_front(&StoreCheck::read, this);
  const doc::Document command = findCount(project, collection);
  const auto before = rows(outside, kCounts, command);
  if (!before) return std::unexpected(before.error());
  Compared compared;
  compared.counted = statsOf(*before);
  if (auto done = readDocuments(outside, project, collection, compared); !done) {
    return std::unexpected(std::move(done).error());
  }
  const auto after = rows(outside, kCounts, command);
  if (!after) return std::unexpected(after.error());
  if (!areEqual(*before, *after)) return std::nullopt;
  return compared;
}

Outcome<StoreCheck::Compared> StoreCheck::compareInTransaction(ProjectNo project, CollectionNo collection) {
  Transaction transaction(connection_);
  const Run inside = std::bind_front(&Transaction::run, &transaction);
  if (auto begun = transaction.begin(); !begun) return std::unexpected(std::move(begun).error());
  const auto count = rows(inside, kCounts, findCount(project, collection));
  if (!count) return std::unexpected(count.error());
  Compared compared;
  compared.counted = statsOf(*count);
  if (auto done = readDocuments(inside, project, collection, compared); !done) {
    return std::unexpected(std::move(done).error());
  }
  return compared;
}

Outcome<> StoreCheck::readDocuments(const Run& run, ProjectNo project, CollectionNo collection, Compared& into) const {
  const std::string name = Names::collectionOf(collection);
  const std::string database = names_.databaseOf(project, collection);
  const doc::Document command = findAll(name, [&](doc::BsonWriter& out) {
    if (isSystem(collection)) out.appendInt64("_p", project);
  });
  return eachDocument(
      [&](doc::DocumentView each) { return run(database, each); }, name, command,
      [&](doc::DocumentView view) {
        const auto document = unstored(collection, view);
        if (document) {
          ++into.is.documents;
          into.is.bytes += document->document.size();
        } else if (into.corrupt.size() < kMaxProblems) {
          into.corrupt.push_back(fmt::format("a document of {} of project {} is corrupt", name, project));
        }
        return true;
      });
}

Outcome<StoreCheck::Rows> StoreCheck::rows(const Run& run, std::string_view collection,
                                           doc::DocumentView command) const {
  Rows found;
  const auto read =
      eachDocument([&](doc::DocumentView each) { return run(names_.shared(), each); }, collection, command,
                   [&](doc::DocumentView row) {
                     found.emplace_back(row);
                     return true;
                   });
  if (!read) return std::unexpected(read.error());
  return found;
}

Outcome<bool> StoreCheck::exists(ProjectNo project, CollectionNo collection) const {
  const Run outside = std::bind_front(&StoreCheck::read, this);
  const auto heads = rows(outside, kHeads, findWhere(kHeads, "_id", project));
  if (!heads) return std::unexpected(heads.error());
  if (heads->empty() || decodeHead(heads->front()).dead) return false;
  if (isSystem(collection)) return true;
  const auto catalogue = rows(outside, kCatalogue, findWhere(kCatalogue, "_id.p", project));
  if (!catalogue) return std::unexpected(catalogue.error());
  return std::ranges::any_of(*catalogue,
                             [&](const doc::Document& row) { return decodeCollection(row).number == collection; });
}

}  // namespace mb::store::mongo

// Validates the counters while the store opens. Their rows are valid if the version of the code that opened the store
// last maintained them: the row::kCounterStamp row records that opening and the declarations. Versions without counters
// do not change that row.
#include "base/log.h"
#include "store/embedded/catalogue.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

constexpr size_t kBatchBytes = 1 << 20;

// The declarations of the counters in a canonical order.
std::string declarationOf(const std::vector<SchemaPtr>& counted) {
  std::vector<std::string> lines;
  for (const SchemaPtr& schema : counted) {
    for (const CounterSource& source : schema->counters) {
      lines.push_back(fmt::format("{} {} {} {}", source.counter, schema->number, source.summed, source.groupedBy));
      if (!source.where.empty()) lines.back() += " " + source.where;
    }
  }
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string stampOf(uint64_t opening, const std::string& declaration) {
  std::string stamp;
  appendU64(stamp, opening);
  return stamp + declaration;
}

}  // namespace

std::string Catalogue::counterName(CounterNo counter) const {
  for (const auto& [_, schema] : system_) {
    for (const CounterSource& source : schema->counters) {
      if (source.counter == counter) return source.name;
    }
  }
  return "";
}

Result<> Catalogue::bringCountersToSpec() {
  for (const CounterPtr& counter : counters.all()) {
    const ProjectState* owner = project(counter->key.project);
    if (!owner || owner->dead) counters.forgetProject(counter->key.project);
  }
  const bool reading = database_->opening() == 0;
  if (reading) return {};
  std::vector<SchemaPtr> counted;
  for (const auto& [_, schema] : system_) {
    if (!schema->counters.empty()) counted.push_back(schema);
  }
  const std::string declaration = declarationOf(counted);
  const bool right = counterStamp_ == stampOf(database_->openingBefore(), declaration);
  counterStamp_.clear();
  if (!right) RETURN_IF_ERROR(recount(counted));
  rocksdb::WriteBatch stamp;
  stamp.Put(database_->family(Family::system), row::plain(row::kCounterStamp),
            stampOf(database_->opening(), declaration));
  database_->write(stamp);
  return {};
}

Result<> Catalogue::recount(const std::vector<SchemaPtr>& counted) {
  auto* family = database_->family(Family::system);
  rocksdb::WriteBatch batch;
  for (const CounterPtr& counter : counters.all()) batch.Delete(family, counterRow(counter->key));
  counters.clear();
  CounterSums sums;
  Result<> outcome;
  const std::unique_ptr<rocksdb::Iterator> at(
      database_->db().NewIterator(Database::reading(Tier::disk), database_->family(Family::documents)));
  forEachProject([&](const ProjectState& project) {
    for (const SchemaPtr& schema : counted) {
      const std::string prefix = rangePrefix(project.number, schema->number);
      for (at->Seek(prefix); at->Valid() && at->key().starts_with(prefix); at->Next()) {
        addCounted(schema->counters, project.number, doc::DocumentView(view(at->value())), sums);
      }
      if (outcome && !at->status().ok()) outcome = fail(readError(at->status()));
    }
  });
  RETURN_IF_ERROR(std::move(outcome));
  for (const auto& [key, sum] : sums) {
    if (sum == 0) continue;
    std::string value;
    appendU64(value, static_cast<uint64_t>(sum));
    batch.Put(family, counterRow(key), value);
    counters.set(key, sum);
    if (batch.GetDataSize() < kBatchBytes) continue;
    database_->write(batch);
    batch.Clear();
  }
  if (batch.Count() > 0) database_->write(batch);
  if (!sums.empty()) logInfo("counters recounted", {{"counters", sums.size()}});
  return {};
}

}  // namespace mb::store::embedded

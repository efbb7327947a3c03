// Indexes and collections of a database that Introspection shows and drops for the routes of collections.
#include <algorithm>
#include <set>

#include "introspection/introspection.h"
#include "projects/project_types.h"
#include "store/own/writing.h"

namespace mb::introspection {

namespace {

// For the plan of all collections; the indexes of those that are left are not looked at.
constexpr std::chrono::seconds kAllPlansTime{10};

data::IndexView viewOf(IndexFacts facts) {
  data::IndexView view;
  view.name = std::move(facts.name);
  view.keys = std::move(facts.keys);
  view.unique = facts.unique;
  if (facts.sparse) view.sparse = true;
  if (!facts.partialFilter.view().empty()) view.partialFilter = std::move(facts.partialFilter);
  view.expireAfterSeconds = facts.expireAfterSeconds;
  view.managed = false;
  return view;
}

Task<> dropThere(std::shared_ptr<store::own::Database> database, store::Deadline deadline, std::string collection) {
  const auto drop = [database, deadline, collection](store::mongo::Connection& connection) -> Result<> {
    Source source(connection, database->name(), deadline);
    doc::BsonWriter out;
    out.appendString("drop", collection);
    const auto done = source.write(out.finish());
    if (done || done.error().code == store::mongo::CommandError::kNamespaceNotFound) return {};
    return fail(database->failed(done.error()));
  };
  co_return co_await database->run(deadline, drop);
}

}  // namespace

Task<std::vector<data::IndexView>> Introspection::serverIndexes(const Access& access, DatabasePtr database,
                                                                const std::string& collection) const {
  std::string source;
  for (const auto& [there, here] : deps_.collections.namesBySource(*access.project)) {
    if (here == collection) source = there;
  }
  CO_TRY(const std::vector<data::IndexView> made, co_await deps_.collections.indexes(access.project, collection));
  const auto read = [database, deadline = access.deadline,
                     source](store::mongo::Connection& connection) -> Result<std::vector<IndexFacts>> {
    Source from(connection, database->name(), deadline);
    auto indexes = readIndexes(from, source);
    if (!indexes) return fail(database->failedToRead(indexes.error()));
    return *std::move(indexes);
  };
  CO_TRY(std::vector<IndexFacts> found, co_await database->run(access.deadline, read));
  std::set<std::string> ours;
  for (const data::IndexView& each : made) ours.insert(std::string(store::own::kIndexPrefix) + each.name);
  std::vector<data::IndexView> views;
  for (IndexFacts& each : found) {
    if (!ours.contains(each.name)) views.push_back(viewOf(std::move(each)));
  }
  co_return views;
}

Task<> Introspection::addServerIndexes(Access access, std::string collection,
                                       std::vector<data::IndexView>& indexes) const {
  const DatabasePtr database = deps_.database(access.project->info().number);
  if (!database) co_return Result<>();
  for (data::IndexView& each : indexes) each.managed = true;
  auto others = co_await serverIndexes(access, database, collection);
  if (!others && others.error().code() == ErrorCode::unavailable) co_return Result<>();
  if (!others) co_return fail(others.error().clone());
  std::ranges::move(*others, std::back_inserter(indexes));
  std::ranges::sort(indexes, {}, &data::IndexView::name);
  co_return Result<>();
}

Task<std::vector<IndexProblem>> Introspection::indexProblems(snapshot::SnapshotPtr project,
                                                             std::vector<PlannedIndexes> planned) const {
  const DatabasePtr database = deps_.database(project->info().number);
  std::vector<IndexProblem> problems;
  if (!database || planned.empty()) co_return problems;
  std::map<std::string, std::string, std::less<>> sources;
  for (const auto& [there, here] : deps_.collections.namesBySource(*project)) sources.emplace(here, there);
  const auto deadline = std::chrono::steady_clock::now() + kAllPlansTime;
  co_return co_await database->run(deadline,
                                   [database, deadline, planned = std::move(planned), sources = std::move(sources)](
                                       store::mongo::Connection& connection) -> Result<std::vector<IndexProblem>> {
                                     Source from(connection, database->name(), deadline);
                                     std::vector<IndexProblem> all;
                                     for (const PlannedIndexes& each : planned) {
                                       if (from.isLate()) break;
                                       const auto source = sources.find(each.collection);
                                       if (source == sources.end()) continue;
                                       auto found = findIndexProblems(from, source->second, each);
                                       if (!found) return fail(database->failedToRead(found.error()));
                                       std::ranges::move(*found, std::back_inserter(all));
                                     }
                                     return all;
                                   });
}

Async<Error> Introspection::refusalOfDrop(Access access, std::string collection, std::string index,
                                          Error missing) const {
  const DatabasePtr database = deps_.database(access.project->info().number);
  if (!database) co_return missing;
  auto others = co_await serverIndexes(access, database, collection);
  // The collection itself may be missing.
  if (!others) co_return others.error().code() == ErrorCode::notFound ? std::move(missing) : std::move(others).error();
  if (std::ranges::find(*others, index, &data::IndexView::name) == others->end()) co_return missing;
  co_return Error(ErrorCode::conflict, "the index was not made here: drop it in the project's database");
}

Result<data::Collections::DropData> Introspection::dropper(Access access) const {
  const auto database = databaseOf(access);
  if (!database) {
    return fail(ErrorCode::invalidParam, "data=drop is for projects on a database of their owner");
  }
  const policy::Caller& caller = access.caller;
  if (caller.kind != policy::CallerKind::member || caller.role != projects::kOwner) {
    return fail(ErrorCode::forbidden, "this needs the role Owner");
  }
  return [database = *database, deadline = access.deadline](const std::string& source) {
    return dropThere(database, deadline, source);
  };
}

}  // namespace mb::introspection

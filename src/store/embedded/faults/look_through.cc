#include "store/embedded/faults/load_store.h"
#include "store/embedded/faults/standard_load.h"

namespace mb::store::embedded {

namespace {

void addPairs(StoreContents& found, const QueryResult& documents, const QueryResult& halves) {
  std::map<std::string, std::string> stateOfHalf;
  for (const doc::Document& document : halves.documents) {
    stateOfHalf[std::string(document.view().stringOr("id"))] = document.view().stringOr("state");
  }
  for (const doc::Document& document : documents.documents) {
    const std::string id(document.view().stringOr("id"));
    const std::string state(document.view().stringOr("state"));
    found.states["document:" + id] = state;
    if (!id.starts_with("pair")) continue;
    const auto half = stateOfHalf.extract(id);
    if (half.empty() || half.mapped() != state) {
      found.problems.push_back(fmt::format("the pair {} is {} and {}", id, state, half.empty() ? "-" : half.mapped()));
    }
  }
  for (const auto& [id, state] : stateOfHalf) {
    found.problems.push_back(fmt::format("of the pair {} only the half {} is present", id, state));
  }
}

}  // namespace

StoreContents inspectStore(const std::filesystem::path& directory) {
  StoreContents found;
  RunningCores running;
  const SystemClock clock;
  auto opened = openLoadStore(directory, running.cores, clock);
  if (!opened) {
    found.problems.push_back("cannot open: " + opened.error().message());
    return found;
  }
  EmbeddedStore& store = **opened;
  const auto building = [&] {
    const auto all = runOn(running.cores, 0, store.collections(kLoadProject)).value();
    return std::any_of(all.begin(), all.end(), [](const CollectionInfo& info) {
      return std::any_of(info.indexes.begin(), info.indexes.end(), [](const IndexInfo& index) { return !index.ready; });
    });
  };
  for (int waited = 0; building(); ++waited) {
    if (waited == 2000) {
      found.problems.push_back("an interrupted index build does not end");
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (const std::string& problem : store.check().problems) found.problems.push_back("check: " + problem);
  for (const CollectionInfo& info : runOn(running.cores, 0, store.collections(kLoadProject)).value()) {
    if (info.name == "extra") {
      found.states["collection:extra"] = "1";
      continue;
    }
    found.states["name"] = info.name;
    for (const IndexInfo& index : info.indexes) found.states["index:" + index.spec.name] = "1";
    Query query;
    query.limit = 10000;
    query.collection = {kLoadProject, info.number, info.version};
    const QueryResult documents = runOn(running.cores, 0, store.find(query)).value();
    query.collection = {kLoadProject, kPairs, 0};
    addPairs(found, documents, runOn(running.cores, 0, store.find(query)).value());
  }
  return found;
}

}  // namespace mb::store::embedded

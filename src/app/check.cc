#include "app/application.h"
#include "app/commands.h"

namespace mb::app {

int check(const std::string& dataDirectory) {
  initCrypto();
  std::vector<std::string> problems;
  Settings settings(loadEnvironment(".", problems));
  const AllSettings all(settings);
  for (auto& error : settings.errors()) problems.push_back(std::move(error));
  for (const auto& problem : problems) fmt::print(stderr, "manybase: {}\n", problem);
  if (!problems.empty()) return 1;

  configureLog(LogLevel::warn, all.app.log.format);
  const std::filesystem::path directory =
      dataDirectory.empty() ? all.app.dataDirectory : std::filesystem::path(dataDirectory);
  std::error_code failed;
  if (!std::filesystem::is_directory(directory / "store", failed)) {
    fmt::print(stderr, "manybase: there is no store in {}\n", directory.string());
    return 1;
  }
  const SystemClock clock;
  Cores cores(1);
  auto store = store::EmbeddedStore::open(directory, all.store, cores, systemCollections(), clock);
  if (!store) {
    fmt::print(stderr, "manybase: {}\n", store.error().message());
    return 1;
  }
  // Before the cores run: an index build that a crash interrupted goes on with them, and the scan must see what the
  // catalogue says of it now.
  const store::CheckReport report = (*store)->check();
  cores.start();
  (*store)->close();
  cores.stop();
  cores.join();
  for (const auto& problem : report.problems) fmt::print("{}\n", problem);
  fmt::print("{} documents, {} index entries, {}\n", report.documents, report.indexEntries,
             report.problems.empty() ? "all is well" : fmt::format("{} problems", report.problems.size()));
  return report.problems.empty() ? 0 : 1;
}

}  // namespace mb::app

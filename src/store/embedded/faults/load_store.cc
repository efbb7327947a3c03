#include "store/embedded/faults/load_store.h"

namespace mb::store::embedded {

namespace {

std::vector<SystemCollection> systemCollections() {
  IndexSpec n;
  n.keys = {{"n", 1}};
  n.unique = true;
  return {{kPairs, "__pairs", {n}}};
}

EmbeddedSettings loadSettings() {
  EmbeddedSettings settings;
  settings.minFreeDiskBytes = 0;
  settings.writeBufferBytes = 8 << 20;
  return settings;
}

}  // namespace

Result<std::unique_ptr<EmbeddedStore>> openLoadStore(const std::filesystem::path& directory, Cores& cores,
                                                     const Clock& clock) {
  return EmbeddedStore::open(directory, loadSettings(), cores, systemCollections(), clock);
}

}  // namespace mb::store::embedded

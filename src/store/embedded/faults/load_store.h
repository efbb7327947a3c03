// The store of the standard load, also for the inspection afterwards.
#pragma once

#include <filesystem>

#include "store/embedded/embedded_store.h"
#include "store/testing/running.h"

namespace mb::store::embedded {

using testing::runOn;

// The load's project, the first that a store assigns, and a system collection in addition to its own collection.
inline constexpr ProjectNo kLoadProject = 2;
inline constexpr CollectionNo kPairs = 1;

// Two running cores that the destructor stops.
struct RunningCores {
  RunningCores() { cores.start(); }
  ~RunningCores() {
    cores.stop();
    cores.join();
  }
  Cores cores{2};
};

Result<std::unique_ptr<EmbeddedStore>> openLoadStore(const std::filesystem::path& directory, Cores& cores,
                                                     const Clock& clock);

}  // namespace mb::store::embedded

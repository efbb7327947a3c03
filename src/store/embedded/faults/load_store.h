// The store that the standard load works on, and those who look through it afterwards open.
#pragma once

#include <filesystem>

#include "store/embedded/embedded_store.h"
#include "store/testing/running.h"

namespace mb::store::embedded {

using testing::runOn;

// The load's project, the first that a store gives out, and the system collection beside its own.
inline constexpr ProjectNo kLoadProject = 2;
inline constexpr CollectionNo kPairs = 1;

// Two running cores that end with it.
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

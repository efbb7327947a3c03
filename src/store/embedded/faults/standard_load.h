// The standard load of the fault tests: everything that writes files, in one short run that can be done again on what
// an earlier one left: a store made or opened, writers of single documents and of pairs over two collections, an index
// built, a collection renamed, one made and dropped, an index dropped, a checkpoint, a compaction, a stop, a second
// start with reads, and a stop.
#pragma once

#include <filesystem>

#include "store/embedded/faults/ledger.h"

namespace mb::store::embedded {

// How the process of a load ends, beside kStoreFailedExit and the signals.
enum LoadExit { loadDone = 0, loadCannotOpen = 3 };

// Tells each write and alteration; says on standard error why a store cannot be opened. What is refused with a clean
// error is let go. Uses the file system of useFileSystem().
int runStandardLoad(const std::filesystem::path& directory, const Teller& teller, int round);

// What a store holds in the terms of the load's ledger, and what is wrong with it: EmbeddedStore::check, a pair of
// which one half is missing, an index build that does not end, a store that cannot be opened.
struct Found {
  std::map<std::string, std::string> states;
  std::vector<std::string> problems;
};
Found lookThrough(const std::filesystem::path& directory);

}  // namespace mb::store::embedded

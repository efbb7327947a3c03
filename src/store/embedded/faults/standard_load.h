// The standard load of the fault tests: all operations that write files, in one short run that can be repeated on the
// data of an earlier one. It creates or opens a store, runs writers of single documents and of pairs over two
// collections, builds an index, renames a collection, creates and drops one, drops an index, makes a checkpoint,
// compacts, stops, starts a second time with reads, and stops.
#pragma once

#include <filesystem>

#include "store/embedded/faults/ledger.h"

namespace mb::store::embedded {

// The exit codes of the load's process, in addition to kStoreFailedExit and signals.
enum LoadExit { loadDone = 0, loadCannotOpen = 3 };

// Records each write and alteration; prints to standard error why a store cannot be opened. Ignores refusals with a
// clean error. Uses the file system of useFileSystem().
int runStandardLoad(const std::filesystem::path& directory, const LineWriter& lines, int round);

// The contents of a store as states of the load's ledger, and its problems: those of EmbeddedStore::check, a pair of
// which one half is missing, an index build that does not end, a store that cannot be opened.
struct StoreContents {
  std::map<std::string, std::string> states;
  std::vector<std::string> problems;
};
StoreContents inspectStore(const std::filesystem::path& directory);

}  // namespace mb::store::embedded

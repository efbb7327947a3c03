// What RocksDB itself does not refuse when it opens damaged files.
#pragma once

#include <filesystem>

#include "base/error.h"

namespace mb::store::embedded {

// Fails with a line that names the file:
//  - the file that says which files belong to the database is missing while others are there: RocksDB would begin anew;
//  - a write-ahead log is damaged before its end: RocksDB would take it for the end. Each record is synced before the
//    next is written, so a crash or a power cut tears the last one only; a whole record behind a broken one is damage.
Result<> refuseCorruptFiles(const std::filesystem::path& directory);

}  // namespace mb::store::embedded

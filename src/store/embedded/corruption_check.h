// Detects corrupt files that RocksDB itself opens without an error.
#pragma once

#include <filesystem>

#include "base/error.h"

namespace mb::store::embedded {

// Fails with a message that names the file if
//  - the file that lists the database's files is missing while others exist: RocksDB would create an empty database;
//  - a write-ahead log is corrupt before its end: RocksDB would end the replay there. Each record is synced before the
//    next is written, so a crash or a power cut tears the last one only; an intact record after a broken one is
//    corruption.
Result<> refuseCorruptFiles(const std::filesystem::path& directory);

}  // namespace mb::store::embedded

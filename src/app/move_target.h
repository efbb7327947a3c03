// Where `manybase move` copies to.
#pragma once

#include <filesystem>
#include <optional>

#include "cli/option.h"
#include "store/mongo/uri.h"

namespace mb::app {

struct MoveTarget {
  std::optional<store::MongoUri> database;
  std::filesystem::path directory;  // without a database

  // "the database \"shop\"", or the directory.
  std::string name() const;
};

// Reads --to, as resolveMoveTarget() has made it. Fails with invalidParam.
Result<MoveTarget> moveTargetOf(const cli::Arguments& arguments);

}  // namespace mb::app

// Whether a server can keep what the store promises.
#pragma once

#include "store/mongo/connection.h"
#include "store/mongo/names.h"

namespace mb::store::mongo {

// The layout of the databases; a later release may raise it.
inline constexpr int64_t kLayout = 1;

// Reads only. Fails with unavailable if the server cannot be reached, else with validation, naming what is missing: a
// replica set of MongoDB 6.0 or later, its primary, commits that are journaled on a majority, databases of the prefix
// that are ours or empty and of no later layout.
Result<> checkServer(Connection& connection, const Names& names);

}  // namespace mb::store::mongo

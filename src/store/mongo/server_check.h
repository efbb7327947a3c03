// Whether a server can keep what the store promises.
#pragma once

#include "store/mongo/connection.h"
#include "store/mongo/names.h"

namespace mb::store::mongo {

// The layout of the databases; a later release may raise it.
inline constexpr int64_t kLayout = 1;

// The mark of a database that a move or a restore fills (`_id` in `meta`). It is there first, and removed last.
inline constexpr std::string_view kIncomplete = "incomplete";

// What the databases of the prefix may hold.
enum class Content : uint8_t {
  deployment,  // one of no later layout, or nothing
  existing,    // one of no later layout
  incomplete,  // one that is being filled
  empty,       // nothing, or what was left incomplete
};

// Reads only. Fails with unavailable if the server cannot be reached, else with validation, naming what is missing: a
// replica set of MongoDB 6.0 or later, its primary, commits that are journaled on a majority; and with conflict for
// another content, or notFound for nothing where one has to exist.
Result<> checkServer(Connection& connection, const Names& names, Content content);

}  // namespace mb::store::mongo

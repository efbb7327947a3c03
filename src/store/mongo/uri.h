// Addresses of MongoDB deployments: MONGO_URL.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace mb::store {

struct MongoUri {
  std::string uri;     // with the options that the store needs; holds credentials
  std::string prefix;  // the database in it, "manybase" without one
};

// Fails with validation for an address that does not parse, for options that weaken what the store promises, and for a
// name of a database that is too long to be a prefix. No message holds the address.
Result<MongoUri> parseMongoUri(std::string_view text);

}  // namespace mb::store

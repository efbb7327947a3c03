// The server that MANYBASE_TEST_MONGO_URL names, for tests.
#pragma once

#include <cstdint>
#include <string>

namespace mb::store {

std::string uriOfServer();
// The port of its first host.
uint16_t portOfServer();
// The name of a database that no other test has.
std::string newPrefix();
// Drops the databases whose names begin with `prefix`.
void dropDatabases(const std::string& prefix);

}  // namespace mb::store

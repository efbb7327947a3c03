// The server that MANYBASE_TEST_MONGO_URL names, for tests.
#pragma once

#include <cstdint>
#include <string>

namespace mb::store {

std::string uriOfServer();
// Its first host, "name" and port.
struct ServerHost {
  std::string name;
  uint16_t port = 27017;
};
ServerHost hostOfServer();
// The address through a proxy on this machine before that host, which must be the primary; "" for a server with TLS,
// before which there can be none.
std::string uriThrough(uint16_t port);
// The name of a database that no other test has.
std::string newPrefix();
// Drops the databases whose names begin with `prefix`.
void dropDatabases(const std::string& prefix);

}  // namespace mb::store

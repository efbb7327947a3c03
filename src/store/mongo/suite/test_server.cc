#include "store/mongo/suite/test_server.h"

#include <array>
#include <cstdlib>
#include <regex>

#include "base/crypto.h"
#include "document/fields.h"
#include "store/mongo/connection.h"

namespace mb::store {

std::string uriOfServer() {
  const char* uri = std::getenv("MANYBASE_TEST_MONGO_URL");
  return uri != nullptr ? uri : "";
}

uint16_t portOfServer() {
  const std::string uri = uriOfServer();
  std::smatch found;
  if (!std::regex_search(uri, found, std::regex(R"(:(\d+)[/,?]?)"))) return 27017;
  return static_cast<uint16_t>(std::stoi(found[1]));
}

std::string newPrefix() {
  std::array<uint8_t, 6> bytes;
  fillRandom(bytes);
  return "t" + toHex(bytes);
}

void dropDatabases(const std::string& prefix) {
  mongo::Connection connection(uriOfServer());
  doc::BsonWriter list;
  list.appendInt32("listDatabases", 1);
  list.appendBool("nameOnly", true);
  const auto all = connection.run("admin", list.finish());
  if (!all) return;
  for (const doc::Element& each : doc::containerOr(all->view(), "databases")) {
    const std::string name(each.value.asDocument().stringOr("name"));
    doc::BsonWriter drop;
    drop.appendInt32("dropDatabase", 1);
    if (name.starts_with(prefix)) (void)connection.run(name, drop.finish());
  }
}

}  // namespace mb::store

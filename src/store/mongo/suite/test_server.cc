#include "store/mongo/suite/test_server.h"

#include <array>
#include <cstdlib>
#include <regex>

#include "base/crypto.h"
#include "document/fields.h"
#include "store/mongo/connection.h"

namespace mb::store {

namespace {

struct UriParts {
  std::string credentials;  // with their @
  std::string hosts;
  std::string database;
  std::string options;
};

// nullopt for another form than mongodb://.
std::optional<UriParts> partsOfUri() {
  const std::string uri = uriOfServer();
  std::smatch found;
  const std::regex form("mongodb://([^/?]*@)?([^/?@]+)/?([^?]*)(?:[?](.*))?");
  if (!std::regex_match(uri, found, form)) return std::nullopt;
  return UriParts{found[1], found[2], found[3], found[4]};
}

}  // namespace

std::string uriOfServer() {
  const char* uri = std::getenv("MANYBASE_TEST_MONGO_URL");
  return uri != nullptr ? uri : "";
}

ServerHost hostOfServer() {
  const auto parts = partsOfUri();
  if (!parts) return {};
  const std::string first = parts->hosts.substr(0, parts->hosts.find(','));
  const size_t colon = first.rfind(':');
  if (colon == std::string::npos) return {first};
  return {first.substr(0, colon), static_cast<uint16_t>(std::stoi(first.substr(colon + 1)))};
}

std::string uriThrough(uint16_t port) {
  const auto parts = partsOfUri();
  if (!parts || std::regex_search(parts->options, std::regex("(^|&)(tls|ssl)=true"))) return "";
  const std::string options = std::regex_replace(parts->options, std::regex("replicaSet=[^&]*&?"), "");
  return fmt::format("mongodb://{}127.0.0.1:{}/{}?directConnection=true{}{}", parts->credentials, port, parts->database,
                     options.empty() ? "" : "&", options);
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

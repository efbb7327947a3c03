// What an owner's database can do. Nothing is written there.
#pragma once

#include <string>
#include <vector>

#include "store/mongo/connection.h"

namespace mb::store::own {

struct Capabilities {
  bool changeStreams = false;
  bool preImages = false;
  bool transactions = false;
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

struct Warning {
  std::string code;  // "no-change-streams", "no-pre-images", …
  std::string message;
  friend bool operator==(const Warning&, const Warning&) = default;
};

struct Probe {
  Capabilities capabilities;
  std::vector<Warning> warnings;
  // Names the database among all of the world: the replica set's id (or, of a standalone server, its hosts) and the
  // name of the database.
  std::string identity;
  std::vector<std::string> collections;  // their names, at most kMaxListed
};
inline constexpr size_t kMaxListed = 10'000;

// Fails with validation if the credentials are refused, if the server is too old or of no supported kind, or if the
// user may not read and write the database; else with unavailable. No message holds an address. Blocks.
Result<Probe> probe(mongo::Connection& connection, const std::string& database);

}  // namespace mb::store::own

// What an owner's database can do. Nothing is written there.
#pragma once

#include <span>
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
  // Names the database among all of the world: identityOf() of its server, and its name.
  std::string identity;
  std::vector<std::string> collections;     // their names, at most kMaxListed
  std::vector<std::string> collated;        // those of them that have a collation of their own
  std::vector<std::string> withoutIdIndex;  // of `used`: those that have no unique index on `id`
};
inline constexpr size_t kMaxListed = 10'000;

// The texts of errors of a probe.
inline constexpr std::string_view kRefusesCredentials = "the database refused the credentials";
inline constexpr std::string_view kNotSupported = "the database's version is not supported";
inline constexpr std::string_view kNoRights = "the user may not read and write this database";

// Fails with validation if the credentials are refused, if the server is too old or of no supported kind, or if the
// user may not read and write the database; else with unavailable. No message holds an address. `used`: collections
// there whose indexes are looked at, for kIndexTime at most. Blocks.
Result<Probe> probe(mongo::Connection& connection, const std::string& database, std::span<const std::string> used = {});
inline constexpr std::chrono::seconds kIndexTime{3};

// Whether the collection has a unique index on `id` alone. Blocks.
mongo::Outcome<bool> hasIdIndex(mongo::Connection& connection, const std::string& database,
                                const std::string& collection);

// Names a database: by the replica set's name and members, or of another server its address, and by its own name.
// `hello` is the reply of the server to that command.
std::string identityOf(doc::DocumentView hello, std::string_view peer, std::string_view database);

// The warnings that codes stand for, in a fixed order.
Warning warningOf(std::string_view code);

}  // namespace mb::store::own

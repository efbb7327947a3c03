// Addresses of databases that belong to a project's owner: `mongoUrl`. Stricter than MONGO_URL (store/mongo/uri.h),
// since any platform user may give one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "store/own/host_guard.h"

namespace mb::store::own {

inline constexpr size_t kMaxAddress = 2048;  // bytes
inline constexpr size_t kMaxHosts = 20;

// The texts of errors about addresses and databases; each is the message and the detail at /mongoUrl of a validation.
inline constexpr std::string_view kNotAnAddress = "is not a MongoDB connection string";
inline constexpr std::string_view kNamesNoDatabase = "names no database";
inline constexpr std::string_view kNeedsTls = "needs TLS";
inline constexpr std::string_view kForbiddenAddress = "leads to an address that is not allowed";
inline constexpr std::string_view kNotReached = "the database could not be reached";

// validation with this text, at /mongoUrl.
Error addressError(std::string_view text);

struct Host {
  std::string name;  // a name or an address, without brackets
  int port = 27017;
  friend bool operator==(const Host&, const Host&) = default;
};

struct Address {
  std::string uri;  // mongodb://, plain hosts, with the options that the driver needs; holds credentials
  std::string database;
  std::vector<Host> hosts;
  bool hasTls = false;
  friend bool operator==(const Address&, const Address&) = default;
};

// Parses a connection string: mongodb:// or mongodb+srv:// (whose records are looked up here), 1 to kMaxHosts hosts, a
// database that is not the server's own, and only options from a list. TLS is needed unless all hosts lead to addresses
// that the guard lists; names are looked up for that. Blocks for some seconds at most. Fails with validation, whose
// details name /mongoUrl; no message holds a host, an address, a name of a user or the value of an option.
Result<Address> parseAddress(std::string_view text, const HostGuard& guard);

}  // namespace mb::store::own

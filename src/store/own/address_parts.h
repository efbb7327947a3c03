// A connection string taken apart, before anything is looked up (MongoDB's "Connection String URI Format").
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/own/address.h"

namespace mb::store::own {

// Options by their names in lower case; the values are decoded and from the list of those that are taken.
using Options = std::map<std::string, std::string>;

struct AddressParts {
  bool isSrv = false;
  std::optional<std::string> user;
  std::optional<std::string> password;
  std::vector<Host> hosts;
  std::string database;
  Options options;
};

// Fails with the errors of parseAddress().
Result<AddressParts> splitAddress(std::string_view text);

// "name=value&…" of a connection string.
Result<Options> parseOptions(std::string_view text);

// The connection string for the driver: `parts` with plain hosts, and our own limits of time.
std::string uriOf(const AddressParts& parts, bool hasTls);

}  // namespace mb::store::own

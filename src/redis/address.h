// The address of Redis, parsed from REDIS_URL: redis://[user:password@]host[:port][/database].
#pragma once

#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/error.h"

namespace mb::redis {

struct Address {
  std::string host;
  std::string port = "6379";
  std::string user;
  Secret password{std::string()};  // empty: no AUTH
  int database = 0;

  // Fails with validation and a complete message, which contains no part of the password.
  static Result<Address> parse(std::string_view url);
};

}  // namespace mb::redis

// The text of refresh tokens. The first one of a session is its family: random, after the project that it is of
// (refresh_project.h). Those that come by rotation are "<family>.<generation>.<code>", with a code under a key of the
// server's, so that nobody who has one can make the next. Private to identity/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/crypto.h"

namespace mb::identity {

struct RefreshToken {
  std::string family;
  int64_t generation = 0;  // 0: the first one
};

class RefreshTokens {
 public:
  explicit RefreshTokens(const MasterSecret& master) : key_(master.subkey("refresh")) {}

  static std::string newFamily();
  std::string textOf(const RefreshToken& token) const;
  // nullopt for what is no token of this server's. A first one is only judged by its form.
  std::optional<RefreshToken> parse(std::string_view text) const;

 private:
  std::string codeOf(std::string_view family, int64_t generation) const;

  const Secret key_;
};

}  // namespace mb::identity

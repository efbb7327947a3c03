// The text of refresh tokens. The first one of a session is its family: random text after its project
// (refresh_project.h). Rotated ones are "<family>.<generation>.<code>", with a MAC under a key of the server, so that
// the holder of one cannot make the next. Private to identity/.
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
  // nullopt for text that is not a token of this server. Of a first one only the syntax is checked.
  std::optional<RefreshToken> parse(std::string_view text) const;

 private:
  std::string codeOf(std::string_view family, int64_t generation) const;

  const Secret key_;
};

}  // namespace mb::identity

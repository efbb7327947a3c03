// The logins of this user, by server: credentials.json in the user's configuration folder, mode 0600 in a folder of
// mode 0700. Error messages are for printing.
#pragma once

#include <filesystem>
#include <map>

#include "base/clock.h"
#include "document/shape.h"

namespace mb::cli {

struct Login {
  std::string email;
  std::string refreshToken;
  std::string accessToken;  // valid until then; "" where absent
  Timestamp expiresAt;
  static constexpr auto shape() {
    return doc::shape<Login>(
        "Login", doc::field("email", &Login::email), doc::field("refreshToken", &Login::refreshToken),
        doc::field("accessToken", &Login::accessToken), doc::field("expiresAt", &Login::expiresAt));
  }
  bool operator==(const Login&) const = default;
};

class Credentials {
 public:
  // `folder` is created when a login is saved. Empty: none can be saved.
  explicit Credentials(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // By server ("https://example.com"). Fails where others may read the file, or where it is invalid.
  Result<std::map<std::string, Login>> all() const;
  Result<std::optional<Login>> of(const std::string& url) const;
  // Saves one login. Logins that other processes save concurrently are kept.
  Result<> keep(const std::string& url, const Login& login) const;
  // False where there was no login.
  Result<bool> forget(const std::string& url) const;

 private:
  std::filesystem::path file() const { return folder_ / "credentials.json"; }
  Result<> makeFolder() const;
  Result<> write(const std::map<std::string, Login>& logins) const;
  std::filesystem::path folder_;
};

}  // namespace mb::cli

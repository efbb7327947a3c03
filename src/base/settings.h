// Settings: each is declared once, as a member of the settings struct of the module that reads it, with name, default
// and help. The composition root loads all of them, so all errors are reported at once.
//
//   struct HttpSettings {
//     explicit HttpSettings(Settings& s)
//         : listen(s.text("SERVICE_LISTEN", "127.0.0.1:8090", "address and port to listen on")) {}
//     std::string listen;
//   };
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto.h"

namespace mb {

class Settings {
 public:
  using Environment = std::map<std::string, std::string>;

  // `environment` holds the process environment merged over the .env file (loadEnvironment).
  explicit Settings(Environment environment);

  std::string text(std::string_view name, std::string_view fallback, std::string_view help);
  std::optional<std::string> optionalText(std::string_view name, std::string_view help);
  // Reads NAME or the file named by NAME_FILE (one trailing newline removed). Setting both is an error.
  std::optional<Secret> secret(std::string_view name, std::string_view help);
  bool flag(std::string_view name, bool fallback, std::string_view help);  // on | off
  int64_t integer(std::string_view name, int64_t fallback, int64_t min, int64_t max, std::string_view help);
  // "256", "64KiB", "16MiB", "1GiB"
  int64_t bytes(std::string_view name, int64_t fallback, int64_t min, int64_t max, std::string_view help);
  std::string choice(std::string_view name, std::string_view fallback, std::vector<std::string> allowed,
                     std::string_view help);
  std::vector<std::string> list(std::string_view name, std::string_view help);  // comma-separated, trimmed, no empties
  // Any other type: `parse` fails with the message to show.
  template <class T>
  T parsed(std::string_view name, std::string_view fallback, std::string_view help,
           const std::function<Result<T>(std::string_view)>& parse) {
    const std::string raw = text(name, fallback, help);
    auto value = parse(raw);
    if (value) return *std::move(value);
    refuse(name, value.error().message());
    return *parse(fallback);
  }
  // Declares a name of a module that does not exist yet: any value not in `harmless` stops the start with `line`.
  void notYet(std::string_view name, std::vector<std::string> harmless, std::string_view line, std::string_view help);

  void refuse(std::string_view name, std::string message);
  // After all declarations: every error (bad values, and SERVICE_* names within two letters of a known one), and the
  // warnings (other unknown SERVICE_* names).
  std::vector<std::string> errors() const;
  std::vector<std::string> warnings() const;
  // Name, default and help of each, for `serve --help`.
  std::string help() const;

 private:
  struct Declared {
    std::string name;
    std::string fallback;
    std::string help;
  };
  const std::string* find(std::string_view name) const;
  void declare(std::string_view name, std::string_view fallback, std::string_view help);
  // The known name within two letters of an unknown SERVICE_* name; empty if there is no such name.
  std::string_view nearMiss(std::string_view name) const;
  std::vector<std::string_view> unknownNames() const;

  Environment environment_;
  std::vector<Declared> declared_;
  std::set<std::string, std::less<>> known_;  // declared names, and NAME_FILE of secrets
  std::vector<std::string> errors_;
};

// The process environment over the `.env` file in `directory` (NAME=value lines, # comments, optional quotes); a line
// that does not parse is an error in `problems`.
Settings::Environment loadEnvironment(const std::string& directory, std::vector<std::string>& problems);

}  // namespace mb

// Asking people. A password is never an argument: those are seen by every process and kept in histories.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"

namespace mb::cli {

// The terminal of this process, wherever its input and output go.
class Terminal {
 public:
  // nullopt where there is none.
  static std::optional<Terminal> open();
  Terminal(Terminal&&) noexcept;
  Terminal& operator=(Terminal&&) noexcept;
  ~Terminal();

  // What is typed is not shown from now on, until this object goes. False where the terminal cannot do that.
  bool hide();
  // Up to the end of the line; nullopt where it was interrupted or too long.
  std::optional<std::string> ask(std::string_view prompt);

 private:
  explicit Terminal(Descriptor terminal);
  class NoEcho;
  Descriptor terminal_;
  std::unique_ptr<NoEcho> noEcho_;
};

// All lines of standard input, which are at most 4 KiB. Fails with invalidParam where there is more or none.
Result<std::vector<std::string>> inputLines(std::string_view what);
// One line of standard input after a prompt on standard error, whether that is a terminal or not; nullopt at its end.
std::optional<std::string> askOnInput(std::string_view prompt);

}  // namespace mb::cli

// Prompts. A password is never an argument: other processes can see arguments, and shell histories keep them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"

namespace mb::cli {

// The terminal of this process, even if its input and output are redirected.
class Terminal {
 public:
  // nullopt where the process has no terminal.
  static std::optional<Terminal> open();
  Terminal(Terminal&&) noexcept;
  Terminal& operator=(Terminal&&) noexcept;
  ~Terminal();

  // Switches the echo off for the lifetime of this object. False where the terminal cannot.
  bool hide();
  // Reads a line after the prompt; nullopt where it was interrupted or too long.
  std::optional<std::string> ask(std::string_view prompt);

 private:
  explicit Terminal(Descriptor terminal);
  class NoEcho;
  Descriptor terminal_;
  std::unique_ptr<NoEcho> noEcho_;
};

// Whether standard input is a terminal, which a person can type at.
bool isInputTerminal();
// All of standard input, without a line break at its end. Fails with invalidParam for more than `max` bytes: `most`
// says what it may hold, such as "one line".
Result<std::string> inputText(std::string_view most, size_t max);
// All lines of standard input, at most 4 KiB. Fails with invalidParam for more, or for empty input.
Result<std::vector<std::string>> inputLines(std::string_view what);
// One line of standard input after a prompt on standard error; nullopt at its end.
std::optional<std::string> askOnInput(std::string_view prompt);

}  // namespace mb::cli

// The prompt for a new password. A password is never an argument: other processes and shell histories can see those.
#include "app/command.h"
#include "base/utf8.h"
#include "cli/terminal.h"

namespace mb::app {

namespace {

std::unexpected<Error> refusedPrompt(std::string line) {
  return fail(ErrorCode::invalidParam, std::move(line));
}

Result<std::string> fromTerminal() {
  std::optional<cli::Terminal> terminal = cli::Terminal::open();
  if (!terminal) return refusedPrompt("there is no terminal for the password prompt: give the password with --stdin");
  if (!terminal->hide()) return refusedPrompt("the terminal cannot hide what is typed: give the password with --stdin");
  std::optional<std::string> first = terminal->ask("New password: ");
  if (!first) return refusedPrompt("no password was given");
  const std::optional<std::string> again = terminal->ask("Again: ");
  if (!again) return refusedPrompt("no password was given");
  if (*first != *again) return refusedPrompt("the two passwords are not the same");
  return *std::move(first);
}

Result<std::string> fromInput() {
  TRY(std::vector<std::string> lines, cli::inputLines("password"));
  if (lines.size() > 1) return refusedPrompt("standard input holds more than one line with a password");
  return std::move(lines.front());
}

}  // namespace

Result<> askPassword(cli::Arguments& arguments) {
  TRY(std::string password, has(arguments, "stdin") ? fromInput() : fromTerminal());
  if (password.empty()) return refusedPrompt("no password was given");
  if (!isUtf8(password)) return refusedPrompt("the password must be UTF-8 text");
  arguments["password"] = std::move(password);
  return {};
}

}  // namespace mb::app

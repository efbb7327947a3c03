// Asking for a password, so that it is never an argument: those are seen by every process and kept in histories.
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "app/command.h"
#include "base/descriptor.h"
#include "base/utf8.h"

namespace mb::app {

namespace {

constexpr size_t kMostInput = 4096;
constexpr char kInterrupt = 3;  // Control-C

std::unexpected<Error> refused(std::string line) {
  return fail(ErrorCode::invalidParam, std::move(line));
}

// The terminal without echo, until it goes. Control-C ends the line instead of the program, which would leave the
// terminal as it is.
class Unseen {
 public:
  explicit Unseen(int terminal) : terminal_(terminal) {
    if (::tcgetattr(terminal, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    quiet.c_cc[VEOL] = kInterrupt;
    changed_ = ::tcsetattr(terminal, TCSAFLUSH, &quiet) == 0;
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
  ~Unseen() {
    if (changed_) ::tcsetattr(terminal_, TCSAFLUSH, &before_);
  }
  bool works() const { return changed_; }

 private:
  const int terminal_;
  termios before_{};
  bool changed_ = false;
};

void show(int terminal, std::string_view text) {
  // A prompt that does not appear is no failure.
  [[maybe_unused]] const ssize_t written = ::write(terminal, text.data(), text.size());
}

// Up to the end of the line; nullopt where it was interrupted or too long.
std::optional<std::string> typed(int terminal, std::string_view prompt) {
  show(terminal, prompt);
  std::string line;
  while (line.size() < kMostInput) {
    char c = 0;
    const ssize_t got = ::read(terminal, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || c == kInterrupt) break;
    if (c == '\n') {
      show(terminal, "\n");
      return line;
    }
    line += c;
  }
  show(terminal, "\n");
  return std::nullopt;
}

Result<std::string> fromTerminal() {
  const Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal.open()) return refused("there is no terminal to ask for the password on: give it with --stdin");
  const Unseen unseen(terminal.get());
  if (!unseen.works()) return refused("the terminal cannot hide what is typed: give the password with --stdin");
  std::optional<std::string> first = typed(terminal.get(), "New password: ");
  if (!first) return refused("no password was given");
  const std::optional<std::string> again = typed(terminal.get(), "Again: ");
  if (!again) return refused("no password was given");
  if (*first != *again) return refused("the two are not the same");
  return *std::move(first);
}

Result<std::string> fromInput() {
  std::string text;
  while (text.size() <= kMostInput) {
    char piece[512];
    const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece, static_cast<size_t>(got));
  }
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) return refused("no password came on standard input");
  if (text.size() > kMostInput || text.find('\n') != std::string::npos) {
    return refused("standard input holds more than one line with a password");
  }
  return text;
}

}  // namespace

Result<> askPassword(cli::Arguments& arguments) {
  TRY(std::string password, has(arguments, "stdin") ? fromInput() : fromTerminal());
  if (password.empty()) return refused("no password was given");
  if (!isUtf8(password)) return refused("the password is no UTF-8 text");
  arguments["password"] = std::move(password);
  return {};
}

}  // namespace mb::app

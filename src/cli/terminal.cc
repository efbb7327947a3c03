#include "cli/terminal.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace mb::cli {

namespace {

constexpr size_t kMaxInput = 4096;
constexpr char kInterrupt = 3;  // Control-C

void show(int descriptor, std::string_view text) {
  // A prompt that cannot be written is not an error.
  [[maybe_unused]] const ssize_t written = ::write(descriptor, text.data(), text.size());
}

std::optional<std::string> lineFrom(int descriptor) {
  std::string line;
  while (line.size() < kMaxInput) {
    char c = 0;
    const ssize_t got = ::read(descriptor, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || c == kInterrupt) return std::nullopt;
    if (c == '\n') return line;
    line += c;
  }
  return std::nullopt;
}

}  // namespace

// Switches the terminal's echo off during its lifetime. Control-C ends the line instead of the program, which would
// leave the terminal without echo.
class Terminal::NoEcho {
 public:
  explicit NoEcho(int terminal) : terminal_(terminal) {
    if (::tcgetattr(terminal, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    quiet.c_cc[VEOL] = kInterrupt;
    changed_ = ::tcsetattr(terminal, TCSAFLUSH, &quiet) == 0;
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;
  ~NoEcho() {
    if (changed_) ::tcsetattr(terminal_, TCSAFLUSH, &before_);
  }
  bool works() const { return changed_; }

 private:
  const int terminal_;
  termios before_{};
  bool changed_ = false;
};

Terminal::Terminal(Descriptor terminal) : terminal_(std::move(terminal)) {}
Terminal::Terminal(Terminal&&) noexcept = default;
Terminal& Terminal::operator=(Terminal&&) noexcept = default;
// Restores the echo before its descriptor is closed.
Terminal::~Terminal() {
  noEcho_.reset();
}

std::optional<Terminal> Terminal::open() {
  Descriptor opened(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!opened.open()) return std::nullopt;
  return Terminal(std::move(opened));
}

bool Terminal::hide() {
  if (!noEcho_) noEcho_ = std::make_unique<NoEcho>(terminal_.get());
  return noEcho_->works();
}

std::optional<std::string> Terminal::ask(std::string_view prompt) {
  show(terminal_.get(), prompt);
  std::optional<std::string> line = lineFrom(terminal_.get());
  if (noEcho_ || !line) show(terminal_.get(), "\n");
  return line;
}

bool isInputTerminal() {
  return ::isatty(STDIN_FILENO) != 0;
}

Result<std::string> inputText(std::string_view most, size_t max) {
  std::string text;
  while (text.size() <= max + 1) {
    char piece[512];
    const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece, static_cast<size_t>(got));
  }
  if (text.ends_with('\n')) text.pop_back();
  if (text.size() <= max) return text;
  return fail(ErrorCode::invalidParam, fmt::format("standard input holds more than {}", most));
}

Result<std::vector<std::string>> inputLines(std::string_view what) {
  TRY(const std::string text, inputText(fmt::format("one line with a {}", what), kMaxInput));
  if (text.empty()) return fail(ErrorCode::invalidParam, fmt::format("no {} came on standard input", what));
  std::vector<std::string> lines;
  for (size_t from = 0; from <= text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    std::string& line = lines.emplace_back(text.substr(from, end - from));
    if (line.ends_with('\r')) line.pop_back();
    from = end + 1;
  }
  return lines;
}

std::optional<std::string> askOnInput(std::string_view prompt) {
  show(STDERR_FILENO, prompt);
  return lineFrom(STDIN_FILENO);
}

}  // namespace mb::cli

#include "cli/console.h"

#include <unistd.h>

#include "document/json.h"

namespace mb::cli {

namespace {

constexpr std::chrono::seconds kQuiet{1};
constexpr std::chrono::milliseconds kBetween{200};

doc::Document under(std::string_view key, const doc::Document& value) {
  doc::BsonWriter out;
  out.appendDocument(key, value);
  return out.finish();
}

}  // namespace

std::string describeBytes(uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string describe(const Step& step) {
  if (step.total <= 0) return step.done <= 0 ? step.step : fmt::format("{} {}", step.step, step.done);
  return fmt::format("{} {} of {} ({}%)", step.step, step.done, step.total,
                     std::clamp<int64_t>(step.done / std::max<int64_t>(1, step.total / 100), 0, 100));
}

Console::Console(bool json, bool colours)
    : json_(json),
      colours_(colours && !json && ::isatty(STDOUT_FILENO) != 0),
      terminal_(::isatty(STDERR_FILENO) != 0) {}

void Console::step(const Step& step) {
  const auto now = std::chrono::steady_clock::now();
  if (now - begun_ < kQuiet || now - shown_ < kBetween) return;
  if (!json_ && !terminal_) return;
  shown_ = now;
  if (json_) {
    fmt::print(stderr, "{}\n", doc::toJson(under("progress", doc::encode(step))));
    return;
  }
  fmt::print(stderr, "\r\033[K{}", describe(step));
  lineShown_ = true;
  std::fflush(stderr);
}

void Console::clear() {
  if (std::exchange(lineShown_, false)) fmt::print(stderr, "\r\033[K");
}

void Console::say(std::string_view text) {
  clear();
  if (json_) return;
  fmt::print("{}", text);
  // Flushed before a question on another stream.
  std::fflush(stdout);
}

int Console::show(const Outcome& outcome) {
  clear();
  if (json_) {
    fmt::print("{}\n", doc::toJson(outcome.result));
  } else if (!outcome.text.empty()) {
    fmt::print("{}{}", outcome.text, outcome.text.ends_with('\n') ? "" : "\n");
  }
  // Fails on a full disk or a closed pipe: the result did not arrive.
  if (std::fflush(stdout) == 0) return outcome.exitCode;
  fmt::print(stderr, "manybase: the result could not be written\n");
  return 1;
}

int Console::show(const Failure& failure) {
  clear();
  if (json_) {
    fmt::print(stderr, "{}\n", doc::toJson(under("error", doc::encode(failure))));
  } else {
    fmt::print(stderr, "manybase: {}\n", failure.message);
    if (!failure.details) return failure.exitCode();
    for (const FailureDetail& each : *failure.details) fmt::print(stderr, "  {}: {}\n", each.path, each.message);
  }
  return failure.exitCode();
}

}  // namespace mb::cli

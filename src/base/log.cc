#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cmath>

#include "base/clock.h"
#include "base/json_text.h"

namespace mb {

namespace {

std::atomic<LogLevel> minimum{LogLevel::info};
std::atomic<LogFormat> format{LogFormat::text};

std::string_view levelName(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warn";
    case LogLevel::error:
      return "error";
    case LogLevel::off:
      break;
  }
  return "off";
}

spdlog::logger& sink() {
  static const auto logger = [] {
    auto made = spdlog::stderr_logger_mt("manybase");
    made->set_pattern("%v");
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

// Text that a terminal may show as it is: anything else is quoted, so that no field can forge a line or move the
// cursor.
bool isPlain(std::string_view text) {
  const auto harmless = [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\' && c != '='; };
  return !text.empty() && std::ranges::all_of(text, harmless);
}

void appendValue(std::string& out, const LogField& field, bool quoteText) {
  if (const auto* text = std::get_if<std::string_view>(&field.value)) {
    if (!quoteText && isPlain(*text)) {
      out += *text;
    } else {
      appendJsonString(out, *text);
    }
  } else if (const auto* integer = std::get_if<int64_t>(&field.value)) {
    fmt::format_to(std::back_inserter(out), "{}", *integer);
  } else if (const auto* real = std::get_if<double>(&field.value)) {
    if (std::isfinite(*real)) {
      fmt::format_to(std::back_inserter(out), "{:.3f}", *real);
    } else {
      out += "null";  // JSON has no NaN or infinity
    }
  } else {
    out += std::get<bool>(field.value) ? "true" : "false";
  }
}

std::string jsonLine(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  std::string out = R"({"time":")";
  appendRfc3339(out, SystemClock().now());
  out += R"(","level":")";
  out += levelName(level);
  out += R"(","msg":)";
  appendJsonString(out, message);
  for (const LogField& field : fields) {
    out += ',';
    appendJsonString(out, field.name);
    out += ':';
    appendValue(out, field, true);
  }
  out += '}';
  return out;
}

std::string textLine(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  static const bool coloured = isatty(STDERR_FILENO) != 0;
  std::string out;
  appendRfc3339(out, SystemClock().now());
  const std::string_view colour = level == LogLevel::error  ? "\x1b[31m"
                                  : level == LogLevel::warn ? "\x1b[33m"
                                                            : "\x1b[2m";
  fmt::format_to(std::back_inserter(out), " {}{:<5}{} ", coloured ? colour : "", levelName(level),
                 coloured ? "\x1b[0m" : "");
  // Messages are constants of this code, but may contain the error text of a library.
  const size_t start = out.size();
  out += message;
  std::replace_if(
      out.begin() + static_cast<ptrdiff_t>(start), out.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  for (const LogField& field : fields) {
    out += ' ';
    out += field.name;
    out += '=';
    appendValue(out, field, false);
  }
  return out;
}

}  // namespace

void configureLog(LogLevel level, LogFormat chosen) {
  minimum = level;
  format = chosen;
}

bool logEnabled(LogLevel level) {
  return level >= minimum.load(std::memory_order_relaxed);
}

void logLine(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!logEnabled(level)) return;
  sink().log(spdlog::level::info, "{}",
             format.load(std::memory_order_relaxed) == LogFormat::json ? jsonLine(level, message, fields)
                                                                       : textLine(level, message, fields));
}

}  // namespace mb

// Structured log lines: text on a terminal, else one JSON object per line; UTC time, level, message, fields. Only
// log.cc includes spdlog. A line is one write to standard error. Never put a secret, a token or a body into a field.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace mb {

enum class LogLevel { debug, info, warn, error, off };
enum class LogFormat { text, json };

struct LogField {
  std::string_view name;
  std::variant<std::string_view, int64_t, double, bool> value;
  LogField(std::string_view n, std::string_view v) : name(n), value(v) {}
  LogField(std::string_view n, const std::string& v) : name(n), value(std::string_view(v)) {}
  LogField(std::string_view n, const char* v) : name(n), value(std::string_view(v)) {}
  LogField(std::string_view n, bool v) : name(n), value(v) {}
  LogField(std::string_view n, double v) : name(n), value(v) {}
  template <class I>
    requires std::is_integral_v<I>
  LogField(std::string_view n, I v) : name(n), value(static_cast<int64_t>(v)) {}
};

void configureLog(LogLevel level, LogFormat format);
bool logEnabled(LogLevel level);
void logLine(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});
inline void logDebug(std::string_view message, std::initializer_list<LogField> fields = {}) {
  if (logEnabled(LogLevel::debug)) logLine(LogLevel::debug, message, fields);
}
inline void logInfo(std::string_view message, std::initializer_list<LogField> fields = {}) {
  logLine(LogLevel::info, message, fields);
}
inline void logWarn(std::string_view message, std::initializer_list<LogField> fields = {}) {
  logLine(LogLevel::warn, message, fields);
}
inline void logError(std::string_view message, std::initializer_list<LogField> fields = {}) {
  logLine(LogLevel::error, message, fields);
}

}  // namespace mb

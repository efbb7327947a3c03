// int, uint, double, string, bytes, bool, timestamp, duration, dyn, type.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "policy/cel/functions.h"
#include "policy/cel/lexer.h"
#include "policy/cel/run.h"
#include "policy/cel/times.h"

namespace mb::cel {
namespace {

constexpr const char* kRange = "the number is out of range";

// A copy of `text` in the run's memory.
Value ownString(Run& run, const Node& call, std::string_view text) {
  char* copy = run.allocate(text.size());
  if (copy == nullptr) return Value::ofError(kCostLimit, call.at);
  std::copy(text.begin(), text.end(), copy);
  return Value::ofString({copy, text.size()});
}

template <class T>
std::optional<T> parseWhole(std::string_view text) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Value toInt(Run& run, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  switch (value.kind) {
    case Kind::integer:
      return value;
    case Kind::uinteger:
      if (value.uinteger > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return Value::ofError(kRange, call.at);
      }
      return Value::ofInt(static_cast<int64_t>(value.uinteger));
    case Kind::real:
      // Both ends are excluded: which doubles survive the conversion there and back depends on the machine.
      if (!(value.real > -0x1p63 && value.real < 0x1p63)) return Value::ofError(kRange, call.at);
      return Value::ofInt(static_cast<int64_t>(value.real));
    case Kind::string: {
      run.chargeScan(value.size);
      const auto parsed = parseWhole<int64_t>(value.text());
      return parsed ? Value::ofInt(*parsed) : Value::ofError("the string is not an int", call.at);
    }
    case Kind::timestamp:
      return Value::ofInt(value.integer);
    default:
      return noOverload(call);
  }
}

Value toUint(Run& run, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  switch (value.kind) {
    case Kind::uinteger:
      return value;
    case Kind::integer:
      if (value.integer < 0) return Value::ofError(kRange, call.at);
      return Value::ofUint(static_cast<uint64_t>(value.integer));
    case Kind::real:
      if (!(value.real >= 0 && value.real < 0x1p64)) return Value::ofError(kRange, call.at);
      return Value::ofUint(static_cast<uint64_t>(value.real));
    case Kind::string: {
      run.chargeScan(value.size);
      const auto parsed = parseWhole<uint64_t>(value.text());
      return parsed ? Value::ofUint(*parsed) : Value::ofError("the string is not a uint", call.at);
    }
    default:
      return noOverload(call);
  }
}

Value toDouble(Run& run, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  switch (value.kind) {
    case Kind::real:
      return value;
    case Kind::integer:
      return Value::ofReal(static_cast<double>(value.integer));
    case Kind::uinteger:
      return Value::ofReal(static_cast<double>(value.uinteger));
    case Kind::string: {
      run.chargeScan(value.size);
      const auto parsed = parseReal(value.text());
      return parsed ? Value::ofReal(*parsed) : Value::ofError("the string is not a double", call.at);
    }
    default:
      return noOverload(call);
  }
}

Value realText(Run& run, const Node& call, double value) {
  if (std::isnan(value)) return Value::ofString("NaN");
  if (std::isinf(value)) return Value::ofString(value > 0 ? "Infinity" : "-Infinity");
  std::array<char, 32> buffer;
  const auto [end, _] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return ownString(run, call, {buffer.data(), static_cast<size_t>(end - buffer.data())});
}

Value toString(Run& run, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  switch (value.kind) {
    case Kind::string:
      return value;
    case Kind::boolean:
      return Value::ofString(value.boolean ? "true" : "false");
    case Kind::integer:
      return ownString(run, call, fmt::format_int(value.integer).c_str());
    case Kind::uinteger:
      return ownString(run, call, fmt::format_int(value.uinteger).c_str());
    case Kind::real:
      return realText(run, call, value.real);
    case Kind::bytes:
      run.chargeScan(value.size);
      if (!isValidUtf8(value.text())) return Value::ofError("invalid UTF-8", call.at);
      return Value::ofString(value.text());
    case Kind::timestamp:
      return ownString(run, call, timestampText(value));
    case Kind::duration:
      return ownString(run, call, durationText(value));
    default:
      return noOverload(call);
  }
}

Value toBytes(Run&, const Node& call, std::span<const Value> args) {
  if (args[0].kind != Kind::string && args[0].kind != Kind::bytes) return noOverload(call);
  return Value::ofBytes(args[0].text());
}

Value toBool(Run&, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  if (value.kind == Kind::boolean) return value;
  if (value.kind != Kind::string) return noOverload(call);
  for (const std::string_view yes : {"true", "True", "TRUE", "t", "1"}) {
    if (value.text() == yes) return Value::ofBool(true);
  }
  for (const std::string_view no : {"false", "False", "FALSE", "f", "0"}) {
    if (value.text() == no) return Value::ofBool(false);
  }
  return Value::ofError("the string is not a bool", call.at);
}

Value toTimestamp(Run& run, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  if (value.kind == Kind::timestamp) return value;
  if (value.kind == Kind::integer) {
    if (value.integer < kFirstSecond || value.integer > kLastSecond) {
      return Value::ofError("timestamp out of range", call.at);
    }
    return Value::ofTimestamp(value.integer, 0);
  }
  if (value.kind != Kind::string) return noOverload(call);
  run.chargeScan(value.size);
  const auto parsed = parseTimestamp(value.text());
  return parsed ? *parsed : Value::ofError("the string is not a timestamp in range", call.at);
}

Value toDuration(Run& run, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  if (value.kind == Kind::duration) return value;
  if (value.kind != Kind::string) return noOverload(call);
  run.chargeScan(value.size);
  const auto parsed = parseDuration(value.text());
  return parsed ? *parsed : Value::ofError("the string is not a duration in range", call.at);
}

Value toDyn(Run&, const Node&, std::span<const Value> args) {
  return args[0];
}

Value typeOf(Run&, const Node&, std::span<const Value> args) {
  return Value::ofType(args[0].kind);
}

constexpr OverloadRow kConversionRows[] = {
    {"int", Style::global, "int", "int", toInt},
    {"int", Style::global, "uint", "int", toInt},
    {"int", Style::global, "double", "int", toInt},
    {"int", Style::global, "string", "int", toInt},
    {"int", Style::global, "timestamp", "int", toInt},
    {"uint", Style::global, "uint", "uint", toUint},
    {"uint", Style::global, "int", "uint", toUint},
    {"uint", Style::global, "double", "uint", toUint},
    {"uint", Style::global, "string", "uint", toUint},
    {"double", Style::global, "double", "double", toDouble},
    {"double", Style::global, "int", "double", toDouble},
    {"double", Style::global, "uint", "double", toDouble},
    {"double", Style::global, "string", "double", toDouble},
    {"string", Style::global, "string", "string", toString},
    {"string", Style::global, "bool", "string", toString},
    {"string", Style::global, "int", "string", toString},
    {"string", Style::global, "uint", "string", toString},
    {"string", Style::global, "double", "string", toString},
    {"string", Style::global, "bytes", "string", toString},
    {"string", Style::global, "timestamp", "string", toString},
    {"string", Style::global, "duration", "string", toString},
    {"bytes", Style::global, "bytes", "bytes", toBytes},
    {"bytes", Style::global, "string", "bytes", toBytes},
    {"bool", Style::global, "bool", "bool", toBool},
    {"bool", Style::global, "string", "bool", toBool},
    {"timestamp", Style::global, "timestamp", "timestamp", toTimestamp},
    {"timestamp", Style::global, "string", "timestamp", toTimestamp},
    {"timestamp", Style::global, "int", "timestamp", toTimestamp},
    {"duration", Style::global, "duration", "duration", toDuration},
    {"duration", Style::global, "string", "duration", toDuration},
    {"dyn", Style::global, "A", "dyn", toDyn},
    {"type", Style::global, "A", "type", typeOf},
};

}  // namespace

std::span<const OverloadRow> conversionOverloads() {
  return kConversionRows;
}

}  // namespace mb::cel

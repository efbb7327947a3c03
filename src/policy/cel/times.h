// Timestamps (0001 to 9999, nanoseconds) and durations (nanoseconds in 64 bits, about 292 years either way).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/cel/ast.h"
#include "policy/cel/value.h"

namespace mb::cel {

inline constexpr int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
inline constexpr int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z
inline constexpr int64_t kNanosPerSecond = 1'000'000'000;

// RFC 3339 with up to nanoseconds; nullopt for anything else or out of range.
std::optional<Value> parseTimestamp(std::string_view text);
std::string timestampText(const Value& timestamp);
// "1h30m", "-1.5h", "0": nullopt for anything else or out of range.
std::optional<Value> parseDuration(std::string_view text);
// "3600s", "-0.001s"
std::string durationText(const Value& duration);

// The overloads of + and - for timestamps and durations; an error for other types.
Value addTimes(const Node& call, const Value& a, const Value& b);
Value subtractTimes(const Node& call, const Value& a, const Value& b);

}  // namespace mb::cel

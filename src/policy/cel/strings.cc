// size, contains, startsWith, endsWith, matches.
#include <re2/re2.h>
#include <string.h>

#include <algorithm>

#include "base/text.h"
#include "base/work_budget.h"
#include "document/pattern.h"
#include "policy/cel/functions.h"
#include "policy/cel/patterns.h"
#include "policy/cel/run.h"

namespace mb::cel {
namespace {

// The cost of compiling a pattern that is not a constant: of a short one without repetitions or named classes, and of
// any other.
constexpr uint64_t kCompileSteps = 1'000;
constexpr uint64_t kLargeCompileSteps = 4'000;
constexpr size_t kSmallPattern = 64;  // bytes
// Instructions of a pattern's program that are executed, at worst, in the time of one step for 64 bytes.
constexpr uint64_t kInstructionsPerScan = 8;

uint64_t compileSteps(std::string_view source) {
  const bool isSmall = source.size() <= kSmallPattern && source.find('{') == std::string_view::npos &&
                       source.find("\\p") == std::string_view::npos && source.find("\\P") == std::string_view::npos;
  return isSmall ? kCompileSteps : kLargeCompileSteps;
}

bool areStrings(std::span<const Value> args) {
  return args[0].kind == Kind::string && args[1].kind == Kind::string;
}

Value size(Run& run, const Node& call, std::span<const Value> args) {
  const Value& value = args[0];
  switch (value.kind) {
    case Kind::string:
      // Counting is far cheaper than comparing.
      run.charge(value.size / (4 * kScanBytesPerStep));
      return Value::ofInt(static_cast<int64_t>(codePoints(value.text())));
    case Kind::bytes:
      return Value::ofInt(value.size);
    case Kind::list:
    case Kind::map:
      return Value::ofInt(static_cast<int64_t>(run.sizeOf(value)));
    default:
      return noOverload(call);
  }
}

Value contains(Run& run, const Node& call, std::span<const Value> args) {
  if (!areStrings(args)) return noOverload(call);
  // The C library's search is linear, with a factor of at most 256 for short needles.
  const uint64_t factor = 1 + std::min<uint64_t>(args[1].size, 256) / 16;
  if (!run.chargeScan(args[0].size * factor)) return noOverload(call);
  return Value::ofBool(memmem(args[0].data, args[0].size, args[1].data, args[1].size) != nullptr);
}

Value startsWith(Run& run, const Node& call, std::span<const Value> args) {
  if (!areStrings(args)) return noOverload(call);
  run.chargeScan(args[1].size);
  return Value::ofBool(args[0].text().starts_with(args[1].text()));
}

Value endsWith(Run& run, const Node& call, std::span<const Value> args) {
  if (!areStrings(args)) return noOverload(call);
  run.chargeScan(args[1].size);
  return Value::ofBool(args[0].text().ends_with(args[1].text()));
}

Value matches(Run& run, const Node& call, std::span<const Value> args) {
  if (!areStrings(args)) return noOverload(call);
  std::shared_ptr<const re2::RE2> pattern = call.pattern;
  if (pattern == nullptr) {
    if (!run.charge(compileSteps(args[1].text()) + args[1].size)) return noOverload(call);
    pattern = compilePattern(args[1].text());
    if (pattern == nullptr) return Value::ofError("not a regular expression", call.at);
  }
  const auto program = static_cast<uint64_t>(std::max(pattern->ProgramSize(), 0));
  if (!run.chargeScan(args[0].size * (1 + program / kInstructionsPerScan))) return noOverload(call);
  const bool matches = doc::matchesProgram(*pattern, args[0].text());
  if (WorkBudget::exceeded()) run.exhaust();
  return Value::ofBool(matches);
}

constexpr OverloadRow kStringRows[] = {
    {"size", Style::either, "string", "int", size},
    {"size", Style::either, "bytes", "int", size},
    {"size", Style::either, "list(A)", "int", size},
    {"size", Style::either, "map(A,B)", "int", size},
    {"contains", Style::member, "string,string", "bool", contains},
    {"startsWith", Style::member, "string,string", "bool", startsWith},
    {"endsWith", Style::member, "string,string", "bool", endsWith},
    {"matches", Style::either, "string,string", "bool", matches},
};

}  // namespace

std::span<const OverloadRow> stringOverloads() {
  return kStringRows;
}

std::shared_ptr<const re2::RE2> compilePattern(std::string_view source) {
  auto compiled = doc::compileProgram(source, true, false, ErrorCode::validation);
  return compiled ? *std::move(compiled) : nullptr;
}

}  // namespace mb::cel

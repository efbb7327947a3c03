#include "document/pattern.h"

#include <re2/re2.h>
#include <time.h>

#include "base/work_budget.h"

namespace mb::doc {

namespace {

constexpr size_t kMaxBytes = 1000;
// \p and \P: each expands to some hundred ranges before the size of a program is known.
constexpr size_t kMaxNamedClasses = 16;
constexpr int kMaxProgram = 10'000;
// Memory for the compiled program and the cached states of a match. A large program gets more, so that its states fit:
// without memory for about twenty of them RE2 can only use its slow matcher.
constexpr int64_t kProbeMemory = 256 << 10;
constexpr int64_t kMemory = 1 << 20;
constexpr int kLargeProgram = 1'500;
constexpr int64_t kLargeMemory = 3 << 20;

// Units of a WorkBudget, measured.
constexpr int64_t kUnitsPerMatch = 150;
constexpr int64_t kUnitsPerByte = 2;
constexpr int64_t kUnitsPerStateByte = 3;   // of states that were built and dropped
constexpr int64_t kUnitsPerSlowStep = 7;    // an instruction for a byte
constexpr int64_t kUnitsPerCompiled = 300;  // an instruction
constexpr int64_t kUnitsPerNamedClass = 200'000;
constexpr int64_t kUnitsPerRefused = 1'000'000;
// A slow match cannot be stopped, so a longer one is not started, whatever the budget.
constexpr int64_t kMaxSlowMatch = 10'000'000;
// From this size on (program times text) a match that builds states may cost far more than reading the text, so it is
// timed.
constexpr int64_t kTimedSize = 32'000;

// Implements the x option, which RE2 lacks: removes blanks and #-comments outside classes and escapes.
std::string withoutBlanks(std::string_view source) {
  std::string kept;
  bool inClass = false;
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '\\' && i + 1 < source.size()) {
      kept.push_back(c);
      kept.push_back(source[++i]);
      continue;
    }
    if (c == '[') inClass = true;
    if (c == ']') inClass = false;
    if (!inClass && (c == ' ' || (c >= '\t' && c <= '\r'))) continue;
    if (!inClass && c == '#') {
      i = std::min(source.find('\n', i), source.size());
      continue;
    }
    kept.push_back(c);
  }
  return kept;
}

// True also for any quoted text or class, as these may hold a bar as a plain character.
bool mayHaveTopLevelAlternative(std::string_view source) {
  int depth = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\\') {
      if (source.substr(i + 1).starts_with('Q')) return true;
      ++i;
      continue;
    }
    if (source[i] == '[') return true;
    if (source[i] == '(') ++depth;
    if (source[i] == ')') --depth;
    if (source[i] == '|' && depth == 0) return true;
  }
  return false;
}

// The match that RE2 runs on this thread.
struct RunningMatch {
  int64_t size;  // program times text
};
constinit thread_local const RunningMatch* running = nullptr;

// Thrown through RE2, which cannot stop a match otherwise, and caught by the caller of RE2.
struct MatchTooCostly {};

// RE2 drops its states as they exceed the memory: charges for building them, which cost more than reading the text.
void chargeDroppedStates(const re2::hooks::DFAStateCacheReset& reset) {
  if (running && !WorkBudget::charge(reset.state_budget * kUnitsPerStateByte)) throw MatchTooCostly();
}

// RE2 is about to start its slow matcher, which takes at most the product of program and text in steps.
void refuseSlowMatch(const re2::hooks::DFASearchFailure&) {
  if (!running || !WorkBudget::isLimited()) return;
  const int64_t cost = running->size * kUnitsPerSlowStep;
  if (cost <= kMaxSlowMatch && WorkBudget::affords(cost)) return;
  WorkBudget::exhaust();
  throw MatchTooCostly();
}

int64_t threadTime() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool runMatch(const re2::RE2& compiled, std::string_view text, int64_t size) {
  static const bool hooked = [] {
    re2::hooks::SetDFAStateCacheResetHook(chargeDroppedStates);
    re2::hooks::SetDFASearchFailureHook(refuseSlowMatch);
    return true;
  }();
  const RunningMatch match{size};
  running = hooked ? &match : nullptr;
  bool matches = false;
  try {
    matches = re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled);
  } catch (const MatchTooCostly&) {
  }
  running = nullptr;
  return matches;
}

bool mayBeLarge(std::string_view source) {
  return source.find('{') != std::string_view::npos || source.find("\\p") != std::string_view::npos ||
         source.find("\\P") != std::string_view::npos || source.size() > 200;
}

size_t namedClasses(std::string_view source) {
  size_t count = 0;
  for (size_t i = 0; i + 1 < source.size(); ++i) {
    if (source[i] != '\\') continue;
    if (source[++i] == 'p' || source[i] == 'P') ++count;
  }
  return count;
}

// RE2 matches a pattern that ends in $ backwards, and uses its slow matcher at once if that program does not fit.
bool lacksReverseProgram(const re2::RE2& compiled, std::string_view source) {
  const bool mayEndAnchored =
      source.find('$') != std::string_view::npos || source.find("\\z") != std::string_view::npos;
  return mayEndAnchored && compiled.ReverseProgramSize() < 0;
}

constexpr std::string_view kMeta = "\\^$.[]|()?*+{}";

// The length of the UTF-8 character that ends `text`.
size_t lastCharacter(std::string_view text) {
  size_t length = 1;
  while (length < text.size() && (static_cast<uint8_t>(text[text.size() - length]) & 0xC0) == 0x80) ++length;
  return length;
}

// The plain text after a leading ^ that every match must begin with.
std::string literalPrefix(std::string_view source) {
  std::string prefix;
  size_t i = 1;
  for (; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '\\' && i + 1 < source.size() && std::ispunct(static_cast<unsigned char>(source[i + 1]))) {
      prefix.push_back(source[++i]);
    } else if (kMeta.find(c) == std::string_view::npos) {
      prefix.push_back(c);
    } else {
      break;
    }
  }
  const bool mayBeAbsent = i < source.size() && (source[i] == '?' || source[i] == '*' || source[i] == '{');
  if (mayBeAbsent && !prefix.empty()) prefix.resize(prefix.size() - lastCharacter(prefix));
  return prefix;
}

}  // namespace

Result<std::shared_ptr<const re2::RE2>> compileProgram(std::string_view source, bool caseSensitive,
                                                       bool dotMatchesLines, ErrorCode code) {
  const auto tooLarge = [&] {
    return fail(
        code,
        "a regular expression must not be too large once its repetitions are written out: repeat fewer times, or "
        "name fewer classes");
  };
  if (namedClasses(source) > kMaxNamedClasses) {
    return fail(code, "a regular expression must not hold more than 16 times \\p or \\P: name fewer classes");
  }
  re2::RE2::Options settings;
  settings.set_log_errors(false);
  settings.set_case_sensitive(caseSensitive);
  settings.set_dot_nl(dotMatchesLines);
  const auto compile = [&](int64_t memory) {
    settings.set_max_mem(memory);
    return std::make_shared<const re2::RE2>(re2::StringPiece(source.data(), source.size()), settings);
  };
  int64_t memory = kMemory;
  if (mayBeLarge(source)) {
    // First with little memory, so that a pattern that is too large is refused quickly.
    const auto probe = compile(kProbeMemory);
    if (probe->error_code() == re2::RE2::ErrorPatternTooLarge || probe->ProgramSize() > kMaxProgram) {
      WorkBudget::charge(kUnitsPerRefused + static_cast<int64_t>(namedClasses(source)) * kUnitsPerNamedClass);
      return tooLarge();
    }
    if (probe->ProgramSize() > kLargeProgram) memory = kLargeMemory;
  }
  auto compiled = compile(memory);
  if (!compiled->ok()) {
    return fail(code, fmt::format("the regular expression cannot be used: {}", compiled->error()));
  }
  if (lacksReverseProgram(*compiled, source)) return tooLarge();
  WorkBudget::charge(compiled->ProgramSize() * kUnitsPerCompiled +
                     static_cast<int64_t>(namedClasses(source)) * kUnitsPerNamedClass);
  return compiled;
}

Result<Pattern> compilePattern(std::string_view source, std::string_view options, ErrorCode code) {
  if (source.size() > kMaxBytes) return fail(code, "a regular expression must not be longer than 1000 bytes");
  if (source.find('\0') != std::string_view::npos) return fail(code, "a regular expression must not hold NUL");
  for (size_t i = 0; i < options.size(); ++i) {
    if (std::string_view("imsx").find(options[i]) == std::string_view::npos || options.find(options[i]) != i) {
      return fail(code, fmt::format("\"{}\" are not options of a regular expression: i, m, s and x are",
                                    options.substr(0, 20)));
    }
  }
  const auto has = [&](char option) { return options.find(option) != std::string_view::npos; };
  const std::string text = has('x') ? withoutBlanks(source) : std::string(source);

  TRY(auto compiled, compileProgram(has('m') ? "(?m)" + text : text, !has('i'), has('s'), code));
  Pattern pattern;
  pattern.source = source;
  pattern.options = options;
  pattern.compiled = std::move(compiled);
  if (text.starts_with('^') && !has('i') && !has('m') && !mayHaveTopLevelAlternative(text)) {
    pattern.prefix = literalPrefix(text);
  }
  return pattern;
}

bool matchesProgram(const re2::RE2& compiled, std::string_view text) {
  const int64_t reading = kUnitsPerMatch + static_cast<int64_t>(text.size()) * kUnitsPerByte;
  const int64_t size = static_cast<int64_t>(text.size()) * compiled.ProgramSize();
  if (!WorkBudget::charge(reading)) return false;
  if (size < kTimedSize || !WorkBudget::isLimited()) {
    WorkBudget::charge(size / 2);
    return runMatch(compiled, text, size);
  }
  const int64_t begin = threadTime();
  const int64_t before = WorkBudget::left() + reading;
  const bool matches = runMatch(compiled, text, size);
  const int64_t charged = before - WorkBudget::left();
  WorkBudget::charge(std::max<int64_t>(0, threadTime() - begin - charged));
  return matches && !WorkBudget::exceeded();
}

bool matchesPattern(const Pattern& pattern, std::string_view text) {
  return matchesProgram(*pattern.compiled, text);
}

int programSize(const Pattern& pattern) {
  return pattern.compiled->ProgramSize();
}

}  // namespace mb::doc

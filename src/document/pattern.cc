#include "document/pattern.h"

#include <re2/re2.h>

namespace mb::doc {

namespace {

constexpr size_t kMaxBytes = 1000;
// For the compiled program and the states that matching remembers; a pattern that needs more is refused.
constexpr int64_t kMaxMemory = 1 << 20;

// The x option: what RE2 lacks of it. Blanks and #-comments outside of classes and escapes carry no meaning.
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

// Quoted text and classes could hold a bar as a plain character: with them the answer is yes, to be safe.
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

  re2::RE2::Options settings;
  settings.set_log_errors(false);
  settings.set_max_mem(kMaxMemory);
  settings.set_case_sensitive(!has('i'));
  settings.set_dot_nl(has('s'));
  auto compiled = std::make_shared<const re2::RE2>(has('m') ? "(?m)" + text : text, settings);
  if (!compiled->ok()) {
    return fail(code, fmt::format("the regular expression cannot be used: {}", compiled->error()));
  }
  Pattern pattern;
  pattern.source = source;
  pattern.options = options;
  pattern.compiled = std::move(compiled);
  if (text.starts_with('^') && !has('i') && !has('m') && !mayHaveTopLevelAlternative(text)) {
    pattern.prefix = literalPrefix(text);
  }
  return pattern;
}

bool matchesPattern(const Pattern& pattern, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *pattern.compiled);
}

}  // namespace mb::doc

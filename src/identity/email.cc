#include "identity/email.h"

#include <unicode/idna.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "identity/records.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxAddress = 254;  // RFC 5321, 4.5.3.1.3 less the angle brackets
constexpr size_t kMaxLocalPart = 64;
constexpr size_t kMaxLabel = 63;
// Allows hyphens as third and fourth character: DNS has such names, and not all of them are punycode.
constexpr uint32_t kToleratedDomainErrors = UIDNA_ERROR_HYPHEN_3_4;

bool isAscii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

icu::StringPiece pieceOf(std::string_view text) {
  return {text.data(), static_cast<int32_t>(text.size())};
}

// Whether `text` is valid UTF-8 of letters, marks, digits, punctuation and symbols, without invisible, blank or
// unassigned characters.
bool isVisible(std::string_view text) {
  const uint32_t refused = U_GC_C_MASK | U_GC_Z_MASK;
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < size;) {
    UChar32 c = 0;
    U8_NEXT(text.data(), at, size, c);
    if (c < 0 || (U_GET_GC_MASK(c) & refused) != 0) return false;
  }
  return true;
}

// Letters, digits, hyphens inside, and bytes above ASCII (international domains).
bool isLabel(std::string_view label) {
  if (label.empty() || label.size() > kMaxLabel || label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

bool isDomain(std::string_view domain) {
  while (true) {
    const size_t dot = domain.find('.');
    if (!isLabel(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

bool isLocalPart(std::string_view local) {
  if (local.empty() || local.size() > kMaxLocalPart || local.front() == '.' || local.back() == '.') return false;
  if (local.find("..") != std::string_view::npos) return false;
  return std::none_of(local.begin(), local.end(), [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || std::string_view("@,;:<>()[]\\\"").contains(c);
  });
}

bool isAddress(std::string_view text) {
  const size_t at = text.find('@');
  return at != std::string_view::npos && text.size() <= kMaxAddress && isLocalPart(text.substr(0, at)) &&
         isDomain(text.substr(at + 1)) && isVisible(text);
}

// NFKC and full case folding, without code points that comparisons ignore; nullopt for invalid UTF-8.
std::optional<std::string> folded(std::string_view text) {
  if (isAscii(text)) return lowerAscii(text);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFKCCasefoldInstance(status);
  if (U_FAILURE(status) || !isVisible(text)) return std::nullopt;
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  normalizer->normalizeUTF8(0, pieceOf(text), sink, nullptr, status);
  if (U_FAILURE(status)) return std::nullopt;
  return out;
}

// Immutable; any thread. Null only if ICU's data is missing.
const icu::IDNA* domainRules() {
  static const std::unique_ptr<icu::IDNA> rules = [] {
    UErrorCode status = U_ZERO_ERROR;
    return std::unique_ptr<icu::IDNA>(icu::IDNA::createUTS46Instance(
        UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_USE_STD3_RULES | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ, status));
  }();
  return rules.get();
}

// UTS 46, ToASCII; nullopt for an invalid domain.
std::optional<std::string> asciiDomain(std::string_view domain) {
  const std::string lower = lowerAscii(domain);
  if (isAscii(domain) && !lower.contains("xn--")) return lower;
  const icu::IDNA* rules = domainRules();
  if (rules == nullptr) return std::nullopt;
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  icu::IDNAInfo info;
  UErrorCode status = U_ZERO_ERROR;
  rules->nameToASCII_UTF8(pieceOf(lower), sink, info, status);
  if (U_FAILURE(status) || (info.getErrors() & ~kToleratedDomainErrors) != 0) return std::nullopt;
  return out;
}

std::optional<std::string> normalForm(std::string_view address) {
  const size_t at = address.rfind('@');
  if (at == std::string_view::npos) return folded(address);
  auto local = folded(address.substr(0, at));
  const auto domain = asciiDomain(address.substr(at + 1));
  if (!local || !domain) return std::nullopt;
  return std::move(*local) + "@" + *domain;
}

}  // namespace

Result<Email> parseEmail(std::string_view text) {
  const std::string_view address = trimmed(text);
  if (isAddress(address)) {
    auto key = normalForm(address);
    // Folding may turn another character into an "@", a dot or a blank.
    if (key && isAddress(*key)) return Email{std::string(address), *std::move(key)};
  }
  return fail(invalid("/email", "must be an email address"));
}

std::string emailKey(std::string_view text) {
  const std::string_view address = trimmed(text);
  auto key = address.size() <= kMaxAddress ? normalForm(address) : std::nullopt;
  return key ? *std::move(key) : lowerAscii(address);
}

std::vector<std::string> storedEmailKeys(std::string_view text) {
  std::vector<std::string> keys{lowerAscii(trimmed(text))};
  if (std::string key = emailKey(text); key != keys.front()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace mb::identity

#include "projects/project_rules.h"

#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <iterator>

#include "base/crypto.h"
#include "base/text.h"
#include "identity/project_settings.h"

namespace mb::projects {

namespace {

constexpr size_t kMaxNameCharacters = 100;
constexpr size_t kMaxSlugCharacters = 40;
constexpr size_t kMaxOrigins = 100;

constexpr std::array<std::string_view, 18> kColors = {"slate", "gray",   "red",     "orange", "amber", "yellow",
                                                      "lime",  "green",  "emerald", "teal",   "cyan",  "sky",
                                                      "blue",  "indigo", "violet",  "purple", "pink",  "rose"};

bool hasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

}  // namespace

Result<std::string> checkName(std::string_view name) {
  const std::string_view text = trimmed(name);
  if (text.empty() || codePoints(text) > kMaxNameCharacters || hasControlCharacter(text)) {
    const std::string problem = "must be 1 to 100 characters";
    return fail(Error(ErrorCode::validation, "/name " + problem).withDetail("/name", problem));
  }
  return std::string(text);
}

std::string slugFor(std::string_view name, int attempt) {
  std::string slug;
  for (const char c : name) {
    if (slug.size() >= kMaxSlugCharacters) break;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      slug += c;
    } else if (c >= 'A' && c <= 'Z') {
      slug += static_cast<char>(c - 'A' + 'a');
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  if (slug.empty()) slug = "project";
  if (attempt > 0) slug += "-" + std::to_string(attempt + 1);
  return slug;
}

std::string slugToTry(std::string_view name, int attempt) {
  constexpr int kPlain = kSlugTries / 2;
  if (attempt < kPlain) return slugFor(name, attempt);
  return fmt::format("{}-{:08x}", slugFor(name, 0), randomU64() >> 32);
}

bool isColor(std::string_view color) {
  return std::find(kColors.begin(), kColors.end(), color) != kColors.end();
}

bool isSingleEmoji(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  const auto unicode = icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int32_t>(text.size())));
  if (u_stringHasBinaryProperty(unicode.getBuffer(), unicode.length(), UCHAR_RGI_EMOJI)) return true;
  // An emoji without its presentation selector, as many keyboards send it ("❤").
  const UChar32 first = unicode.char32At(0);
  return unicode.countChar32() == 1 && first > 0x7F && u_hasBinaryProperty(first, UCHAR_EMOJI);
}

bool isOrigin(std::string_view text) {
  if (text.size() > 255 || std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
    return false;
  }
  const auto url = boost::urls::parse_uri(text);
  if (!url || (url->scheme() != "https" && url->scheme() != "http") || url->has_userinfo() ||
      !url->encoded_path().empty() || url->has_query() || url->has_fragment()) {
    return false;
  }
  const bool ownPort = url->has_port() && url->port_number() != 0 &&
                       url->port() == std::to_string(url->port_number()) &&
                       url->port() != (url->scheme() == "https" ? "443" : "80");
  if (url->has_port() && !ownPort) return false;
  if (url->host_type() == boost::urls::host_type::ipv6) return true;
  const std::string_view host = url->encoded_host();
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

std::string colorProblem() {
  std::string allowed;
  for (const auto color : kColors) allowed += (allowed.empty() ? "" : ", ") + std::string(color);
  return "must be one of " + allowed;
}

Result<> refuseIfAny(std::vector<ErrorDetail> problems) {
  if (problems.empty()) return {};
  std::string message = problems.front().path + " " + problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

Result<> checkPatch(const ProjectPatch& patch) {
  std::vector<ErrorDetail> problems;
  if (patch.name && !checkName(*patch.name)) problems.push_back({"/name", "must be 1 to 100 characters"});
  if (patch.maxFileSize && (*patch.maxFileSize < 1 || *patch.maxFileSize > kLargestMaxFileSize)) {
    problems.push_back({"/maxFileSize", "must be between 1 and " + std::to_string(kLargestMaxFileSize)});
  }
  using Color = decltype(patch.color)::State;
  if (patch.color.state == Color::value && !isColor(patch.color.value)) {
    problems.push_back({"/color", colorProblem()});
  }
  if (patch.icon.state == Color::value && !isSingleEmoji(patch.icon.value)) {
    problems.push_back({"/icon", "must be a single emoji"});
  }
  if (patch.settings && patch.settings->allowedOrigins) {
    const auto& origins = *patch.settings->allowedOrigins;
    if (origins.size() > kMaxOrigins) problems.push_back({"/settings/allowedOrigins", "must hold at most 100 origins"});
    for (size_t i = 0; i < std::min(origins.size(), kMaxOrigins); ++i) {
      if (origins[i] == kAnyOrigin || isOrigin(origins[i])) continue;
      problems.push_back({"/settings/allowedOrigins/" + std::to_string(i),
                          "must be an origin as browsers send it, such as https://example.com, or * for any"});
    }
  }
  if (patch.settings) std::ranges::move(configuredProblems(*patch.settings, "/settings"), std::back_inserter(problems));
  return refuseIfAny(std::move(problems));
}

std::vector<ErrorDetail> configuredProblems(const SettingsPatch& patch, const std::string& pointer) {
  std::vector<ErrorDetail> problems;
  if (patch.tokenClaims) problems = identity::tokenClaimProblems(*patch.tokenClaims, pointer + "/tokenClaims");
  if (patch.profileFields) {
    std::ranges::move(identity::profileFieldProblems(*patch.profileFields, pointer + "/profileFields"),
                      std::back_inserter(problems));
  }
  return problems;
}

namespace {

// Canonical: sorted, and absent when empty.
void applyList(std::optional<std::vector<std::string>>& field, const std::optional<std::vector<std::string>>& given) {
  if (!given) return;
  field = given;
  std::ranges::sort(*field);
  if (field->empty()) field.reset();
}

void applyText(doc::Nullable<std::string>& field, const doc::Patch<std::string>& patch) {
  using State = doc::Patch<std::string>::State;
  if (patch.state == State::null) field.value.reset();
  if (patch.state == State::value) field.value = patch.value;
}

}  // namespace

void applyPatch(ProjectRecord& record, const ProjectPatch& patch) {
  if (patch.name) record.name = std::string(trimmed(*patch.name));
  if (patch.maxFileSize) record.maxFileSize = *patch.maxFileSize;
  applyText(record.color, patch.color);
  applyText(record.icon, patch.icon);
  if (patch.settings) applySettings(record.settings, *patch.settings);
}

void applySettings(ProjectSettings& settings, const SettingsPatch& patch) {
  if (patch.allowedOrigins) settings.allowedOrigins = *patch.allowedOrigins;
  if (patch.hideRegistered) settings.hideRegistered = *patch.hideRegistered;
  if (patch.rotateRefreshTokens) settings.rotateRefreshTokens = *patch.rotateRefreshTokens;
  applyList(settings.tokenClaims, patch.tokenClaims);
  applyList(settings.profileFields, patch.profileFields);
  if (patch.requireTests) settings.requireTests = *patch.requireTests ? std::optional(true) : std::nullopt;
}

}  // namespace mb::projects

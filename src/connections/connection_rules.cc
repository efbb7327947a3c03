#include "connections/connection_rules.h"

#include <unicode/unistr.h>

#include <algorithm>

#include "base/text.h"
#include "identity/records.h"
#include "projects/project_rules.h"

namespace mb::connections {

namespace {

constexpr size_t kMaxNameCharacters = 64;
constexpr size_t kMaxConfigBytes = 200;
constexpr size_t kMaxSecretBytes = 4096;

bool isPlain(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

bool knows(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void checkName(std::string_view given, CheckedInput& out, std::vector<ErrorDetail>& problems) {
  const std::string_view name = trimmed(given);
  if (name.empty() || codePoints(name) > kMaxNameCharacters || !isPlain(name)) {
    problems.push_back({"/name", "must be 1 to 64 characters"});
  }
  out.name = std::string(name);
}

void checkConfig(const Kind& kind, doc::DocumentView given, CheckedInput& out, std::vector<ErrorDetail>& problems) {
  for (const doc::Element& field : given) {
    const std::string path = "/config/" + std::string(field.key);
    if (!knows(kind.config, field.key)) {
      problems.push_back({path, "is not a field of this kind"});
    } else if (field.value.type() != doc::BsonType::string) {
      problems.push_back({path, "must be a string"});
    } else if (const std::string_view text = field.value.asString();
               trimmed(text) != text || text.empty() || text.size() > kMaxConfigBytes || !isPlain(text)) {
      problems.push_back({path, "must be 1 to 200 characters without leading or trailing blanks"});
    }
  }
  out.config = doc::Document(given);
}

void checkSecrets(const Kind& kind, doc::DocumentView given, CheckedInput& out, std::vector<ErrorDetail>& problems) {
  for (const doc::Element& field : given) {
    const std::string path = "/secrets/" + std::string(field.key);
    if (!knows(kind.secrets, field.key)) {
      problems.push_back({path, "is not a secret of this kind"});
      continue;
    }
    if (field.value.type() == doc::BsonType::null) continue;
    if (field.value.type() != doc::BsonType::string) {
      problems.push_back({path, "must be a string"});
      continue;
    }
    const std::string_view text = trimmed(field.value.asString());
    if (text.empty()) continue;
    if (text.size() > kMaxSecretBytes || !isPlain(text)) {
      problems.push_back({path, "must be at most 4096 characters, in one line"});
      continue;
    }
    out.secrets.emplace(field.key, text);
  }
}

}  // namespace

std::string nameKey(std::string_view name) {
  auto folded = icu::UnicodeString::fromUTF8(icu::StringPiece(name.data(), static_cast<int32_t>(name.size())));
  std::string key;
  folded.foldCase().toUTF8String(key);
  return key;
}

Result<CheckedInput> check(const Kind& kind, const ConnectionPatch& input) {
  CheckedInput out;
  std::vector<ErrorDetail> problems;
  if (input.name) checkName(*input.name, out, problems);
  if (input.config) checkConfig(kind, *input.config, out, problems);
  if (input.secrets) checkSecrets(kind, *input.secrets, out, problems);
  RETURN_IF_ERROR(projects::refuseIfAny(std::move(problems)));
  return out;
}

Result<CheckedInput> check(const NewConnection& input) {
  const Kind* kind = findKind(input.kind);
  if (kind != nullptr) return check(*kind, ConnectionPatch{input.name, input.config, input.secrets});
  CheckedInput unused;
  std::vector<ErrorDetail> problems{{"/kind", "must be one of the kinds of the catalog"}};
  checkName(input.name, unused, problems);
  return std::unexpected(projects::refuseIfAny(std::move(problems)).error().clone());
}

}  // namespace mb::connections

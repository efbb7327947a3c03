#include "variables/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "outbound/outbound.h"

namespace mb::variables {

namespace {

constexpr std::string_view kOutsideAuthority = "must have its scheme, host and port before its path";

// nullopt if it has no value, or one that can no longer be opened.
std::optional<Secret> valueOf(const VariableRecord& record, const std::string& project, const MasterSecret& master) {
  if (record.value) return Secret(*record.value);
  if (record.sealed.empty()) return std::nullopt;
  const auto sealed = fromBase64(record.sealed);
  if (!sealed) return std::nullopt;
  auto plain = master.unseal(*sealed, sealContext(project, record.id));
  if (!plain) return std::nullopt;
  return *std::move(plain);
}

std::string tooLongText() {
  return fmt::format("must have at most {} KiB with the values of its variables", kMaxResolvedBytes >> 10);
}

std::string misplacedText(const std::vector<std::string>& names) {
  return fmt::format(
      "names the secret {} {}: only the secrets of integrations and the "
      "headers of webhooks may name one",
      names.size() == 1 ? "variable" : "variables", fmt::join(names, ", "));
}

}  // namespace

bool Values::isSecret(std::string_view name) const {
  const VariableRecord* found = table_.find(name);
  return (found && found->secret) || madeSecret_.contains(name);
}

bool Values::mayBeSecret(std::string_view name) const {
  return table_.find(name) == nullptr || isSecret(name);
}

bool Values::hasValue(std::string_view name) const {
  const VariableRecord* found = table_.find(name);
  return found && found->hasValue();
}

Resolution Values::resolve(std::string_view text, FieldKind kind) const {
  Resolution out;
  const auto note = [](std::vector<std::string>& names, std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  };
  for (const Piece& piece : piecesOf(text)) {
    if (out.tooLong) break;
    if (!piece.reference) {
      out.text += piece.text;
    } else if (kind == FieldKind::plain && isSecret(piece.text)) {
      note(out.misplaced, piece.text);
    } else {
      const VariableRecord* found = table_.find(piece.text);
      const auto value = found ? valueOf(*found, project_, master_) : std::nullopt;
      if (value) {
        out.text += value->reveal();
      } else {
        note(out.missing, piece.text);
        out.text.append("${").append(piece.text).append("}");
      }
    }
    out.tooLong = out.text.size() > kMaxResolvedBytes;
  }
  return out;
}

Result<std::string> Values::textOf(std::string_view text, FieldKind kind) const {
  Resolution resolved = resolve(text, kind);
  if (!resolved.misplaced.empty()) return fail(ErrorCode::conflict, misplacedText(resolved.misplaced));
  if (!resolved.missing.empty()) {
    return fail(ErrorCode::conflict, fmt::format("the variable {} has no value: set it", resolved.missing.front()));
  }
  if (resolved.tooLong) {
    return fail(ErrorCode::conflict, fmt::format("the text with the variable {} is too long", namesIn(text).front()));
  }
  return std::move(resolved.text);
}

std::optional<std::string> Values::known(std::string_view text, FieldKind kind, const std::string& path,
                                         Problems& problems) const {
  Resolution resolved = resolve(text, kind);
  if (!resolved.misplaced.empty()) {
    problems.push_back({path, misplacedText(resolved.misplaced)});
  } else if (resolved.tooLong) {
    problems.push_back({path, tooLongText()});
  } else if (resolved.missing.empty()) {
    return std::move(resolved.text);
  }
  return std::nullopt;
}

bool Values::keepsOrigin(std::string_view url, std::string_view resolved) const {
  const auto origin = outbound::originOf(resolve(authorityIn(url), FieldKind::plain).text);
  return origin && *origin == outbound::originOf(resolved).value_or("");
}

std::optional<std::string> Values::knownUrl(std::string_view url, const std::string& path, Problems& problems) const {
  auto text = known(url, FieldKind::plain, path, problems);
  if (!text) return std::nullopt;
  if (const auto origin = outbound::originOf(*text); !origin) {
    problems.push_back({path, origin.error().message()});
  } else if (!keepsOrigin(url, *text)) {
    problems.push_back({path, std::string(kOutsideAuthority)});
  } else {
    return text;
  }
  return std::nullopt;
}

Result<std::string> Values::urlOf(std::string_view url) const {
  TRY(std::string text, textOf(url, FieldKind::plain));
  if (keepsOrigin(url, text)) return text;
  return fail(ErrorCode::conflict,
              fmt::format("the address with the {} {} is not valid",
                          namesIn(url).size() == 1 ? "variable" : "variables", fmt::join(namesIn(url), ", ")));
}

Error needsManage(std::string_view name) {
  return Error(ErrorCode::forbidden,
               fmt::format("the variable {} is secret, or may become so: to send it where you say "
                           "needs the permission variables:manage",
                           name));
}

std::string missingText(const std::vector<std::string>& names) {
  return fmt::format(
      "names the {} {}, which {} no value in the project: set {}, or accept that with allowMissing=1 (--allow-missing)",
      names.size() == 1 ? "variable" : "variables", fmt::join(names, ", "), names.size() == 1 ? "has" : "have",
      names.size() == 1 ? "it" : "them");
}

}  // namespace mb::variables

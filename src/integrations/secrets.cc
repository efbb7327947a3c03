#include "integrations/secrets.h"

#include <algorithm>

#include "base/text.h"
#include "identity/records.h"
#include "outbound/outbound.h"

namespace mb::integrations {

namespace {

constexpr size_t kMaxHeaderNameBytes = 100;

// null removes a secret, "" leaves it unchanged.
void readText(std::string name, doc::ValueView value, const std::string& pointer, SecretEdit& edit,
              std::vector<ErrorDetail>& problems) {
  if (value.type() == doc::BsonType::null) {
    edit.texts.insert_or_assign(std::move(name), std::nullopt);
    return;
  }
  if (value.type() != doc::BsonType::string) return problems.push_back({pointer, "must be a string or null"});
  const std::string_view text = value.asString();
  if (text.size() > kMaxSecretBytes) {
    return problems.push_back({pointer, fmt::format("must have at most {} bytes", kMaxSecretBytes)});
  }
  if (hasControls(text)) return problems.push_back({pointer, "must not hold control characters"});
  if (!text.empty()) edit.texts.insert_or_assign(std::move(name), Secret(std::string(text)));
}

void readHeaders(doc::ValueView value, SecretEdit& edit, std::vector<ErrorDetail>& problems) {
  if (value.type() == doc::BsonType::null) {
    edit.dropsHeaders = true;
    return;
  }
  const std::string pointer = "/secrets/headers";
  if (value.type() != doc::BsonType::document) return problems.push_back({pointer, "must be an object or null"});
  for (const auto& [header, text] : value.asDocument()) {
    const std::string at = fmt::format("{}/{}", pointer, header);
    const std::string name = lowerAscii(header);
    if (!outbound::isHeaderName(header) || header.size() > kMaxHeaderNameBytes) {
      problems.push_back({at, "is not a valid header name"});
    } else if (outbound::isClientHeader(header)) {
      problems.push_back({at, "is set by the server"});
    } else if (name == "authorization") {
      problems.push_back({at, "must be set as the secret of that name"});
    } else if (edit.texts.contains(std::string(kHeaderPrefix) + name)) {
      problems.push_back({at, "occurs twice"});
    } else if (text.type() == doc::BsonType::string && !outbound::isHeaderValue(text.asString())) {
      problems.push_back({at, "must be printable ASCII without leading or trailing blanks"});
    } else {
      readText(std::string(kHeaderPrefix) + name, text, at, edit, problems);
    }
  }
}

}  // namespace

std::string_view Secrets::text(std::string_view name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? std::string_view() : found->second.reveal();
}

void Secrets::remove(std::string_view name) {
  if (const auto found = texts_.find(name); found != texts_.end()) texts_.erase(found);
}

std::vector<std::string> Secrets::names() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : texts_) names.push_back(name);
  return names;
}

bool hasControls(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

size_t secretHeaderCount(const std::vector<std::string>& names) {
  return static_cast<size_t>(
      std::ranges::count_if(names, [](const std::string& name) { return name.starts_with(kHeaderPrefix); }));
}

bool SecretEdit::decides(const std::string& name) const {
  return texts.contains(name) || (dropsHeaders && name.starts_with(kHeaderPrefix));
}

void SecretEdit::applyTo(Secrets& held) const {
  if (dropsHeaders) {
    for (const std::string& name : held.names()) {
      if (name.starts_with(kHeaderPrefix)) held.remove(name);
    }
  }
  for (const auto& [name, text] : texts) {
    if (text) {
      held.set(name, *text);
    } else {
      held.remove(name);
    }
  }
}

SecretEdit readSecrets(doc::DocumentView given, const std::vector<std::string>& known,
                       std::vector<ErrorDetail>& problems) {
  SecretEdit edit;
  for (const auto& [name, value] : given) {
    const std::string pointer = fmt::format("/secrets/{}", name);
    if (std::ranges::find(known, name) == known.end()) {
      problems.push_back({pointer, "is not a secret of this provider"});
    } else if (name == kHeaders) {
      readHeaders(value, edit, problems);
    } else {
      readText(std::string(name), value, pointer, edit, problems);
    }
  }
  return edit;
}

std::string sealContext(std::string_view project, std::string_view integrationId) {
  return fmt::format("{}/integration/{}", project, integrationId);
}

Result<Secrets> SecretBox::open(std::string_view project, const IntegrationRecord& record) const {
  Secrets secrets;
  if (record.secrets.empty()) return secrets;
  TRY(const std::string sealed, fromBase64(record.secrets));
  TRY(const Secret plain, master_.unseal(sealed, sealContext(project, record.integrationId)));
  TRY(const doc::Document held, doc::Document::fromUntrusted(std::string(plain.reveal())));
  for (const auto& [name, text] : held.view()) {
    if (text.type() == doc::BsonType::string) secrets.set(std::string(name), Secret(std::string(text.asString())));
  }
  return secrets;
}

void SecretBox::put(std::string_view project, const Secrets& secrets, IntegrationRecord& record) const {
  record.secretNames = secrets.names();
  record.secrets.clear();
  if (record.secretNames.empty()) return;
  doc::BsonWriter out;
  for (const auto& [name, text] : secrets.all()) out.appendString(name, text.reveal());
  const Secret plain(std::move(out.finish()).takeBytes());
  record.secrets = toBase64(master_.seal(plain.reveal(), sealContext(project, record.integrationId)));
}

doc::Document shownSecrets(const std::vector<std::string>& known, const std::vector<std::string>& held) {
  std::vector<std::string> headers;
  for (const std::string& name : held) {
    if (name.starts_with(kHeaderPrefix)) headers.push_back(name.substr(kHeaderPrefix.size()));
  }
  doc::BsonWriter out;
  for (const std::string& name : known) {
    out.beginDocument(name);
    if (name == kHeaders) {
      out.appendBool("configured", !headers.empty());
      doc::encodeValue(out, "names", headers);
    } else {
      out.appendBool("configured", std::ranges::find(held, name) != held.end());
    }
    out.end();
  }
  return out.finish();
}

}  // namespace mb::integrations

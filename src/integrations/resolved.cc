#include "integrations/resolved.h"

#include <algorithm>
#include <charconv>

#include "outbound/outbound.h"

namespace mb::integrations {

namespace {

using variables::FieldKind;

// The field of a config that is an address, in every provider that has one.
constexpr std::string_view kAddress = "/config/baseUrl";

// The `type` of a field in the provider's catalogue, where it is a single one.
std::string_view typeOf(const Provider& provider, std::string_view field) {
  const auto found = provider.catalogue().config.shown().view().find(field);
  return found ? found->asDocument().stringOr("type") : std::string_view();
}

class ConfigResolver {
 public:
  ConfigResolver(const Provider& provider, const variables::Values& values) : provider_(provider), values_(values) {}

  ResolvedConfig resolve(doc::DocumentView config) {
    doc::BsonWriter out(config.bytes().size());
    for (const auto& [field, value] : config) {
      const std::string_view type = typeOf(provider_, field);
      // A text in place of an object stays a text, which the catalogue refuses.
      if (type == "object" && value.type() == doc::BsonType::string) {
        out.append(field, value);
      } else {
        append(out, field, value, fmt::format("/config/{}", field), type);
      }
    }
    resolved_.config = out.finish();
    return std::move(resolved_);
  }

 private:
  void append(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const std::string& pointer,
              std::string_view type) {
    if (value.isContainer()) {
      value.type() == doc::BsonType::array ? out.beginArray(key) : out.beginDocument(key);
      for (const auto& [inner, each] : value.asDocument()) {
        append(out, inner, each, fmt::format("{}/{}", pointer, inner), "");
      }
      return out.end();
    }
    if (value.type() != doc::BsonType::string || !variables::holdsReference(value.asString())) {
      return out.append(key, value);
    }
    const std::string_view text = value.asString();
    const auto known = pointer == kAddress ? values_.knownUrl(text, pointer, resolved_.problems)
                                           : values_.known(text, FieldKind::plain, pointer, resolved_.problems);
    if (known) return appendAs(out, key, *known, type);
    // The part whose values are known.
    if (hasControls(values_.resolve(text, FieldKind::plain).text)) {
      resolved_.problems.push_back({pointer, "must not hold control characters"});
    }
    resolved_.pending.push_back(pointer);
    out.append(key, value);
  }

  // A text that is not a value of the type stays a text, which the catalogue refuses.
  static void appendAs(doc::BsonWriter& out, std::string_view key, std::string_view text, std::string_view type) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (type == "integer" && error == std::errc() && end == text.data() + text.size()) {
      out.appendInteger(key, number);
    } else if (type == "boolean" && (text == "true" || text == "false")) {
      out.appendBool(key, text == "true");
    } else {
      out.appendString(key, text);
    }
  }

  const Provider& provider_;
  const variables::Values& values_;
  ResolvedConfig resolved_;
};

void addReferences(doc::DocumentView within, const std::string& pointer, std::vector<ConfigReference>& found) {
  for (const auto& [key, value] : within) {
    const std::string at = fmt::format("{}/{}", pointer, key);
    if (value.isContainer()) {
      addReferences(value.asDocument(), at, found);
    } else if (value.type() == doc::BsonType::string && variables::holdsReference(value.asString())) {
      found.push_back({at, value.asString()});
    }
  }
}

std::unexpected<Error> notValid(const ErrorDetail& problem) {
  return fail(ErrorCode::conflict, fmt::format("the integration is not valid with the values of its variables: {} {}",
                                               problem.path, problem.message));
}

}  // namespace

ResolvedConfig resolvedConfig(const Provider& provider, doc::DocumentView config, const variables::Values& values) {
  return ConfigResolver(provider, values).resolve(config);
}

void checkResolved(const Provider& provider, const ResolvedConfig& resolved, Problems& problems) {
  const auto isPending = [&](const ErrorDetail& problem) {
    return std::ranges::find(resolved.pending, problem.path) != resolved.pending.end();
  };
  Problems found;
  provider.catalogue().config.check(resolved.config, "/config", found);
  std::erase_if(found, isPending);
  if (found.empty() && problems.empty()) provider.checkConfig(resolved.config, found);
  std::erase_if(found, isPending);
  problems.insert(problems.end(), found.begin(), found.end());
}

std::vector<ConfigReference> referencesIn(doc::DocumentView config) {
  std::vector<ConfigReference> found;
  addReferences(config, "/config", found);
  return found;
}

std::vector<std::string> variablesIn(doc::DocumentView config) {
  std::vector<std::string> names;
  for (const ConfigReference& each : referencesIn(config)) variables::addNames(each.text, names);
  return names;
}

namespace {

constexpr std::string_view kControls = "must not hold control characters with the values of its variables";

// A secret with the values of its variables.
void checkSecretText(const std::string& name, std::string_view text, Problems& problems) {
  if (hasControls(text)) {
    problems.push_back({"/secrets/" + name, std::string(kControls)});
  } else if (name.starts_with(kHeaderPrefix) && !outbound::isHeaderValue(text)) {
    problems.push_back(
        {"/secrets/" + name, "must be printable ASCII without leading or trailing blanks with its variables"});
  }
}

}  // namespace

void checkSecrets(const Provider& provider, const SecretEdit& given, const variables::Values& values,
                  Problems& problems) {
  SecretEdit known;
  for (const auto& [name, text] : given.texts) {
    if (!text || !variables::holdsReference(text->reveal())) {
      known.texts.emplace(name, text);
      continue;
    }
    const std::string at = "/secrets/" + name;
    const size_t before = problems.size();
    // Also of a text in which a value is missing.
    if (hasControls(values.resolve(text->reveal(), FieldKind::secret).text)) {
      problems.push_back({at, std::string(kControls)});
      continue;
    }
    auto value = values.known(text->reveal(), FieldKind::secret, at, problems);
    if (!value) continue;
    checkSecretText(name, *value, problems);
    if (problems.size() == before) known.texts.emplace(name, Secret(*std::move(value)));
  }
  provider.checkSecrets(known, problems);
}

Result<IntegrationPtr> withValues(const Provider& provider, IntegrationPtr integration,
                                  const variables::Values& values) {
  if (!integration->variables) return integration;
  for (const ConfigReference& each : referencesIn(integration->config)) {
    RETURN_IF_ERROR(values.textOf(each.text, FieldKind::plain));
  }
  ResolvedConfig resolved = resolvedConfig(provider, integration->config, values);
  Problems problems = resolved.problems;
  if (problems.empty()) checkResolved(provider, resolved, problems);
  if (!problems.empty()) return notValid(problems.front());
  auto next = std::make_shared<IntegrationRecord>(*integration);
  next->config = std::move(resolved.config);
  return IntegrationPtr(std::move(next));
}

Result<Secrets> withValues(const Provider& provider, const IntegrationRecord& integration, Secrets secrets,
                           const variables::Values& values) {
  if (!integration.secretVariables) return secrets;
  Secrets resolved;
  SecretEdit given;
  Problems problems;
  for (const auto& [name, text] : secrets.all()) {
    TRY(std::string value, values.textOf(text.reveal(), FieldKind::secret));
    Secret secret(std::move(value));
    if (variables::holdsReference(text.reveal())) {
      checkSecretText(name, secret.reveal(), problems);
      given.texts.emplace(name, secret);
    }
    resolved.set(name, std::move(secret));
  }
  if (problems.empty()) provider.checkSecrets(given, problems);
  if (!problems.empty()) return notValid(problems.front());
  return resolved;
}

}  // namespace mb::integrations

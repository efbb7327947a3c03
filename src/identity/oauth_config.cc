#include "identity/oauth_config.h"

#include <algorithm>

#include "identity/audited_write.h"
#include "identity/provider_urls.h"
#include "identity/records.h"
#include "store/record_pages.h"

namespace mb::identity {

namespace {

// The id of the redirects' record, in the collection of the providers; no provider can have this name.
constexpr std::string_view kRedirectsId = "redirects";
constexpr size_t kMaxClientId = 512;
constexpr size_t kMaxClientSecret = 4096;
constexpr std::string_view kClientIdRule = "must be the provider's client id: 1 to 512 characters without blanks";

bool isPrintable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

bool isClientId(std::string_view text) {
  return text.size() <= kMaxClientId && isPrintable(text);
}

// Adds the problem of a client id with the values of its variables, where they are known.
void checkVariables(std::string_view clientId, const variables::Values& values, variables::Problems& problems) {
  if (!variables::holdsReference(clientId)) return;
  const auto known = values.known(clientId, variables::FieldKind::plain, "/clientId", problems);
  if (known && (known->empty() || !isClientId(*known))) problems.push_back({"/clientId", std::string(kClientIdRule)});
}

std::string contextOf(const ProjectId& project, std::string_view provider) {
  return project.str() + "/" + std::string(provider);
}

doc::Document detailsOf(const OauthProviderBody& input) {
  doc::BsonWriter out;
  out.appendString("clientId", input.clientId);
  out.appendBool("enabled", input.enabled);
  if (input.issuer) out.appendString("issuer", *input.issuer);
  out.appendBool("secretGiven", input.clientSecret && !input.clientSecret->empty());
  return out.finish();
}

}  // namespace

bool isProvider(std::string_view text) {
  if (text == kGoogle || text == kGithub) return true;
  if (!isGeneric(text)) return false;
  text.remove_prefix(kOidcPrefix.size());
  const auto isLowercase = [](char c) { return c >= 'a' && c <= 'z'; };
  if (text.empty() || text.size() > 32 || !isLowercase(text.front())) return false;
  return std::ranges::all_of(text, [&](char c) { return isLowercase(c) || (c >= '0' && c <= '9') || c == '-'; });
}

Result<> OauthConfigs::check(std::string_view provider, const OauthProviderBody& input,
                             const variables::Values& values) {
  if (!isProvider(provider)) return fail(ErrorCode::notFound, "no such provider");
  if (!isClientId(input.clientId) || (input.clientId.empty() && input.enabled)) {
    return fail(invalid("/clientId", std::string(kClientIdRule)));
  }
  variables::Problems problems;
  checkVariables(input.clientId, values, problems);
  if (!problems.empty()) return fail(invalid(problems.front().path, std::move(problems.front().message)));
  if (input.clientSecret && (input.clientSecret->size() > kMaxClientSecret || !isPrintable(*input.clientSecret))) {
    return fail(
        invalid("/clientSecret", "must be the provider's client secret: at most 4096 characters without blanks"));
  }
  if (!isGeneric(provider)) {
    if (input.issuer) return fail(invalid("/issuer", "is for providers named oidc-<name> only"));
    return {};
  }
  if (!input.issuer) return fail(invalid("/issuer", "is required"));
  return checkIssuer(*input.issuer);
}

Task<std::shared_ptr<const void>> OauthConfigs::load(store::ProjectNo project) {
  CO_TRY(const std::vector<doc::Document> stored,
         co_await store::allRecords(deps_.store, collectionOf(project, kOauthConfig)));
  auto config = std::make_shared<OauthConfig>();
  for (const doc::Document& document : stored) {
    if (document.view().stringOr("id") == kRedirectsId) {
      CO_TRY(OauthRedirectsRecord record, fromStore<OauthRedirectsRecord>(document.view()));
      config->allowedRedirects = std::move(record.allowedRedirects);
      continue;
    }
    CO_TRY(OauthProviderRecord record, fromStore<OauthProviderRecord>(document.view()));
    std::string provider = record.id;
    config->providers.emplace(std::move(provider), std::move(record));
  }
  co_return std::shared_ptr<const void>(std::move(config));
}

OauthView OauthConfigs::view(const OauthConfig& config) const {
  OauthView view{{}, config.allowedRedirects, deps_.baseUrl};
  for (const auto& [provider, record] : config.providers) {
    view.providers.push_back({provider, record.clientId, record.enabled, {!record.secret.empty()}, record.issuer});
  }
  return view;
}

Task<> OauthConfigs::setProvider(snapshot::SnapshotPtr project, std::string provider, OauthProviderBody input,
                                 policy::Caller by, store::Deadline deadline) {
  CO_RETURN_IF_ERROR(check(provider, input, deps_.variables.valuesOf(*project)));
  const snapshot::ProjectInfo& info = project->info();
  doc::Document details = detailsOf(input);
  std::string sealed;
  if (input.clientSecret && !input.clientSecret->empty()) {
    sealed = toBase64(deps_.master.seal(*input.clientSecret, contextOf(info.id, provider)));
  }
  OauthProviderRecord record{provider,          std::move(input.clientId), input.enabled,
                             std::move(sealed), std::move(input.issuer),   deps_.clock.now(),
                             std::nullopt};
  if (auto names = variables::namesIn(record.clientId); !names.empty()) record.variables = std::move(names);
  store::Write write = auditedWrite(deps_.auditor, info.number, by, deadline,
                                    {"oauth.provider", "oauth/" + provider, std::move(details)});
  const store::Target target = write.change(targetOf(info.number, kOauthConfig, provider));
  const store::Target redirects = write.change(targetOf(info.number, kOauthConfig, std::string(kRedirectsId)));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, redirects, given = std::move(record)](const store::PreImages& before,
                                                     store::Changes& changes) -> Result<> {
        TRY(const std::optional<OauthProviderRecord> held, fromStore<OauthProviderRecord>(before[target]));
        OauthProviderRecord record = given;
        // A secret is sent only to the issuer that it was entered for.
        if (record.secret.empty() && held && held->issuer == record.issuer) record.secret = held->secret;
        changes.put(target, doc::encode(record));
        // Exists from the first provider on, so that the collection's limit is a limit of providers.
        if (!before[redirects]) {
          changes.put(redirects, doc::encode(OauthRedirectsRecord{std::string(kRedirectsId), {}}));
        }
        return {};
      }));
  co_return Result<>();
}

Task<> OauthConfigs::setRedirects(snapshot::ProjectInfo project, OauthRedirectsBody input, policy::Caller by,
                                  store::Deadline deadline) {
  if (input.allowedRedirects.size() > kMaxRedirects) {
    co_return fail(invalid("/allowedRedirects", "must have at most 100 origins"));
  }
  OauthRedirectsRecord record{std::string(kRedirectsId), {}};
  for (size_t i = 0; i < input.allowedRedirects.size(); ++i) {
    auto origin = exactOrigin(input.allowedRedirects[i]);
    if (!origin) {
      co_return fail(
          invalid("/allowedRedirects/" + std::to_string(i), "must be an origin such as https://example.com"));
    }
    record.allowedRedirects.push_back(*std::move(origin));
  }
  std::ranges::sort(record.allowedRedirects);
  const auto twice = std::ranges::unique(record.allowedRedirects);
  record.allowedRedirects.erase(twice.begin(), twice.end());
  doc::BsonWriter details;
  doc::encodeValue(details, "allowedRedirects", record.allowedRedirects);
  store::Write write = auditedWrite(deps_.auditor, project.number, by, deadline,
                                    {"oauth.redirects", "oauth/" + record.id, details.finish()});
  const store::Target target = write.change(targetOf(project.number, kOauthConfig, record.id));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [target, stored = doc::encode(record)](const store::PreImages&, store::Changes& changes) -> Result<> {
        changes.put(target, stored);
        return {};
      }));
  co_return Result<>();
}

Result<Secret> OauthConfigs::secretOf(const ProjectId& project, const OauthProviderRecord& provider) const {
  if (provider.secret.empty()) return Secret();
  TRY(const std::string sealed, fromBase64(provider.secret));
  return deps_.master.unseal(sealed, contextOf(project, provider.id));
}

Result<std::string> OauthConfigs::clientIdOf(const snapshot::ProjectSnapshot& project,
                                             const OauthProviderRecord& provider) const {
  if (!provider.variables) return provider.clientId;
  TRY(std::string clientId, deps_.variables.valuesOf(project).textOf(provider.clientId, variables::FieldKind::plain));
  if (!clientId.empty() && isClientId(clientId)) return clientId;
  return fail(ErrorCode::conflict, "the client id is not valid with the values of its variables");
}

// ---- variables

std::vector<variables::VariableUse> OauthConfigs::uses(const snapshot::ProjectSnapshot& project) const {
  std::vector<variables::VariableUse> uses;
  for (const auto& [provider, record] : project.get(slots_.oauth).providers) {
    if (record.variables) uses.push_back({fmt::format("oauth/{}/clientId", provider), *record.variables, false});
  }
  return uses;
}

variables::Problems OauthConfigs::problemsWith(const snapshot::ProjectSnapshot& project,
                                               const variables::Values& values, std::string_view name) const {
  variables::Problems problems;
  for (const auto& [provider, record] : project.get(slots_.oauth).providers) {
    if (!record.variables || std::ranges::find(*record.variables, name) == record.variables->end()) continue;
    variables::Problems found;
    checkVariables(record.clientId, values, found);
    for (ErrorDetail& each : found) {
      problems.push_back({fmt::format("oauth/{}{}", provider, each.path), std::move(each.message)});
    }
  }
  return problems;
}

}  // namespace mb::identity

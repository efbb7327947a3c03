#include "configuration/oauth_kind.h"

#include <algorithm>
#include <set>

#include "configuration/canonical_form.h"
#include "identity/provider_urls.h"
#include "store/configuration_limits.h"

namespace mb::configuration {

namespace {

// A provider in a document.
struct Provider {
  std::string provider;
  std::string clientId;
  bool enabled = false;
  std::optional<std::string> issuer;
  static constexpr auto shape() {
    return doc::shape<Provider>("OauthProviderEntry", doc::field("provider", &Provider::provider),
                                doc::field("clientId", &Provider::clientId), doc::field("enabled", &Provider::enabled),
                                doc::field("issuer", &Provider::issuer));
  }
};

// The section in a document.
struct Incoming {
  std::optional<std::vector<doc::Value>> providers;
  std::optional<std::vector<std::string>> allowedRedirects;
  static constexpr auto shape() {
    return doc::shape<Incoming>("OauthSection", doc::field("providers", &Incoming::providers),
                                doc::field("allowedRedirects", &Incoming::allowedRedirects));
  }
};

identity::OauthProviderBody bodyOf(const Provider& provider) {
  return {provider.clientId, provider.enabled, std::nullopt, provider.issuer};
}

std::vector<std::string> textsOf(doc::ValueView array) {
  std::vector<std::string> texts;
  for (const doc::Element& each : array.asDocument()) texts.emplace_back(each.value.asString());
  return texts;
}

std::vector<Entry> mergeProviders(const std::vector<doc::Value>& given, const variables::Values& values,
                                  bool allowMissing, Problems& problems) {
  std::vector<Entry> merged;
  std::set<std::string> seen;
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string pointer = fmt::format("/oauth/providers/{}", i);
    const auto provider = entryAt<Provider>(given[i], pointer, problems);
    if (!provider) continue;
    if (const auto checked = identity::OauthConfigs::check(provider->provider, bodyOf(*provider), values); !checked) {
      const bool named = checked.error().code() == ErrorCode::notFound;
      problems.add(named ? pointer + "/provider" : pointer, checked.error());
    }
    const auto missing = values.resolve(provider->clientId, variables::FieldKind::plain).missing;
    if (!allowMissing && !missing.empty()) problems.add(pointer + "/clientId", variables::missingText(missing));
    if (!seen.insert(provider->provider).second) {
      problems.add(pointer + "/provider", fmt::format("\"{}\" occurs twice", provider->provider));
    }
    merged.push_back(entryShowing(provider->provider, *provider));
  }
  return merged;
}

std::optional<Entry> mergeRedirects(const std::vector<std::string>& given, const std::vector<Entry>& current,
                                    Problems& problems) {
  const std::string pointer = fmt::format("/oauth/{}", OauthKind::kRedirectsEntry);
  std::vector<std::string> origins;
  if (given.size() > identity::kMaxRedirects) {
    problems.add(pointer, fmt::format("must have at most {} origins", identity::kMaxRedirects));
    return std::nullopt;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    auto origin = identity::exactOrigin(given[i]);
    if (!origin) {
      problems.add(fmt::format("{}/{}", pointer, i), "must be an origin such as https://example.com");
      continue;
    }
    origins.push_back(*std::move(origin));
  }
  const auto now = std::ranges::find(current, OauthKind::kRedirectsEntry, &Entry::name);
  if (now != current.end()) std::ranges::move(textsOf(now->value), std::back_inserter(origins));
  origins = canonicalSet(std::move(origins));
  if (origins.size() > identity::kMaxRedirects) {
    problems.add(pointer, fmt::format("would exceed {} origins", identity::kMaxRedirects));
  }
  if (origins.empty()) return std::nullopt;
  return entryShowing(std::string(OauthKind::kRedirectsEntry), origins);
}

}  // namespace

Task<std::vector<Entry>> OauthKind::entries(snapshot::SnapshotPtr project) {
  const identity::OauthConfig& config = project->get(slot_);
  std::vector<Entry> entries;
  for (const auto& [name, record] : config.providers) {
    entries.push_back(entryShowing(name, Provider{name, record.clientId, record.enabled, record.issuer}));
  }
  if (!config.allowedRedirects.empty()) {
    entries.push_back(entryShowing(std::string(kRedirectsEntry), canonicalSet(config.allowedRedirects)));
  }
  co_return entries;
}

void OauthKind::append(doc::BsonWriter& out, const std::vector<Entry>& entries) const {
  out.beginDocument(section());
  out.beginArray("providers");
  size_t index = 0;
  const Entry* redirects = nullptr;
  for (const Entry& entry : entries) {
    if (entry.name == kRedirectsEntry) {
      redirects = &entry;
    } else {
      out.append(doc::arrayKey(index++), entry.value);
    }
  }
  out.end();
  if (redirects) {
    out.append(kRedirectsEntry, redirects->value);
  } else {
    out.beginArray(kRedirectsEntry);
    out.end();
  }
  out.end();
}

Task<std::vector<Entry>> OauthKind::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  std::vector<Entry> merged;
  const auto given = entryAt<Incoming>(source.section, "/oauth", problems);
  if (!given) co_return merged;
  if (given->providers) {
    merged = mergeProviders(*given->providers, variables_.valuesAfter(*source.project, source.document),
                            source.copied || source.allowMissing, problems);
  }
  std::set<std::string> all;
  for (const std::vector<Entry>& each : {merged, current}) {
    for (const Entry& entry : each) all.insert(entry.name);
  }
  all.erase(std::string(kRedirectsEntry));
  const bool creates = std::ranges::any_of(merged, [&](const Entry& entry) {
    return std::ranges::find(current, entry.name, &Entry::name) == current.end();
  });
  if (creates && all.size() > store::kMaxOauthProviders) {
    problems.add("/oauth/providers", fmt::format("would exceed {} providers", store::kMaxOauthProviders));
  }
  if (given->allowedRedirects) {
    if (auto redirects = mergeRedirects(*given->allowedRedirects, current, problems)) {
      merged.push_back(*std::move(redirects));
    }
  }
  co_return merged;
}

std::vector<std::string> OauthKind::permissionsFor(const Change& change) const {
  std::vector<std::string> needed = ListedKind::permissionsFor(change);
  needed.insert(needed.begin(), "auth:config:read");
  return needed;
}

Task<> OauthKind::applyOne(Target target, Change change) {
  if (change.name == kRedirectsEntry) {
    co_return co_await configs_.setRedirects(target.project->info(), {textsOf(change.after)}, target.caller,
                                             target.deadline);
  }
  CO_TRY(const Provider provider, doc::decode<Provider>(change.after.view().asDocument()));
  co_return co_await configs_.setProvider(target.project, change.name, bodyOf(provider), target.caller,
                                          target.deadline);
}

}  // namespace mb::configuration

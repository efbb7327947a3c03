#include "configuration/oauth_kind.h"

#include <algorithm>
#include <set>

#include "configuration/canonical_shape.h"
#include "identity/provider_urls.h"

namespace mb::configuration {

namespace {

// A provider as a document shows it.
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

// The section.
struct Incoming {
  std::optional<std::vector<doc::Value>> providers;
  std::optional<std::vector<std::string>> allowedRedirects;
  static constexpr auto shape() {
    return doc::shape<Incoming>("OauthSection", doc::field("providers", &Incoming::providers),
                                doc::field("allowedRedirects", &Incoming::allowedRedirects));
  }
};

template <class T>
Entry entryOf(std::string name, const T& value) {
  doc::BsonWriter out;
  doc::encodeValue(out, "", value);
  const doc::Document whole = out.finish();
  return {std::move(name), doc::Value(whole.view().begin()->value)};
}

identity::OauthProviderBody bodyOf(const Provider& provider) {
  return {provider.clientId, provider.enabled, std::nullopt, provider.issuer};
}

template <class T>
std::optional<T> decoded(doc::ValueView value, const std::string& pointer, Problems& problems) {
  T out;
  std::vector<ErrorDetail> details;
  doc::decodeValue(out, value, pointer, doc::UnknownFields::refuse, details);
  for (ErrorDetail& each : details) problems.add(std::move(each.path), std::move(each.message));
  return details.empty() ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<std::string> textsOf(doc::ValueView array) {
  std::vector<std::string> texts;
  for (const doc::Element& each : array.asDocument()) texts.emplace_back(each.value.asString());
  return texts;
}

std::vector<Entry> mergeProviders(const std::vector<doc::Value>& given, Problems& problems) {
  std::vector<Entry> merged;
  std::set<std::string> seen;
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string pointer = fmt::format("/oauth/providers/{}", i);
    if (!isEntry(given[i], pointer, problems)) continue;
    const auto provider = decoded<Provider>(given[i], pointer, problems);
    if (!provider) continue;
    if (const auto checked = identity::OauthConfigs::check(provider->provider, bodyOf(*provider)); !checked) {
      const bool named = checked.error().code() == ErrorCode::notFound;
      problems.add(named ? pointer + "/provider" : pointer, checked.error());
    }
    if (!seen.insert(provider->provider).second) {
      problems.add(pointer + "/provider", fmt::format("\"{}\" stands here twice", provider->provider));
    }
    merged.push_back(entryOf(provider->provider, *provider));
  }
  return merged;
}

std::optional<Entry> mergeRedirects(const std::vector<std::string>& given, const std::vector<Entry>& standing,
                                    Problems& problems) {
  const std::string pointer = fmt::format("/oauth/{}", OauthKind::kRedirectsEntry);
  std::vector<std::string> origins;
  if (given.size() > identity::kMostRedirects) {
    problems.add(pointer, fmt::format("must have at most {} origins", identity::kMostRedirects));
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
  const auto now = std::ranges::find(standing, OauthKind::kRedirectsEntry, &Entry::name);
  if (now != standing.end()) std::ranges::move(textsOf(now->value), std::back_inserter(origins));
  origins = canonicalSet(std::move(origins));
  if (origins.size() > identity::kMostRedirects) {
    problems.add(pointer, fmt::format("would make more than {} origins", identity::kMostRedirects));
  }
  if (origins.empty()) return std::nullopt;
  return entryOf(std::string(OauthKind::kRedirectsEntry), origins);
}

}  // namespace

Task<std::vector<Entry>> OauthKind::entries(snapshot::SnapshotPtr project) {
  const identity::OauthConfig& config = project->get(slot_);
  std::vector<Entry> entries;
  for (const auto& [name, record] : config.providers) {
    entries.push_back(entryOf(name, Provider{name, record.clientId, record.enabled, record.issuer}));
  }
  if (!config.allowedRedirects.empty()) {
    entries.push_back(entryOf(std::string(kRedirectsEntry), canonicalSet(config.allowedRedirects)));
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

Task<std::vector<Entry>> OauthKind::merged(Source source, const std::vector<Entry>& standing, Problems& problems) {
  std::vector<Entry> merged;
  if (!isEntry(source.section, "/oauth", problems)) co_return merged;
  const auto given = decoded<Incoming>(source.section, "/oauth", problems);
  if (!given) co_return merged;
  if (given->providers) merged = mergeProviders(*given->providers, problems);
  std::set<std::string> all;
  for (const std::vector<Entry>& each : {merged, standing}) {
    for (const Entry& entry : each) all.insert(entry.name);
  }
  all.erase(std::string(kRedirectsEntry));
  if (all.size() > identity::kMostProviders) {
    problems.add("/oauth/providers", fmt::format("would make more than {} providers", identity::kMostProviders));
  }
  if (given->allowedRedirects) {
    if (auto redirects = mergeRedirects(*given->allowedRedirects, standing, problems)) {
      merged.push_back(*std::move(redirects));
    }
  }
  co_return merged;
}

std::vector<std::string> OauthKind::permissionsFor(const Change& change) const {
  if (change.action == Action::unchanged) return {"auth:config:read"};
  return {"auth:config:read", "auth:config:write"};
}

Task<> OauthKind::apply(Target target, std::vector<Change> changes) {
  const snapshot::ProjectInfo& project = target.project->info();
  for (const Change& change : changes) {
    CO_CHECK(checkTime(target));
    Result<> done;
    if (change.name == kRedirectsEntry) {
      done = co_await configs_.setRedirects(project, {textsOf(change.after)}, target.caller, target.deadline);
    } else {
      CO_TRY(const Provider provider, doc::decode<Provider>(change.after.view().asDocument()));
      done = co_await configs_.setProvider(project, change.name, bodyOf(provider), target.caller, target.deadline);
    }
    if (!done) co_return fail(about(fmt::format("{}/{}", section(), change.name), done.error()));
  }
  co_return Result<>();
}

}  // namespace mb::configuration

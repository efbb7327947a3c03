#include "identity/provider_client.h"

#include <fmt/format.h>

#include "base/url_text.h"
#include "document/json.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxProviderResponse = 256 << 10;
constexpr size_t kMaxDepth = 20;
constexpr auto kCallLimit = std::chrono::seconds(5);
constexpr auto kConnectLimit = std::chrono::seconds(3);

}  // namespace

Task<doc::Document> callProvider(outbound::Outbound& outbound, const ProviderClient& client,
                                 outbound::Request request) {
  request.trust = client.trust;
  request.timeout = kCallLimit;
  request.connectTimeout = kConnectLimit;
  request.maxResponseBytes = kMaxProviderResponse;
  request.keys = {client.project, "oauth/" + client.provider};
  request.headers.push_back({"accept", "application/json"});
  const std::string url = request.url;
  CO_TRY(const outbound::Response response, co_await outbound.send(std::move(request)));
  if (response.status != 200) {
    co_return fail(Error(ErrorCode::upstreamFailed, "request failed")
                       .withCause(fmt::format("{} returned status {}", url, response.status)));
  }
  const doc::JsonLimits limits{.maxDepth = kMaxDepth, .extended = doc::ExtendedJson::refuse};
  const bool isList = response.body.find_first_not_of(" \t\r\n") == response.body.find('[');
  auto body = isList ? doc::parseJsonValue(response.body, limits) : doc::parseJson(response.body, limits);
  if (!body) {
    co_return fail(Error(ErrorCode::upstreamFailed, "request failed")
                       .withCause(fmt::format("{} returned no JSON object or list", url)));
  }
  co_return *std::move(body);
}

std::string challengeOf(std::string_view verifier) {
  const Digest digest = sha256(verifier);
  return toBase64Url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string authorizationUrl(std::string endpoint, const ProviderClient& client, const OauthFlow& flow,
                             std::string_view scope) {
  addQuery(endpoint, "response_type", "code");
  addQuery(endpoint, "client_id", client.clientId);
  addQuery(endpoint, "redirect_uri", flow.callbackUrl);
  addQuery(endpoint, "scope", scope);
  addQuery(endpoint, "state", flow.state);
  addQuery(endpoint, "code_challenge", challengeOf(flow.verifier));
  addQuery(endpoint, "code_challenge_method", "S256");
  return endpoint;
}

std::string codeForm(const ProviderClient& client, const OauthFlow& flow, std::string_view code) {
  std::string form;
  addField(form, "grant_type", "authorization_code");
  addField(form, "code", code);
  addField(form, "redirect_uri", flow.callbackUrl);
  addField(form, "code_verifier", flow.verifier);
  addField(form, "client_id", client.clientId);
  return form;
}

}  // namespace mb::identity

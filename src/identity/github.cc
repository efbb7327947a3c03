#include "identity/github.h"

#include "base/url_text.h"
#include "document/json.h"

namespace mb::identity {

namespace {

constexpr std::string_view kPublic = "https://github.com";
constexpr std::string_view kPublicApi = "https://api.github.com";
constexpr std::string_view kScope = "read:user user:email";
constexpr size_t kMaxGithubToken = 8 << 10;

std::string addressOf(const ProviderClient& client) {
  return client.issuer.empty() ? std::string(kPublic) : client.issuer;
}

std::string apiOf(const ProviderClient& client) {
  return client.issuer.empty() ? std::string(kPublicApi) : client.issuer + "/api/v3";
}

bool isTrue(doc::DocumentView document, std::string_view name) {
  const auto value = document.find(name);
  return value && value->type() == doc::BsonType::boolean && value->asBool();
}

outbound::Request apiRequest(std::string url, const std::string& accessToken) {
  outbound::Request request;
  request.url = std::move(url);
  request.headers.push_back({"authorization", "Bearer " + accessToken});
  return request;
}

Task<std::string> accessToken(outbound::Outbound& outbound, ProviderClient client, OauthFlow flow, std::string code) {
  outbound::Request request;
  request.method = "POST";
  request.url = addressOf(client) + "/login/oauth/access_token";
  request.headers.push_back({"content-type", "application/x-www-form-urlencoded"});
  request.body = codeForm(client, flow, code);
  addField(request.body, "client_secret", client.clientSecret.reveal());
  CO_TRY(const doc::Document response, co_await callProvider(outbound, client, std::move(request)));
  std::string token(response.view().stringOr("access_token"));
  // GitHub sends status 200 for a refusal too.
  if (token.empty() || token.size() > kMaxGithubToken) {
    co_return fail(Error(ErrorCode::unauthenticated, "the provider's response is not valid")
                       .withCause("GitHub returned no access token"));
  }
  co_return token;
}

}  // namespace

std::string githubStart(const ProviderClient& client, const OauthFlow& flow) {
  return authorizationUrl(addressOf(client) + "/login/oauth/authorize", client, flow, kScope);
}

Task<ExternalIdentity> githubFinish(outbound::Outbound& outbound, ProviderClient client, OauthFlow flow,
                                    std::string code) {
  CO_TRY(const std::string token, co_await accessToken(outbound, client, std::move(flow), std::move(code)));
  CO_TRY(const doc::Document person,
         co_await callProvider(outbound, client, apiRequest(apiOf(client) + "/user", token)));
  const auto id = person.view().find("id");
  const auto number = id && id->isNumber() ? id->toInteger() : std::nullopt;
  if (!number || *number <= 0) {
    co_return fail(
        Error(ErrorCode::unauthenticated, "the provider's response is not valid").withCause("GitHub returned no user"));
  }
  ExternalIdentity identity;
  identity.issuer = addressOf(client);
  identity.subject = std::to_string(*number);
  identity.name = person.view().stringOr("name", person.view().stringOr("login"));
  CO_TRY(const doc::Document addresses,
         co_await callProvider(outbound, client, apiRequest(apiOf(client) + "/user/emails", token)));
  const auto list = addresses.view().find("");
  if (!list || list->type() != doc::BsonType::array) co_return identity;
  for (const doc::Element& element : list->asDocument()) {
    if (element.value.type() != doc::BsonType::document) continue;
    const doc::DocumentView address = element.value.asDocument();
    if (!isTrue(address, "primary")) continue;
    identity.email = address.stringOr("email");
    identity.emailVerified = isTrue(address, "verified");
  }
  co_return identity;
}

}  // namespace mb::identity

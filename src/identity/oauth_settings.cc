#include "identity/oauth.h"

namespace mb::identity {

namespace {

OauthSettings::Client clientFrom(Settings& settings, std::string_view name, std::string_view label) {
  const std::string prefix = "SERVICE_CONTROL_OAUTH_" + std::string(name);
  const std::string idName = prefix + "_CLIENT_ID";
  const std::string secretName = prefix + "_CLIENT_SECRET";
  const std::string help = std::string(label) + " sign-in to the control plane";
  OauthSettings::Client client;
  client.id = settings.text(idName, "", help + ": the client's id");
  auto secret = settings.secret(secretName, help + ": the client's secret");
  if (client.id.empty() != (!secret || secret->empty())) {
    settings.refuse(client.id.empty() ? idName : secretName, "is missing: the id and the secret belong together");
  }
  if (secret) client.secret = *std::move(secret);
  return client;
}

Result<std::string> parseAddress(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  if (text.empty()) return std::string();
  RETURN_IF_ERROR(outbound::originOf(text));
  return std::string(text);
}

}  // namespace

OauthSettings::OauthSettings(Settings& settings)
    : googleIssuer(settings.text("SERVICE_OAUTH_GOOGLE_ISSUER", "https://accounts.google.com",
                                 "issuer of Google sign-in; the operator may set another issuer")),
      githubUrl(settings.parsed<std::string>(
          "SERVICE_OAUTH_GITHUB_URL", "",
          "address of GitHub sign-in where it is not the public service; its API is below /api/v3", parseAddress)),
      google(clientFrom(settings, "GOOGLE", "Google")),
      github(clientFrom(settings, "GITHUB", "GitHub")) {
  ownGoogle = googleIssuer != OauthSettings().googleIssuer;
  if (!outbound::originOf(googleIssuer)) {
    settings.refuse("SERVICE_OAUTH_GOOGLE_ISSUER", "must be an address such as https://login.example.com");
  }
}

std::vector<std::string> OauthSettings::controlProviders() const {
  std::vector<std::string> offered;
  if (!github.id.empty()) offered.emplace_back(kGithub);
  if (!google.id.empty()) offered.emplace_back(kGoogle);
  return offered;
}

}  // namespace mb::identity

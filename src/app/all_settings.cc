#include "app/application.h"

namespace mb::app {

namespace {

// Includes the port, unless it is the scheme's default.
std::string_view hostOf(std::string_view origin) {
  return origin.substr(origin.find("://") + 3);
}

}  // namespace

AllSettings::AllSettings(Settings& settings)
    : app(settings),
      audit(settings),
      http(settings),
      api(settings),
      store(settings),
      identity(settings),
      oauth(settings),
      outbound(settings),
      mail(settings),
      bots(settings),
      instance(settings),
      ownDatabases(settings),
      connections(settings),
      realtime(settings),
      redis(settings),
      workers(settings),
      storage(settings),
      vectors(settings),
      billing(settings) {
  const auto base = outbound::originOf(app.baseUrl);
  if (base && !api.runOrigin.empty() && hostOf(*base) == hostOf(api.runOrigin)) {
    settings.refuse("SERVICE_RUN_ORIGIN", "must have another host than SERVICE_BASE_URL: it serves only functions");
  }
  declareUnsupportedSettings(settings);
}

}  // namespace mb::app

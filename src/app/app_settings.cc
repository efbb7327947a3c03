#include "app/app_settings.h"

#include <unistd.h>

#include <boost/url/parse.hpp>

#include "app/data_directory.h"

namespace mb::app {

namespace {

LogLevel levelOf(const std::string& name) {
  if (name == "debug") return LogLevel::debug;
  if (name == "warn") return LogLevel::warn;
  if (name == "error") return LogLevel::error;
  return LogLevel::info;
}

Result<std::string> parseBaseUrl(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  const auto url = boost::urls::parse_uri(text);
  const bool usable = url && (url->scheme() == "http" || url->scheme() == "https") && !url->encoded_host().empty() &&
                      !url->has_userinfo() && !url->has_query() && !url->has_fragment();
  if (usable) return std::string(text);
  return fail(ErrorCode::validation, "must be an address such as https://api.example.com");
}

struct UnsupportedSetting {
  std::string_view name;
  std::vector<std::string> harmless;
  std::string_view line;
  std::string_view help;
};

const std::vector<UnsupportedSetting>& unsupportedSettings() {
  static const std::vector<UnsupportedSetting> all = {{"SERVICE_MANAGEMENT_LISTEN",
                                                       {},
                                                       "this version has no management listener",
                                                       "second listener for metrics and probes (not in this version)"}};
  return all;
}

}  // namespace

LogSettings::LogSettings(Settings& settings)
    : level(levelOf(settings.choice("SERVICE_LOG_LEVEL", "info", {"debug", "info", "warn", "error"},
                                    "minimum level of log lines"))),
      format(settings.choice("SERVICE_LOG", ::isatty(STDERR_FILENO) ? "text" : "json", {"text", "json"},
                             "format of log lines; text on a terminal, else json") == "json"
                 ? LogFormat::json
                 : LogFormat::text) {}

AppSettings::AppSettings(Settings& settings)
    : baseUrl(settings.parsed<std::string>("SERVICE_BASE_URL", "http://localhost:8090",
                                           "address of this server for browsers and links in mails", parseBaseUrl)),
      dataDirectory(settings.text("SERVICE_DATA_DIR", "./data", "directory of the store and the secret")),
      secret(settings.secret("SERVICE_SECRET",
                             "32 random bytes in base64; if unset, created and stored in the data directory")),
      log(settings) {
  if (dataDirectory.empty()) settings.refuse("SERVICE_DATA_DIR", "must name a directory");
  if (!secret) return;
  const auto parsed = parseMasterSecret(secret->reveal());
  if (!parsed) settings.refuse("SERVICE_SECRET", parsed.error().message());
}

void declareUnsupportedSettings(Settings& settings) {
  for (const auto& setting : unsupportedSettings()) {
    settings.notYet(setting.name, setting.harmless, setting.line, setting.help);
  }
}

}  // namespace mb::app

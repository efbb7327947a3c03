#include "pages/pages.h"

#include <algorithm>
#include <cstdlib>

#include "base/sha256.h"
#include "pages/embedded.h"
#include "pages/template.h"

namespace mb::pages {

namespace {

constexpr size_t kVersionDigits = 16;

EmbeddedFile findIn(std::span<const EmbeddedFile> files, std::string_view name) {
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  return found == files.end() ? EmbeddedFile() : *found;
}

std::string_view fileNamed(std::string_view name) {
  return findIn(embeddedFiles(), name).bytes;
}

std::string_view typeOf(std::string_view file) {
  if (file.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (file.ends_with(".css")) return "text/css; charset=utf-8";
  if (file.ends_with(".svg")) return "image/svg+xml";
  if (file.ends_with(".woff2")) return "font/woff2";
  if (file.ends_with(".txt")) return "text/plain; charset=utf-8";
  return {};
}

Asset assetIn(std::span<const EmbeddedFile> files, std::string_view name) {
  const std::string_view type = typeOf(name);
  const EmbeddedFile found = type.empty() ? EmbeddedFile() : findIn(files, name);
  return found.name.empty() ? Asset() : Asset{type, found.bytes, found.gzip};
}

// A CSS class; "default" unless the colour consists of letters only, so that no other text gets into the page.
std::string_view accentOf(std::string_view colour) {
  const bool plain = std::ranges::all_of(colour, [](char c) { return c >= 'a' && c <= 'z'; });
  return plain && !colour.empty() ? colour : "default";
}

struct Content {
  std::string_view title;
  std::string_view script;
  std::string html;
  std::string_view redirect = {};
};

std::string assetsOf(const Frame& frame) {
  return frame.root + std::string(kAssetPath) + "/" + assetVersion();
}

std::string page(const Frame& frame, const Content& content) {
  const std::string assets = assetsOf(frame);
  return fill(fileNamed("layout.html"), {{"title", content.title},
                                         {"assets", assets},
                                         {"script", content.script},
                                         {"colour", accentOf(frame.colour)},
                                         {"root", frame.root},
                                         {"plane", frame.plane},
                                         {"project", frame.project},
                                         {"redirect", content.redirect},
                                         {"icon", frame.icon},
                                         {"name", frame.name},
                                         {"content", content.html}});
}

// A page without a script.
std::string plainPage(const Frame& frame, std::string_view title, const std::string& content) {
  return fill(fileNamed("plain.html"), {{"title", title}, {"assets", assetsOf(frame)}, {"content", content}});
}

// A page for developers: a bar with the token, and below it a third-party part.
struct Tool {
  std::string_view title;
  std::string_view name;     // of its script and its CSS class
  std::string_view part;     // of its style sheet
  std::string_view element;  // that contains the part: "div" for Swagger UI, which has its own <main>
};

std::string toolPage(const Frame& frame, const Tool& tool) {
  const std::string place = frame.root + (frame.project.empty() ? "" : "/p/" + frame.project);
  const std::string assets = assetsOf(frame);
  const auto current = [&](std::string_view link) { return link == tool.name ? "page" : "false"; };
  return fill(fileNamed("tool.html"), {{"title", tool.title},
                                       {"assets", assets},
                                       {"tool", tool.name},
                                       {"part", tool.part},
                                       {"element", tool.element},
                                       {"colour", accentOf(frame.colour)},
                                       {"root", frame.root},
                                       {"project", frame.project},
                                       {"icon", frame.icon},
                                       {"name", frame.name},
                                       {"place", place},
                                       {"reference_current", current("reference")},
                                       {"graphiql_current", current("graphiql")}});
}

std::string providerList(const std::vector<ProviderLink>& providers) {
  if (providers.empty()) return {};
  std::string items;
  for (const ProviderLink& provider : providers) {
    items += fill(fileNamed("provider.html"), {{"href", provider.href}, {"label", provider.label}});
  }
  return fill(fileNamed("providers.html"), {{"items", items}});
}

std::string versionOfAssets() {
  Sha256 hash;
  for (const EmbeddedFile& file : embeddedFiles()) {
    hash.add(file.name);
    hash.add(std::string_view("\0", 1));
    hash.add(file.bytes);
    hash.add(std::string_view("\0", 1));
  }
  return hash.finish().substr(0, kVersionDigits);
}

}  // namespace

std::string loginPage(const Frame& frame, const Login& login) {
  const std::string providers = providerList(login.providers);
  const std::string_view setupCode = login.setupCode ? fileNamed("setup-code.html") : std::string_view();
  // Platform users work there; apps have addresses of their own.
  const std::string dashboard =
      frame.plane.empty() ? "" : fill(fileNamed("dashboard-link.html"), {{"root", frame.root}});
  const std::string html =
      fill(fileNamed("login.html"), {{"providers", providers}, {"setup-code", setupCode}, {"dashboard", dashboard}});
  return page(frame, {frame.name, "login.js", html, login.redirect});
}

std::string resetPasswordPage(const Frame& frame) {
  return page(frame, {frame.name, "reset-password.js", std::string(fileNamed("reset-password.html"))});
}

std::string verifyEmailPage(const Frame& frame) {
  return page(frame, {frame.name, "verify-email.js", std::string(fileNamed("verify-email.html"))});
}

std::string oauthExamplePage(const Frame& frame) {
  return page(frame, {frame.name, "oauth-example.js", std::string(fileNamed("oauth-example.html"))});
}

std::string referencePage(const Frame& frame) {
  return toolPage(frame, {"API reference", "reference", "swagger-ui", "div"});
}

std::string graphiqlPage(const Frame& frame) {
  return toolPage(frame, {"GraphiQL", "graphiql", "graphiql", "main"});
}

std::string problemPage(const Frame& frame, std::string_view heading, std::string_view text) {
  return page(frame, {heading, "problem.js", fill(fileNamed("problem.html"), {{"heading", heading}, {"text", text}})});
}

std::string homePage(const Frame& frame, bool control) {
  const std::string signIn = control ? fill(fileNamed("home-sign-in.html"), {{"root", frame.root}}) : "";
  return plainPage(frame, "Manybase", fill(fileNamed("home.html"), {{"root", frame.root}, {"sign_in", signIn}}));
}

std::string missingPage(const Frame& frame) {
  return plainPage(frame, "There is nothing here", fill(fileNamed("missing.html"), {{"root", frame.root}}));
}

std::string providerLabel(std::string_view provider) {
  constexpr std::string_view kGeneric = "oidc-";
  if (provider == "google") return "Google";
  if (provider == "github") return "GitHub";
  if (provider.starts_with(kGeneric)) provider.remove_prefix(kGeneric.size());
  return std::string(provider);
}

const std::string& assetVersion() {
  static const std::string version = versionOfAssets();
  return version;
}

Asset findAsset(std::string_view file) {
  return assetIn(embeddedFiles(), file);
}

Asset sdkModule() {
  const EmbeddedFile found = findIn(embeddedSdk(), "manybase.mjs");
  return {"text/javascript; charset=utf-8", found.bytes, found.gzip};
}

Asset sdkPackage() {
  return {"application/gzip", findIn(embeddedSdk(), "manybase.tgz").bytes};
}

std::string dashboardPage(std::string_view root) {
  return fill(findIn(embeddedDashboard(), "index.html").bytes, {{"root", root}});
}

Asset findDashboardFile(std::string_view file) {
  return assetIn(embeddedDashboard(), file);
}

}  // namespace mb::pages

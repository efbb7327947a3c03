// Renders the hosted pages: sign-in, new password, confirmation of an address, an example, the tools for developers,
// and error pages. Holds the files of the SDK and of the dashboard. Does no HTTP and no look-ups: all values of a page
// are parameters. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mb::pages {

// The project or plane of a page. Texts are raw; the pages escape them.
struct Frame {
  std::string root;     // path of the server's base URL, "" or "/prefix": the prefix of every address
  std::string plane;    // "control" for platform users, else empty
  std::string project;  // id; empty on the control plane
  std::string name = "Manybase";
  std::string colour;  // one of the projects' colours; others and "" mean the default
  std::string icon;    // an emoji or empty
};

// A link to sign in with another provider.
struct ProviderLink {
  std::string label;  // "Google"
  std::string href;
};

struct Login {
  std::string_view redirect = {};  // target after the sign-in, checked by the caller; empty: no redirect
  std::vector<ProviderLink> providers = {};
  bool setupCode = false;  // the registration needs the set-up code
};
std::string loginPage(const Frame& frame, const Login& login);
std::string resetPasswordPage(const Frame& frame);
std::string verifyEmailPage(const Frame& frame);
std::string oauthExamplePage(const Frame& frame);
// The reference of the API, and GraphiQL: for the frame's project, or else for the project of the visitor's token.
std::string referencePage(const Frame& frame);
std::string graphiqlPage(const Frame& frame);
// An error page with a text for people.
std::string problemPage(const Frame& frame, std::string_view heading, std::string_view text);

// The page at the server's root: a description and links; with a link to the dashboard if `control` is true.
std::string homePage(const Frame& frame, bool control);
// The 404 page.
std::string missingPage(const Frame& frame);

// "Google" of "google", "acme" of "oidc-acme".
std::string providerLabel(std::string_view provider);

// The assets of the pages: scripts, style sheets, the icon and the licenses of third-party parts, under
// kAssetPath/<assetVersion()>/<file>. The version changes with any of them, so that caches may store each for ever.
inline constexpr std::string_view kAssetPath = "/auth/assets";
struct Asset {
  std::string_view contentType;  // a literal; empty: the file does not exist
  std::string_view bytes;        // static data of the program; empty: the file is there compressed only
  std::string_view gzip = {};    // the same compressed; empty for small files
};
const std::string& assetVersion();
Asset findAsset(std::string_view file);

// The TypeScript SDK of this build (sdk/typescript).
Asset sdkModule();   // the main entry of the package, with all it loads, as one minified ES module
Asset sdkPackage();  // the package as `npm pack` makes it

// The dashboard of this build (web/): the page of all screens, and the scripts, style sheets, fonts and texts that it
// loads from below `<root>/dashboard/assets/`, compressed only. `root` as in Frame. A file's name contains a hash of
// its content.
std::string dashboardPage(std::string_view root);
Asset findDashboardFile(std::string_view file);

}  // namespace mb::pages

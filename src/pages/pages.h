// The hosted pages as text: sign-in, new password, confirmation of an address, an example, the tools for developers,
// and what stands in their place where they cannot be made. No HTTP here, and no look-ups: all that a page says comes
// in. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mb::pages {

// Whose page it is. Texts are raw; the pages escape them.
struct Frame {
  std::string root;     // path of the server's base URL, "" or "/prefix": in front of every address
  std::string plane;    // "control" for platform users, else empty
  std::string project;  // id; empty on the control plane
  std::string name = "Manybase";
  std::string colour;  // one of the projects' colours; others and "" give the default
  std::string icon;    // an emoji or empty
};

// A way to sign in beside the password.
struct ProviderLink {
  std::string label;  // "Google"
  std::string href;
};

struct Login {
  std::string_view redirect = {};  // where the browser goes afterwards, checked by the caller; empty: nowhere
  std::vector<ProviderLink> providers = {};
  bool setupCode = false;  // the registration needs the set-up code
};
std::string loginPage(const Frame& frame, const Login& login);
std::string resetPasswordPage(const Frame& frame);
std::string verifyEmailPage(const Frame& frame);
std::string oauthExamplePage(const Frame& frame);
// The reference of the API, and GraphiQL: of the frame's project, or of whichever the visitor's token names.
std::string referencePage(const Frame& frame);
std::string graphiqlPage(const Frame& frame);
// Says why there is no page, in words a person understands.
std::string problemPage(const Frame& frame, std::string_view heading, std::string_view text);

// What a browser gets at the server's root: what runs here, and links; to sign in where there is a control plane.
std::string homePage(const Frame& frame, bool control);
// What a browser gets where there is nothing.
std::string missingPage(const Frame& frame);

// "Google" of "google", "acme" of "oidc-acme".
std::string providerLabel(std::string_view provider);

// What the pages load: scripts, style sheets, the icon and the terms of those that others made, under
// kAssetPath/<assetVersion()>/<file>. The version changes with any of them, so that each may be kept for ever.
inline constexpr std::string_view kAssetPath = "/auth/assets";
struct Asset {
  std::string_view contentType;  // a literal; empty: there is no such file
  std::string_view bytes;        // of the program
  std::string_view gzip;         // the same compressed; empty where it is small
};
const std::string& assetVersion();
Asset findAsset(std::string_view file);

}  // namespace mb::pages

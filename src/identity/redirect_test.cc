#include "identity/redirect.h"

#include <gtest/gtest.h>

namespace mb::identity {
namespace {

TEST(Redirect, OriginOfWhatABrowserMayBeSentTo) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"https://app.example", "https://app.example"},
      {"https://app.example/", "https://app.example"},
      {"https://app.example/back?x=1&y=%2F", "https://app.example"},
      {"https://app.example?x=@other.example", "https://app.example"},
      {"http://localhost:5173/a/b", "http://localhost:5173"},
      {"http://127.0.0.1:80/", "http://127.0.0.1:80"},
      {"http://[::1]:3000/", "http://[::1]:3000"},
      {"https://app.example./", "https://app.example."},
  };
  for (const auto& [url, origin] : cases) {
    const auto got = redirectOrigin(url);
    ASSERT_TRUE(got) << url;
    EXPECT_EQ(*got, origin) << url;
  }
}

TEST(Redirect, RefusesWhatMayBeReadInTwoWays) {
  const std::string_view cases[] = {"",
                                    "/back",
                                    "//app.example/back",
                                    "app.example",
                                    "javascript:alert(1)",
                                    "data:text/html,x",
                                    "ftp://app.example/",
                                    "HTTPS://app.example/",
                                    "https:app.example",
                                    "https:/app.example",
                                    "https:///app.example",
                                    "https://",
                                    "https://App.example/",
                                    "https://user@app.example/",
                                    "https://user:word@app.example/",
                                    "https://@app.example/",
                                    "https://app.example\\@other.example/",
                                    "https:\\\\app.example/",
                                    "https://app.example/\\..",
                                    "https://app.example /",
                                    " https://app.example/",
                                    "https://app.example/\n",
                                    "https://app%2eexample/",
                                    "https://app.example:/",
                                    "https://app.example:0/",
                                    "https://app.example:99999/",
                                    "https://app.example:80x/",
                                    "https://app.example/#",
                                    "https://app.example/#mb_refresh=x",
                                    "https://app.ex\xC3\xA4mple/",
                                    "https://app,example/"};
  for (const std::string_view url : cases) EXPECT_FALSE(redirectOrigin(url)) << url;
  EXPECT_FALSE(redirectOrigin("https://app.example/" + std::string(2048, 'a')));
  EXPECT_FALSE(redirectOrigin(std::string_view("https://app.example/\0x", 22)));
}

TEST(Redirect, OriginsAreComparedLetterByLetter) {
  const std::vector<std::string> allowed = {"https://app.example", "http://localhost:5173"};
  EXPECT_TRUE(checkRedirect("https://app.example/done", allowed));
  EXPECT_TRUE(checkRedirect("http://localhost:5173", allowed));
  for (const std::string_view url :
       {"http://app.example/", "https://app.example:443/", "https://app.example:8443/",
        "https://app.example.evil.example/", "https://evil-app.example/", "https://app.example./", "http://localhost/",
        "http://localhost:51730/", "https://other.example/?https://app.example"}) {
    EXPECT_FALSE(checkRedirect(url, allowed)) << url;
  }
  EXPECT_FALSE(checkRedirect("https://app.example/", {}));
}

}  // namespace
}  // namespace mb::identity

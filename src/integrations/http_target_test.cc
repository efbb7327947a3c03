#include "integrations/http_target.h"

#include <gtest/gtest.h>

#include "document/json.h"
#include "outbound/outbound.h"

namespace mb::integrations {
namespace {

std::string below(std::string_view base, std::string_view path, std::string_view query = "{}") {
  const auto address = addressBelow(base, path, *doc::parseJson(query));
  return address ? *address : "";
}

TEST(HttpTarget, PathsAreBelowTheAddress) {
  struct Case {
    std::string_view base, path, address;
  };
  for (const auto& [base, path, address] : std::vector<Case>{
           {"https://a.example", "/users/1", "https://a.example/users/1"},
           {"https://a.example/", "/users", "https://a.example/users"},
           {"https://a.example/v1", "users", "https://a.example/v1/users"},
           {"https://a.example/v1/", "/users/", "https://a.example/v1/users/"},
           {"https://a.example/v1", "", "https://a.example/v1"},
           {"https://a.example/v1", "/", "https://a.example/v1/"},
           {"http://a.example:8080/v1", "/x", "http://a.example:8080/v1/x"},
           {"https://a.example", "/projects/a%2Fb", "https://a.example/projects/a%2Fb"},
           {"https://a.example", "/tag/über alles", "https://a.example/tag/%C3%BCber%20alles"},
           {"https://a.example", "/@somebody", "https://a.example/@somebody"},
           {"https://a.example", "@evil.example/x", "https://a.example/@evil.example/x"},
           {"https://a.example", ".evil.example", "https://a.example/.evil.example"},
           {"https://a.example", ":8080/x", "https://a.example/:8080/x"},
           {"https://a.example", "/x:verb", "https://a.example/x:verb"},
           {"https://a.example", "/http://evil.example/", "https://a.example/http://evil.example/"},
           {"https://a.example", "/a/b?c=d&e=%20f", "https://a.example/a/b?c=d&e=%20f"},
           {"https://a.example", "/a?u=//evil.example/../x", "https://a.example/a?u=//evil.example/../x"},
           {"https://a.example", "/a..b/..c/d..", "https://a.example/a..b/..c/d.."},
           {"https://a.example", "/\"<>^`{|}", "https://a.example/%22%3C%3E%5E%60%7B%7C%7D"},
       }) {
    EXPECT_EQ(below(base, path), address) << base << " " << path;
  }
}

TEST(HttpTarget, NoNotationLeadsElsewhere) {
  for (const std::string_view path : {"//evil.example/",
                                      "///evil.example/",
                                      "/\\evil.example",
                                      "\\\\evil.example",
                                      "/%2Fevil.example",
                                      "%2F%2Fevil.example",
                                      "%5C%5Cevil.example",
                                      "http://evil.example/",
                                      "HTTPS://evil.example/",
                                      "javascript:x",
                                      "a+b.c-1:x",
                                      "/../x",
                                      "/..",
                                      "..",
                                      "/a/../../x",
                                      "/a/./b",
                                      "/%2e%2e/x",
                                      "/%2E./x",
                                      "/.%2e",
                                      "/a/%2e%2e%2fx",
                                      "/a%2f..%2fx",
                                      "/a%5c..%5cx",
                                      "/..;x/y",
                                      "/a#b",
                                      "#",
                                      "/a\r\nHost: evil.example",
                                      "/a\tb",
                                      "/a%0d%0ab",
                                      "/a%00",
                                      "/a%7f",
                                      "/%",
                                      "/%1",
                                      "/%zz",
                                      "/a?x=%0a",
                                      "/a?x=%g",
                                      "/a?x#y",
                                      "/a\x7f"}) {
    EXPECT_EQ(below("https://a.example/v1", path), "") << path;
    EXPECT_EQ(below("https://a.example", path), "") << path;
  }
  EXPECT_EQ(below("https://a.example", std::string(9000, 'a')), "");
  EXPECT_EQ(below("https://a.example", std::string_view("/a\0b", 4)), "");
}

// Each byte anywhere in a path: the request has the origin of the base address, or is refused.
TEST(HttpTarget, TheOriginStaysWhateverTheBytes) {
  const std::string pieces[] = {"",    "/",   "//", "@", ":",  "\\",           "%2f",
                                "%5c", "%40", "?",  ".", "..", "evil.example", ";"};
  size_t sent = 0;
  for (const std::string& first : pieces) {
    for (const std::string second : {"", "/", "@", "%5c", "?"}) {
      for (int byte = 0; byte < 256; ++byte) {
        const std::string path = first + second + static_cast<char>(byte) + "evil.example/x";
        const std::string address = below("https://a.example:8443/v1", path);
        if (address.empty()) continue;
        ++sent;
        ASSERT_TRUE(address.starts_with("https://a.example:8443/v1")) << path;
        ASSERT_EQ(outbound::originOf(address).value_or(""), "https://a.example:8443") << path;
      }
    }
  }
  EXPECT_GT(sent, 1000u);
}

TEST(HttpTarget, QueriesAreEscaped) {
  EXPECT_EQ(below("https://a.example", "/x", R"({"a":"b c&d=e","n":1,"r":1.5,"t":true,"z":null,"l":["1","2"]})"),
            "https://a.example/x?a=b%20c%26d%3De&n=1&r=1.5&t=true&l=1&l=2");
  EXPECT_EQ(below("https://a.example", "/x?a=1", R"({"ü/#":"\u0000"})"), "https://a.example/x?a=1&%C3%BC%2F%23=%00");
  EXPECT_EQ(below("https://a.example", "/x", R"({"a":{}})"), "");
  EXPECT_EQ(below("https://a.example", "/x", R"({"a":[["b"]]})"), "");
  EXPECT_EQ(below("https://a.example", "/x", R"({"e":""})"), "https://a.example/x?e=");
}

TEST(HttpTarget, AddressesThatAreNone) {
  for (const std::string_view address : {"https://a.example", "http://a.example:81/v1/", "https://a.example/a%20b"}) {
    EXPECT_EQ(baseUrlProblem(address), "") << address;
  }
  for (const std::string_view address : {"", "a.example", "ftp://a.example", "https://", "https://u:p@a.example",
                                         "https://a.example?x", "https://a.example/#", "https://a.example/../x",
                                         "https://a.example/%2e%2e/", "https://a.example/ä", "https://a.example\\x"}) {
    EXPECT_NE(baseUrlProblem(address), "") << address;
  }
}

}  // namespace
}  // namespace mb::integrations

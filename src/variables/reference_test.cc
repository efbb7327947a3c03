#include "variables/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mb::variables {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(VariableReference, Names) {
  for (const char* name : {"A", "API_URL", "X9_", "A234567890123456789012345678901234567890123456789012345678901234"}) {
    EXPECT_TRUE(isVariableName(name)) << name;
  }
  for (const char* name :
       {"", "a", "9A", "_A", "A-B", "A.B", "Ä", "A2345678901234567890123456789012345678901234567890123456789012345"}) {
    EXPECT_FALSE(isVariableName(name)) << name;
  }
}

TEST(VariableReference, AllOtherTextIsPlain) {
  EXPECT_THAT(namesIn("https://${HOST}/${PATH}?again=${HOST}"), ElementsAre("HOST", "PATH"));
  for (const char* text : {"", "$", "${", "${}", "${a}", "${A", "$A", "{A}", "${A B}", "$${a}", "${A-B}"}) {
    EXPECT_THAT(namesIn(text), IsEmpty()) << text;
    EXPECT_FALSE(holdsReference(text)) << text;
  }
  EXPECT_THAT(namesIn("${${A}"), ElementsAre("A"));
  EXPECT_THAT(namesIn("$${A}}"), ElementsAre("A"));
  EXPECT_TRUE(isReference("${A}"));
  for (const char* text : {"", "A", " ${A}", "${A} ", "${A}${B}"}) EXPECT_FALSE(isReference(text)) << text;
}

TEST(VariableReference, PiecesAreTheWholeText) {
  for (const char* text : {"a${B}c${d}${E}", "${A}${B}", "no", "${X", "${${A}}"}) {
    std::string joined;
    for (const Piece& piece : piecesOf(text)) {
      joined += piece.reference ? "${" + std::string(piece.text) + "}" : std::string(piece.text);
    }
    EXPECT_EQ(joined, text);
  }
}

TEST(VariableReference, TheAuthorityEndsBeforeThePath) {
  struct Case {
    const char *url, *authority;
  };
  for (const auto& [url, authority] : std::vector<Case>{
           {"https://a.example:8443/v1/${P}", "https://a.example:8443"},
           {"https://a.example", "https://a.example"},
           {"https://a.example?x=${A}", "https://a.example"},
           {"${BASE}", "${BASE}"},
           {"${BASE}/v1?to=https://b.example", "${BASE}"},
           {"${BASE}${MORE}/x", "${BASE}${MORE}"},
           {"${BASE}@b.example/x", "${BASE}@b.example"},
           {"${SCHEME}://${HOST}:${PORT}/x", "${SCHEME}://${HOST}:${PORT}"},
           {"https://a.example${X}/y", "https://a.example${X}"},
           {"https://a.example\\${X}", "https://a.example"},
       }) {
    EXPECT_EQ(authorityIn(url), authority) << url;
  }
}

TEST(VariableReference, TheHostOfAnAuthority) {
  for (const char* authority : {"https://a.example:8443", "https://a.example", "a.example:25", "a.example"}) {
    EXPECT_EQ(hostIn(authority), "a.example") << authority;
  }
  EXPECT_EQ(hostIn("http://[::1]:80"), "[::1]");
  EXPECT_EQ(hostIn("http://[::1]"), "[::1]");
  EXPECT_EQ(hostIn(""), "");
}

}  // namespace
}  // namespace mb::variables

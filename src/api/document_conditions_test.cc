#include "api/document_conditions.h"

#include <gtest/gtest.h>

namespace mb::api {
namespace {

http::Request requestWith(std::vector<http::Header> headers) {
  http::Request request;
  request.headers = std::move(headers);
  return request;
}

TEST(DocumentConditions, AreReadFromTheHeaders) {
  const auto none = writeConditionOf(requestWith({{"accept", "*"}}));
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->match || none->noneMatch || none->demandsAbsence());

  const auto both = writeConditionOf(requestWith({{"If-Match", R"("1", W/"2")"}, {"if-none-match", R"(W/"3")"}}));
  ASSERT_TRUE(both);
  // A weak tag never matches in if-match.
  EXPECT_TRUE(both->match->names(1));
  EXPECT_FALSE(both->match->names(2));
  EXPECT_TRUE(both->noneMatch->names(3));
  EXPECT_FALSE(both->demandsAbsence());

  const auto weak = writeConditionOf(requestWith({{"if-match", R"(W/"2")"}}));
  ASSERT_TRUE(weak && weak->match);
  EXPECT_FALSE(weak->match->names(2));
  EXPECT_TRUE(writeConditionOf(requestWith({{"if-none-match", "*"}}))->demandsAbsence());
  EXPECT_FALSE(writeConditionOf(requestWith({{"if-match", "*"}}))->demandsAbsence());
  for (const char* header : {"if-match", "if-none-match"}) {
    const auto malformed = writeConditionOf(requestWith({{header, "abc"}}));
    ASSERT_FALSE(malformed);
    EXPECT_EQ(malformed.error().code(), ErrorCode::invalidParam);
    EXPECT_NE(malformed.error().message().find(header), std::string::npos);
  }
}

TEST(DocumentConditions, ThePreferenceIsFoundAmongOthers) {
  for (const char* value : {"return=representation", "Return=Representation", "return = \"representation\"",
                            "respond-async, return=representation; foo=1", "wait=10,return=representation",
                            "return=representation, return=minimal"}) {
    EXPECT_TRUE(prefersRepresentation(requestWith({{"Prefer", value}}))) << value;
  }
  for (const char* value : {"", "return", "return=minimal", "representation", "return=minimal, return=representation",
                            "x=\"return=representation\"", "return=representations", "foo; return=representation"}) {
    EXPECT_FALSE(prefersRepresentation(requestWith({{"prefer", value}}))) << value;
  }
  EXPECT_TRUE(prefersRepresentation(requestWith({{"prefer", "wait=1"}, {"prefer", "return=representation"}})));
  EXPECT_FALSE(prefersRepresentation(requestWith({})));
}

TEST(DocumentConditions, AVersionIsAStrongTag) {
  http::Response response;
  addVersion(response, data::etagOf(0xABCDEF0123456789));
  const std::vector<std::pair<std::string_view, std::string>> expected = {{"etag", R"("abcdef0123456789")"},
                                                                          {"vary", "authorization"}};
  EXPECT_EQ(response.headers, expected);
  EXPECT_EQ(data::etagOf(0), R"("0")");
}

}  // namespace
}  // namespace mb::api

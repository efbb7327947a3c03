#include "http/conditional.h"

#include <gtest/gtest.h>

namespace mb::http {
namespace {

TEST(Conditional, NotModifiedWhereATagFits) {
  const std::pair<std::string_view, bool> cases[] = {
      {R"("a1")", true},
      {R"(W/"a1")", true},
      {R"("b2", "a1")", true},
      {R"("b2",W/"a1" , "c")", true},
      {"*", true},
      {R"("a")", false},
      {R"("a1,b")", false},
      {R"("x,"a1",")", false},
      {"a1", false},
      {R"("a1)", false},
      {"", false},
      {R"(")", false},
      {R"("b2", "c3")", false},
      {R"("", "a1")", true},
  };
  for (const auto& [value, fits] : cases) {
    Request request;
    request.headers.push_back({"If-None-Match", value});
    EXPECT_EQ(isNotModified(request, R"("a1")"), fits) << value;
    EXPECT_EQ(isNotModified(request, R"(W/"a1")"), fits) << value;
  }
  EXPECT_FALSE(isNotModified(Request(), R"("a1")"));
}

}  // namespace
}  // namespace mb::http

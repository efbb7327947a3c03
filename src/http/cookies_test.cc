#include "http/cookies.h"

#include <gtest/gtest.h>

namespace mb::http {
namespace {

using State = CookieLookup::State;

Request withCookies(std::vector<std::string_view> values) {
  Request request;
  request.headers.push_back({"Host", "localhost"});
  for (const std::string_view value : values) request.headers.push_back({"Cookie", value});
  return request;
}

CookieLookup find(std::string_view header, std::string_view name = "mb") {
  return findCookie(withCookies({header}), name);
}

TEST(Cookies, AreFoundByTheirWholeName) {
  const std::pair<std::string_view, std::string_view> good[] = {
      {"mb=1", "1"},        {"a=b; mb=1", "1"},          {"mb=1; a=b", "1"}, {"a=b;mb=1;c=d", "1"},
      {"\tmb=1 ", "1"},     {"mb=a=b==", "a=b=="},       {"mb=", ""},        {"; ;mb=1;;", "1"},
      {"xmb=2; mb=1", "1"}, {"mbx=2; mb=1; MB=3", "1"},  {"mb=1; mb", "1"},  {"=mb; mb=1", "1"},
      {"mb=!#$~", "!#$~"},  {"other=\"x y\"; mb=1", "1"}};
  for (const auto& [header, value] : good) {
    const CookieLookup lookup = find(header);
    EXPECT_EQ(lookup.state, State::found) << header;
    EXPECT_EQ(lookup.value, value) << header;
  }
}

TEST(Cookies, OthersAreAbsent) {
  for (const std::string_view header : {"", " ", ";", ";;;", "=", "mb", "a=mb", "a=\"mb=1\"", "MB=1", "mbx=1", "xmb=1",
                                        "mb =1", "=mb=1", "m=b=1", "a=1, mb=1"}) {
    EXPECT_EQ(find(header).state, State::absent) << header;
    EXPECT_TRUE(find(header).value.empty()) << header;
  }
  EXPECT_EQ(findCookie(Request(), "mb").state, State::absent);
  Request other;
  other.headers = {{"x-cookie", "mb=1"}, {"set-cookie", "mb=1"}};
  EXPECT_EQ(findCookie(other, "mb").state, State::absent);
}

TEST(Cookies, SeveralOfOneNameAreTrustedNoMoreThanBrokenOnes) {
  for (const std::string_view header : {"mb=1; mb=2", "mb=1; mb=1", "mb=; mb=1", "mb=1;a=b;mb=", "mb=\"1\"", "mb=1 2",
                                        "mb=1,2", "mb=a\\b", "mb=\x7f", "mb=\xc3\xa9", "mb=1; mb=\"2\""}) {
    EXPECT_EQ(find(header).state, State::unusable) << header;
    EXPECT_TRUE(find(header).value.empty()) << header;
  }
  EXPECT_EQ(findCookie(withCookies({"mb=1", "a=b", "mb=2"}), "mb").state, State::unusable);
}

TEST(Cookies, SeveralHeadersAreReadAsOne) {
  const CookieLookup lookup = findCookie(withCookies({"a=b", "mb=1", "c=d"}), "mb");
  EXPECT_EQ(lookup.state, State::found);
  EXPECT_EQ(lookup.value, "1");
}

TEST(Cookies, LongHeadersAreReadToTheirEnd) {
  std::string header = std::string(8 << 10, 'x') + "=1";
  for (int i = 0; i < 1000; ++i) header += "; c" + std::to_string(i) + "=" + std::to_string(i);
  EXPECT_EQ(find(header).state, State::absent);
  EXPECT_EQ(find(header + "; mb=1").value, "1");
  EXPECT_EQ(find("mb=" + std::string(8 << 10, 'y')).value.size(), 8U << 10);
}

}  // namespace
}  // namespace mb::http

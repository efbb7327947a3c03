#include "cli/limit_arguments.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::cli {
namespace {

TEST(LimitArguments, AreReadAsABody) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"vectors=0", R"({"vectors":0})"},
      {"maxProjects=50 vectors=unlimited", R"({"maxProjects":50,"vectors":null})"},
      {" storageBytes=5GiB  realtimeConnections=1 ", R"({"storageBytes":5368709120,"realtimeConnections":1})"},
      {"storageBytes=1KiB", R"({"storageBytes":1024})"},
      {"storageBytes=2MiB", R"({"storageBytes":2097152})"},
      {"storageBytes=1TiB", R"({"storageBytes":1099511627776})"},
      {"storageBytes=9007199254740991", R"({"storageBytes":9007199254740991})"},
      {"functionRunsPerMonth=007 environmentsPerProject=2", R"({"functionRunsPerMonth":7,"environmentsPerProject":2})"},
  };
  for (const auto& [arguments, body] : cases) {
    const auto read = limitsIn(arguments);
    ASSERT_TRUE(read) << arguments << ": " << read.error().message();
    EXPECT_EQ(doc::toJson(*read), body);
  }
}

TEST(LimitArguments, AreRefusedByName) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "give a limit as NAME=VALUE"},
      {"   ", "give a limit as NAME=VALUE"},
      {"vectors", "\"vectors\" is not a limit"},
      {"=1", "there is no limit \"\""},
      {"documents=1", "there is no limit \"documents\": use maxProjects, storageBytes, "},
      {"Vectors=1", "there is no limit \"Vectors\""},
      {"vectors=1 vectors=2", "vectors is given twice"},
      {"vectors=", "vectors cannot be \"\""},
      {"vectors=-1", "vectors cannot be \"-1\""},
      {"vectors=1.5", "vectors cannot be \"1.5\""},
      {"vectors=1e3", "vectors cannot be \"1e3\""},
      {"vectors=+1", "vectors cannot be \"+1\""},
      {"vectors=1GiB", "vectors cannot be \"1GiB\""},
      {"vectors=null", "vectors cannot be \"null\""},
      {"vectors=9007199254740992", "vectors cannot be"},
      {"vectors=99999999999999999999", "vectors cannot be"},
      {"storageBytes=GiB", "storageBytes cannot be \"GiB\""},
      {"storageBytes=1GB", "storageBytes cannot be \"1GB\""},
      {"storageBytes=8192TiB", "storageBytes cannot be"},
  };
  for (const auto& [arguments, message] : cases) {
    const auto read = limitsIn(arguments);
    ASSERT_FALSE(read) << arguments;
    EXPECT_EQ(read.error().code(), ErrorCode::invalidParam);
    EXPECT_NE(read.error().message().find(message), std::string::npos) << read.error().message();
  }
  EXPECT_TRUE(limitsIn("storageBytes=8191TiB"));
}

TEST(LimitArguments, AreShown) {
  EXPECT_EQ(amountOf(plans::Limit::vectors, 1000000), "1,000,000");
  EXPECT_EQ(amountOf(plans::Limit::vectors, std::nullopt), "unlimited");
  EXPECT_EQ(amountOf(plans::Limit::storageBytes, 1 << 30), "1.0 GiB");
  EXPECT_EQ(amountOf(plans::Limit::storageBytes, 5), "5 B");
}

TEST(LimitArguments, PricesAreNotNegative) {
  EXPECT_EQ(*priceIn("25"), 25);
  EXPECT_EQ(*priceIn("24.5"), 24.5);
  EXPECT_EQ(*priceIn("0"), 0);
  for (const char* wrong : {"", "-1", "a", "1,5", "1e3", "nan", "inf", "1000000001", "25 USD"}) {
    EXPECT_FALSE(priceIn(wrong)) << wrong;
  }
}

TEST(LimitArguments, DaysAreThoseOfTheCalendar) {
  EXPECT_TRUE(checkDays("2026-01-31", "2026-01-31"));
  EXPECT_TRUE(checkDays("2024-02-29", "2026-12-01"));
  for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
           {"2026-02-29", "2026-03-01"},
           {"2026-03-02", "2026-03-01"},
           {"2026-1-1", "2026-03-01"},
           {"2026-03-01", "tomorrow"},
           {"2026-03-01", "2026-13-01"},
           {"2026-03-01", "2026-03-0a"},
           {"", ""},
           {"2026/03/01", "2026-03-01"},
       }) {
    const auto checked = checkDays(from, to);
    ASSERT_FALSE(checked) << from << " " << to;
    EXPECT_EQ(checked.error().code(), ErrorCode::invalidParam);
  }
}

}  // namespace
}  // namespace mb::cli

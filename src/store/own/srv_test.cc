#include "store/own/srv.h"

#include <gtest/gtest.h>

namespace mb::store::own {
namespace {

// "a.example.com" as labels.
std::string labels(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::string_view label = name.substr(0, name.find('.'));
    out += static_cast<char>(label.size());
    out += label;
    name.remove_prefix(std::min(name.size(), label.size() + 1));
  }
  return out + '\0';
}
std::string number(int value) {
  return {static_cast<char>(value >> 8), static_cast<char>(value & 0xFF)};
}
std::string record(int type, const std::string& data) {
  return labels("x.example.com") + number(type) + number(1) + std::string(4, '\0') +
         number(static_cast<int>(data.size())) + data;
}
std::string srv(std::string_view target, int port) {
  return record(33, number(0) + number(0) + number(port) + labels(target));
}
std::string txt(const std::string& text) {
  return record(16, static_cast<char>(text.size()) + text);
}
std::vector<unsigned char> response(const std::vector<std::string>& records) {
  std::string out =
      number(1) + number(0x8180) + number(0) + number(static_cast<int>(records.size())) + number(0) + number(0);
  for (const std::string& each : records) out += each;
  return {out.begin(), out.end()};
}

AddressParts partsOf(const std::string& text) {
  auto parts = splitAddress(text);
  EXPECT_TRUE(parts) << text;
  return *std::move(parts);
}

TEST(Srv, ReadsTheRecordsOfAResponse) {
  const auto seeds = parseRecords(response({srv("Db1.example.com", 27018), srv("db2.example.com", 27017),
                                            txt("replicaSet=rs0"), record(5, labels("other.example.com"))}));
  ASSERT_TRUE(seeds);
  ASSERT_EQ(seeds->hosts.size(), 2U);
  EXPECT_EQ(seeds->hosts[0].name, "db1.example.com");
  EXPECT_EQ(seeds->hosts[0].port, 27018);
  EXPECT_EQ(seeds->texts, std::vector<std::string>{"replicaSet=rs0"});
}

TEST(Srv, RefusesMalformedResponses) {
  const std::vector<unsigned char> whole = response({srv("db1.example.com", 27018)});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parseRecords(std::span(whole).first(size))) << size;
  }
  EXPECT_FALSE(parseRecords(response({record(33, number(0) + number(0) + number(1))})));
  EXPECT_FALSE(parseRecords(response({record(16,
                                             "\x05"
                                             "abc")})));
  EXPECT_FALSE(parseRecords(response({record(33, std::string(6, '\0') + "\xC0\xFF")})));
}

TEST(Srv, HostsTakeThePlaceOfTheName) {
  const auto parts = withSeeds(partsOf("mongodb+srv://u:p@cluster.example.com/shop?authSource=own"),
                               {{{"a.example.com", 1}, {"b.c.example.com", 2}}, {"authSource=admin&replicaSet=rs0"}});
  ASSERT_TRUE(parts);
  EXPECT_EQ(uriOf(*parts, true).substr(0, 91),
            "mongodb://u:p@a.example.com:1,b.c.example.com:2/shop?authSource=own&replicaSet=rs0&tls=true");
}

TEST(Srv, RefusesHostsOfOtherDomainsAndOptionsOfOthers) {
  const AddressParts parts = partsOf("mongodb+srv://cluster.example.com/shop");
  const std::vector<Host> good = {{"a.example.com", 1}};
  EXPECT_TRUE(withSeeds(parts, {good, {}}));
  EXPECT_TRUE(withSeeds(parts, {good, {"loadBalanced=false"}}));
  const std::vector<Seeds> refused = {{{}, {}},
                                      {{{"a.example.org", 1}}, {}},
                                      {{{"example.com", 1}}, {}},
                                      {{{"aexample.com", 1}}, {}},
                                      {{{"a.example.com", 0}}, {}},
                                      {{{"a.example.com", 1}, {"localhost", 1}}, {}},
                                      {std::vector<Host>(kMaxHosts + 1, {"a.example.com", 1}), {}},
                                      {good, {"authSource=a", "replicaSet=b"}},
                                      {good, {"tls=false"}},
                                      {good, {"loadBalanced=true"}},
                                      {good, {"tlsInsecure=true"}},
                                      {good, {"nothing"}}};
  for (const Seeds& seeds : refused) {
    const auto got = withSeeds(parts, seeds);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().message(), kNotReached);
  }
}

}  // namespace
}  // namespace mb::store::own

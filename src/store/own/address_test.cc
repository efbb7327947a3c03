#include "store/own/address.h"

#include <gtest/gtest.h>

#include "store/own/testing.h"

namespace mb::store::own {
namespace {

const LoopbackGuard kGuard;

// The text of the error, after a look at its form.
std::string refusal(const std::string& text) {
  const auto parsed = parseAddress(text, kGuard);
  if (parsed) return "taken: " + parsed->uri;
  EXPECT_EQ(parsed.error().code(), ErrorCode::validation);
  EXPECT_EQ(parsed.error().details().size(), 1U);
  EXPECT_EQ(parsed.error().details().front().path, "/mongoUrl");
  EXPECT_EQ(parsed.error().details().front().message, parsed.error().message());
  EXPECT_EQ(parsed.error().cause(), "");
  return parsed.error().message();
}

std::string withOption(const std::string& option) {
  return "mongodb://127.0.0.1/shop?" + option;
}

TEST(Address, HoldsWhatTheDriverNeeds) {
  const auto address = parseAddress(
      "mongodb://us%40er:p%3Ass%2F@127.0.0.1:27018,127.0.0.2/sh%2Dop?replicaSet=rs0&authSource=admin&appName=x",
      kGuard);
  ASSERT_TRUE(address) << address.error().message();
  EXPECT_EQ(address->database, "sh-op");
  EXPECT_FALSE(address->hasTls);
  ASSERT_EQ(address->hosts.size(), 2U);
  EXPECT_EQ(address->hosts[0].name, "127.0.0.1");
  EXPECT_EQ(address->hosts[0].port, 27018);
  EXPECT_EQ(address->hosts[1].port, 27017);
  EXPECT_EQ(address->uri,
            "mongodb://us%40er:p%3Ass%2F@127.0.0.1:27018,127.0.0.2:27017/sh-op?authSource=admin&replicaSet=rs0"
            "&tls=false&retryWrites=true&serverSelectionTryOnce=false&serverSelectionTimeoutMS=2000"
            "&connectTimeoutMS=3000&socketTimeoutMS=10000");
}

TEST(Address, TakesTheListedOptions) {
  for (const char* option :
       {"authSource=admin", "replicaSet=rs0", "tls=true", "ssl=true", "tls=true&ssl=true",
        "appName=", "retryWrites=true", "w=majority", "readPreference=primary", "directConnection=true",
        "directConnection=false", "loadBalanced=false", "RETRYWRITES=true", "", "retryWrites=true&", "tls=false"}) {
    EXPECT_TRUE(parseAddress(withOption(option), kGuard)) << option;
  }
  EXPECT_TRUE(parseAddress("mongodb://u:p@127.0.0.1/shop?authMechanism=SCRAM-SHA-1", kGuard));
  EXPECT_TRUE(parseAddress("mongodb://u:p@127.0.0.1/shop?authMechanism=SCRAM-SHA-256", kGuard));
  EXPECT_TRUE(parseAddress("mongodb://u:p@127.0.0.1/shop?authMechanism=PLAIN&tls=true", kGuard));
}

TEST(Address, RefusesAnyOtherOptionByItsName) {
  for (const char* name : {"tlsInsecure",
                           "tlsAllowInvalidCertificates",
                           "tlsAllowInvalidHostnames",
                           "tlsCAFile",
                           "tlsCertificateKeyFile",
                           "tlsCertificateKeyFilePassword",
                           "tlsDisableOCSPEndpointCheck",
                           "proxyHost",
                           "proxyPort",
                           "compressors",
                           "zlibCompressionLevel",
                           "journal",
                           "wtimeoutMS",
                           "readConcernLevel",
                           "readPreferenceTags",
                           "maxStalenessSeconds",
                           "maxPoolSize",
                           "minPoolSize",
                           "connectTimeoutMS",
                           "socketTimeoutMS",
                           "serverSelectionTimeoutMS",
                           "heartbeatFrequencyMS",
                           "localThresholdMS",
                           "retryReads",
                           "srvMaxHosts",
                           "authMechanismProperties",
                           "gssapiServiceName",
                           "uuidRepresentation",
                           "sslClientCertificateKeyFile",
                           "safe",
                           "nothingKnown"}) {
    EXPECT_EQ(refusal(withOption(std::string(name) + "=true")),
              "the option \"" + std::string(name) + "\" is not allowed");
  }
}

TEST(Address, RefusesOtherValuesWithoutShowingThem) {
  for (const auto& [name, value] : {std::pair("w", "1"),
                                    {"w", "0"},
                                    {"retryWrites", "false"},
                                    {"readPreference", "secondary"},
                                    {"tls", "yes"},
                                    {"ssl", ""},
                                    {"loadBalanced", "true"},
                                    {"directConnection", "1"},
                                    {"authSource", ""},
                                    {"replicaSet", ""},
                                    {"authMechanism", "MONGODB-X509"},
                                    {"authMechanism", "GSSAPI"},
                                    {"authMechanism", "MONGODB-AWS"},
                                    {"authMechanism", "SCRAM-SHA-256"},
                                    {"srvServiceName", "mongodb"},
                                    {"authSource", "a%0A"},
                                    {"authSource", "%zz"},
                                    {"authSource", "a?b"}}) {
    EXPECT_EQ(refusal(withOption(std::string(name) + "=" + value)),
              "the option \"" + std::string(name) + "\" is not allowed")
        << value;
  }
  EXPECT_EQ(refusal("mongodb://u:p@127.0.0.1/shop?authMechanism=PLAIN"), "the option \"authMechanism\" is not allowed");
  EXPECT_EQ(refusal("mongodb://127.0.0.1,127.0.0.2/shop?directConnection=true"),
            "the option \"directConnection\" is not allowed");
  EXPECT_EQ(refusal(withOption("tls=true&ssl=false")), "the option \"ssl\" is not allowed");
  EXPECT_EQ(refusal(withOption("w=majority&w=majority")), "the option \"w\" is not allowed");
}

TEST(Address, RefusesWhatIsNoConnectionString) {
  std::string hosts = "127.0.0.1";
  for (int i = 1; i < 20; ++i) hosts += ",127.0.0.1:" + std::to_string(i);
  EXPECT_TRUE(parseAddress("mongodb://" + hosts + "/shop", kGuard));
  const std::string start = "mongodb://127.0.0.1/shop?appName=";
  EXPECT_TRUE(parseAddress(start + std::string(kMaxAddress - start.size(), 'a'), kGuard));
  const std::vector<std::string> addresses = {
      "",
      "mongodb",
      "http://127.0.0.1/shop",
      "MONGODB://127.0.0.1/shop",
      "mongodb:/127.0.0.1/shop",
      "mongodb:///shop",
      "mongodb://,127.0.0.1/shop",
      "mongodb://127.0.0.1,/shop",
      "mongodb://127.0.0.1:/shop",
      "mongodb://127.0.0.1:0/shop",
      "mongodb://127.0.0.1:65536/shop",
      "mongodb://127.0.0.1:99999999999999/shop",
      "mongodb://127.0.0.1:-1/shop",
      "mongodb://127.0.0.1:+1/shop",
      "mongodb://127.0.0.1:1x/shop",
      "mongodb://127.0.0.1:1:2/shop",
      "mongodb://:27017/shop",
      "mongodb://[]/shop",
      "mongodb://[::1/shop",
      "mongodb://[::1]x/shop",
      "mongodb://[fe80::1%25eth0]/shop",
      "mongodb://[localhost]/shop",
      "mongodb://::1/shop",
      "mongodb://%2Ftmp%2Fmongodb-27017.sock/shop",
      "mongodb:///mongodb-27017.sock/shop",
      "mongodb://a b/shop",
      "mongodb://127.0.0.1/shop\n",
      "mongodb://h\xC3\xA4user/shop",
      "mongodb://@127.0.0.1/shop",
      "mongodb://:p@127.0.0.1/shop",
      "mongodb://u:p@ss@127.0.0.1/shop",
      "mongodb://u:p:q@127.0.0.1/shop",
      "mongodb://u:p/q@127.0.0.1/shop",
      "mongodb://u:p?q@127.0.0.1/shop",
      "mongodb://u:p%@127.0.0.1/shop",
      "mongodb://u:p%4@127.0.0.1/shop",
      "mongodb://u:p%FF@127.0.0.1/shop",
      "mongodb://u:p%00@127.0.0.1/shop",
      "mongodb://127.0.0.1/sh/op",
      "mongodb://127.0.0.1/sh.op",
      "mongodb://127.0.0.1/sh%20op",
      "mongodb://127.0.0.1/sh%00op",
      "mongodb://127.0.0.1/$shop",
      "mongodb://127.0.0.1/" + std::string(64, 'd'),
      withOption("tls"),
      withOption("=true"),
      withOption("secret@host=1"),
      "mongodb://" + hosts + ",127.0.0.1/shop",
      start + std::string(kMaxAddress + 1 - start.size(), 'a'),
      "mongodb+srv://a.example.com:27017/shop",
      "mongodb+srv://a.example.com,b.example.com/shop",
      "mongodb+srv://example.com/shop",
      "mongodb+srv://[::1]/shop",
  };
  for (const std::string& address : addresses) EXPECT_EQ(refusal(address), kNotAnAddress) << address;
  EXPECT_EQ(refusal("mongodb+srv://a.example.com/shop?directConnection=true"),
            "the option \"directConnection\" is not allowed");
}

TEST(Address, NeedsADatabaseThatIsNotTheServersOwn) {
  for (const char* end : {"", "/", "/?tls=true", "?tls=true", "/admin", "/local", "/config", "/Admin", "/%61dmin"}) {
    EXPECT_EQ(refusal("mongodb://127.0.0.1" + std::string(end)), kNamesNoDatabase) << end;
  }
}

TEST(Address, NeedsTlsOutsideListedNetworks) {
  for (const char* hosts : {"8.8.8.8", "127.0.0.1,8.8.8.8", "nothing.invalid", "8.8.8.8:1"}) {
    EXPECT_EQ(refusal("mongodb://" + std::string(hosts) + "/shop"), kNeedsTls) << hosts;
    EXPECT_EQ(refusal("mongodb://" + std::string(hosts) + "/shop?tls=false"), kNeedsTls) << hosts;
    const auto address = parseAddress("mongodb://" + std::string(hosts) + "/shop?tls=true", kGuard);
    ASSERT_TRUE(address) << hosts;
    EXPECT_TRUE(address->hasTls);
    EXPECT_TRUE(address->uri.contains("tls=true"));
  }
}

TEST(Address, RefusesNumbersThatTheGuardDoesNotPermit) {
  for (const char* host : {"10.0.0.1", "10.1", "0xa000001", "167772161", "012.0.0.1", "[::1]", "[::ffff:10.0.0.1]",
                           "0.0.0.0", "127.0.0.1,10.0.0.1"}) {
    for (const char* option : {"", "?tls=true"}) {
      EXPECT_EQ(refusal("mongodb://" + std::string(host) + "/shop" + option), kForbiddenAddress) << host;
    }
  }
}

TEST(Address, ANameWithoutRecordsCannotBeReached) {
  EXPECT_EQ(refusal("mongodb+srv://a.nothing.invalid/shop"), kNotReached);
}

}  // namespace
}  // namespace mb::store::own

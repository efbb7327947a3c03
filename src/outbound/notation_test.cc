// Each notation of an address that a guarded call must not reach has a test: as a URL, as a redirect, and as the result
// of name resolution.
#include <netdb.h>

#include <map>

#include "outbound/client_fixture.h"

namespace mb::outbound {
namespace {

// The addresses that names of the tests resolve to, one result per lookup, the last one repeated. All other names
// resolve to nothing, so that no test queries a real server.
class Names {
 public:
  using Addresses = std::vector<std::string>;
  void set(std::string name, std::vector<Addresses> results) {
    const std::scoped_lock lock(mutex_);
    results_[std::move(name)] = std::move(results);
  }
  std::optional<Addresses> take(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    const auto found = results_.find(name);
    if (found == results_.end()) return std::nullopt;
    Addresses result = found->second.front();
    if (found->second.size() > 1) found->second.erase(found->second.begin());
    return result;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<Addresses>> results_;
};
Names& names() {
  static Names all;
  return all;
}

struct Form {
  const char* name;
  const char* host;
};
void PrintTo(const Form& form, std::ostream* out) {
  *out << form.host;
}

constexpr Form kForms[] = {
    {"LoopbackByName", "localhost"},
    {"LoopbackByNameInCapitals", "LOCALHOST"},
    {"LoopbackByNameWithDot", "localhost."},
    {"LoopbackLiteral", "127.0.0.1"},
    {"LoopbackLiteralWithDot", "127.0.0.1."},
    {"LoopbackOther", "127.8.9.10"},
    {"LoopbackLast", "127.255.255.255"},
    {"ShortOfTwo", "127.1"},
    {"ShortOfThree", "127.0.1"},
    {"Decimal", "2130706433"},
    {"Hex", "0x7f000001"},
    {"HexCapitals", "0X7F000001"},
    {"HexParts", "0x7f.0x0.0x0.0x1"},
    {"HexShort", "0x7f.1"},
    {"Octal", "017700000001"},
    {"OctalParts", "0177.0000.0000.0001"},
    {"OctalShort", "0177.1"},
    {"Mixed", "0177.0x0.1"},
    {"PercentEncoded", "%31%32%37.0.0.1"},
    {"FullWidthDigit", "1\uFF127.0.0.1"},
    {"FullWidthDot", "127\u30020\u30020\u30021"},
    {"CircledDigits", "\u2460\u2461\u2466.0.0.1"},
    {"Zero", "0"},
    {"Unspecified", "0.0.0.0"},
    {"ThisNetwork", "0.1.2.3"},
    {"Private10", "10.0.0.1"},
    {"Private10Decimal", "167772161"},
    {"Private172", "172.16.0.1"},
    {"Private172Last", "172.31.255.255"},
    {"Private192", "192.168.0.1"},
    {"SharedCgnat", "100.64.0.1"},
    {"LinkLocal", "169.254.0.1"},
    {"Metadata", "169.254.169.254"},
    {"MetadataDecimal", "2852039166"},
    {"MetadataHex", "0xa9fea9fe"},
    {"MetadataAzure", "168.63.129.16"},
    {"MetadataAlibaba", "100.100.100.200"},
    {"MetadataV6", "[fd00:ec2::254]"},
    {"ProtocolAssignments", "192.0.0.170"},
    {"Documentation", "203.0.113.1"},
    {"Benchmarking", "198.18.0.1"},
    {"RelayAnycast", "192.88.99.1"},
    {"Multicast", "224.0.0.1"},
    {"MulticastLast", "239.255.255.255"},
    {"Reserved", "240.0.0.1"},
    {"Broadcast", "255.255.255.255"},
    {"LoopbackV6", "[::1]"},
    {"LoopbackV6Long", "[0000:0000:0000:0000:0000:0000:0000:0001]"},
    {"UnspecifiedV6", "[::]"},
    {"MappedDotted", "[::ffff:127.0.0.1]"},
    {"MappedHex", "[::ffff:7f00:1]"},
    {"MappedLong", "[0:0:0:0:0:ffff:127.0.0.1]"},
    {"MappedPublic", "[::ffff:8.8.8.8]"},
    {"Compatible", "[::127.0.0.1]"},
    {"Translated", "[::ffff:0:127.0.0.1]"},
    {"Nat64", "[64:ff9b::127.0.0.1]"},
    {"Nat64Hex", "[64:ff9b::7f00:1]"},
    {"Nat64Local", "[64:ff9b:1::7f00:1]"},
    {"SixToFour", "[2002:7f00:1::]"},
    {"Teredo", "[2001:0:7f00:1::]"},
    {"UniqueLocal", "[fc00::1]"},
    {"UniqueLocalUsed", "[fd12:3456::1]"},
    {"SiteLocal", "[fec0::1]"},
    {"LinkLocalV6", "[fe80::1]"},
    {"LinkLocalV6Zone", "[fe80::1%25lo]"},
    {"LoopbackV6Zone", "[::1%25lo]"},
    {"DocumentationV6", "[2001:db8::1]"},
    {"Discard", "[100::1]"},
    {"MulticastV6", "[ff02::1]"},
    {"UserInfo", "example.com@127.0.0.1"},
    {"UserInfoWithPassword", "example.com:80@127.0.0.1"},
    {"UserInfoEncoded", "example.com%40@127.0.0.1"},
};

class NotationTest : public ClientFixture, public ::testing::WithParamInterface<Form> {
 protected:
  // The call fails without a connection to the server and without a timeout.
  void expectUnreached(const Result<Response>& result) {
    const std::string outcome = ClientFixture::outcome(result);
    EXPECT_TRUE(outcome == "refused" || outcome == "failed") << outcome;
    EXPECT_EQ(server_.connections(), 0u);
  }
  const HttpServer server_{[](const ReceivedRequest&) { return ok(); }};
};

TEST_P(NotationTest, IsNotReached) {
  open();
  expectUnreached(get(server_.url("/", GetParam().host)));
}

TEST_P(NotationTest, IsNotReachedByARedirect) {
  const HttpServer front([&](const ReceivedRequest&) { return redirect(302, server_.url("/", GetParam().host)); },
                         nullptr, "127.0.0.7");
  open({"127.0.0.7"});
  Request request = requestTo(front.url("/", "127.0.0.7"));
  request.maxRedirects = 3;
  expectUnreached(send(request));
  EXPECT_EQ(front.connections(), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, NotationTest, ::testing::ValuesIn(kForms),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- names, as they resolve

class NameTest : public ClientFixture {
 protected:
  const HttpServer hidden_{[](const ReceivedRequest&) { return ok(); }};
  const HttpServer seen_{[](const ReceivedRequest&) { return ok(); }, nullptr, "127.0.0.7"};
};

TEST_F(NameTest, ThatLeadInsideAreNotReached) {
  for (const char* address : {"127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1", "0.0.0.0"}) {
    open({"127.0.0.7"});  // a new client: libcurl caches results of name resolution
    names().set("inside.test", {{address}});
    EXPECT_EQ(outcome(get(hidden_.url("/", "inside.test"))), "refused") << address;
  }
  EXPECT_EQ(hidden_.connections(), 0u);
}

TEST_F(NameTest, OfSeveralAddressesOnlyTheAllowedOnesAreTried) {
  open({"127.0.0.7"});
  names().set("mixed.test", {{"127.0.0.1", "127.0.0.7"}, {"127.0.0.7", "127.0.0.1"}});
  EXPECT_EQ(outcome(get(seen_.url("/", "mixed.test"))), "200");
  EXPECT_EQ(seen_.connections(), 1u);
  EXPECT_EQ(hidden_.connections(), 0u);
}

// The address that is checked is the one that is connected to: there is no second lookup in between.
TEST_F(NameTest, ChangingResultsDoNotBypassTheRule) {
  for (const bool allowedFirst : {true, false}) {
    open({"127.0.0.7"});
    names().set("turn.test", allowedFirst ? std::vector<Names::Addresses>{{"127.0.0.7"}, {"127.0.0.1"}}
                                          : std::vector<Names::Addresses>{{"127.0.0.1"}, {"127.0.0.7"}});
    // No server listens at that port of the allowed address.
    EXPECT_EQ(outcome(get(hidden_.url("/", "turn.test"))), allowedFirst ? "failed" : "refused");
  }
  EXPECT_EQ(hidden_.connections(), 0u);
}

TEST_F(NameTest, ARedirectResolvesAgain) {
  const HttpServer front([&](const ReceivedRequest&) { return redirect(307, hidden_.url("/", "turn.test")); }, nullptr,
                         "127.0.0.7");
  open({"127.0.0.7"});
  names().set("turn.test", {{"127.0.0.7"}, {"127.0.0.1"}});
  Request request = requestTo(front.url("/", "turn.test"));
  request.maxRedirects = 3;
  EXPECT_EQ(outcome(send(request)), "refused");
  EXPECT_EQ(front.connections(), 1u);
  EXPECT_EQ(hidden_.connections(), 0u);
}

}  // namespace
}  // namespace mb::outbound

// Replaces the C library's resolver for libcurl in this program: returns a list of addresses, each allocated
// separately.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** out) {
  std::vector<std::string> addresses;
  const std::string host = name == nullptr ? "" : name;
  if (auto result = mb::outbound::names().take(host)) {
    addresses = *std::move(result);
  } else if (host == "localhost" || host == "LOCALHOST" || host == "localhost.") {
    addresses = {"127.0.0.1", "::1"};
  } else {
    addresses = {host};
  }
  *out = nullptr;
  addrinfo** last = out;
  for (const std::string& text : addresses) {
    sockaddr_storage address{};
    auto& four = reinterpret_cast<sockaddr_in&>(address);
    auto& six = reinterpret_cast<sockaddr_in6&>(address);
    const uint16_t port = htons(static_cast<uint16_t>(service == nullptr ? 0 : std::atoi(service)));
    socklen_t size = 0;
    if (::inet_aton(text.c_str(), &four.sin_addr) != 0) {
      four.sin_family = AF_INET;
      four.sin_port = port;
      size = sizeof four;
    } else if (::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1) {
      six.sin6_family = AF_INET6;
      six.sin6_port = port;
      size = sizeof six;
    } else {
      continue;
    }
    if (hints != nullptr && hints->ai_family != AF_UNSPEC && hints->ai_family != address.ss_family) continue;
    auto* entry = static_cast<addrinfo*>(std::calloc(1, sizeof(addrinfo) + sizeof(sockaddr_storage)));
    entry->ai_family = address.ss_family;
    entry->ai_socktype = hints == nullptr ? SOCK_STREAM : hints->ai_socktype;
    entry->ai_protocol = IPPROTO_TCP;
    entry->ai_addrlen = size;
    entry->ai_addr = reinterpret_cast<sockaddr*>(entry + 1);
    std::memcpy(entry->ai_addr, &address, sizeof address);
    *last = entry;
    last = &entry->ai_next;
  }
  return *out == nullptr ? EAI_NONAME : 0;
}

extern "C" void freeaddrinfo(addrinfo* all) {
  while (all != nullptr) {
    addrinfo* next = all->ai_next;
    std::free(all);
    all = next;
  }
}

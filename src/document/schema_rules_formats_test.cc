// JSON Schema 2020-12, "A Vocabulary for Structural Validation" 7.3: each format by its document. All of them apply to
// strings only.
#include "document/testing.h"

namespace mb::doc {
namespace {

// A format with strings that have it and strings that do not, as JSON text.
struct Written {
  std::string format;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

void PrintTo(const Written& written, std::ostream* out) {
  *out << written.format;
}

class SchemaFormats : public testing::TestWithParam<Written> {};

TEST_P(SchemaFormats, ValidatesStrings) {
  const auto quoted = [](const std::vector<std::string>& texts) {
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back("\"" + text + "\"");
    return quoted;
  };
  auto good = quoted(GetParam().good);
  good.insert(good.end(), {"null", "12", "1.5", "false", "[]", "{}"});
  auto bad = quoted(GetParam().bad);
  bad.emplace_back("\"\"");
  expectSample({R"({"format":")" + GetParam().format + "\"}", std::move(good), std::move(bad)});
}

// RFC 3339, 5.6 and 5.7.
INSTANTIATE_TEST_SUITE_P(
    Times, SchemaFormats,
    testing::Values(
        Written{"date-time",
                {"2023-05-06T07:08:09Z", "2023-05-06t07:08:09z", "2023-05-06T07:08:09.25+05:30",
                 "0000-02-29T00:00:00-23:59", "2016-12-31T23:59:60Z", "2016-12-31T15:59:60.9-08:00",
                 "2023-05-06T07:08:09.0123456789012Z"},
                {"2023-05-06 07:08:09Z",      "2023-05-06T07:08:09",       "2023-05-06T24:00:00Z",
                 "2023-05-06T07:60:09Z",      "2023-05-06T07:08:61Z",      "2016-12-31T22:59:60Z",
                 "2016-12-31T23:58:60Z",      "2023-13-06T07:08:09Z",      "2023-02-29T07:08:09Z",
                 "2023-05-06T07:08:09+24:00", "2023-05-06T07:08:09+01:60", "2023-05-06T07:08:09.Z",
                 "2023-05-06T07:08Z",         "23-05-06T07:08:09Z",        "2023-05-06T07:08:09ZZ",
                 "2023-126T07:08:09Z",        "+2023-05-06T07:08:09Z",     "2023-05-0\\u09EAT07:08:09Z",
                 "2023-05-06T07:08:09+0530",  " 2023-05-06T07:08:09Z"}},
        Written{"date",
                {"1999-12-31", "2000-02-29", "2024-02-29", "0001-01-01"},
                {"1900-02-29", "2023-02-29", "2023-04-31", "2023-00-10", "2023-10-00", "2023-13-01", "2023-1-01",
                 "2023-01-1", "20230101", "2023-W01-1", "2023-001", "06/07/2023", "2023-01-01T", "2023-01-\\u09E80"}},
        Written{"time",
                {"00:00:00Z", "23:59:59z", "08:30:06.283185Z", "12:00:00+23:59", "12:00:00-00:00", "23:59:60Z",
                 "01:29:60+01:30", "15:59:60-08:00", "00:29:60+00:30"},
                {"24:00:00Z", "00:60:00Z", "00:00:61Z", "08:30:06", "08:30Z", "8:30:06Z", "08:30:6Z", "22:59:60Z",
                 "23:58:60Z", "23:59:60+01:00", "08:30:06 PST", "08:30:06+8:00", "08:30:06+24:00", "08:30:06-08:60",
                 "08:30:06#00:20", "01:01:01,1111Z", "12:00:00.Z", "1\\u09E8:00:00Z"}}));

// RFC 5321, 4.1.2: Mailbox.
INSTANTIATE_TEST_SUITE_P(Mail, SchemaFormats,
                         testing::Values(Written{"email",
                                                 {"ada@example.org", "a.d-a+tag@sub.example.org", "~ada~@example.org",
                                                  "a'b@example.org", "te.s.t@example.org",
                                                  R"(\"ada lovelace\"@example.org)", R"(\"ada..lovelace\"@example.org)",
                                                  R"(\"ada@home\"@example.org)", R"(\"a\\\"da\"@example.org)",
                                                  "ada@[127.0.0.1]", "ada@[IPv6:::1]", "ada@localhost", "1@2.example"},
                                                 {"2962",
                                                  "ada",
                                                  "@example.org",
                                                  "ada@",
                                                  ".ada@example.org",
                                                  "ada.@example.org",
                                                  "a..da@example.org",
                                                  "ada lovelace@example.org",
                                                  "ada@exam_ple.org",
                                                  "ada@invalid=domain",
                                                  "ada@-example.org",
                                                  "ada@example..org",
                                                  "ada@[127.0.0.300]",
                                                  "ada@[::1]",
                                                  "ada@[127.0.0.1",
                                                  "ada@example.org,eve@example.org",
                                                  R"(\"Ada\" <ada@example.org>)",
                                                  R"(\"ada@example.org)",
                                                  R"(\"a\"da\"@example.org)",
                                                  "ada@example.org\\u0000"}}));

// RFC 3986, 3: a URI, not a reference.
INSTANTIATE_TEST_SUITE_P(Uris, SchemaFormats,
                         testing::Values(Written{
                             "uri",
                             {"http://example.org", "http://example.org:8080/a/b;c=1?q=%20#frag",
                              "https://user:pass@example.org/", "http://-.~_!$&'()*+,;=:%40@example.org",
                              "http://1337.example", "http://223.255.255.254", "ftp://ftp.example.org/rfc.txt",
                              "ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:ada@example.org", "news:comp.lang",
                              "tel:+1-201-555-0123", "urn:oasis:names:tc", "file:///etc/hosts", "a:", "http:?q"},
                             {"//example.org/a",
                              "/a/b",
                              "abc",
                              "?q",
                              "#f",
                              "http:// example.org",
                              "http://exa mple.org",
                              "://example.org",
                              "bar,baz:x",
                              "1http://example.org",
                              R"(\\\\SERVER\\share)",
                              "http://[::1",
                              "http://[zz]/",
                              "http://a/%zz",
                              "http://a/b<c>",
                              "http://a/{b}",
                              "http://a/b^c",
                              "http://a/b|c",
                              R"(http://a/\"b\")",
                              "http://a/`b`",
                              "http://a/ä",
                              "http://a\\nb"}}));

// RFC 4122, 3.
INSTANTIATE_TEST_SUITE_P(Uuids, SchemaFormats,
                         testing::Values(Written{
                             "uuid",
                             {"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
                              "00000000-0000-0000-0000-000000000000", "99c17cbb-656f-f64a-940f-1a4568f03487"},
                             {"2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4aa-73b441d163800",
                              "2eb8aa08-aa98-11ea-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380",
                              "2eb8aa08aa98-11ea-b4aa73b441d16380-", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
                              "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
                              "urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380"}}));

// RFC 2673, 3.2 (dotted quad) and RFC 4291, 2.2.
INSTANTIATE_TEST_SUITE_P(Addresses, SchemaFormats,
                         testing::Values(Written{"ipv4",
                                                 {"192.168.0.1", "0.0.0.0", "255.255.255.255"},
                                                 {"127.0.0.0.1", "256.1.1.1", "127.0.1", "2130706433", "0x7f000001",
                                                  "087.10.0.1", "1.2.3.4/24", "1.2.3.-4", " 1.2.3.4", "1.2.3.4 ",
                                                  "1.2.3.4\\u0000", "1.2.3.\\u09E8", "::1"}},
                                         Written{
                                             "ipv6",
                                             {"::", "::1", "2001:db8::ff00:42:8329", "1:2:3:4:5:6:7:8",
                                              "::ffff:192.168.0.1", "1::d6:192.168.0.1", "ABCD::EF", "1:2:3:4:5:6:7::"},
                                             {"12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", ":2:3:4:5:6:7:8",
                                              "1:2:3:4:5:6:7:", "1::2::3", ":::1", "::laptop", "1:2:3:4:5:6:1.2.3",
                                              "::ffff:192.168.256.1", "fe80::a%eth1", "fe80::/64", " ::1", "::1 ",
                                              "127.0.0.1", "::1\\u0000"}}));

TEST(SchemaFormatNames, AreAListOfTheirOwn) {
  for (const char* name : {"hostname", "iri", "regex", "duration", "Date", ""}) {
    EXPECT_FALSE(Schema::compile(fromJson(fmt::format(R"({{"properties":{{"v":{{"format":"{}"}}}}}})", name)))) << name;
  }
}

}  // namespace
}  // namespace mb::doc

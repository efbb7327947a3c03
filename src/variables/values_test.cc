#include "variables/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mb::variables {
namespace {

using ::testing::HasSubstr;

class ValuesTest : public ::testing::Test {
 protected:
  ValuesTest() {
    initCrypto();
    plain("HOST", "api.example.com");
    plain("BASE", "https://api.example.com/v1");
    plain("LINES", "a\nb");
    plain("EMPTY", "");
    plain("LONG", std::string(8 << 10, 'x'));
    table_.byName["NONE"] = {"NONE", false, std::nullopt, "", {}};
    table_.byName["UNSET"] = {"UNSET", true, std::nullopt, "", {}};
    table_.byName["TOKEN"] = {
        "TOKEN", true, std::nullopt, toBase64(master_.seal("s3cret", sealContext("proj_a", "TOKEN"))), {}};
    // Of another project: it cannot be opened here.
    table_.byName["FOREIGN"] = {
        "FOREIGN", true, std::nullopt, toBase64(master_.seal("other", sealContext("proj_b", "FOREIGN"))), {}};
  }
  void plain(std::string name, std::string value) { table_.byName[name] = {name, false, std::move(value), "", {}}; }
  std::string textOf(std::string_view text, FieldKind kind = FieldKind::plain) const {
    const auto found = values_.textOf(text, kind);
    return found ? *found : fmt::format("{}: {}", meaningOf(found.error().code()).wire, found.error().message());
  }

  const MasterSecret master_{Secret(std::string(32, 'k'))};
  VariableTable table_;
  Values values_{table_, "proj_a", master_};
};

TEST_F(ValuesTest, ReferencesBecomeValues) {
  EXPECT_EQ(textOf("no reference, ${lower}"), "no reference, ${lower}");
  EXPECT_EQ(textOf("https://${HOST}/x${EMPTY}"), "https://api.example.com/x");
  EXPECT_EQ(textOf("Bearer ${TOKEN}", FieldKind::secret), "Bearer s3cret");
  EXPECT_EQ(textOf("${HOST}${TOKEN}", FieldKind::secret), "api.example.coms3cret");
}

TEST_F(ValuesTest, AVariableThatCannotBeUsedIsNamed) {
  EXPECT_EQ(textOf("${NONE}"), "CONFLICT: the variable NONE has no value: set it");
  EXPECT_EQ(textOf("${OTHER}"), "CONFLICT: the variable OTHER has no value: set it");
  EXPECT_EQ(textOf("${UNSET}", FieldKind::secret), "CONFLICT: the variable UNSET has no value: set it");
  EXPECT_EQ(textOf("${FOREIGN}", FieldKind::secret), "CONFLICT: the variable FOREIGN has no value: set it");
  EXPECT_THAT(textOf("x${TOKEN}"), HasSubstr("names the secret variable TOKEN"));
  EXPECT_THAT(textOf("${LONG}${LONG}${LONG}${LONG}${LONG}"), HasSubstr("with the variable LONG is too long"));
}

TEST_F(ValuesTest, AtSaveOnlyKnownValuesAreChecked) {
  Problems problems;
  EXPECT_EQ(values_.known("${HOST}", FieldKind::plain, "/a", problems), "api.example.com");
  EXPECT_EQ(values_.known("${HOST}${NONE}", FieldKind::plain, "/a", problems), std::nullopt);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(values_.known("${NONE}${TOKEN}", FieldKind::plain, "/a", problems), std::nullopt);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].path, "/a");
  EXPECT_THAT(problems[0].message, HasSubstr("TOKEN"));
}

TEST_F(ValuesTest, AnImportMakesAVariableSecret) {
  EXPECT_FALSE(values_.isSecret("HOST"));
  values_.makeSecret("HOST");
  EXPECT_TRUE(values_.isSecret("HOST"));
  EXPECT_THAT(textOf("${HOST}"), HasSubstr("names the secret variable HOST"));
  EXPECT_EQ(textOf("${HOST}", FieldKind::secret), "api.example.com");
  EXPECT_TRUE(values_.mayBeSecret("OTHER"));
  EXPECT_FALSE(values_.mayBeSecret("NONE"));
}

TEST_F(ValuesTest, AnAddressIsCheckedWithItsValues) {
  plain("SCHEME", "https:");
  plain("FTP", "ftp://api.example.com");
  plain("USER", "u:p@api.example.com");
  plain("OTHER", "evil.example/x");
  struct Case {
    const char *url, *result;
  };
  for (const auto& [url, result] : std::vector<Case>{
           {"${BASE}/x", "https://api.example.com/v1/x"},
           {"https://${HOST}:8443/x", "https://api.example.com:8443/x"},
           {"https://${OTHER}", "https://evil.example/x"},
           {"${FTP}", ""},
           {"https://${USER}/x", ""},
           {"https://${LINES}", ""},
           // The part that decides scheme, host and port is "${SCHEME}", yet the host comes after it.
           {"${SCHEME}//evil.example/x", ""},
           {"https://good.example/${OTHER}", "https://good.example/evil.example/x"},
       }) {
    Problems problems;
    const auto known = values_.knownUrl(url, "/url", problems);
    EXPECT_EQ(known.value_or(""), result) << url;
    EXPECT_EQ(problems.empty(), known.has_value()) << url;
    const auto used = values_.urlOf(url);
    EXPECT_EQ(used.has_value(), known.has_value()) << url;
  }
}

}  // namespace
}  // namespace mb::variables

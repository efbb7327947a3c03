#include "base/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace mb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A folder that is removed after the test.
class SettingsFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "settings_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << content;
    return folder_ + "/" + name;
  }
  std::string folder_;
};

TEST(Settings, GivesValuesAndDefaults) {
  Settings settings({{"SERVICE_A", "x"}, {"SERVICE_ON", "on"}, {"SERVICE_N", "12"}, {"SERVICE_LIST", " a, b ,,c"}});
  EXPECT_EQ(settings.text("SERVICE_A", "y", ""), "x");
  EXPECT_EQ(settings.text("SERVICE_UNSET", "y", ""), "y");
  EXPECT_TRUE(settings.flag("SERVICE_ON", false, ""));
  EXPECT_TRUE(settings.flag("SERVICE_OTHER_FLAG", true, ""));
  EXPECT_EQ(settings.integer("SERVICE_N", 3, 0, 100, ""), 12);
  EXPECT_EQ(settings.integer("SERVICE_M_UNSET", 3, 0, 100, ""), 3);
  EXPECT_THAT(settings.list("SERVICE_LIST", ""), ElementsAre("a", "b", "c"));
  EXPECT_EQ(settings.choice("SERVICE_CHOICE", "red", {"red", "blue"}, ""), "red");
  EXPECT_FALSE(settings.optionalText("SERVICE_MAYBE", ""));
  EXPECT_THAT(settings.errors(), IsEmpty());
  EXPECT_THAT(settings.warnings(), IsEmpty());
}

TEST(Settings, ReadsByteCounts) {
  constexpr std::pair<std::string_view, int64_t> kCounts[] = {
      {"256", 256}, {"64KiB", 65'536}, {"16MiB", 16 << 20}, {"1GiB", 1 << 30}, {"2 KiB", 2048}};
  for (const auto& [text, bytes] : kCounts) {
    Settings settings({{"SERVICE_SIZE", std::string(text)}});
    EXPECT_EQ(settings.bytes("SERVICE_SIZE", 1, 0, INT64_MAX, ""), bytes) << text;
    EXPECT_THAT(settings.errors(), IsEmpty()) << text;
  }
  for (const std::string text :
       {"", "KiB", "1kb", "1.5MiB", "-1KiB", "9999999999999GiB", "99999999999999999999", "x"}) {
    Settings settings({{"SERVICE_SIZE", text}});
    EXPECT_EQ(settings.bytes("SERVICE_SIZE", 77, 0, INT64_MAX, ""), 77) << text;
    EXPECT_EQ(settings.errors().size(), 1U) << text;
  }
}

TEST(Settings, TellsAllErrorsAtOnce) {
  Settings settings({{"SERVICE_FLAG", "yes"},
                     {"SERVICE_NUMBER", "12x"},
                     {"SERVICE_PORT", "70000"},
                     {"SERVICE_CHOICE", "green"},
                     {"SERVICE_LATER", "on"},
                     {"SERVICE_PARSED", "?"},
                     {"SERVICE_FLAGS", "on"}});
  EXPECT_FALSE(settings.flag("SERVICE_FLAG", false, ""));
  EXPECT_EQ(settings.integer("SERVICE_NUMBER", 5, 0, 100, ""), 5);
  EXPECT_EQ(settings.integer("SERVICE_PORT", 80, 0, 65'535, ""), 80);
  EXPECT_EQ(settings.choice("SERVICE_CHOICE", "red", {"red", "blue"}, ""), "red");
  settings.notYet("SERVICE_LATER", {"off"}, "comes later", "");
  const std::function<Result<int>(std::string_view)> parse = [](std::string_view text) -> Result<int> {
    if (text == "one") return 1;
    return fail(ErrorCode::validation, "is not one");
  };
  EXPECT_EQ(settings.parsed<int>("SERVICE_PARSED", "one", "", parse), 1);
  EXPECT_THAT(settings.errors(),
              ElementsAre(HasSubstr("SERVICE_FLAG: must be one of on, off"), HasSubstr("SERVICE_NUMBER: must be"),
                          HasSubstr("SERVICE_PORT: must be"), HasSubstr("SERVICE_CHOICE: must be one of red, blue"),
                          HasSubstr("SERVICE_LATER: comes later"), HasSubstr("SERVICE_PARSED: is not one"),
                          HasSubstr("SERVICE_FLAGS: no such setting; did you mean SERVICE_FLAG?")));
}

TEST(Settings, NotYetBearsWhatChangesNothing) {
  Settings settings({{"SERVICE_BILLING", "off"}, {"MONGO_URL", ""}});
  settings.notYet("SERVICE_BILLING", {"off"}, "comes later", "");
  settings.notYet("MONGO_URL", {}, "comes later", "");
  EXPECT_THAT(settings.errors(), IsEmpty());
}

TEST(Settings, UnknownNamesAreWarningsUnlessNearAKnownOne) {
  Settings settings({{"SERVICE_LISTN", "x"},        // one letter missing
                     {"SERVICE_LITSEN", "x"},       // two swapped: distance 2
                     {"SERVICE_SOMETHING", "x"},    // far from all
                     {"SERVICE_LISTEN_FILE", "x"},  // not a secret
                     {"SERVICE_SECRET_FIL", "x"},   // near a secret's file
                     {"SERVICES", "x"},             // without the prefix
                     {"LISTN", "x"}});
  settings.text("SERVICE_LISTEN", "", "");
  settings.secret("SERVICE_SECRET", "");
  EXPECT_THAT(settings.errors(), testing::UnorderedElementsAre(HasSubstr("SERVICE_LISTN"), HasSubstr("SERVICE_LITSEN"),
                                                               HasSubstr("did you mean SERVICE_SECRET_FILE")));
  EXPECT_THAT(settings.warnings(),
              testing::UnorderedElementsAre(HasSubstr("SERVICE_SOMETHING"), HasSubstr("SERVICE_LISTEN_FILE")));
}

TEST(Settings, HelpShowsNameHelpAndDefault) {
  Settings settings({});
  settings.text("SERVICE_LISTEN", "127.0.0.1:8090", "where to listen");
  settings.flag("SERVICE_CONTROL", true, "the control plane");
  EXPECT_THAT(settings.help(), HasSubstr("SERVICE_LISTEN"));
  EXPECT_THAT(settings.help(), HasSubstr("where to listen [127.0.0.1:8090]"));
  EXPECT_THAT(settings.help(), HasSubstr("the control plane (on | off) [on]"));
}

TEST_F(SettingsFiles, SecretsComeDirectlyOrFromAFile) {
  const std::string path = write("secret", "from file\n\n");
  Settings direct({{"SERVICE_KEY", "given"}});
  EXPECT_EQ(direct.secret("SERVICE_KEY", "")->reveal(), "given");
  Settings filed({{"SERVICE_KEY_FILE", path}});
  EXPECT_EQ(filed.secret("SERVICE_KEY", "")->reveal(), "from file\n");
  EXPECT_THAT(filed.errors(), IsEmpty());
  EXPECT_THAT(filed.warnings(), IsEmpty());
  Settings none({});
  EXPECT_FALSE(none.secret("SERVICE_KEY", ""));
}

TEST_F(SettingsFiles, SecretsThatCannotBeHadAreErrors) {
  Settings both({{"SERVICE_KEY", "given"}, {"SERVICE_KEY_FILE", write("secret", "x")}});
  EXPECT_FALSE(both.secret("SERVICE_KEY", ""));
  EXPECT_THAT(both.errors(), ElementsAre(HasSubstr("SERVICE_KEY: is set both")));
  Settings missing({{"SERVICE_KEY_FILE", folder_ + "/none"}});
  EXPECT_FALSE(missing.secret("SERVICE_KEY", ""));
  EXPECT_THAT(missing.errors(), ElementsAre(HasSubstr("SERVICE_KEY_FILE: cannot be read")));
}

TEST_F(SettingsFiles, EnvironmentStandsOverTheFile) {
  write(".env",
        "# a comment\n"
        "\n"
        "SERVICE_ONE=1\n"
        "  SERVICE_TWO = two words \r\n"
        "export SERVICE_THREE=\"quoted # kept\"\n"
        "SERVICE_FOUR='single'\n"
        "SERVICE_FIVE=\n"
        "SERVICE_SIX=a=b\n"
        "MB_SETTINGS_TEST=file\n");
  setenv("MB_SETTINGS_TEST", "process", 1);
  std::vector<std::string> problems;
  auto environment = loadEnvironment(folder_, problems);
  unsetenv("MB_SETTINGS_TEST");
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(environment["SERVICE_ONE"], "1");
  EXPECT_EQ(environment["SERVICE_TWO"], "two words");
  EXPECT_EQ(environment["SERVICE_THREE"], "quoted # kept");
  EXPECT_EQ(environment["SERVICE_FOUR"], "single");
  EXPECT_EQ(environment["SERVICE_FIVE"], "");
  EXPECT_EQ(environment["SERVICE_SIX"], "a=b");
  EXPECT_EQ(environment["MB_SETTINGS_TEST"], "process");
}

TEST_F(SettingsFiles, EveryBadLineOfTheFileIsTold) {
  write(".env", "GOOD=1\nno equals sign\n=nothing\nTWO WORDS=1\n");
  std::vector<std::string> problems;
  const auto environment = loadEnvironment(folder_, problems);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("line 2"), HasSubstr("line 3"), HasSubstr("line 4")));
  EXPECT_TRUE(environment.contains("GOOD"));
}

TEST_F(SettingsFiles, NoFileIsNoProblemButAFolderIs) {
  std::vector<std::string> problems;
  loadEnvironment(folder_, problems);
  EXPECT_THAT(problems, IsEmpty());
  std::filesystem::create_directory(folder_ + "/.env");
  loadEnvironment(folder_, problems);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("cannot be read")));
}

}  // namespace
}  // namespace mb

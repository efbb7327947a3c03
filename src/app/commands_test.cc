#include <gtest/gtest.h>

#include <set>

#include "app/command.h"

namespace mb::app {
namespace {

TEST(Commands, HaveNamesAndHelpOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.help.empty()) << command.name;
    EXPECT_TRUE(command.run) << command.name;
    EXPECT_EQ(findCommand(command.name), &command);
    std::set<std::string_view> options = {"data", "json", "help"};
    for (const Option& option : command.options) {
      EXPECT_TRUE(options.insert(option.name).second) << option.name;
      EXPECT_FALSE(option.help.empty()) << option.name;
    }
  }
  EXPECT_EQ(findCommand("format-disk"), nullptr);
}

TEST(Commands, ArgumentsAreChecked) {
  const struct {
    std::string_view command;
    cli::Arguments arguments;
    bool good;
  } cases[] = {
      {"check", {}, true},
      {"check", {{"to", "/backups/x"}}, false},
      {"check", {{"repair-meters", "true"}}, true},
      {"check", {{"repair-meters", "stored bytes"}}, false},
      {"backup", {{"to", "/backups/x"}}, true},
      {"backup", {{"to", "tmp/x"}}, false},
      {"backup", {{"to", ""}}, false},
      {"backup", {{"to", std::string("/tmp\0/x", 7)}}, false},
      {"backup", {}, false},
      {"backup", {{"to", "/backups/x"}, {"with-secret", "true"}}, true},
      {"backup", {{"to", "/backups/x"}, {"with-secret", "yes"}}, false},
      {"backup", {{"to", "/backups/x"}, {"project", ""}}, false},
      {"restore", {{"from", "/backups/x"}, {"project", "p"}, {"as", "q"}}, true},
      {"keys rotate", {}, true},
      {"keys rotate", {{"drop-old", "true"}}, true},
      {"keys reseal", {{"new-secret-file", "next"}}, false},
      {"users operator", {}, false},
      {"users operator", {{"user", ""}}, false},
      {"users operator", {{"user", "ann@example.com"}, {"remove", "true"}}, true},
      {"users password", {{"user", "ann@example.com"}}, false},
      {"users password", {{"user", "ann@example.com"}, {"password", ""}}, false},
      {"users password", {{"user", "ann@example.com"}, {"password", "a horse"}}, true},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(bool{checkArguments(*findCommand(each.command), each.arguments)}, each.good) << each.command;
  }
}

// Printed and logged text does not contain the values of hidden options.
TEST(Commands, HiddenValuesAreNotRepeated) {
  const Command& command = *findCommand("users password");
  for (const std::string& password : {std::string(), std::string("horse\0battery", 13)}) {
    const auto refused = checkArguments(command, {{"user", "ann@example.com"}, {"password", password}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(), "the password must be text that is not empty and holds no NUL character");
  }
}

TEST(Commands, GroupsAreSaidWhatTheyAre) {
  for (const Command& command : commands()) {
    const size_t blank = command.name.find(' ');
    if (blank == std::string_view::npos) continue;
    EXPECT_FALSE(groupHelp(command.name.substr(0, blank)).empty()) << command.name;
  }
  EXPECT_TRUE(groupHelp("nothing").empty());
}

}  // namespace
}  // namespace mb::app

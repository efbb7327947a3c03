#include "cli/credentials.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "cli/session.h"

namespace mb::cli {
namespace {

namespace fs = std::filesystem;

class CredentialsTest : public ::testing::Test {
 protected:
  static fs::path newFolder() {
    std::string pattern = (fs::temp_directory_path() / "manybase-login-XXXXXX").string();
    return ::mkdtemp(pattern.data());
  }
  ~CredentialsTest() override { fs::remove_all(root_); }
  static mode_t modeOf(const fs::path& path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 0777 : 0;
  }
  const fs::path root_ = newFolder();
  const fs::path folder_ = root_ / "config" / "manybase";
  const Credentials credentials_{folder_};
  const Login ann_{"ann@example.com", "refresh", "access", {1'700'000'000'000}};
};

TEST_F(CredentialsTest, AreKeptForTheirOwnerAlone) {
  EXPECT_TRUE(credentials_.all()->empty());
  ASSERT_TRUE(credentials_.keep("https://a.example", ann_));
  Login bob = ann_;
  bob.email = "bob@example.com";
  ASSERT_TRUE(credentials_.keep("http://localhost:8090", bob));
  EXPECT_EQ(modeOf(folder_), 0700);
  EXPECT_EQ(modeOf(folder_ / "credentials.json"), 0600);
  EXPECT_EQ(**credentials_.of("https://a.example"), ann_);
  EXPECT_EQ(**credentials_.of("http://localhost:8090"), bob);
  EXPECT_FALSE(*credentials_.of("https://b.example"));
  EXPECT_TRUE(*credentials_.forget("https://a.example"));
  EXPECT_FALSE(*credentials_.forget("https://a.example"));
  EXPECT_EQ(credentials_.all()->size(), 1u);
}

TEST_F(CredentialsTest, AreRefusedWhereOthersMayReadThemOrTheyAreBroken) {
  ASSERT_TRUE(credentials_.keep("https://a.example", ann_));
  const fs::path file = folder_ / "credentials.json";
  ::chmod(file.c_str(), 0644);
  EXPECT_FALSE(credentials_.all());
  ::chmod(file.c_str(), 0600);
  for (const char* text : {"", "{", "{\"servers\": 1}", "{\"servers\": {\"https://a.example\": 1}}",
                           "{\"servers\": {\"https://a.example\": {\"email\": 1}}}"}) {
    std::ofstream(file) << text;
    EXPECT_FALSE(credentials_.all()) << text;
  }
  EXPECT_FALSE(Credentials(fs::path()).keep("https://a.example", ann_));
  EXPECT_TRUE(Credentials(fs::path()).all()->empty());
}

TEST(Tokens, AreToldApartByTheirLook) {
  const auto jwt = [](std::string_view claims) { return "e30." + toBase64Url(claims) + ".c2ln"; };
  const auto key = kindOf("mb_sk_proj_1.secret");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->plane, TokenKind::Plane::project);
  EXPECT_EQ(key->projectId, "proj_1");
  EXPECT_EQ(kindOf(jwt(R"({"aud":"control"})"))->plane, TokenKind::Plane::control);
  EXPECT_EQ(kindOf(jwt(R"({"aud":"project","pid":"proj_2"})"))->projectId, "proj_2");
  for (const std::string& bad :
       {std::string(), std::string("hello"), std::string("a.b.c"), std::string("mb_sk_"), std::string("mb_sk_proj_1"),
        std::string("mb_sk_proj_1.x\n"), jwt("[]"), jwt(R"({"aud":"project"})"), jwt(R"({"aud":"other","pid":"p"})")}) {
    EXPECT_FALSE(kindOf(bad)) << bad;
  }
}

TEST(Servers, AreNamedByTheirOrigin) {
  EXPECT_EQ(*serverOf("https://Example.com/"), "https://example.com");
  EXPECT_EQ(*serverOf("http://localhost:8090/dashboard"), "http://localhost:8090");
  for (const char* bad :
       {"", "example.com", "ftp://example.com", "https://user:pw@example.com", "https://", "http:// x"}) {
    const auto refused = serverOf(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code(), ErrorCode::invalidParam);
  }
  EXPECT_EQ(percentEncoded("a/b ü"), "a%2Fb%20%C3%BC");
}

}  // namespace
}  // namespace mb::cli

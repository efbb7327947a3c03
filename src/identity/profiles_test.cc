#include "identity/profiles.h"

#include "identity/identity_fixture.h"

namespace mb::identity {
namespace {

class ProfilesTest : public IdentityFixture {
 protected:
  std::string profile(const std::string& id, const std::vector<std::string>& setting, bool email = true,
                      store::ProjectNo project = kShop) {
    const ProfileFields fields(setting);
    const auto found =
        run(readProfiles(store_, project, {"nobody", id, id}, email ? fields.all : fields.withoutEmail, soon()));
    if (!found) return found.error().message();
    EXPECT_EQ(found->size(), 3U);
    EXPECT_FALSE(found->at(0));
    EXPECT_EQ(found->at(1), found->at(2));
    return found->at(1) ? doc::toJson(*found->at(1)) : "none";
  }
};

TEST_F(ProfilesTest, ShowWhatTheSettingNames) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  UserPatch patch;
  patch.metadata = *doc::parseJson(R"({"avatar":"a.png","secret":1,"home":{"city":"Bern","street":"x"}})");
  ASSERT_TRUE(run(identity_.users().patch(shop(), ann.user.id, patch, admin(), soon())));
  const std::string id = ann.user.id.str();
  EXPECT_EQ(profile(id, {"metadata.avatar"}), R"({"id":")" + id + R"(","metadata":{"avatar":"a.png"}})");
  EXPECT_EQ(profile(id, {"email", "metadata.home.city", "metadata.none"}),
            R"({"id":")" + id + R"(","email":"ann@example.com","metadata":{"home":{"city":"Bern"}}})");
  EXPECT_EQ(profile(id, {"email"}, false), R"({"id":")" + id + R"("})");
}

TEST_F(ProfilesTest, OfTheProjectsOwnUsersAlone) {
  const SignedIn ann = signIn(shop(), "ann@example.com");
  EXPECT_EQ(profile(ann.user.id.str(), {"email"}, true, other().project), "none");
  EXPECT_EQ(profile("user_00000000000000000000", {"email"}), "none");
}

}  // namespace
}  // namespace mb::identity

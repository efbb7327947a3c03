#include "data/policy_fields.h"

#include "data/data_fixture.h"

namespace mb::data {
namespace {

using Fields = std::vector<std::string>;
const Fields kOwner = {"ownerId"};

class PolicyFieldsTest : public DataTest {
 protected:
  Fields held(const std::string& name) {
    const auto& number = (*snapshot()->get(data_->slot()).find(name))->ref.number;
    return entryFields_.held.contains(number) ? entryFields_.held[number] : Fields{"none was named"};
  }
};

TEST(PolicyFields, AreTheOwnerWhereAListOrReadFilterNamesIt) {
  for (const char* policy : {R"({"list":{"filter":{"ownerId":"$auth.uid"}}})",
                             R"({"read":{"filter":{"state":"open","ownerId":{"$in":["$auth.uid","all"]}}}})",
                             R"({"list":{"filter":{"$or":[{"public":true},{"$and":[{"ownerId":"$auth.uid"}]}]}}})"}) {
    EXPECT_EQ(fieldsForPolicy(json(policy)), kOwner) << policy;
  }
  for (const char* policy :
       {"{}", R"({"list":{}})", R"({"update":{"filter":{"ownerId":"$auth.uid"}}})",
        R"({"list":{"filter":{"owner":{"ownerId":1},"tags":{"$in":["ownerId"]}},"deniedReadFields":["ownerId"]}})"}) {
    EXPECT_EQ(fieldsForPolicy(json(policy)), Fields()) << policy;
  }
}

TEST_F(PolicyFieldsTest, FollowTheCollectionsPolicy) {
  collection("posts", R"({"list":{"filter":{"ownerId":"$auth.uid"}}})");
  EXPECT_EQ(held("posts"), kOwner);
  expectOk(run(data_->collections().setPolicy(managing(), "posts", json(R"({"list":{"filter":{"a":1}}})"))));
  EXPECT_EQ(held("posts"), Fields());
  expectOk(run(data_->collections().setPolicy(managing(), "posts", json(R"({"read":{"filter":{"ownerId":"x"}}})"))));
  expectOk(run(data_->collections().clearPolicy(managing(), "posts")));
  EXPECT_EQ(held("posts"), Fields());
}

TEST_F(PolicyFieldsTest, FollowTheDefaultPolicyWhereThereIsNoOther) {
  collection("own", R"({"list":{}})");
  collection("other");
  const doc::Document policy = json(R"({"list":{"filter":{"ownerId":"$auth.uid"}}})");
  expectOk(run(data_->collections().setPolicy(managing(), "*", policy)));
  EXPECT_EQ(held("own"), Fields());
  EXPECT_EQ(held("other"), kOwner);
  expectOk(run(data_->collections().clearPolicy(managing(), "own")));
  EXPECT_EQ(held("own"), kOwner);
  // A collection that was created after the policy declares its fields with its first index.
  collection("later");
  auto index = doc::decode<NewIndex>(json(R"({"keys":{"a":1}})"));
  expectOk(run(data_->collections().createIndex(managing(), "later", *index)));
  EXPECT_EQ(held("later"), kOwner);
  expectOk(run(data_->collections().clearPolicy(managing(), "*")));
  EXPECT_EQ(held("other"), Fields());
}

}  // namespace
}  // namespace mb::data

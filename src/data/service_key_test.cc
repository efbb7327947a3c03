// Keys of scope service: past policies, but not past permissions, schemas, unique indexes and hooks.
#include "data/data_fixture.h"
#include "data/event_view.h"
#include "data/grant.h"
#include "data/reach.h"

namespace mb::data {
namespace {

constexpr const char* kStrict = R"({"read":{"filter":{"ownerId":"$auth.uid"},"deniedReadFields":["secret"]},
    "list":{"filter":{"ownerId":"$auth.uid"}},"update":{"immutableFields":["title"],"validate":"false"},
    "create":{"validate":"false"}})";

class ServiceKeyTest : public DataTest {
 protected:
  ServiceKeyTest() {
    key_ = user("key_1");
    key_.kind = policy::CallerKind::apiKey;
    key_.scopes = {"service"};
    key_.permissions = permissions({"data:*", "storage:*", "functions:invoke"});
  }
  policy::Caller key_;
};

TEST_F(ServiceKeyTest, ReadsAndWritesPastPolicies) {
  collection("notes", kStrict);
  collection("bare");  // without a policy
  put("notes", R"({"id":"n1","title":"t","secret":"s"})");
  for (const char* name : {"notes", "bare"}) {
    const Access access = as(key_);
    const auto made = run(data_->documents().create(access, name, json(R"({"id":"k1","ownerId":"user_x","a":1})")));
    expectOk(made);
    EXPECT_EQ("user_x", made->document.view().stringOr("ownerId"));
    const auto own = run(data_->documents().create(access, name, json(R"({"id":"k2"})")));
    expectOk(own);
    EXPECT_EQ("key_1", own->document.view().stringOr("ownerId"));
    expectOk(run(data_->documents().replace(access, name, "k2", json(R"({"b":2})"))));
    expectOk(run(data_->documents().remove(access, name, "k2")));
  }
  const auto read = get(key_, "notes", "n1");
  expectOk(read);
  EXPECT_NE(std::string::npos, read->find(R"("secret":"s")"));
  EXPECT_EQ(2U, list(key_, "notes")->size());
  const Access access = as(key_);
  expectOk(run(data_->documents().update(access, "notes", "n1", json(R"({"title":"u","ownerId":"user_y"})"))));
  EXPECT_EQ("user_y", stored("notes", "n1").view().stringOr("ownerId"));
  ReadQuery bySecret;
  bySecret.filter = json(R"({"secret":"s"})");
  bySecret.sort = {{"secret", 1}};
  EXPECT_EQ(1U, list(key_, "notes", bySecret)->size());
}

TEST_F(ServiceKeyTest, TheRestHolds) {
  collection("notes", kStrict, R"({"type":"object","properties":{"title":{"type":"string"}}})");
  NewIndex unique;
  unique.keys = json(R"({"title":1})");
  unique.unique = true;
  expectOk(run(data_->collections().createIndex(managing(), "notes", unique)));
  const Access access = as(key_);
  expectError(ErrorCode::validation, run(data_->documents().create(access, "notes", json(R"({"title":5})"))));
  expectOk(run(data_->documents().create(access, "notes", json(R"({"title":"t"})"))));
  expectError(ErrorCode::conflict, run(data_->documents().create(access, "notes", json(R"({"title":"t"})"))));
  expectError(ErrorCode::notFound, run(data_->documents().create(access, "nothing", json("{}"))));
  policy::Caller weak = key_;
  weak.permissions = permissions({"data:*:read"});
  const Access less = as(weak);
  expectError(ErrorCode::forbidden, run(data_->documents().create(less, "notes", json("{}"))));
}

TEST_F(ServiceKeyTest, OneDecisionForEveryWay) {
  collection("bare");
  EXPECT_EQ(Authority::admin, authorityOf(key_, Authority::policies));
  EXPECT_EQ(Authority::policies, authorityOf(alice_, Authority::policies));
  EXPECT_EQ(Authority::policies, authorityOf(owner_, Authority::policies));
  EXPECT_EQ(Authority::admin, authorityOf(owner_, Authority::admin));
  const auto view = run(eventViewFor(data_->grants(), key_, snapshot(), "bare"));
  expectOk(view);
  EXPECT_EQ(view->reader, policy::ReaderKind::unrestricted);
  EXPECT_TRUE(view->filter.matchesAll());
  const snapshot::SnapshotPtr project = snapshot();
  EXPECT_TRUE(isReachable(key_, **project->get(data_->slot()).find("bare")));
  EXPECT_FALSE(isReachable(alice_, **project->get(data_->slot()).find("bare")));
  for (const char* scope : {"admin", "read"}) {
    policy::Caller other = key_;
    other.scopes = {scope};
    expectError(ErrorCode::forbidden, get(other, "bare", "x"));
  }
}

}  // namespace
}  // namespace mb::data

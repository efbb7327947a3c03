#include "projects/membership_rules.h"

#include <gtest/gtest.h>

namespace mb::projects {
namespace {

std::optional<ProjectRecord> project(std::vector<std::string> owners, std::string status = "active") {
  ProjectRecord record;
  record.status = std::move(status);
  record.owners = std::move(owners);
  return record;
}

std::optional<MembershipRecord> member(std::string user, std::string role) {
  MembershipRecord record;
  record.userId = UserId(std::move(user));
  record.role = std::move(role);
  return record;
}

// "" for success.
std::string codeOf(const Result<>& result) {
  return result ? std::string() : std::string(meaningOf(result.error().code()).wire);
}

TEST(MembershipRules, WhoManages) {
  struct Case {
    std::string_view role;
    std::string_view manage;
    std::string_view own;
  };
  for (const auto& [role, manage, own] :
       {Case{"Owner", "", ""}, Case{"Admin", "", "FORBIDDEN"}, Case{"Editor", "FORBIDDEN", "FORBIDDEN"},
        Case{"Viewer", "FORBIDDEN", "FORBIDDEN"}, Case{"custom", "FORBIDDEN", "FORBIDDEN"}}) {
    const auto record = project({"a"});
    const auto actor = member("a", std::string(role));
    EXPECT_EQ(codeOf(mayManage({record, actor})), manage) << role;
    EXPECT_EQ(codeOf(mustOwn({record, actor})), own) << role;
  }
}

TEST(MembershipRules, WhatIsGoneIsNotFound) {
  const auto live = project({"a"});
  const auto deleted = project({"a"}, "deleted");
  const std::optional<ProjectRecord> none;
  const auto owner = member("a", "Owner");
  const std::optional<MembershipRecord> nobody;
  EXPECT_EQ(codeOf(mayManage({none, owner})), "NOT_FOUND");
  EXPECT_EQ(codeOf(mayManage({deleted, owner})), "NOT_FOUND");
  EXPECT_EQ(codeOf(mayManage({live, nobody})), "NOT_FOUND");
  EXPECT_EQ(codeOf(mayChangeRole({live, owner}, nobody, "Viewer")), "NOT_FOUND");
  EXPECT_EQ(codeOf(mayRemove({live, owner}, nobody)), "NOT_FOUND");
}

TEST(MembershipRules, OwnerMovesOnlyByOwners) {
  const auto record = project({"a", "b"});
  const auto owner = member("a", "Owner");
  const auto admin = member("c", "Admin");
  const auto otherOwner = member("b", "Owner");
  const auto viewer = member("d", "Viewer");
  EXPECT_EQ(codeOf(mayGrant({record, owner}, "Owner")), "");
  EXPECT_EQ(codeOf(mayGrant({record, admin}, "Owner")), "FORBIDDEN");
  EXPECT_EQ(codeOf(mayGrant({record, admin}, "Admin")), "");
  EXPECT_EQ(codeOf(mayChangeRole({record, admin}, viewer, "Owner")), "FORBIDDEN");
  EXPECT_EQ(codeOf(mayChangeRole({record, admin}, otherOwner, "Viewer")), "FORBIDDEN");
  EXPECT_EQ(codeOf(mayChangeRole({record, owner}, otherOwner, "Viewer")), "");
  EXPECT_EQ(codeOf(mayRemove({record, admin}, otherOwner)), "FORBIDDEN");
  EXPECT_EQ(codeOf(mayRemove({record, owner}, otherOwner)), "");
  EXPECT_EQ(codeOf(mayRemove({record, admin}, viewer)), "");
}

TEST(MembershipRules, TheLastOwnerStays) {
  const auto record = project({"a"});
  const auto owner = member("a", "Owner");
  EXPECT_EQ(codeOf(mayChangeRole({record, owner}, owner, "Admin")), "CONFLICT");
  EXPECT_EQ(codeOf(mayChangeRole({record, owner}, owner, "Owner")), "");
  EXPECT_EQ(codeOf(mayRemove({record, owner}, owner)), "CONFLICT");
}

TEST(MembershipRules, TheSetOfOwnersFollowsRoles) {
  auto record = project({"a"});
  noteRole(*record, UserId("b"), "Owner");
  noteRole(*record, UserId("b"), "Owner");
  EXPECT_EQ(record->owners, (std::vector<std::string>{"a", "b"}));
  noteRole(*record, UserId("a"), "Admin");
  noteRole(*record, UserId("c"), "Viewer");
  EXPECT_EQ(record->owners, std::vector<std::string>{"b"});
  noteRole(*record, UserId("b"), std::nullopt);
  EXPECT_TRUE(record->owners.empty());
}

}  // namespace
}  // namespace mb::projects

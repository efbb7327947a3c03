// Helpers of the policy tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "document/json.h"
#include "policy/policy.h"

namespace mb::policy {

inline doc::Document json(std::string_view text) {
  auto parsed = doc::parseJson(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *std::move(parsed) : doc::Document();
}

inline PermissionsPtr holding(std::vector<std::string> permissions) {
  return std::make_shared<const PermissionSet>(std::move(permissions));
}

inline Caller endUser(std::string_view claims = "{}", std::string id = "user_1") {
  Caller caller;
  caller.kind = CallerKind::endUser;
  caller.id = std::move(id);
  caller.role = "user";
  caller.projectId = ProjectId("proj_1");
  caller.permissions = holding({"data:*:read", "data:*:list", "data:*:create", "data:*:update", "data:*:delete"});
  caller.claims = json(claims);
  return caller;
}

inline Caller member(std::vector<std::string> permissions = {"*"}) {
  Caller caller = endUser(R"({"team": "red"})", "user_2");
  caller.kind = CallerKind::member;
  caller.role = "Owner";
  caller.permissions = holding(std::move(permissions));
  return caller;
}

inline Caller apiKey(std::vector<std::string> scopes, std::vector<std::string> permissions) {
  Caller caller = endUser("{}", "key_1");
  caller.kind = CallerKind::apiKey;
  caller.role = "apikey";
  caller.scopes = std::move(scopes);
  caller.permissions = holding(std::move(permissions));
  return caller;
}

inline std::shared_ptr<const Policy> compiled(std::string_view text, const doc::Schema* schema = nullptr) {
  const doc::Document source = json(text);
  auto policy = compilePolicy(source, schema);
  EXPECT_TRUE(policy) << text << ": " << (policy ? "" : policy.error().message());
  return policy ? *policy : nullptr;
}

// Expects the first problem of the policy, in a project with these sets.
inline void expectRefused(std::string_view source, std::string_view pointer, std::string_view message,
                          const std::vector<std::string>& sets) {
  const auto policy = compilePolicy(json(source), nullptr, {.sets = &sets});
  ASSERT_FALSE(policy) << source;
  EXPECT_EQ(policy.error().details().front().path, pointer) << source;
  EXPECT_NE(policy.error().details().front().message.find(message), std::string::npos)
      << policy.error().details().front().message;
}

// The values of sets, such as {"teams": ["red"]}.
inline SetValues setsOf(std::string_view text) {
  SetValues sets;
  const doc::Document source = json(text);
  for (const auto& [name, list] : source.view()) {
    std::vector<std::string> values;
    for (const auto& [key, value] : list.asDocument()) values.emplace_back(value.asString());
    sets.add(std::string(name), std::make_shared<const SetValue>(std::move(values), store::Mark()));
  }
  return sets;
}

}  // namespace mb::policy

// Calls of a run's bridge, for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "document/json.h"

namespace mb::functions {

// The arguments of a call, from a JSON array.
inline doc::Document argumentsOf(std::string_view json) {
  return doc::Document(doc::parseJsonValue(json)->view().begin()->value.asDocument());
}

// The result as JSON; "CODE: message" for an error.
inline std::string shown(const Result<doc::Value>& result) {
  if (!result) return fmt::format("{}: {}", meaningOf(result.error().code()).wire, result.error().message());
  std::string text;
  doc::writeJsonValue(text, result->view());
  return text;
}

struct RefusedCall {
  const char* operation;
  const char* arguments;
  const char* code;
};

// `call` returns what shown() does.
inline void expectRefused(std::span<const RefusedCall> cases,
                          const std::function<std::string(const std::string&, std::string_view)>& call) {
  for (const RefusedCall& each : cases) {
    const std::string answer = call(each.operation, each.arguments);
    EXPECT_TRUE(answer.starts_with(std::string(each.code) + ": "))
        << each.operation << " " << each.arguments << " gave " << answer;
  }
}

}  // namespace mb::functions

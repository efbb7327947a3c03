// Helpers of this module's tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "document/json.h"
#include "document/schema.h"

namespace mb::doc {

// The document of a JSON text.
inline Document fromJson(std::string_view text) {
  auto document = parseJson(text);
  if (!document) {
    ADD_FAILURE() << text << ": " << document.error().message();
    return Document();
  }
  return *std::move(document);
}

inline Value valueFromJson(std::string_view text) {
  auto document = parseJsonValue(text);
  if (!document) {
    ADD_FAILURE() << text << ": " << document.error().message();
    return Value();
  }
  return Value(document->view().begin()->value);
}

// A schema for the field "v", with values that it accepts and values that it refuses.
struct Sample {
  std::string schema;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

inline void PrintTo(const Sample& test, std::ostream* out) {
  *out << test.schema;
}

inline void expectSample(const Sample& test) {
  const auto schema = Schema::compile(fromJson(R"({"properties":{"v":)" + test.schema + "}}"));
  ASSERT_TRUE(schema) << test.schema << ": " << schema.error().message();
  for (const std::string& value : test.good) {
    const auto details = (*schema)->validate(fromJson("{\"v\":" + value + "}"));
    EXPECT_TRUE(details.empty()) << test.schema << value << ": " << details.front().message;
  }
  for (const std::string& value : test.bad) {
    const auto details = (*schema)->validate(fromJson("{\"v\":" + value + "}"));
    ASSERT_FALSE(details.empty()) << test.schema << value;
    EXPECT_TRUE(details.front().path.starts_with("/v")) << details.front().path;
    EXPECT_FALSE(details.front().message.empty());
  }
}

}  // namespace mb::doc

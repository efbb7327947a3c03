// What the tests of this module share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "document/json.h"
#include "document/schema.h"

namespace mb::doc {

// The document that a JSON text stands for.
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

// The schema of the one field "v", with values that it takes and values that it refuses.
struct Judged {
  std::string schema;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

inline void PrintTo(const Judged& judged, std::ostream* out) {
  *out << judged.schema;
}

inline void expectJudged(const Judged& judged) {
  const auto schema = Schema::compile(fromJson(R"({"properties":{"v":)" + judged.schema + "}}"));
  ASSERT_TRUE(schema) << judged.schema << ": " << schema.error().message();
  for (const std::string& value : judged.good) {
    const auto details = (*schema)->validate(fromJson("{\"v\":" + value + "}"));
    EXPECT_TRUE(details.empty()) << judged.schema << value << ": " << details.front().message;
  }
  for (const std::string& value : judged.bad) {
    const auto details = (*schema)->validate(fromJson("{\"v\":" + value + "}"));
    ASSERT_FALSE(details.empty()) << judged.schema << value;
    EXPECT_TRUE(details.front().path.starts_with("/v")) << details.front().path;
    EXPECT_FALSE(details.front().message.empty());
  }
}

}  // namespace mb::doc

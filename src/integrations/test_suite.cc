#include "integrations/test_suite.h"

#include "document/subset.h"

namespace mb::integrations {

namespace {

// Whether `expect` has the form {result?, error?} instead of a value.
bool isOutcomeExpectation(doc::ValueView expect) {
  if (expect.type() != doc::BsonType::document || expect.asDocument().empty()) return false;
  for (const auto& [key, value] : expect.asDocument()) {
    if (key != "result" && key != "error") return false;
  }
  return true;
}

std::string said(const Error& error) {
  return fmt::format("{} ({})", meaningOf(error.code()).wire, error.message());
}

}  // namespace

std::vector<std::string> failuresOf(const doc::Value& expect, const Result<doc::Value>& reply) {
  std::optional<doc::ValueView> result(expect.view());
  std::optional<std::string> error;
  if (isOutcomeExpectation(expect)) {
    const doc::DocumentView fields = expect.view().asDocument();
    result = fields.find("result");
    if (fields.find("error")) error = fields.stringOr("error");
  }
  if (!reply) {
    if (error && *error == meaningOf(reply.error().code()).wire) return {};
    return {fmt::format("error: expected {}, got {}", error.value_or("none"), said(reply.error()))};
  }
  if (error) return {fmt::format("error: expected {}, got none", *error)};
  if (!result) return {};
  const auto wrong = doc::mismatch("result", *result, reply->view());
  return wrong ? std::vector{*wrong} : std::vector<std::string>();
}

}  // namespace mb::integrations

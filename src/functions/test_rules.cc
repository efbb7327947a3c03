#include "functions/test_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "configuration/canonical_form.h"
#include "data/reserved.h"
#include "document/json.h"
#include "functions/contains.h"
#include "functions/function_rules.h"

namespace mb::functions {

namespace {

using doc::BsonType;
using doc::ValueView;

constexpr size_t kMaxNameBytes = 100;
constexpr size_t kMaxProblems = 20;
constexpr size_t kMaxExpected = 1000;  // documents of a collection
constexpr std::string_view kStatuses[] = {"success", "error", "timeout", "aborted"};

void checkName(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  const bool fits =
      value.type() == BsonType::string && !value.asString().empty() && value.asString().size() <= kMaxNameBytes;
  if (!fits) problems.push_back({path, "must be a string of 1 to 100 bytes"});
}

void checkObject(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  if (value.type() != BsonType::document) problems.push_back({path, "must be an object"});
}

void checkObjectOrNull(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  if (value.type() != BsonType::null) checkObject(value, path, problems);
}

void checkAnything(ValueView, const std::string&, std::vector<ErrorDetail>&) {}

// {collection: [documents]}
void checkByCollection(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  if (value.type() != BsonType::document) return problems.push_back({path, "must be an object"});
  for (const auto& [collection, documents] : value.asDocument()) {
    const std::string at = fmt::format("{}/{}", path, collection);
    if (!data::isCollectionName(collection) || data::isReservedCollection(collection)) {
      problems.push_back({at, "is not a valid collection name"});
    }
    if (documents.type() != BsonType::array) {
      problems.push_back({at, "must be an array"});
      continue;
    }
    for (const auto& [index, document] : documents.asDocument()) {
      checkObject(document, fmt::format("{}/{}", at, index), problems);
      if (problems.size() > kMaxProblems) return;
    }
  }
}

// {"integration.op": result}
void checkStubs(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  if (value.type() != BsonType::document) return problems.push_back({path, "must be an object"});
  for (const doc::Element& stub : value.asDocument()) {
    const size_t dot = stub.key.find('.');
    const bool names =
        dot != std::string_view::npos && isFunctionName(stub.key.substr(0, dot)) && dot + 1 < stub.key.size();
    if (!names) problems.push_back({fmt::format("{}/{}", path, stub.key), "must be called \"<integration>.<op>\""});
    if (problems.size() > kMaxProblems) return;
  }
}

// The expected status of the run, or of an http function's response.
void checkStatus(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  const auto number = value.isNumber() ? value.toInteger() : std::nullopt;
  if (number && *number >= 200 && *number <= 599) return;
  if (value.type() == BsonType::string && contains(kStatuses, value.asString())) return;
  problems.push_back({path, "must be success, error, timeout or aborted, or an HTTP status"});
}

void checkText(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  if (value.type() != BsonType::string) problems.push_back({path, "must be a string"});
}

void checkObjects(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  if (value.type() != BsonType::array) return problems.push_back({path, "must be an array"});
  for (const auto& [index, each] : value.asDocument()) {
    checkObject(each, fmt::format("{}/{}", path, index), problems);
    if (problems.size() > kMaxProblems) return;
  }
}

struct Rule {
  std::string_view name;
  bool required;
  void (*check)(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems);
};

void checkFields(std::span<const Rule> rules, doc::DocumentView given, const std::string& path,
                 std::vector<ErrorDetail>& problems) {
  for (const Rule& rule : rules) {
    const auto value = given.find(rule.name);
    const std::string at = fmt::format("{}/{}", path, rule.name);
    if (value) {
      rule.check(*value, at, problems);
    } else if (rule.required) {
      problems.push_back({at, "is required"});
    }
  }
  for (const doc::Element& field : given) {
    if (contains(rules, field.key, &Rule::name)) continue;
    problems.push_back({fmt::format("{}/{}", path, field.key), "is not a known field"});
    if (problems.size() > kMaxProblems) return;
  }
}

// The number of expected documents is bounded: each is compared with each stored document.
void checkExpected(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  const size_t before = problems.size();
  checkByCollection(value, path, problems);
  if (problems.size() > before) return;
  for (const auto& [collection, documents] : value.asDocument()) {
    if (documents.asDocument().count() <= kMaxExpected) continue;
    problems.push_back({fmt::format("{}/{}", path, collection), "must have at most 1000 documents"});
  }
}

constexpr Rule kExpect[] = {
    {"status", false, checkStatus},      {"result", false, checkAnything}, {"error", false, checkText},
    {"documents", false, checkExpected}, {"calls", false, checkObjects},
};

void checkExpect(ValueView value, const std::string& path, std::vector<ErrorDetail>& problems) {
  if (value.type() != BsonType::document) return problems.push_back({path, "must be an object"});
  checkFields(kExpect, value.asDocument(), path, problems);
}

constexpr Rule kCase[] = {
    {"name", true, checkName},          {"event", true, checkObject}, {"auth", false, checkObjectOrNull},
    {"seed", false, checkByCollection}, {"stubs", false, checkStubs}, {"expect", true, checkExpect},
};

std::vector<std::string_view> namesOf(std::span<const Rule> rules) {
  std::vector<std::string_view> names;
  for (const Rule& rule : rules) names.push_back(rule.name);
  return names;
}

void appendExpect(doc::BsonWriter& out, doc::DocumentView expect) {
  out.beginDocument("expect");
  for (const auto& [name, value] : configuration::ordered(expect, namesOf(kExpect))) {
    name == "documents" ? configuration::appendOrdered(out, name, value) : out.append(name, value);
  }
  out.end();
}

}  // namespace

void checkTests(const std::vector<doc::Document>& tests, std::vector<ErrorDetail>& problems) {
  if (tests.size() > kMaxTests) return problems.push_back({"/tests", "must have at most 20 cases"});
  std::set<std::string_view> names;
  size_t bytes = 0;
  for (size_t i = 0; i < tests.size(); ++i) {
    const std::string path = fmt::format("/tests/{}", i);
    checkFields(kCase, tests[i], path, problems);
    const std::string_view name = tests[i].view().stringOr("name");
    if (!name.empty() && !names.insert(name).second) problems.push_back({path + "/name", "is listed twice"});
    bytes += doc::toJson(tests[i]).size();
    if (problems.size() > kMaxProblems) return;
  }
  if (bytes > kMaxTestBytes) problems.push_back({"/tests", "must have at most 262144 bytes as JSON"});
}

doc::Document canonicalTest(doc::DocumentView test) {
  doc::BsonWriter out(test.bytes().size());
  for (const auto& [name, value] : configuration::ordered(test, namesOf(kCase))) {
    if (name == "expect" && value.type() == BsonType::document) {
      appendExpect(out, value.asDocument());
    } else if (name == "seed" || name == "stubs") {
      configuration::appendOrdered(out, name, value);
    } else {
      out.append(name, value);
    }
  }
  return out.finish();
}

}  // namespace mb::functions

#include "policy/caller_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "policy/write_rules.h"

namespace mb::policy {
namespace {

constexpr size_t kMaxNameBytes = 32;
constexpr std::string_view kUid = "$auth.uid";
constexpr std::string_view kForms = R"(must be a literal, "$auth.uid" or {"$in": [literals]})";

bool isLiteral(doc::ValueView value) {
  return !value.isContainer() && value.type() != doc::BsonType::regex &&
         !(value.type() == doc::BsonType::string && looksLikePlaceholder(value.asString()));
}

bool isListOfLiterals(doc::ValueView value) {
  if (value.type() != doc::BsonType::document) return false;
  const doc::DocumentView operators = value.asDocument();
  if (operators.count() != 1 || operators.begin()->key != "$in") return false;
  const doc::ValueView list = operators.begin()->value;
  if (list.type() != doc::BsonType::array) return false;
  for (const doc::Element& each : list.asDocument()) {
    if (!isLiteral(each.value)) return false;
  }
  return true;
}

// The path that equals the caller's id; "" if there is not exactly one.
std::string checkConditions(doc::DocumentView where, const doc::Schema* schema, std::vector<ErrorDetail>& problems) {
  std::string callerPath;
  size_t equalities = 0;
  for (const auto& [path, value] : where) {
    const std::string pointer = fmt::format("/where/{}", path);
    if (const auto parsed = doc::FieldPath::parse(path); !parsed) {
      problems.push_back({pointer, parsed.error().message()});
      continue;
    }
    checkDeclared(schema, path, pointer, problems);
    if (value.type() == doc::BsonType::string && value.asString() == kUid) {
      ++equalities;
      callerPath = path;
    } else if (!isLiteral(value) && !isListOfLiterals(value)) {
      problems.push_back({pointer, std::string(kForms)});
    }
  }
  if (equalities == 1) return callerPath;
  problems.push_back({"/where", R"(must hold exactly one field that equals "$auth.uid")"});
  return {};
}

}  // namespace

Result<> checkSetName(std::string_view name) {
  const bool valid = !name.empty() && name.size() <= kMaxNameBytes && name[0] >= 'a' && name[0] <= 'z' &&
                     std::ranges::all_of(name, [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
                     });
  if (valid) return {};
  return fail(Error(ErrorCode::validation, "the name of a set must match ^[a-z][A-Za-z0-9]{0,31}$")
                  .withDetail("/name", "must match ^[a-z][A-Za-z0-9]{0,31}$"));
}

CallerSet CallerSet::compile(doc::DocumentView where, std::string_view value, const doc::Schema* schema,
                             std::vector<ErrorDetail>& problems) {
  CallerSet set;
  const size_t before = problems.size();
  set.callerPath_ = checkConditions(where, schema, problems);
  if (auto path = doc::FieldPath::parse(value); path) {
    set.valuePath_ = *std::move(path);
    checkDeclared(schema, value, "/value", problems);
  } else {
    problems.push_back({"/value", path.error().message()});
  }
  if (problems.size() == before) set.filter_ = FilterTemplate::compile(where, schema, {}, "/where", problems);
  return set;
}

}  // namespace mb::policy

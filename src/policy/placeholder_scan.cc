#include <fmt/format.h>

#include <algorithm>

#include "policy/filter_template.h"
#include "policy/write_rules.h"

namespace mb::policy {
namespace {

bool isOneOf(std::string_view key, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, key) != names.end();
}

bool isOperatorObject(doc::ValueView value) {
  return value.type() == doc::BsonType::document && !value.asDocument().empty() &&
         value.asDocument().begin()->key.starts_with('$');
}

bool isLogical(std::string_view key) {
  return isOneOf(key, {"$and", "$or", "$nor"});
}

std::string below(const std::string& pointer, std::string_view key) {
  return fmt::format("{}/{}", pointer, key);
}

}  // namespace

PlaceholderScan::Position PlaceholderScan::Position::below(std::string_view key) const {
  return {mb::policy::below(pointer, key), path};
}

PlaceholderScan::Position PlaceholderScan::Position::ofField(std::string_view name) const {
  return {mb::policy::below(pointer, name), path.empty() ? std::string(name) : fmt::format("{}.{}", path, name)};
}

doc::Document PlaceholderScan::copyConditions(doc::DocumentView source, const std::string& pointer) {
  doc::BsonWriter out;
  conditions(out, source, {pointer, {}});
  return out.finish();
}

void PlaceholderScan::conditions(doc::BsonWriter& out, doc::DocumentView source, const Position& parent) {
  for (const auto& [key, given] : source) {
    if (isLogical(key) && given.type() == doc::BsonType::array) {
      const Position at = parent.below(key);
      out.beginArray(key);
      for (const auto& [position, each] : given.asDocument()) {
        if (each.type() != doc::BsonType::document) {
          other(out, position, each, at.below(position).pointer);
          continue;
        }
        out.beginDocument(position);
        conditions(out, each.asDocument(), at.below(position));
        out.end();
      }
      out.end();
      continue;
    }
    if (key.starts_with('$')) {
      other(out, key, given, parent.below(key).pointer);
      continue;
    }
    const Position at = parent.ofField(key);
    checkDeclared(schema_, names_, at.path, at.pointer, problems_);
    if (isOperatorObject(given)) {
      out.beginDocument(key);
      operators(out, given.asDocument(), at);
      out.end();
    } else {
      value(out, key, given, at.pointer);
    }
  }
}

void PlaceholderScan::operators(doc::BsonWriter& out, doc::DocumentView source, const Position& parent) {
  for (const auto& [key, given] : source) {
    const Position at = parent.below(key);
    if (isOneOf(key, {"$eq", "$ne", "$gt", "$gte", "$lt", "$lte"})) {
      value(out, key, given, at.pointer);
    } else if (isOneOf(key, {"$in", "$nin", "$all"})) {
      listOperand(out, key, given, at);
    } else if (key == "$elemMatch") {
      elementMatch(out, key, given, at);
    } else if (key == "$not" && isOperatorObject(given)) {
      out.beginDocument(key);
      operators(out, given.asDocument(), at);
      out.end();
    } else {
      other(out, key, given, at.pointer);
    }
  }
}

void PlaceholderScan::listOperand(doc::BsonWriter& out, std::string_view key, doc::ValueView given,
                                  const Position& parent) {
  if (given.type() == doc::BsonType::string && looksLikePlaceholder(given.asString())) {
    const bool all = key == "$all" && given.asString().starts_with("$auth.sets.");
    placeholder(given.asString(), all ? Placeholder::Takes::scalar : Placeholder::Takes::list, parent.pointer);
    out.beginArray(key);
    out.appendString("0", kListMark + std::string(given.asString()));
    out.end();
    return;
  }
  if (given.type() != doc::BsonType::array) return other(out, key, given, parent.pointer);
  out.beginArray(key);
  for (const auto& [position, each] : given.asDocument()) {
    const Position at = parent.below(position);
    if (isOperatorObject(each)) {
      out.beginDocument(position);
      operators(out, each.asDocument(), at);
      out.end();
    } else {
      value(out, position, each, at.pointer);
    }
  }
  out.end();
}

void PlaceholderScan::elementMatch(doc::BsonWriter& out, std::string_view key, doc::ValueView given,
                                   const Position& parent) {
  if (given.type() != doc::BsonType::document) return other(out, key, given, parent.pointer);
  const doc::DocumentView inside = given.asDocument();
  out.beginDocument(key);
  if (isOperatorObject(given) && !isLogical(inside.begin()->key)) {
    operators(out, inside, parent);
  } else {
    conditions(out, inside, parent);
  }
  out.end();
}

void PlaceholderScan::value(doc::BsonWriter& out, std::string_view key, doc::ValueView given,
                            const std::string& pointer) {
  if (given.type() == doc::BsonType::string) {
    const std::string_view text = given.asString();
    if (text.starts_with(kListMark)) problems_.push_back({pointer, "a string must not begin with U+0001"});
    if (looksLikePlaceholder(text)) placeholder(text, Placeholder::Takes::scalar, pointer);
  }
  if (!given.isContainer()) return out.append(key, given);
  given.type() == doc::BsonType::array ? out.beginArray(key) : out.beginDocument(key);
  for (const auto& [name, each] : given.asDocument()) value(out, name, each, below(pointer, name));
  out.end();
}

void PlaceholderScan::other(doc::BsonWriter& out, std::string_view key, doc::ValueView given,
                            const std::string& pointer) {
  if (given.type() == doc::BsonType::string && looksLikePlaceholder(given.asString())) {
    problems_.push_back({pointer, "a placeholder is allowed only as a value"});
  }
  if (!given.isContainer()) return out.append(key, given);
  given.type() == doc::BsonType::array ? out.beginArray(key) : out.beginDocument(key);
  for (const auto& [name, each] : given.asDocument()) other(out, name, each, below(pointer, name));
  out.end();
}

void PlaceholderScan::placeholder(std::string_view text, Placeholder::Takes takes, const std::string& pointer) {
  if (std::string problem = problemOf(text, takes); !problem.empty()) {
    problems_.push_back({pointer, std::move(problem)});
    return;
  }
  Placeholder parsed = *Placeholder::parse(text, takes);
  if (std::ranges::find(placeholders_, parsed) == placeholders_.end()) placeholders_.push_back(std::move(parsed));
}

std::string PlaceholderScan::problemOf(std::string_view text, Placeholder::Takes takes) const {
  if (!names_.placeholders) return "a public rule has no placeholders: it applies to callers without a token";
  const auto parsed = Placeholder::parse(text, takes);
  if (!parsed && text.starts_with("$auth.sets.")) {
    return R"(a set is a list of values: use it as {"$in": "$auth.sets.<name>"} or {"$nin": "$auth.sets.<name>"})";
  }
  if (!parsed) {
    return fmt::format(
        "unknown placeholder \"{}\": use $auth.uid, $auth.role, $auth.pid, $auth.token.<claim> or $auth.sets.<name>",
        text.substr(0, 100));
  }
  const std::string_view set = parsed->set();
  if (set.empty() || names_.sets == nullptr || std::ranges::find(*names_.sets, set) != names_.sets->end()) return {};
  return fmt::format("there is no set \"{}\"", set);
}

}  // namespace mb::policy

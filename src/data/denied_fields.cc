// Writing around fields that the caller cannot read. An answer must be the same whatever such a field holds, so what
// may be done to one is to set or to unset it whole. Source: docs/attack-classes.md ("Hidden fields guessed").
#include <array>

#include "data/write.h"
#include "document/path.h"

namespace mb::data {
namespace {

Error refusal(std::string_view path) {
  return Error(ErrorCode::forbidden, "this update is not allowed on \"" + std::string(path) + "\"");
}

std::string_view parent(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

// Whether setting `path` would succeed or fail by what stands in a denied field above it.
bool insideDenied(std::string_view path, const doc::FieldSet& denied) {
  const std::string_view above = parent(path);
  return !above.empty() && denied.covers(above);
}

// Whether the rule would refuse a change of `path`: setting it to what it holds already must be refused as well.
bool mayNotChange(std::string_view path, const Grant& grant) {
  const auto& fields = grant.collection->writeFields(grant.ruleOperation);
  return fields.immutable.touches(path) || (fields.restricted && !fields.allowed.covers(path));
}

Result<> guardAssignment(std::string_view path, const Grant& grant) {
  if (!grant.denied().touches(path)) return {};
  if (insideDenied(path, grant.denied()) || mayNotChange(path, grant)) return fail(refusal(path));
  return {};
}

Result<> guardOperator(std::string_view name, std::string_view path, doc::ValueView operand, const Grant& grant) {
  const doc::FieldSet& denied = grant.denied();
  if (name == "$rename" && operand.type() == doc::BsonType::string) CHECK(guardAssignment(operand.asString(), grant));
  if (!denied.touches(path)) return {};
  constexpr std::array<std::string_view, 4> kAssigning = {"$set", "$setOnInsert", "$unset", "$currentDate"};
  for (const std::string_view assigning : kAssigning) {
    if (name == assigning) return guardAssignment(path, grant);
  }
  // Arrays whose elements have denied fields may grow and shrink by position, as long as nothing looks into them.
  const bool partly = !denied.covers(path);
  const bool sorts = operand.type() == doc::BsonType::document && operand.asDocument().find("$sort");
  if (partly && (name == "$pop" || (name == "$push" && !sorts))) return {};
  return fail(refusal(path));
}

}  // namespace

Result<> guardDeniedFields(doc::DocumentView body, bool operators, const Grant& grant) {
  if (grant.denied().empty()) return {};
  if (!operators) {
    for (const doc::Element& field : body) CHECK(guardAssignment(field.key, grant));
    return {};
  }
  for (const doc::Element& each : body) {
    for (const doc::Element& field : each.value.asDocument()) {
      CHECK(guardOperator(each.key, field.key, field.value, grant));
    }
  }
  return {};
}

Result<> guardReplacement(doc::DocumentView body, const Grant& grant) {
  for (const std::string& path : grant.denied().paths()) {
    if (!mayNotChange(path, grant)) continue;
    TRY(const doc::FieldPath parsed, doc::FieldPath::parse(path));
    const bool named = doc::walkPath(body, parsed, doc::Leaf::wholeOnly,
                                     [](std::optional<doc::ValueView> value) { return value.has_value(); });
    if (named) return fail(refusal(path));
    // Elements cannot be given back what they hold, and whether they hold anything must not be told.
    for (std::string_view above = parent(path); !above.empty(); above = parent(above)) {
      const auto value = body.findPath(above);
      if (value && value->type() == doc::BsonType::array) return fail(refusal(above));
    }
  }
  return {};
}

doc::Document keepUnseen(doc::DocumentView before, const doc::Document& after, const doc::FieldSet& denied) {
  doc::Document kept = after;
  for (const std::string& path : denied.paths()) {
    if (kept.view().findPath(path)) continue;
    doc::BsonWriter fields;
    if (const auto held = before.findPath(path)) {
      fields.append(path, *held);
    } else {
      // The document around the field stays, as it does with one that holds it: else its going would tell.
      const std::string_view above = parent(path);
      const auto around = above.empty() ? std::nullopt : before.findPath(above);
      if (!around || around->type() != doc::BsonType::document || kept.view().findPath(above)) continue;
      fields.appendDocument(above, doc::DocumentView());
    }
    const auto assignment = doc::Update::set(fields.finish());
    if (!assignment) continue;
    // Where the body put something else than a document above the field, it goes with what was replaced.
    if (auto whole = assignment->apply(kept, Timestamp{})) kept = *std::move(whole);
  }
  return kept;
}

}  // namespace mb::data

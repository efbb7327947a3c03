#include "functions/hook_result.h"

#include <string_view>
#include <unordered_map>

#include "document/convert.h"

namespace mb::functions {

namespace {

constexpr size_t kMaxReason = 500;

// Like a condition of JavaScript.
bool truthy(doc::ValueView value) {
  switch (value.type()) {
    case doc::BsonType::null:
      return false;
    case doc::BsonType::boolean:
      return value.asBool();
    case doc::BsonType::string:
      return !value.asString().empty();
    default:
      return !value.isNumber() || value.toReal() != 0;
  }
}

std::string reasonOf(std::optional<doc::ValueView> value) {
  if (!value || value->type() != doc::BsonType::string) return {};
  std::string_view text = value->asString();
  if (text.size() > kMaxReason) {
    size_t end = kMaxReason;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  return std::string(text);
}

bool sameNumber(doc::ValueView before, doc::ValueView returned) {
  if (!before.isNumber() || !returned.isNumber() || before.type() == doc::BsonType::decimal) return false;
  const auto whole = before.toInteger();
  return whole ? whole == returned.toInteger() : before.toReal() == returned.toReal();
}

// Whether `returned` is the string form of `before`.
bool sameText(doc::ValueView before, doc::ValueView returned) {
  const bool isObjectId = before.type() == doc::BsonType::objectId;
  if (returned.type() != doc::BsonType::string || (!isObjectId && before.type() != doc::BsonType::decimal))
    return false;
  const auto read = doc::convertTo(isObjectId ? doc::BsonForm::objectId : doc::BsonForm::decimal, returned);
  return read && read->view().raw() == before.raw();
}

bool sameBytes(doc::ValueView before, doc::ValueView returned) {
  return before.type() == doc::BsonType::binary && returned.type() == doc::BsonType::binary &&
         before.asBinary() == returned.asBinary();
}

void merge(doc::BsonWriter& out, std::string_view key, doc::ValueView before, doc::ValueView returned);

void mergeFields(doc::BsonWriter& out, doc::DocumentView before, doc::DocumentView returned) {
  std::unordered_map<std::string_view, doc::ValueView> known;
  for (const auto& [key, value] : before) known.emplace(key, value);
  for (const auto& [key, value] : returned) {
    const auto old = known.find(key);
    if (old != known.end()) {
      merge(out, key, old->second, value);
    } else {
      out.append(key, value);
    }
  }
}

void merge(doc::BsonWriter& out, std::string_view key, doc::ValueView before, doc::ValueView returned) {
  if (before.isContainer() && before.type() == returned.type()) {
    if (before.type() == doc::BsonType::array) {
      out.beginArray(key);
    } else {
      out.beginDocument(key);
    }
    mergeFields(out, before.asDocument(), returned.asDocument());
    out.end();
    return;
  }
  const bool same = sameNumber(before, returned) || sameText(before, returned) || sameBytes(before, returned);
  out.append(key, same ? before : returned);
}

}  // namespace

Result<HookResult> hookResult(doc::ValueView result) {
  HookResult answer;
  if (result.type() != doc::BsonType::document) return answer;
  const doc::DocumentView fields = result.asDocument();
  const auto abort = fields.find("abort");
  if (abort && truthy(*abort)) {
    answer.abort = reasonOf(fields.find("reason"));
    return answer;
  }
  const auto document = fields.find("document");
  if (!document || document->type() == doc::BsonType::null) return answer;
  if (document->type() != doc::BsonType::document) {
    return fail(ErrorCode::validation, "its document is not an object");
  }
  answer.document = doc::Document(document->asDocument());
  return answer;
}

doc::Document withOriginalTypes(doc::DocumentView before, doc::DocumentView returned) {
  doc::BsonWriter out(returned.bytes().size() + 64);
  mergeFields(out, before, returned);
  return out.finish();
}

}  // namespace mb::functions

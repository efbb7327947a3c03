#include "policy/placeholder.h"

#include "policy/caller_set.h"

namespace mb::policy {
namespace {

constexpr std::string_view kPrefix = "$auth.";
constexpr std::string_view kTokenPrefix = "$auth.token.";
constexpr std::string_view kSetPrefix = "$auth.sets.";

std::optional<doc::Value> textValue(std::string_view text) {
  if (text.empty()) return std::nullopt;
  doc::BsonWriter out;
  out.appendString("", text);
  const doc::Document wrapped = out.finish();
  return doc::Value(wrapped.view().begin()->value);
}

bool isUsableScalar(doc::ValueView value) {
  switch (value.type()) {
    case doc::BsonType::string:
      return !value.asString().empty();
    case doc::BsonType::boolean:
    case doc::BsonType::int32:
    case doc::BsonType::int64:
    case doc::BsonType::real:
    case doc::BsonType::decimal:
    case doc::BsonType::date:
    case doc::BsonType::objectId:
    case doc::BsonType::binary:
      return true;
    default:
      return false;
  }
}

bool isUsableList(doc::ValueView value) {
  if (value.type() != doc::BsonType::array || value.asDocument().empty()) return false;
  for (const doc::Element& element : value.asDocument()) {
    if (!isUsableScalar(element.value)) return false;
  }
  return true;
}

}  // namespace

bool looksLikePlaceholder(std::string_view text) {
  return text == "$auth" || text.starts_with(kPrefix);
}

std::optional<Placeholder> Placeholder::parse(std::string_view text, Takes takes) {
  Placeholder placeholder;
  placeholder.takes_ = takes;
  if (text == "$auth.uid") {
    placeholder.source_ = Source::uid;
  } else if (text == "$auth.role") {
    placeholder.source_ = Source::role;
  } else if (text == "$auth.pid") {
    placeholder.source_ = Source::pid;
  } else if (text.starts_with(kTokenPrefix)) {
    placeholder.source_ = Source::claim;
    placeholder.name_ = text.substr(kTokenPrefix.size());
    const std::string& claim = placeholder.name_;
    const bool emptyStep =
        claim.empty() || claim.starts_with('.') || claim.ends_with('.') || claim.find("..") != std::string::npos;
    if (emptyStep || claim.find('$') != std::string::npos || claim.size() > 200) return std::nullopt;
  } else if (text.starts_with(kSetPrefix) && takes == Takes::list) {
    placeholder.source_ = Source::set;
    placeholder.name_ = text.substr(kSetPrefix.size());
    if (!checkSetName(placeholder.name_)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return placeholder;
}

std::string Placeholder::text() const {
  switch (source_) {
    case Source::uid:
      return "$auth.uid";
    case Source::role:
      return "$auth.role";
    case Source::pid:
      return "$auth.pid";
    case Source::claim:
      return std::string(kTokenPrefix) + name_;
    case Source::set:
      break;
  }
  return std::string(kSetPrefix) + name_;
}

std::optional<doc::Value> Placeholder::resolve(const Subject& subject) const {
  const Caller& caller = subject.caller;
  if (caller.kind == CallerKind::anonymous) return std::nullopt;
  switch (source_) {
    case Source::uid:
      return textValue(caller.id);
    case Source::role:
      return textValue(caller.role);
    case Source::pid:
      return textValue(caller.projectId.str());
    case Source::set: {
      const SetValue* value = subject.sets == nullptr ? nullptr : subject.sets->find(name_);
      return value == nullptr ? std::nullopt : std::optional(doc::Value(value->list()));
    }
    case Source::claim:
      break;
  }
  if (caller.kind != CallerKind::endUser) return std::nullopt;
  const doc::DocumentView claims = caller.claims.view();
  auto value = claims.find(name_);  // the name of a claim may hold dots, as URLs do
  if (!value) value = claims.findPath(name_);
  if (!value) return std::nullopt;
  if (isUsableScalar(*value) || (takes_ == Takes::list && isUsableList(*value))) return doc::Value(*value);
  return std::nullopt;
}

}  // namespace mb::policy

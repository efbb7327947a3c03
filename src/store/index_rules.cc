#include "store/index_rules.h"

#include "document/fields.h"
#include "store/document_limits.h"
namespace mb::store {

Result<std::vector<doc::FieldPath>> checkIndex(const IndexSpec& spec) {
  if (spec.keys.empty()) return fail(ErrorCode::validation, "an index needs at least one key");
  if (spec.keys.size() > kMaxIndexFields) {
    return fail(ErrorCode::validation, fmt::format("an index has at most {} keys", kMaxIndexFields));
  }
  std::vector<doc::FieldPath> paths;
  for (const IndexKey& key : spec.keys) {
    if (key.direction != 1 && key.direction != -1) {
      return fail(ErrorCode::validation, "the direction of an index key must be 1 or -1");
    }
    TRY(doc::FieldPath path, doc::FieldPath::parse(key.path));
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) {
      return fail(ErrorCode::validation, fmt::format("the index names \"{}\" twice", key.path));
    }
    paths.push_back(std::move(path));
  }
  if (spec.expireAfterSeconds && (*spec.expireAfterSeconds < 0 || spec.keys.size() != 1)) {
    return fail(ErrorCode::validation, "expireAfterSeconds must be at least 0, on an index of one key");
  }
  if (spec.covering && spec.unique) {
    return fail(ErrorCode::validation, "unique and covering cannot be combined: remove one of them");
  }
  if (spec.covering && !spec.include.empty()) {
    return fail(ErrorCode::validation, "covering and include cannot be combined: remove one of them");
  }
  if (spec.include.size() > kMaxIncluded) {
    return fail(ErrorCode::validation, fmt::format("an index includes at most {} fields", kMaxIncluded));
  }
  for (const std::string& path : spec.include) RETURN_IF_ERROR(doc::FieldPath::parse(path));
  if (spec.partialFilter) RETURN_IF_ERROR(doc::Filter::parse(*spec.partialFilter));
  return paths;
}

void appendPaths(doc::BsonWriter& out, std::string_view key, const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  out.beginArray(key);
  for (size_t i = 0; i < paths.size(); ++i) out.appendString(doc::arrayKey(i), paths[i]);
  out.end();
}

std::vector<std::string> pathsOf(doc::DocumentView view, std::string_view key) {
  std::vector<std::string> paths;
  for (const doc::Element& each : doc::containerOr(view, key)) {
    if (each.value.type() == doc::BsonType::string) paths.emplace_back(each.value.asString());
  }
  return paths;
}

void appendIndexInfo(doc::BsonWriter& out, const IndexInfo& index) {
  out.appendInt64("number", index.number);
  out.appendBool("ready", index.ready);
  out.appendString("name", index.spec.name);
  out.beginArray("keys");
  for (size_t i = 0; i < index.spec.keys.size(); ++i) {
    out.beginDocument(doc::arrayKey(i));
    out.appendString("path", index.spec.keys[i].path);
    out.appendInt32("direction", index.spec.keys[i].direction);
    out.end();
  }
  out.end();
  out.appendBool("unique", index.spec.unique);
  out.appendBool("sparse", index.spec.sparse);
  if (index.spec.partialFilter) out.appendDocument("partialFilter", *index.spec.partialFilter);
  if (index.spec.expireAfterSeconds) out.appendInt64("expireAfterSeconds", *index.spec.expireAfterSeconds);
  if (index.spec.covering) out.appendBool("covering", true);
  appendPaths(out, "include", index.spec.include);
}

IndexInfo decodeIndexInfo(doc::DocumentView view) {
  IndexInfo info;
  info.number = static_cast<IndexNo>(doc::integerOr(view, "number"));
  info.ready = doc::boolOr(view, "ready");
  info.spec.name = view.stringOr("name");
  for (const doc::Element& key : doc::containerOr(view, "keys")) {
    if (!key.value.isContainer()) continue;
    const doc::DocumentView part = key.value.asDocument();
    info.spec.keys.push_back({std::string(part.stringOr("path")), static_cast<int>(doc::integerOr(part, "direction"))});
  }
  info.spec.unique = doc::boolOr(view, "unique");
  info.spec.sparse = doc::boolOr(view, "sparse");
  if (const auto partial = view.find("partialFilter")) info.spec.partialFilter = doc::Document(partial->asDocument());
  if (view.find("expireAfterSeconds")) info.spec.expireAfterSeconds = doc::integerOr(view, "expireAfterSeconds");
  info.spec.covering = doc::boolOr(view, "covering");
  info.spec.include = pathsOf(view, "include");
  return info;
}

}  // namespace mb::store

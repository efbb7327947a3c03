#include "store/embedded/schema.h"

#include "store/configuration_limits.h"
#include "store/embedded/held_fields.h"
#include "store/embedded/keys.h"

namespace mb::store::embedded {

using doc::BsonWriter;
using doc::Document;
using doc::DocumentView;

namespace {

void appendPaths(BsonWriter& writer, std::string_view key, const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  writer.beginArray(key);
  for (size_t i = 0; i < paths.size(); ++i) writer.appendString(doc::arrayKey(i), paths[i]);
  writer.end();
}

void appendIndex(BsonWriter& writer, std::string_view key, const Index& index) {
  writer.beginDocument(key);
  writer.appendInt64("number", index.number);
  writer.appendBool("ready", index.ready);
  writer.appendString("name", index.spec.name);
  writer.beginArray("keys");
  for (size_t i = 0; i < index.spec.keys.size(); ++i) {
    writer.beginDocument(doc::arrayKey(i));
    writer.appendString("path", index.spec.keys[i].path);
    writer.appendInt32("direction", index.spec.keys[i].direction);
    writer.end();
  }
  writer.end();
  writer.appendBool("unique", index.spec.unique);
  writer.appendBool("sparse", index.spec.sparse);
  if (index.spec.partialFilter) writer.appendDocument("partialFilter", *index.spec.partialFilter);
  if (index.spec.expireAfterSeconds) writer.appendInt64("expireAfterSeconds", *index.spec.expireAfterSeconds);
  if (index.spec.covering) writer.appendBool("covering", true);
  appendPaths(writer, "include", index.spec.include);
  if (index.layout > 0) writer.appendInt64("layout", index.layout);
  if (index.refilling) writer.appendBool("refilling", true);
  writer.end();
}

bool flagOf(DocumentView view, std::string_view key) {
  const auto value = view.find(key);
  return value && value->type() == doc::BsonType::boolean && value->asBool();
}

int64_t integerOf(DocumentView view, std::string_view key) {
  const auto value = view.find(key);
  return value && value->isNumber() ? value->toInteger().value_or(0) : 0;
}

DocumentView childOf(DocumentView view, std::string_view key) {
  const auto value = view.find(key);
  return value && value->isContainer() ? value->asDocument() : DocumentView();
}

std::vector<std::string> pathsOf(DocumentView view, std::string_view key) {
  std::vector<std::string> paths;
  for (const doc::Element& each : childOf(view, key)) {
    if (each.value.type() == doc::BsonType::string) paths.emplace_back(each.value.asString());
  }
  return paths;
}

Result<std::shared_ptr<Index>> decodeIndex(DocumentView view, const std::vector<std::string>& held) {
  IndexSpec spec;
  spec.name = view.stringOr("name");
  for (const doc::Element& key : childOf(view, "keys")) {
    if (!key.value.isContainer()) return fail(ErrorCode::internal, "an index of the catalogue is corrupt");
    const DocumentView part = key.value.asDocument();
    spec.keys.push_back({std::string(part.stringOr("path")), static_cast<int>(integerOf(part, "direction"))});
  }
  spec.unique = flagOf(view, "unique");
  spec.sparse = flagOf(view, "sparse");
  if (const auto partial = view.find("partialFilter")) spec.partialFilter = Document(partial->asDocument());
  if (view.find("expireAfterSeconds")) spec.expireAfterSeconds = integerOf(view, "expireAfterSeconds");
  spec.covering = flagOf(view, "covering");
  spec.include = pathsOf(view, "include");
  const auto number = static_cast<IndexNo>(integerOf(view, "number"));
  TRY(std::shared_ptr<Index> index, compileIndex(number, std::move(spec), flagOf(view, "ready"), held));
  index->layout = static_cast<uint32_t>(integerOf(view, "layout"));
  index->refilling = flagOf(view, "refilling");
  return index;
}

}  // namespace

const Index* Schema::index(IndexNo wanted) const {
  for (const auto& each : indexes) {
    if (each->number == wanted) return each.get();
  }
  return nullptr;
}

Result<std::shared_ptr<Index>> compileIndex(IndexNo number, IndexSpec spec, bool ready,
                                            const std::vector<std::string>& held) {
  if (spec.keys.empty()) return fail(ErrorCode::validation, "an index needs at least one key");
  if (spec.keys.size() > kMaxIndexFields) {
    return fail(ErrorCode::validation, fmt::format("an index has at most {} keys", kMaxIndexFields));
  }
  auto index = std::make_shared<Index>();
  for (const IndexKey& key : spec.keys) {
    if (key.direction != 1 && key.direction != -1) {
      return fail(ErrorCode::validation, "the direction of an index key must be 1 or -1");
    }
    TRY(doc::FieldPath path, doc::FieldPath::parse(key.path));
    if (std::find(index->paths.begin(), index->paths.end(), path) != index->paths.end()) {
      return fail(ErrorCode::validation, fmt::format("the index names \"{}\" twice", key.path));
    }
    index->paths.push_back(std::move(path));
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
  TRY(index->held, heldPaths(spec, held));
  if (!index->held.empty()) index->layout = 1;
  if (spec.partialFilter) {
    TRY(index->partial, doc::Filter::parse(*spec.partialFilter));
  }
  if (spec.name.empty()) spec.name = defaultIndexName(spec.keys);
  index->number = number;
  index->spec = std::move(spec);
  index->ready = ready;
  index->traits = std::make_shared<IndexTraits>();
  if (!ready) index->progress = std::make_shared<FillProgress>();
  return index;
}

CollectionInfo infoOf(const Schema& schema) {
  CollectionInfo info{schema.number, schema.name, schema.version, schema.config, {}};
  for (const auto& index : schema.indexes) {
    info.indexes.push_back({index->number, index->spec, index->ready});
  }
  return info;
}

int64_t configuredBytes(const Schema& schema) {
  uint64_t bytes = store::configuredBytes(schema.name, schema.config);
  for (const auto& index : schema.indexes) bytes += store::configuredBytes(index->spec);
  return static_cast<int64_t>(bytes);
}

std::string encodeSchema(const Schema& schema) {
  BsonWriter writer;
  writer.appendString("name", schema.name);
  writer.appendInt64("version", static_cast<int64_t>(schema.version));
  writer.appendDocument("config", schema.config);
  if (!schema.countedBy.empty()) writer.appendString("tallied", schema.countedBy);
  appendPaths(writer, "held", schema.held);
  writer.beginArray("indexes");
  for (size_t i = 0; i < schema.indexes.size(); ++i) appendIndex(writer, doc::arrayKey(i), *schema.indexes[i]);
  writer.end();
  return writer.finish().takeBytes();
}

Result<Schema> decodeSchema(CollectionNo number, std::string_view row) {
  auto document = Document::fromUntrusted(std::string(row));
  if (!document) return fail(ErrorCode::internal, fmt::format("the catalogue row of collection {} is corrupt", number));
  const DocumentView view = *document;
  Schema schema;
  schema.number = number;
  schema.name = view.stringOr("name");
  schema.version = static_cast<uint64_t>(integerOf(view, "version"));
  schema.config = Document(childOf(view, "config"));
  schema.countedBy = view.stringOr("tallied");
  schema.held = pathsOf(view, "held");
  for (const doc::Element& each : childOf(view, "indexes")) {
    if (!each.value.isContainer()) return fail(ErrorCode::internal, "an index of the catalogue is corrupt");
    TRY(std::shared_ptr<Index> index, decodeIndex(each.value.asDocument(), schema.held));
    schema.indexes.push_back(std::move(index));
  }
  return schema;
}

bool sameSpec(const IndexSpec& a, const IndexSpec& b) {
  const auto sameKeys =
      std::equal(a.keys.begin(), a.keys.end(), b.keys.begin(), b.keys.end(),
                 [](const IndexKey& x, const IndexKey& y) { return x.path == y.path && x.direction == y.direction; });
  return sameKeys && a.unique == b.unique && a.sparse == b.sparse && a.partialFilter == b.partialFilter &&
         a.expireAfterSeconds == b.expireAfterSeconds && a.covering == b.covering && a.include == b.include;
}

}  // namespace mb::store::embedded

#include "store/embedded/schema.h"

#include "document/fields.h"
#include "store/configuration_limits.h"
#include "store/embedded/held_fields.h"
#include "store/embedded/keys.h"
#include "store/index_rules.h"

namespace mb::store::embedded {

using doc::BsonWriter;
using doc::Document;
using doc::DocumentView;

namespace {

Result<std::shared_ptr<Index>> decodeIndex(DocumentView view, const std::vector<std::string>& held) {
  IndexInfo info = decodeIndexInfo(view);
  TRY(std::shared_ptr<Index> index, compileIndex(info.number, std::move(info.spec), info.ready, held));
  index->layout = static_cast<uint32_t>(doc::integerOr(view, "layout"));
  index->refilling = doc::boolOr(view, "refilling");
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
  TRY(std::vector<doc::FieldPath> paths, checkIndex(spec));
  auto index = std::make_shared<Index>();
  index->paths = std::move(paths);
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
  for (size_t i = 0; i < schema.indexes.size(); ++i) {
    const Index& index = *schema.indexes[i];
    writer.beginDocument(doc::arrayKey(i));
    appendIndexInfo(writer, {index.number, index.spec, index.ready});
    if (index.layout > 0) writer.appendInt64("layout", index.layout);
    if (index.refilling) writer.appendBool("refilling", true);
    writer.end();
  }
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
  schema.version = static_cast<uint64_t>(doc::integerOr(view, "version"));
  schema.config = Document(doc::containerOr(view, "config"));
  schema.countedBy = view.stringOr("tallied");
  schema.held = pathsOf(view, "held");
  for (const doc::Element& each : doc::containerOr(view, "indexes")) {
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

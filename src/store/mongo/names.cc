#include "store/mongo/names.h"

namespace mb::store::mongo {

namespace {

constexpr std::string_view kEscape = "_mb";
constexpr size_t kProjectDigits = 8;

bool isReserved(std::string_view name) {
  return name == "_id" || name == "_v" || name == "_p" || name == "_g" || name.starts_with(kEscape);
}

}  // namespace

std::string Names::databaseOf(ProjectNo project, CollectionNo collection) const {
  return isSystem(collection) ? prefix_ : fmt::format("{}_p{}", prefix_, project);
}

std::string Names::collectionOf(CollectionNo collection) {
  return fmt::format("{}{}", isSystem(collection) ? "sys_" : "c", collection);
}

std::string storedId(ProjectNo project, CollectionNo collection, std::string_view id) {
  return isSystem(collection) ? fmt::format("{:08x}{}", project, id) : std::string(id);
}

std::string_view idOf(CollectionNo collection, std::string_view storedId) {
  return isSystem(collection) && storedId.size() >= kProjectDigits ? storedId.substr(kProjectDigits) : storedId;
}

doc::Document stored(ProjectNo project, CollectionNo collection, std::string_view id, doc::DocumentView document,
                     DocumentVersion version) {
  doc::BsonWriter out(document.bytes().size() + 64);
  out.appendString("_id", storedId(project, collection, id));
  out.appendInt64("_v", static_cast<int64_t>(version));
  if (isSystem(collection)) out.appendInt64("_p", project);
  bool first = true;
  for (const doc::Element& each : document) {
    const bool isId = first && each.key == "id";
    first = false;
    if (isId) continue;
    if (isReserved(each.key)) {
      out.append(std::string(kEscape) + std::string(each.key), each.value);
    } else {
      out.append(each.key, each.value);
    }
  }
  return out.finish();
}

Result<Unstored> unstored(CollectionNo collection, doc::DocumentView stored) {
  Unstored out;
  auto at = stored.begin();
  const auto corrupt = [] { return fail(ErrorCode::internal, "a stored document is corrupt"); };
  if (at == stored.end() || at->key != "_id" || at->value.type() != doc::BsonType::string) return corrupt();
  const std::string id(idOf(collection, at->value.asString()));
  ++at;
  if (at == stored.end() || at->key != "_v" || at->value.type() != doc::BsonType::int64) return corrupt();
  out.version = static_cast<DocumentVersion>(at->value.asInt64());
  ++at;
  if (isSystem(collection)) {
    if (at == stored.end() || at->key != "_p") return corrupt();
    ++at;
  }
  doc::BsonWriter writer(stored.bytes().size() + 32);
  bool holdsId = false;
  for (auto each = at; each != stored.end(); ++each) holdsId = holdsId || each->key == "id";
  if (!holdsId) writer.appendString("id", id);
  for (; at != stored.end(); ++at) {
    if (at->key == "_g") continue;
    const bool escaped = at->key.starts_with(kEscape);
    writer.append(escaped ? at->key.substr(kEscape.size()) : at->key, at->value);
  }
  out.document = writer.finish();
  return out;
}

std::string storedPath(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('.'));
  if (first == "id") return "_id" + std::string(path.substr(first.size()));
  return isReserved(first) ? std::string(kEscape) + std::string(path) : std::string(path);
}

}  // namespace mb::store::mongo

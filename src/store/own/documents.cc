#include "store/own/documents.h"

#include <bson/bson.h>

#include <algorithm>

#include "base/crypto.h"

namespace mb::store::own {

namespace {

using doc::BsonType;

constexpr size_t kMaxShownId = 64;

// Whether `value` is what is shown of `element`.
bool isShownBy(const doc::ForeignElement& element, doc::ValueView value) {
  doc::BsonWriter out;
  doc::appendShown(out, "", element);
  const doc::Document document = out.finish();
  const doc::ValueView own = document.view().begin()->value;
  return own.type() == value.type() && own.raw() == value.raw();
}

// Writes a changed document with what is unchanged as it is stored.
class Merge {
 public:
  explicit Merge(bool replaces) : replaces_(replaces) {}

  // The elements of `stored` that `after` still has, then the new ones. At the top, `_id` stays.
  Result<> document(doc::BsonWriter& out, std::string_view stored, doc::DocumentView after, const std::string& path,
                    bool top) {
    doc::ForeignReader reader(stored);
    std::vector<std::string> written;
    while (reader.next()) {
      const doc::ForeignElement& element = reader.element();
      if (top && element.key == "_id") {
        copy(out, element.key, element);
        continue;
      }
      const std::string key = doc::asUtf8(element.key);
      const std::string at = path + "/" + key;
      const auto value = after.find(key);
      if (!value) {
        if (loses(element)) return lost(at);
        continue;
      }
      RETURN_IF_ERROR(this->value(out, element, *value, at));
      written.push_back(key);
    }
    for (const doc::Element& each : after) {
      if (std::ranges::find(written, each.key) == written.end()) out.append(each.key, each.value);
    }
    return {};
  }

 private:
  static void copy(doc::BsonWriter& out, std::string_view key, const doc::ForeignElement& element) {
    out.append(key, doc::ValueView(static_cast<BsonType>(element.type), element.value.data(), element.value.size()));
  }

  bool loses(const doc::ForeignElement& element) const { return replaces_ && doc::holdsShownAsOther(element); }

  static std::unexpected<Error> lost(const std::string& path) {
    return fail(ErrorCode::conflict, "a replacement would lose the value at " + path + ", which JSON has no form for");
  }

  Result<> value(doc::BsonWriter& out, const doc::ForeignElement& element, doc::ValueView after,
                 const std::string& path) {
    if (isShownBy(element, after)) {
      copy(out, element.key, element);
      return {};
    }
    if (element.is(BsonType::document) && after.type() == BsonType::document) {
      out.beginDocument(element.key);
      RETURN_IF_ERROR(document(out, element.value, after.asDocument(), path, false));
      out.end();
      return {};
    }
    if (element.is(BsonType::array) && after.type() == BsonType::array) {
      out.beginArray(element.key);
      RETURN_IF_ERROR(array(out, element.value, after.asDocument(), path));
      out.end();
      return {};
    }
    if (loses(element)) return lost(path);
    out.append(element.key, after);
    return {};
  }

  // An element keeps its stored form where one that is shown the same is at its place.
  Result<> array(doc::BsonWriter& out, std::string_view stored, doc::DocumentView after, const std::string& path) {
    doc::ForeignReader reader(stored);
    size_t at = 0;
    for (const doc::Element& each : after) {
      const std::string key(doc::arrayKey(at++));
      if (!reader.next()) {
        out.append(key, each.value);
        continue;
      }
      doc::ForeignElement element = reader.element();
      element.key = key;
      RETURN_IF_ERROR(value(out, element, each.value, path + "/" + key));
    }
    while (reader.next()) {
      if (loses(reader.element())) return lost(path + "/" + std::string(doc::arrayKey(at)));
      ++at;
    }
    return {};
  }

  bool replaces_;
};

// The id in the field `id`; nullopt where it has none of the form of an id.
std::optional<std::string_view> ownId(const std::optional<doc::ForeignElement>& id) {
  if (!id || !id->is(BsonType::string) || !isShownId(id->text())) return std::nullopt;
  return id->text();
}

}  // namespace

std::string newObjectId() {
  bson_oid_t oid;
  bson_oid_init(&oid, nullptr);
  return {reinterpret_cast<const char*>(oid.bytes), sizeof oid.bytes};
}

bool isShownId(std::string_view text) {
  return !text.empty() && text.size() <= kMaxShownId && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::optional<doc::ForeignElement> elementOf(std::string_view stored, std::string_view key) {
  doc::ForeignReader reader(stored);
  while (reader.next()) {
    if (reader.element().key == key) return reader.element();
  }
  return std::nullopt;
}

std::optional<std::string> shownId(std::string_view stored, Cover& cover) {
  if (const auto own = ownId(elementOf(stored, "id"))) return std::string(*own);
  const auto key = elementOf(stored, "_id");
  return key ? idOfKey(*key, cover) : std::nullopt;
}

std::optional<std::string> idOfKey(const doc::ForeignElement& key, Cover& cover) {
  if (key.is(BsonType::objectId)) return cover.of(key.value);
  if (key.is(BsonType::string) && isShownId(key.text())) return std::string(key.text());
  return std::nullopt;
}

std::string nameOfKey(const doc::ForeignElement& key) {
  std::string bytes(1, static_cast<char>(key.type));
  bytes += key.value;
  return toHex(sha256(bytes));
}

std::string backfilledId(const doc::ForeignElement& key, Cover& cover) {
  if (auto id = idOfKey(key, cover)) return *std::move(id);
  return cover.ofOther(nameOfKey(key));
}

std::optional<doc::Document> shown(std::string_view stored, Cover& cover) {
  const auto id = shownId(stored, cover);
  if (!id) return std::nullopt;
  doc::BsonWriter out(stored.size() + 64);
  out.appendString("id", *id);
  doc::ForeignReader reader(stored);
  while (reader.next()) {
    const doc::ForeignElement& element = reader.element();
    if (element.key != "_id" && element.key != "id") doc::appendShown(out, doc::asUtf8(element.key), element);
  }
  return out.finish();
}

doc::Document sortable(std::string_view stored) {
  doc::BsonWriter out(stored.size() + 64);
  doc::ForeignReader reader(stored);
  while (reader.next()) doc::appendShown(out, doc::asUtf8(reader.element().key), reader.element());
  return out.finish();
}

DocumentVersion versionOf(std::string_view stored) {
  const Digest hash = sha256(stored);
  DocumentVersion version = 0;
  std::memcpy(&version, hash.data(), sizeof version);
  return version == 0 ? 1 : version;
}

doc::Document newStored(doc::DocumentView document, Cover& cover) {
  const std::string_view id = document.stringOr("id");
  doc::BsonWriter out(document.bytes().size() + 32);
  const auto covered = cover.objectIdOf(id);
  out.appendObjectId("_id", covered ? *covered : newObjectId());
  out.appendAll(document);
  return out.finish();
}

Result<std::string> changedStored(std::string_view stored, doc::DocumentView after, bool replaces) {
  doc::BsonWriter out(stored.size() + after.bytes().size());
  RETURN_IF_ERROR(Merge(replaces).document(out, stored, after, "", true));
  return out.finish().bytes();
}

}  // namespace mb::store::own

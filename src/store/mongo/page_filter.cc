#include "store/mongo/page_filter.h"

#include <cmath>

#include "document/fields.h"
#include "document/value_order.h"
#include "store/mongo/names.h"

namespace mb::store::mongo {

namespace {

using doc::BsonType;

constexpr std::array kTypes = {BsonType::minKey, BsonType::null,      BsonType::int32,    BsonType::int64,
                               BsonType::real,   BsonType::decimal,   BsonType::string,   BsonType::document,
                               BsonType::array,  BsonType::binary,    BsonType::objectId, BsonType::boolean,
                               BsonType::date,   BsonType::timestamp, BsonType::regex,    BsonType::maxKey};

// Whether the server compares values of this class as we do.
bool isCompared(doc::ValueView value) {
  switch (value.type()) {
    case BsonType::string:
    case BsonType::boolean:
    case BsonType::date:
    case BsonType::objectId:
      return true;
    default:
      return value.isNumber() && !std::isnan(value.toReal());
  }
}

// Conditions on the value of one sort key, which is missing in `value` for an array without elements.
class SortValueAfter {
 public:
  SortValueAfter(const std::string& path, int direction, std::optional<doc::ValueView> value)
      : path_(path), direction_(direction), value_(value) {}

  // What matches where the sort value comes after.
  std::vector<doc::Document> alternatives() const {
    std::vector<doc::Document> out;
    const int own = value_ ? doc::typeClass(value_->type()) : 0;
    if (value_ && isCompared(*value_)) {
      out.push_back(condition([&](doc::BsonWriter& to) { to.append(direction_ > 0 ? "$gt" : "$lt", *value_); }));
    }
    doc::BsonWriter types;
    types.beginDocument(path_);
    types.beginArray("$type");
    size_t count = 0;
    bool nulls = false;
    for (const BsonType type : kTypes) {
      const int other = doc::typeClass(type);
      const bool within = value_ && other == own && !isCompared(*value_);
      // An array without elements comes between minKey and null.
      const bool beyond = value_ ? (other - own) * direction_ > 0 : (type == BsonType::minKey) == (direction_ < 0);
      if (!within && !beyond) continue;
      nulls = nulls || type == BsonType::null;
      types.appendString(doc::arrayKey(count++), type == BsonType::minKey   ? "minKey"
                                                 : type == BsonType::maxKey ? "maxKey"
                                                                            : doc::typeName(type));
    }
    types.end();
    types.end();
    if (count > 0) out.push_back(types.finish());
    // Missing fields sort as null, arrays without elements before it; both may be within other arrays.
    if (nulls) {
      out.push_back(condition([](doc::BsonWriter& to) { to.appendNull("$eq"); }));
      // A path that ends at an array without elements sorts as null, too, but does not equal it.
      for (size_t dot = path_.find('.'); dot != std::string::npos; dot = path_.find('.', dot + 1)) {
        doc::BsonWriter through;
        through.beginDocument(path_.substr(0, dot));
        through.appendString("$type", "array");
        through.end();
        out.push_back(through.finish());
      }
    }
    if (direction_ < 0 || nulls) {
      out.push_back(condition([](doc::BsonWriter& to) {
        to.beginArray("$eq");
        to.end();
      }));
    }
    return out;
  }

  // What matches where the sort value is the same; nullopt for everything.
  std::optional<doc::Document> same() const {
    if (!value_ || !isCompared(*value_)) return std::nullopt;
    return condition([&](doc::BsonWriter& to) { to.append("$eq", *value_); });
  }

 private:
  doc::Document condition(const std::function<void(doc::BsonWriter&)>& write) const {
    doc::BsonWriter out;
    out.beginDocument(path_);
    write(out);
    out.end();
    return out.finish();
  }

  const std::string path_;
  const int direction_;
  const std::optional<doc::ValueView> value_;
};

doc::Document joined(std::string_view op, const std::vector<doc::Document>& parts) {
  if (parts.size() == 1) return parts.front();
  doc::BsonWriter out;
  out.beginArray(op);
  for (size_t i = 0; i < parts.size(); ++i) out.appendDocument(doc::arrayKey(i), parts[i]);
  out.end();
  return out.finish();
}

}  // namespace

doc::Document afterPosition(const std::vector<SortKey>& sort, doc::DocumentView position,
                            const CollectionRef& collection) {
  // The keys up to the id, which is unique.
  std::vector<SortKey> keys;
  doc::BsonWriter values;
  auto value = doc::containerOr(position, "v").begin();
  int direction = 1;
  for (const SortKey& key : sort) {
    direction = key.path == "id" ? key.direction : 1;
    if (key.path == "id") break;
    values.appendDocument(doc::arrayKey(keys.size()), value->value.asDocument());
    keys.push_back({storedPath(key.path), key.direction});
    ++value;
  }
  values.beginDocument(doc::arrayKey(keys.size()));
  values.appendString("is", storedId(collection.project, collection.number, position.stringOr("id")));
  values.end();
  keys.push_back({storedPath("id"), direction});
  return afterValues(keys, values.finish());
}

doc::Document afterValues(std::span<const SortKey> keys, doc::DocumentView values) {
  std::vector<doc::Document> all;
  std::vector<doc::Document> same;
  auto value = values.begin();
  for (const SortKey& key : keys) {
    const SortValueAfter after(key.path, key.direction, value->value.asDocument().find("is"));
    for (const doc::Document& each : after.alternatives()) {
      std::vector<doc::Document> parts = same;
      parts.push_back(each);
      all.push_back(joined("$and", parts));
    }
    if (auto equal = after.same()) same.push_back(*std::move(equal));
    ++value;
  }
  return joined("$or", all);
}

}  // namespace mb::store::mongo

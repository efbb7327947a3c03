#include "introspection/sampled_fields.h"

#include "base/utf8.h"

namespace mb::introspection {

namespace {

using doc::BsonType;

constexpr std::array<std::string_view, kFieldTypes> kTypeNames = {
    "string", "int",   "long", "double", "decimal", "bool",      "date",  "objectId",
    "object", "array", "null", "binary", "regex",   "timestamp", "other",
};

constexpr std::string_view kItems = "[]";

bool isDotted(std::string_view name) {
  return name.empty() || name.front() == '$' || name.find('.') != std::string_view::npos || !isUtf8(name);
}

size_t nodesBelow(const PathNode& node);

size_t nodesOfChildren(const PathNode& node) {
  size_t count = 0;
  for (const auto& [name, child] : node.children) count += 1 + nodesBelow(*child);
  return count;
}

size_t nodesBelow(const PathNode& node) {
  return nodesOfChildren(node) + (node.items ? 1 + nodesBelow(*node.items) : 0);
}

}  // namespace

std::string_view fieldTypeName(FieldType type) {
  return kTypeNames[static_cast<size_t>(type)];
}

FieldType fieldTypeOf(const doc::ForeignElement& element) {
  switch (static_cast<BsonType>(element.type)) {
    case BsonType::string:
      return FieldType::string;
    case BsonType::int32:
      return FieldType::int32;
    case BsonType::int64:
      return FieldType::int64;
    case BsonType::real:
      return FieldType::real;
    case BsonType::decimal:
      return FieldType::decimal;
    case BsonType::boolean:
      return FieldType::boolean;
    case BsonType::date:
      return FieldType::date;
    case BsonType::objectId:
      return FieldType::objectId;
    case BsonType::document:
      return FieldType::document;
    case BsonType::array:
      return FieldType::array;
    case BsonType::null:
      return FieldType::null;
    case BsonType::binary:
      return FieldType::binary;
    case BsonType::regex:
      return FieldType::regex;
    case BsonType::timestamp:
      return FieldType::timestamp;
    default:
      return FieldType::other;
  }
}

SampledFields::SampledFields(const std::vector<std::string>& documents) {
  // Which names are data is known only after all documents: what is folded in one pass is counted again in the next.
  // Below a folded name others may be, so there are at most as many passes as levels, and one.
  do {
    foldedMore_ = false;
    root_ = PathNode();
    root_.folds = folded_.contains("");
    nodes_ = document_ = object_ = 0;
    wasCut_ = isDeep_ = hasDotted_ = hasOthers_ = false;
    for (const std::string& document : documents) count(document);
  } while (foldedMore_);
}

void SampledFields::count(std::string_view document) {
  ++document_;
  ++root_.documents;
  ++root_.objects;
  countFields(root_, document, 1);
}

void SampledFields::skip(const doc::ForeignElement& element) {
  hasOthers_ = hasOthers_ || doc::holdsShownAsOther(element);
}

void SampledFields::fold(PathNode& node) {
  nodes_ -= nodesOfChildren(node);
  node.children.clear();
  node.folds = true;
  folded_.insert(path_);
  foldedMore_ = true;
}

PathNode* SampledFields::childOf(PathNode& node, const std::string& name) {
  const auto found = node.children.find(name);
  if (found != node.children.end()) return found->second.get();
  if (nodes_ >= kMaxNodes) {
    wasCut_ = true;
    return nullptr;
  }
  ++nodes_;
  auto child = std::make_unique<PathNode>();
  child->folds = folded_.contains(path_ + name + '\0');
  return node.children.emplace(name, std::move(child)).first->second.get();
}

PathNode* SampledFields::itemsOf(PathNode& node) {
  if (node.items) return node.items.get();
  if (nodes_ >= kMaxNodes) {
    wasCut_ = true;
    return nullptr;
  }
  ++nodes_;
  node.items = std::make_unique<PathNode>();
  node.items->folds = folded_.contains(path_ + std::string(kItems) + '\0');
  return node.items.get();
}

void SampledFields::countFields(PathNode& node, std::string_view object, size_t depth) {
  const size_t number = ++object_;
  doc::ForeignReader reader(object);
  while (reader.next()) {
    const doc::ForeignElement element = reader.element();
    if (&node == &root_ && element.key == "_id") continue;
    if (isDotted(element.key)) {
      hasDotted_ = true;
      skip(element);
      continue;
    }
    if (element.key.size() > kMaxNameBytes || depth > kMaxDepth) {
      (depth > kMaxDepth ? isDeep_ : wasCut_) = true;
      skip(element);
      continue;
    }
    std::string name(element.key);
    if (!node.folds && node.children.size() == kMaxNames && !node.children.contains(name)) fold(node);
    if (node.folds) name = kAnyName;
    PathNode* child = childOf(node, name);
    if (child == nullptr) {
      skip(element);
      continue;
    }
    // An object may have a name twice, or several names that are folded.
    if (child->lastObject_ != number) ++child->holders;
    child->lastObject_ = number;
    const size_t before = path_.size();
    path_ += name;
    path_ += '\0';
    countValue(*child, element, depth);
    path_.resize(before);
  }
}

void SampledFields::countItems(PathNode& node, std::string_view array, size_t depth) {
  doc::ForeignReader reader(array);
  while (reader.next()) {
    const doc::ForeignElement element = reader.element();
    PathNode* items = depth > kMaxDepth ? nullptr : itemsOf(node);
    if (items == nullptr) {
      isDeep_ = isDeep_ || depth > kMaxDepth;
      skip(element);
      continue;
    }
    const size_t before = path_.size();
    path_ += kItems;
    path_ += '\0';
    countValue(*items, element, depth);
    path_.resize(before);
  }
}

void SampledFields::countValue(PathNode& node, const doc::ForeignElement& element, size_t depth) {
  const FieldType type = fieldTypeOf(element);
  const auto at = static_cast<size_t>(type);
  if (node.lastDocument_ != document_) ++node.documents;
  if (node.lastDocumentOfType_[at] != document_) ++node.documentsOfType[at];
  node.lastDocument_ = node.lastDocumentOfType_[at] = document_;
  if (doc::isShownAsOther(element)) node.hasOthers = hasOthers_ = true;
  if (type == FieldType::document) {
    ++node.objects;
    countFields(node, element.value, depth + 1);
  } else if (type == FieldType::array) {
    countItems(node, element.value, depth + 1);
  }
}

}  // namespace mb::introspection

// The fields of sampled documents: which paths there are, in how many documents, with which types.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "document/foreign_bson.h"

namespace mb::introspection {

inline constexpr size_t kMaxDepth = 8;        // names and "[]" in a path
inline constexpr size_t kMaxPaths = 500;      // in a report
inline constexpr size_t kMaxNames = 200;      // below one path; further ones make them data
inline constexpr size_t kMaxNameBytes = 256;  // fields with longer names are left out
inline constexpr size_t kMaxNodes = 10'000;   // in memory
inline constexpr std::string_view kAnyName = "*";

// The types of a report, in its order.
enum class FieldType : uint8_t {
  string,
  int32,
  int64,
  real,
  decimal,
  boolean,
  date,
  objectId,
  document,
  array,
  null,
  binary,
  regex,
  timestamp,
  other,
};
inline constexpr size_t kFieldTypes = 15;
std::string_view fieldTypeName(FieldType type);
FieldType fieldTypeOf(const doc::ForeignElement& element);

// A path, and what is below it.
struct PathNode {
  std::map<std::string, std::unique_ptr<PathNode>, std::less<>> children;
  std::unique_ptr<PathNode> items;
  std::array<size_t, kFieldTypes> documentsOfType{};
  size_t documents = 0;  // that have the path
  size_t objects = 0;    // values that are objects
  size_t holders = 0;    // objects that have this field
  bool folds = false;    // names below it are data: they count as one, kAnyName
  // Whether a value is shown as something else than it is (doc::isShownAsOther()).
  bool hasOthers = false;

  bool has(FieldType type) const { return documentsOfType[static_cast<size_t>(type)] > 0; }

 private:
  friend class SampledFields;
  // The last document and object that were counted, from 1 on.
  std::array<size_t, kFieldTypes> lastDocumentOfType_{};
  size_t lastDocument_ = 0;
  size_t lastObject_ = 0;
};

// Time is in proportion to the bytes of the documents, memory bounded by kMaxNodes.
class SampledFields {
 public:
  // `documents`: doc::isWellFormed() BSON.
  explicit SampledFields(const std::vector<std::string>& documents);

  // The documents themselves. `_id` is left out at the top.
  const PathNode& root() const { return root_; }
  bool wasCut() const { return wasCut_; }        // paths were left out: too many, or too long names
  bool isDeep() const { return isDeep_; }        // there are fields below kMaxDepth
  bool hasDotted() const { return hasDotted_; }  // names with "." or "$", empty ones, and such that are not UTF-8
  // Whether a value is shown as something else than it is.
  bool hasOthers() const { return hasOthers_; }

 private:
  void count(std::string_view document);
  void countFields(PathNode& node, std::string_view object, size_t depth);
  void countItems(PathNode& node, std::string_view array, size_t depth);
  void countValue(PathNode& node, const doc::ForeignElement& element, size_t depth);
  void skip(const doc::ForeignElement& element);
  PathNode* childOf(PathNode& node, const std::string& name);
  PathNode* itemsOf(PathNode& node);
  void fold(PathNode& node);

  PathNode root_;
  std::set<std::string, std::less<>> folded_;  // paths, with each name ended by NUL
  std::string path_;                           // of the node that is counted
  bool foldedMore_ = false;                    // in this pass
  size_t nodes_ = 0;
  size_t document_ = 0;
  size_t object_ = 0;
  bool wasCut_ = false;
  bool isDeep_ = false;
  bool hasDotted_ = false;
  bool hasOthers_ = false;
};

}  // namespace mb::introspection

// The base of kinds whose section is a list of named entries, which are created or changed one at a time with one
// permission.
#pragma once

#include <map>

#include "configuration/resource_kind.h"
#include "document/shape.h"
#include "policy/required_permission.h"

namespace mb::configuration {

// The entry of this name in a section of the document; nullopt without one.
std::optional<doc::DocumentView> entryIn(doc::DocumentView document, std::string_view section, std::string_view name);

class ListedKind : public ResourceKind {
 public:
  // permission() for each change.
  std::vector<std::string> permissionsFor(const Change& change) const override;
  // prepare(), then applyOne() for each.
  Task<> apply(Target target, std::vector<Change> changes) override;

 protected:
  virtual policy::RequiredPermission permission() const = 0;
  // Preparation for all changes together. The default does nothing.
  virtual Task<> prepare(Target target, std::vector<Change> changes);
  virtual Task<> applyOne(Target target, Change change) = 0;
};

// The entry with the encoded `value`.
template <class T>
Entry entryShowing(std::string name, const T& value) {
  doc::BsonWriter out;
  doc::encodeValue(out, "", value);
  const doc::Document whole = out.finish();
  return {std::move(name), doc::Value(whole.view().begin()->value)};
}

// Decodes an entry of a document strictly; `check` then returns further errors (paths within the entry). nullopt on any
// error; errors are added to `problems`.
template <doc::Shaped T, class Check>
std::optional<T> entryAt(doc::ValueView value, const std::string& pointer, Problems& problems, Check check) {
  if (!isEntry(value, pointer, problems)) return std::nullopt;
  T entry;
  std::vector<ErrorDetail> details;
  doc::decodeValue(entry, value, "", doc::UnknownFields::refuse, details);
  if (details.empty()) details = check(entry);
  for (ErrorDetail& each : details) problems.add(pointer + each.path, std::move(each.message));
  return details.empty() ? std::optional(std::move(entry)) : std::nullopt;
}
template <doc::Shaped T>
std::optional<T> entryAt(doc::ValueView value, const std::string& pointer, Problems& problems) {
  return entryAt<T>(value, pointer, problems, [](const T&) { return std::vector<ErrorDetail>(); });
}

// Parts of the messages of a UniqueNameSet.
struct NameTexts {
  std::string_view twice = "occurs twice";    // after the name
  std::string_view tooMany = "would exceed";  // before the limit
};

// The names of a section's entries in a document, compared with those of the current entries.
class UniqueNameSet {
 public:
  // Maps names that clash to one key.
  using Fold = std::string (*)(std::string_view name);
  static std::string exact(std::string_view name) { return std::string(name); }
  // `current` and `field`, which holds the names, outlive it.
  UniqueNameSet(const std::vector<Entry>& current, Fold fold, std::string_view field = "name", NameTexts texts = {});

  // The current entry of that name; null for a new one. Adds a problem at the field for a name that occurred before, or
  // is too similar to another. `pointer` is that of the entry.
  const Entry* take(const std::string& name, const std::string& pointer, Problems& problems);
  // Adds a problem at /`section` where there would be more than `max` entries; `plural` names them in the message.
  void checkCount(std::string_view section, size_t max, std::string_view plural, Problems& problems) const;

 private:
  const Fold fold_;
  const std::string_view field_;
  const NameTexts texts_;
  std::map<std::string, const Entry*> current_;
  std::map<std::string, std::string> seen_;
  size_t created_ = 0;
};

}  // namespace mb::configuration

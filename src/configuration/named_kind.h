// The base of kinds whose entries are values of one type, each checked, completed and saved by itself. Such a kind is a
// Table and the functions that it overrides.
#pragma once

#include <algorithm>

#include "configuration/canonical_form.h"
#include "configuration/listed_kind.h"
#include "configuration/sections.h"

namespace mb::configuration {

// T is an entry as it is exported.
template <doc::Shaped T>
class NamedKind : public ListedKind {
 public:
  std::string_view section() const final { return table_.section; }
  Task<std::vector<Entry>> entries(snapshot::SnapshotPtr project) final;
  Task<std::vector<Entry>> merged(Source source, const std::vector<Entry>& current, Problems& problems) final;

 protected:
  struct Table {
    std::string_view section;               // sections.h; its key names the field `name`
    policy::RequiredPermission permission;  // for each change
    std::string T::* name;                  // the name of an entry
    UniqueNameSet::Fold fold;
    size_t limit;             // of a project's entries
    std::string_view plural;  // of the entries, in messages
    // Extended JSON in an entry stays an object, as in a request body.
    bool plainJson = false;
    NameTexts texts = {};
  };
  explicit NamedKind(Table table) : table_(table) {}

  // An entry of a document on its way into the project.
  struct Incoming {
    const Source& source;
    const std::string& pointer;  // of the entry, in the document
    const T* current;            // the project's entry of that name; null for a new one
    Problems& problems;
  };

  // The project's entries, in any order.
  virtual std::vector<T> stored(const snapshot::ProjectSnapshot& project) const = 0;
  // The problems of an entry by itself, with pointers within it.
  virtual std::vector<ErrorDetail> problemsIn(const T& entry) const = 0;
  // Sets the fields that an entry without problemsIn() omits, and adds the problems that it has in this project and
  // document. The default does nothing.
  virtual void complete(T&, const Incoming&) const {}
  // The form in which equal entries have equal text. The default returns `entry` as it is.
  virtual T canonical(T entry) const { return entry; }
  // Saves an entry through the services that the admin routes use: a new one, or a change if it `exists`.
  virtual Task<> save(Target target, T entry, bool exists) = 0;

 private:
  policy::RequiredPermission permission() const final { return table_.permission; }
  Task<> applyOne(Target target, Change change) final;
  std::optional<T> read(doc::ValueView value, const std::string& pointer, Problems& problems) const;
  Entry entryOf(T entry) const;

  const Table table_;
};

template <doc::Shaped T>
Entry NamedKind<T>::entryOf(T entry) const {
  const T whole = canonical(std::move(entry));
  return entryShowing(whole.*table_.name, whole);
}

template <doc::Shaped T>
Task<std::vector<Entry>> NamedKind<T>::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (T& each : stored(*project)) entries.push_back(entryOf(std::move(each)));
  std::ranges::sort(entries, {}, &Entry::name);
  co_return entries;
}

template <doc::Shaped T>
std::optional<T> NamedKind<T>::read(doc::ValueView value, const std::string& pointer, Problems& problems) const {
  const auto check = [this](const T& entry) { return problemsIn(entry); };
  if (!table_.plainJson) return entryAt<T>(value, pointer, problems, check);
  if (!isEntry(value, pointer, problems)) return std::nullopt;
  const doc::Document plain = portable(value.asDocument());
  const std::string_view bytes = plain.bytes();
  return entryAt<T>({doc::BsonType::document, bytes.data(), bytes.size()}, pointer, problems, check);
}

template <doc::Shaped T>
Task<std::vector<Entry>> NamedKind<T>::merged(Source source, const std::vector<Entry>& current, Problems& problems) {
  UniqueNameSet names(current, table_.fold, sectionNamed(section())->key, table_.texts);
  std::vector<Entry> merged;
  CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    std::optional<T> entry = read(value, pointer, problems);
    if (!entry) continue;
    std::optional<T> now;
    if (const Entry* existing = names.take((*entry).*table_.name, pointer, problems)) {
      CO_TRY(now, doc::decode<T>(existing->value.view().asDocument()));
    }
    complete(*entry, {source, pointer, now ? &*now : nullptr, problems});
    merged.push_back(entryOf(*std::move(entry)));
  }
  names.checkCount(section(), table_.limit, table_.plural, problems);
  co_return merged;
}

template <doc::Shaped T>
Task<> NamedKind<T>::applyOne(Target target, Change change) {
  CO_TRY(T entry, doc::decode<T>(change.after.view().asDocument()));
  co_return co_await save(std::move(target), std::move(entry), change.before.has_value());
}

}  // namespace mb::configuration

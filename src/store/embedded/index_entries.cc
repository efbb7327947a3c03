#include "store/embedded/index_entries.h"

#include <bit>

#include "store/embedded/held_fields.h"
#include "store/embedded/keys.h"
#include "store/shared_arrays.h"
#include "store/value_key.h"

namespace mb::store::embedded {

using doc::BsonType;
using doc::DocumentView;
using doc::ValueView;

namespace {

// The encoded values of one field of an index.
struct Field {
  struct Span {
    uint32_t at;
    uint32_t size;
  };
  std::string bytes;
  std::vector<Span> spans;
  bool present = false;
  bool array = false;
  bool truncated = false;

  void clear() {
    bytes.clear();
    spans.clear();
    present = array = truncated = false;
  }
  std::string_view text(Span span) const { return std::string_view(bytes).substr(span.at, span.size); }
  void close(size_t start) {
    spans.push_back({static_cast<uint32_t>(start), static_cast<uint32_t>(bytes.size() - start)});
  }
  void addValue(ValueView value, bool descending) {
    const size_t start = bytes.size();
    if (appendValueKey(bytes, value, descending)) truncated = true;
    present = true;
    close(start);
  }
  void addMissing(bool descending) {
    const size_t start = bytes.size();
    appendNullKey(bytes, descending);
    close(start);
  }
  void addEmptyArray(bool descending) {
    const size_t start = bytes.size();
    appendEmptyArrayKey(bytes, descending);
    present = true;
    close(start);
  }
  void makeDistinct() {
    if (spans.size() < 2) return;
    std::sort(spans.begin(), spans.end(), [&](Span a, Span b) { return text(a) < text(b); });
    const auto end = std::unique(spans.begin(), spans.end(), [&](Span a, Span b) { return text(a) == text(b); });
    spans.erase(end, spans.end());
  }
  // False if there are too many distinct values; removes duplicates while the list grows.
  bool bounded() {
    if (spans.size() > 2 * kMaxEntries) makeDistinct();
    return spans.size() <= 2 * kMaxEntries;
  }
};

bool addElements(Field& field, DocumentView array, bool descending) {
  field.array = true;
  field.present = true;
  for (const doc::Element& element : array) {
    field.addValue(element.value, descending);
    if (!field.bounded()) return false;
  }
  if (field.spans.empty()) field.addEmptyArray(descending);
  return true;
}

bool addThroughArrays(Field& field, DocumentView document, const doc::FieldPath& path, bool descending) {
  field.array = true;
  const bool stopped = doc::walkPath(document, path, doc::Leaf::elementsToo, [&](std::optional<ValueView> value) {
    if (!value) {
      field.addMissing(descending);
    } else if (value->type() == BsonType::array) {
      field.present = true;
    } else {
      field.addValue(*value, descending);
    }
    return !field.bounded();
  });
  if (field.spans.empty()) field.addEmptyArray(descending);
  return !stopped;
}

// False if there are too many values.
bool collectField(Field& field, DocumentView document, const doc::FieldPath& path, bool descending) {
  DocumentView at = document;
  const auto& steps = path.steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto value = at.find(steps[i]);
    if (value && i + 1 == steps.size()) {
      if (value->type() == BsonType::array) return addElements(field, value->asDocument(), descending);
      field.addValue(*value, descending);
      return true;
    }
    if (value && value->type() == BsonType::array) return addThroughArrays(field, document, path, descending);
    if (!value || value->type() != BsonType::document) break;
    at = value->asDocument();
  }
  field.addMissing(descending);
  return true;
}

std::unexpected<Error> tooMany(const Index& index) {
  return fail(ErrorCode::validation, fmt::format("the index \"{}\" would hold more than {} entries for this document",
                                                 index.spec.name, kMaxEntries));
}

// `appendFields` appends the values of all fields.
template <class AppendFields>
void appendEntry(EntrySet& out, const Index& index, ProjectNo project, std::string_view id,
                 const AppendFields& appendFields) {
  const size_t start = out.bytes.size();
  appendRangePrefix(out.bytes, project, index.number);
  appendFields();
  const size_t idAt = out.bytes.size() - start;
  if (!index.spec.unique) out.bytes += id;
  out.entries.push_back(
      {static_cast<uint32_t>(start), static_cast<uint32_t>(out.bytes.size() - start), static_cast<uint16_t>(idAt)});
}

// For a document in which several fields are arrays: they must be the same array.
Result<> collectShared(const Index& index, ProjectNo project, DocumentView document, std::string_view id,
                       uint32_t arrays, EntrySet& out) {
  SharedArrays tuples(index.paths, [&](size_t field) { return index.descending(field); });
  switch (tuples.collect(document, kMaxEntries)) {
    case SharedArrays::Outcome::tooMany:
      return tooMany(index);
    case SharedArrays::Outcome::apart:
      return fail(ErrorCode::validation,
                  fmt::format("the index \"{}\" covers two arrays of this document; it can cover "
                              "one",
                              index.spec.name));
    case SharedArrays::Outcome::ok:
      break;
  }
  if (tuples.keys().size() > 1) out.multikey |= arrays;
  for (const std::string& key : tuples.keys()) appendEntry(out, index, project, id, [&] { out.bytes += key; });
  return {};
}

Result<> collectKeys(const Index& index, ProjectNo project, DocumentView document, std::string_view id, EntrySet& out) {
  if (index.partial && !index.partial->matches(document)) return {};
  thread_local std::vector<Field> fields;
  if (fields.size() < index.paths.size()) fields.resize(index.paths.size());
  size_t several = index.paths.size();
  uint32_t arrays = 0;
  bool present = false;
  for (size_t i = 0; i < index.paths.size(); ++i) {
    Field& field = fields[i];
    field.clear();
    if (!collectField(field, document, index.paths[i], index.descending(i))) return tooMany(index);
    field.makeDistinct();
    present |= field.present;
    if (field.array) arrays |= uint32_t{1} << i;
    if (field.truncated) out.truncated |= uint32_t{1} << i;
    if (field.spans.size() < 2) continue;
    out.multikey |= uint32_t{1} << i;
    several = i;
  }
  if (index.spec.sparse && !present) return {};
  if (std::popcount(arrays) > 1) return collectShared(index, project, document, id, arrays, out);
  const size_t count = several < index.paths.size() ? fields[several].spans.size() : 1;
  if (count > kMaxEntries) return tooMany(index);
  for (size_t which = 0; which < count; ++which) {
    appendEntry(out, index, project, id, [&] {
      for (size_t i = 0; i < index.paths.size(); ++i) {
        out.bytes += fields[i].text(fields[i].spans[i == several ? which : 0]);
      }
    });
  }
  return {};
}

// Whether values begin with the size of the id.
bool sizesId(const Index& index) {
  return index.spec.unique && !index.spec.include.empty();
}

}  // namespace

void EntrySet::clear() {
  bytes.clear();
  entries.clear();
  held.clear();
  multikey = truncated = 0;
}

Result<> collectEntries(const Index& index, ProjectNo project, DocumentView document, std::string_view id,
                        EntrySet& out) {
  out.clear();
  RETURN_IF_ERROR(collectKeys(index, project, document, id, out));
  out.held = heldOf(index, document, out.entries.size());
  return {};
}

std::string_view entryValue(const Index& index, const EntrySet& entries, size_t which, DocumentView document,
                            std::string_view id, std::string& buffer) {
  buffer.clear();
  if (sizesId(index)) appendU16(buffer, static_cast<uint16_t>(id.size()));
  if (index.spec.unique) {
    buffer += id;
  } else {
    appendU16(buffer, entries.entries[which].idAt);
  }
  buffer += entries.held;
  if (index.spec.covering && document.bytes().size() <= kMaxCovered && entries.entries.size() <= kMaxCoveredEntries) {
    buffer += document.bytes();
  }
  return buffer;
}

EntryParts entryParts(const Index& index, std::string_view key, std::string_view value) {
  if (index.spec.unique && !sizesId(index)) return {value, {}, {}};
  if (value.size() < 2) return {};
  const std::string_view rest = value.substr(2);
  const size_t number = readU16(value.data());
  if (index.spec.unique) {
    const size_t size = std::min(number, rest.size());
    return {rest.substr(0, size), {}, rest.substr(size)};
  }
  const std::string_view id = key.substr(std::min(number, key.size()));
  if (index.spec.covering) return {id, rest, {}};
  return {id, {}, rest};
}

std::string_view withoutHeld(const Index& index, std::string_view value) {
  return value.substr(0, value.size() - entryParts(index, {}, value).held.size());
}

}  // namespace mb::store::embedded

#include "store/embedded/held_fields.h"

#include "store/embedded/keys.h"

namespace mb::store::embedded {

namespace {

constexpr size_t kLayoutBytes = 4;

bool isBelow(const doc::FieldPath& path, const doc::FieldPath& above) {
  const auto& steps = above.steps();
  return steps.size() <= path.steps().size() && std::equal(steps.begin(), steps.end(), path.steps().begin());
}

// Returns false, and stops copying, if the result would exceed kMaxHeld. REQUIRES: `paths` have equal first `depth`
// steps, are sorted, and none is below another.
bool appendHeld(doc::BsonWriter& out, doc::DocumentView view, std::span<const doc::FieldPath> paths, size_t depth) {
  while (!paths.empty()) {
    const std::string& step = paths.front().steps()[depth];
    size_t count = 1;
    while (count < paths.size() && paths[count].steps()[depth] == step) ++count;
    const auto value = view.find(step);
    const bool ends = paths.front().steps().size() == depth + 1;
    if (value && (ends || value->type() != doc::BsonType::document)) {
      if (out.size() + value->raw().size() > kMaxHeld) return false;
      out.append(step, *value);
    } else if (value) {
      out.beginDocument(step);
      if (!appendHeld(out, value->asDocument(), paths.first(count), depth + 1)) return false;
      out.end();
    }
    paths = paths.subspan(count);
  }
  return true;
}

}  // namespace

Result<std::vector<doc::FieldPath>> heldPaths(const IndexSpec& spec, const std::vector<std::string>& more) {
  std::vector<doc::FieldPath> all;
  for (const std::string& dotted : spec.include) {
    TRY(doc::FieldPath path, doc::FieldPath::parse(dotted));
    all.push_back(std::move(path));
  }
  const bool takesMore = !spec.covering && (!spec.unique || !spec.include.empty());
  for (const std::string& dotted : more) {
    if (!takesMore || spec.keys.front().path == dotted) continue;
    TRY(doc::FieldPath path, doc::FieldPath::parse(dotted));
    all.push_back(std::move(path));
  }
  std::ranges::sort(all, {}, &doc::FieldPath::steps);
  std::vector<doc::FieldPath> held;
  for (doc::FieldPath& path : all) {
    if (held.empty() || !isBelow(path, held.back())) held.push_back(std::move(path));
  }
  return held;
}

std::string heldOf(const Index& index, doc::DocumentView document, size_t entries) {
  std::string stored;
  if (index.held.empty() || entries == 0) return stored;
  doc::BsonWriter fields;
  if (!appendHeld(fields, document, index.held, 0)) return stored;
  const doc::Document held = fields.finish();
  if (held.size() > kMaxHeld || held.size() * entries > kMaxHeldInAll) return stored;
  appendU32(stored, index.layout);
  stored += held.bytes();
  return stored;
}

std::optional<doc::DocumentView> heldFields(const Index& index, std::string_view held) {
  if (held.size() <= kLayoutBytes || readU32(held.data()) != index.layout) return std::nullopt;
  return doc::DocumentView(held.substr(kLayoutBytes));
}

bool isDecidedBy(const std::vector<doc::FieldPath>& held, const doc::FilterNode& condition) {
  const auto decided = [&] {
    return std::ranges::all_of(condition.children, [&](const auto& child) { return isDecidedBy(held, *child); });
  };
  switch (condition.op) {
    case doc::FilterOp::all:
    case doc::FilterOp::any:
    case doc::FilterOp::none:
    case doc::FilterOp::negate:
      return decided();
    default:
      break;
  }
  const bool there =
      std::ranges::any_of(held, [&](const doc::FieldPath& path) { return isBelow(condition.path, path); });
  // The condition of an $elemMatch on an element depends only on values below its path.
  return there && (condition.op == doc::FilterOp::elemMatch || decided());
}

}  // namespace mb::store::embedded

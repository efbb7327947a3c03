#include "document/path.h"

#include "document/traverse.h"

namespace mb::doc {

namespace {
constexpr size_t kMaxSteps = 32;
constexpr size_t kMaxPathBytes = 1024;
}  // namespace

Result<FieldPath> FieldPath::parse(std::string_view dotted) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::validation, fmt::format("the path \"{}\" {}", dotted.substr(0, 100), why));
  };
  if (dotted.empty()) return fail(ErrorCode::validation, "a path must not be empty");
  if (dotted.size() > kMaxPathBytes) return refuse("must not be longer than 1024 bytes");
  if (dotted.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::validation, "a path must not hold a NUL character");
  }
  FieldPath path;
  path.dotted_ = dotted;
  for (std::string_view rest = dotted;;) {
    const size_t dot = rest.find('.');
    const std::string_view step = rest.substr(0, dot);
    if (step.empty()) return refuse("must not have an empty step");
    if (step.front() == '$') return refuse("must not have a step that starts with \"$\"");
    if (path.steps_.size() == kMaxSteps) return refuse("must not have more than 32 steps");
    path.steps_.emplace_back(step);
    if (dot == std::string_view::npos) return path;
    rest.remove_prefix(dot + 1);
  }
}

bool walkPath(DocumentView document, const FieldPath& path, Leaf leaf,
              const std::function<bool(std::optional<ValueView>)>& visit) {
  bool visited = false;
  auto forward = [&](const ValueView* value) {
    visited = true;
    return value ? visit(*value) : visit(std::nullopt);
  };
  if (traverse(document, path.steps(), leaf, forward)) return true;
  return visited ? false : visit(std::nullopt);
}

}  // namespace mb::doc

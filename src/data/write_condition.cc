#include "data/write_condition.h"

#include <algorithm>

namespace mb::data {

std::string etagOf(store::DocumentVersion version) {
  return fmt::format("\"{:x}\"", version);
}

bool EntityTags::names(store::DocumentVersion version) const {
  return any || std::ranges::find(tags, etagOf(version)) != tags.end();
}

Result<> checkCondition(const WriteCondition& condition, std::optional<store::DocumentVersion> version) {
  if (condition.match && !(version && condition.match->names(*version))) {
    return fail(ErrorCode::preconditionFailed,
                version ? "the document has another version than `if-match` names: read it again"
                        : "`if-match` names a version of a document that does not exist");
  }
  if (condition.noneMatch && version && condition.noneMatch->names(*version)) {
    return fail(ErrorCode::preconditionFailed, condition.noneMatch->any
                                                   ? "the document exists already, and `if-none-match` is `*`"
                                                   : "the document has a version that `if-none-match` names");
  }
  return {};
}

}  // namespace mb::data

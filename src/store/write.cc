#include "store/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mb::store {

namespace {

constexpr size_t kMaxSearched = 16;

bool isSame(const WriteTarget& a, const WriteTarget& b) {
  return a.collection.number == b.collection.number && a.collection.project == b.collection.project && a.id == b.id;
}

}  // namespace

std::optional<size_t> Write::find(const WriteTarget& target) {
  const auto keyOf = [](const WriteTarget& each) {
    return std::tuple(each.collection.project, each.collection.number, each.id);
  };
  if (targets_.size() <= kMaxSearched) {
    const auto found = std::ranges::find_if(targets_, [&](const WriteTarget& each) { return isSame(each, target); });
    if (found == targets_.end()) return std::nullopt;
    return static_cast<size_t>(found - targets_.begin());
  }
  for (size_t i = positions_.size(); i < targets_.size(); ++i) positions_.emplace(keyOf(targets_[i]), i);
  const auto found = positions_.find(keyOf(target));
  return found == positions_.end() ? std::nullopt : std::optional(found->second);
}

Target Write::name(WriteTarget target) {
  // An id that was created for this write is named only once.
  const std::optional<size_t> known = target.idIsNew ? std::nullopt : find(target);
  if (known) {
    targets_[*known].access = std::min(targets_[*known].access, target.access);
    return Target(*known);
  }
  targets_.push_back(std::move(target));
  return Target(targets_.size() - 1);
}

std::vector<Target> Write::change(std::vector<WriteTarget> targets) {
  std::vector<Target> named;
  named.reserve(targets.size());
  for (WriteTarget& target : targets) named.push_back(name(std::move(target)));
  return named;
}

WriteCallback removing(std::vector<Target> targets) {
  return [targets = std::move(targets)](const PreImages&, Changes& changes) -> Result<> {
    for (const Target target : targets) changes.remove(target);
    return {};
  };
}

void Write::insert(std::vector<Insert> documents) {
  std::ranges::move(documents, std::back_inserter(inserts_));
}

std::vector<std::string> idsOf(const std::vector<Insert>& inserts) {
  std::vector<std::string> ids;
  ids.reserve(inserts.size());
  for (const Insert& insert : inserts) ids.push_back(insert.id());
  return ids;
}

Result<> checkNotices(const std::vector<Notice>& notices) {
  const bool fits = notices.size() <= kMaxNotices && std::ranges::all_of(notices, [](const Notice& notice) {
                      return notice.key.size() <= kMaxNoticeKey;
                    });
  if (fits) return {};
  return fail(
      Error(ErrorCode::internal, "something went wrong on the server").withCause("too many or too long notices"));
}

Error uniqueViolation(const std::string& index, size_t target) {
  return Error(ErrorCode::conflict, "the unique index \"" + index + "\" already holds this value")
      .withViolation({Violation::Kind::index, index, target});
}

Error conditionViolation(const Absence& condition) {
  return Error(ErrorCode::conflict, "another document refers to this one")
      .withViolation({Violation::Kind::condition, condition.name});
}

Error limitViolation(const std::string& counter, int64_t max) {
  return Error(ErrorCode::planLimit, fmt::format("the limit of {} is reached: it is {}", counter, max))
      .withViolation({Violation::Kind::limit, counter});
}

Error heldTooLarge() {
  return Error(ErrorCode::payloadTooLarge,
               "the documents that this write refers to are larger than 16 MiB together: refer to fewer at a time");
}

const Violation* refusedCondition(const Error& error) {
  const Violation* violation = error.violation();
  return violation && violation->kind == Violation::Kind::condition ? violation : nullptr;
}

const Violation* indexViolation(const Error& error) {
  const Violation* violation = error.violation();
  return violation && violation->kind == Violation::Kind::index ? violation : nullptr;
}

}  // namespace mb::store

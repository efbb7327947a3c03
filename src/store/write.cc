#include "store/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mb::store {

namespace {

bool isSame(const WriteTarget& target, const CollectionRef& collection, const std::string& id) {
  return target.collection.number == collection.number && target.collection.project == collection.project &&
         target.id == id;
}

}  // namespace

Target Write::add(WriteTarget target) {
  targets_.push_back(std::move(target));
  return Target(targets_.size() - 1);
}

Target Write::addUnlessNamed(CollectionRef collection, std::string id, Access access) {
  const auto named =
      std::ranges::find_if(targets_, [&](const WriteTarget& target) { return isSame(target, collection, id); });
  if (named == targets_.end()) return add({collection, std::move(id), false, access});
  named->access = std::min(named->access, access);
  return Target(static_cast<size_t>(named - targets_.begin()));
}

std::vector<Target> Write::change(std::vector<WriteTarget> targets) {
  std::vector<Target> added;
  added.reserve(targets.size());
  for (WriteTarget& target : targets) added.push_back(add(std::move(target)));
  return added;
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

Result<doc::Filter> filterOf(const Absence& condition) {
  doc::BsonWriter out;
  out.append(condition.path, condition.value);
  return doc::Filter::parse(out.finish());
}

}  // namespace mb::store

#include "store/store.h"

#include <fmt/format.h>

namespace mb::store {

Task<JudgeOutcome> DocumentStore::write(std::vector<WriteTarget> targets, Judge judge, WriteOptions options) {
  Write write(std::move(options));
  write.runsOnce = true;
  write.addTargets(std::move(targets));
  const auto outcome =
      co_await this->write(std::move(write), [&judge](const Before& before, Changes& changes) -> Result<> {
        TRY(std::vector<Change> all, judge(before.all()));
        if (all.size() != changes.all().size()) {
          return fail(Error(ErrorCode::internal, "the write could not be judged")
                          .withCause(fmt::format("{} changes for {} targets", all.size(), changes.all().size())));
        }
        changes.all() = std::move(all);
        return {};
      });
  if (outcome) co_return JudgeOutcome{};
  const Violation* violation = outcome.error().violation();
  if (!violation) co_return fail(outcome.error().clone());
  co_return JudgeOutcome{violation->name, violation->target};
}

std::string defaultIndexName(const std::vector<IndexKey>& keys) {
  std::string name;
  for (const IndexKey& key : keys) {
    if (!name.empty()) name += '_';
    name += key.path;
    name += key.direction < 0 ? "_-1" : "_1";
  }
  return name;
}

std::string foldedName(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return folded;
}

doc::Document idDocument(std::string_view id) {
  doc::BsonWriter out;
  out.appendString("id", id);
  return out.finish();
}

}  // namespace mb::store

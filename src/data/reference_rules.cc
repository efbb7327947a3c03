#include "data/reference_rules.h"

#include <set>

#include "data/schema_references.h"

namespace mb::data {
namespace {

std::string onDeletePointer(const doc::Relation& relation) {
  return relation.pointer + "/onDelete";
}

// The collections by which cascades lead from `from` to `to`, both included; empty if none do. Depth first.
class CascadePath {
 public:
  CascadePath(const RelationsOf& relationsOf, const std::string& to) : relationsOf_(relationsOf), to_(to) {}

  bool find(const std::string& from) {
    steps_.push_back(from);
    if (from == to_) return true;
    if (seen_.insert(from).second) {
      const std::vector<doc::Relation>* relations = relationsOf_(from);
      for (size_t i = 0; relations && i < relations->size(); ++i) {
        const doc::Relation& each = (*relations)[i];
        if (each.onDelete == doc::OnDelete::cascade && find(each.collection)) return true;
      }
    }
    steps_.pop_back();
    return false;
  }
  const std::vector<std::string>& steps() const { return steps_; }

 private:
  const RelationsOf& relationsOf_;
  const std::string& to_;
  std::set<std::string> seen_;
  std::vector<std::string> steps_;
};

}  // namespace

std::vector<ErrorDetail> endUserProblems(const std::vector<doc::Relation>& relations) {
  std::vector<ErrorDetail> problems;
  for (const doc::Relation& each : relations) {
    if (each.collection != kEndUsers) continue;
    if (each.onDelete != doc::OnDelete::none) {
      problems.push_back({onDeletePointer(each), "is not allowed for users, who are never deleted: remove it"});
    } else if (each.check == doc::ReferenceCheck::readable) {
      problems.push_back({each.pointer + "/check", "must be exists for users, who have no read rule"});
    }
  }
  return problems;
}

std::vector<ErrorDetail> indexProblems(const std::vector<doc::Relation>& relations,
                                       const std::function<bool(const std::string& path)>& indexed) {
  std::vector<ErrorDetail> problems;
  for (const doc::Relation& each : relations) {
    if (each.onDelete == doc::OnDelete::none || indexed(each.path)) continue;
    problems.push_back(
        {onDeletePointer(each),
         fmt::format(
             "needs an index that begins with \"{}\" and has no partialFilter: create {{\"keys\": {{\"{}\": 1}}}} "
             "first (\"{}\")",
             each.path, each.path, store::defaultIndexName({{each.path, 1}}))});
  }
  return problems;
}

std::vector<ErrorDetail> cascadeProblems(const std::string& collection, const std::vector<doc::Relation>& relations,
                                         const RelationsOf& relationsOf) {
  std::vector<ErrorDetail> problems;
  for (const doc::Relation& each : relations) {
    if (each.onDelete != doc::OnDelete::cascade) continue;
    CascadePath path(relationsOf, collection);
    if (!path.find(each.collection)) continue;
    problems.push_back({onDeletePointer(each), fmt::format("closes a cycle of cascades: \"{}\" -> \"{}\"", collection,
                                                           fmt::join(path.steps(), "\" -> \""))});
  }
  return problems;
}

Result<> refuseProblems(std::vector<ErrorDetail> problems) {
  if (problems.empty()) return {};
  std::string message = fmt::format("{} {}", problems.front().path, problems.front().message);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

}  // namespace mb::data

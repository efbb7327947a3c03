// The rules of a bucket (docs/storage.md, "Rules"): read, list, create, update and delete, each {filter?, validate?}
// over the records of its files. Checked and compiled at save.
#pragma once

#include "policy/claims.h"
#include "policy/policy.h"
#include "storage/storage_types.h"

namespace mb::storage {

using RulesPtr = std::shared_ptr<const policy::Policy>;

// The rules that a patch sets: nullopt for null and for an empty object, which has no rules.
std::optional<doc::Document> rulesIn(const doc::Patch<doc::Document>& patch);

// The names that the project gives to rules: of its caller sets, and of its claims. Null: any.
struct ProjectNames {
  const std::vector<std::string>* sets = nullptr;
  const policy::ClaimNames* claims = nullptr;
};
// The problems of a bucket with this access and these rules (null: none), at "/rules" and "/access".
std::vector<ErrorDetail> ruleProblems(std::string_view access, const doc::Document* rules, ProjectNames names);
// Fails with validation with these problems.
Result<> checkRules(std::string_view access, const doc::Document* rules, ProjectNames names);

// A public bucket is read by any client, so it has no rule for it. `pointer` is the field that the caller changes.
std::optional<ErrorDetail> publicAndRead(std::string_view access, const doc::Document* rules, std::string pointer);

}  // namespace mb::storage

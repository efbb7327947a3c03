// Expansion of references: replaces ids by documents, one level deep.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/cancellation.h"
#include "data/documents_impl.h"
#include "data/schema_references.h"
#include "data/visible_documents.h"
#include "identity/profiles.h"

namespace mb::data {
namespace {

// Distinct targets of one result.
constexpr size_t kMaxTargets = 4000;
// Bytes of documents that are walked on the core; more would take milliseconds.
constexpr size_t kMaxInlineBytes = 512 << 10;

// The position of one relation during the walk through a document.
struct Step {
  const doc::Relation* relation;
  std::string_view rest;  // the remaining path
};
using Steps = std::vector<Step>;

Steps below(const Steps& steps, std::string_view key) {
  Steps inner;
  for (const Step& step : steps) {
    if (!step.rest.starts_with(key)) continue;
    if (step.rest.size() == key.size())
      inner.push_back({step.relation, {}});
    else if (step.rest[key.size()] == '.')
      inner.push_back({step.relation, step.rest.substr(key.size() + 1)});
  }
  return inner;
}

const doc::Relation* endsHere(const Steps& steps) {
  const auto found = std::ranges::find_if(steps, [](const Step& step) { return step.rest.empty(); });
  return found == steps.end() ? nullptr : found->relation;
}

// Calls `found(relation, id)` for each id of a relation in `value`.
template <class F>
void eachReference(doc::ValueView value, const Steps& steps, const F& found) {
  if (steps.empty()) return;
  if (value.type() == doc::BsonType::string) {
    if (const doc::Relation* relation = endsHere(steps)) found(*relation, value.asString());
    return;
  }
  if (!value.isContainer()) return;
  const bool array = value.type() == doc::BsonType::array;
  for (const doc::Element& each : value.asDocument()) {
    if (array)
      eachReference(each.value, steps, found);
    else
      eachReference(each.value, below(steps, each.key), found);
  }
}

struct Target {
  Visibility visibility = {};
  const doc::FieldSet* profile = nullptr;  // set: the targets are end users, and show these fields
  std::unordered_map<std::string, std::optional<doc::Document>, StringHash, std::equal_to<>> documents = {};  // by id
};
using Targets = std::unordered_map<std::string, Target, StringHash, std::equal_to<>>;  // by collection

const doc::Document* lookUp(const Targets& targets, const doc::Relation& relation, std::string_view id) {
  const auto target = targets.find(relation.collection);
  if (target == targets.end()) return nullptr;
  const auto found = target->second.documents.find(id);
  return found != target->second.documents.end() && found->second ? &*found->second : nullptr;
}

// Builds the documents with targets in place of ids, up to store::kMaxResultBytes: one target may be referenced many
// times.
class Assembly {
 public:
  explicit Assembly(const Targets& targets) : targets_(targets) {}

  // nullopt if the documents together exceed the limit.
  std::optional<doc::Document> assemble(doc::DocumentView document, const Steps& steps) {
    doc::BsonWriter out;
    for (const doc::Element& field : document) {
      if (!write(out, field.key, field.value, below(steps, field.key))) return std::nullopt;
    }
    doc::Document done = out.finish();
    finishedBytes_ += done.size();
    return done;
  }

 private:
  bool write(doc::BsonWriter& out, std::string_view key, doc::ValueView value, const Steps& steps) {
    if (steps.empty()) {
      out.append(key, value);
    } else if (value.type() == doc::BsonType::string) {
      const doc::Relation* relation = endsHere(steps);
      const doc::Document* document = relation ? lookUp(targets_, *relation, value.asString()) : nullptr;
      document ? out.appendDocument(key, *document) : out.append(key, value);
    } else if (!value.isContainer()) {
      out.append(key, value);
    } else {
      const bool array = value.type() == doc::BsonType::array;
      array ? out.beginArray(key) : out.beginDocument(key);
      for (const doc::Element& each : value.asDocument()) {
        if (!write(out, each.key, each.value, array ? steps : below(steps, each.key))) return false;
      }
      out.end();
    }
    return finishedBytes_ + out.size() <= store::kMaxResultBytes;
  }

  const Targets& targets_;
  size_t finishedBytes_ = 0;
};

Error tooLarge() {
  return Error(ErrorCode::payloadTooLarge, "the result with its expanded documents is too large: lower `limit`");
}

size_t bytesOf(const std::vector<doc::Document>& documents) {
  size_t bytes = 0;
  for (const doc::Document& document : documents) bytes += document.size();
  return bytes;
}

// Adds every referenced id to `targets` and counts the references; false if there are too many ids.
bool collect(const std::vector<doc::Document>& documents, const Steps& steps, Targets& targets, size_t& references) {
  size_t wanted = 0;
  for (const doc::Document& document : documents) {
    for (const doc::Element& field : document.view()) {
      eachReference(field.value, below(steps, field.key), [&](const doc::Relation& relation, std::string_view id) {
        ++references;
        wanted += targets.find(relation.collection)->second.documents.emplace(id, std::nullopt).second ? 1 : 0;
      });
    }
    if (wanted > kMaxTargets) return false;
  }
  return true;
}

Visibility visibilityOf(Grant grant) {
  return {grant.collection->ref, std::move(grant.filter), grant.hidden()};
}

// The fields of end users that the caller sees in place of references to them; null if these stay ids.
const doc::FieldSet* profileFor(const Access& access, const Grants& grants) {
  const identity::ProfileFields& fields = grants.table(*access.project).profileFields;
  if (fields.empty()) return nullptr;
  return access.caller.kind == policy::CallerKind::anonymous ? &fields.withoutEmail : &fields.all;
}

// The target that references to `collection` have; nullopt for one that the caller may not read.
Task<std::optional<Target>> targetOf(const Grants& grants, const Access& access, const std::string& collection) {
  Target target;
  if (collection == kEndUsers) {
    target.profile = profileFor(access, grants);
    co_return target.profile ? std::optional(std::move(target)) : std::nullopt;
  }
  auto grant = grants.find(access, collection, policy::Operation::read);
  if (!grant) co_return std::nullopt;
  if (grant->awaitsSets) {
    const auto complete = co_await grants.complete(*grant, access.caller, access.deadline);
    if (!complete && complete.error().code() == ErrorCode::forbidden) co_return std::nullopt;
    if (!complete) co_return fail(complete.error().clone());
  }
  target.visibility = visibilityOf(*std::move(grant));
  co_return target;
}

// The profiles of `ids`; nullopt for ids that no user has. In the order of `ids`. Yields the core in between, and
// subtracts the size from `budget`. Fails with payloadTooLarge.
Task<std::vector<std::optional<doc::Document>>> profilesOf(store::DocumentStore& store, const Access& access,
                                                           const doc::FieldSet& fields,
                                                           std::span<const std::string> ids, ReadBudget& budget) {
  std::vector<std::optional<doc::Document>> profiles;
  profiles.reserve(ids.size());
  for (size_t at = 0; at < ids.size(); at += identity::kMaxProfilesAtOnce) {
    if (at > 0) CO_RETURN_IF_ERROR(co_await yieldCore());
    const std::span<const std::string> part = ids.subspan(at, std::min(identity::kMaxProfilesAtOnce, ids.size() - at));
    CO_TRY(std::vector<std::optional<doc::Document>> found,
           co_await identity::readProfiles(store, access.project->info().number, {part.begin(), part.end()}, fields,
                                           access.deadline));
    for (std::optional<doc::Document>& profile : found) {
      const size_t size = profile ? profile->size() : 0;
      if (size > budget.bytes) co_return fail(tooLarge());
      budget.bytes -= size;
      profiles.push_back(std::move(profile));
    }
  }
  co_return profiles;
}

// Reads the targets that the caller may see.
Task<> fetch(store::DocumentStore& store, const Access& access, Targets& targets) {
  ReadBudget budget;
  for (auto& [name, target] : targets) {
    std::vector<std::string> ids;
    ids.reserve(target.documents.size());
    for (const auto& [id, document] : target.documents) ids.push_back(id);
    CO_TRY(std::vector<std::optional<doc::Document>> found,
           target.profile ? co_await profilesOf(store, access, *target.profile, ids, budget)
                          : co_await readVisible(store, target.visibility, ids, budget, access.deadline));
    for (size_t i = 0; i < ids.size(); ++i) target.documents.find(ids[i])->second = std::move(found[i]);
  }
  co_return Result<>();
}

size_t largestOf(const Targets& targets) {
  size_t largest = 0;
  for (const auto& [name, target] : targets) {
    for (const auto& [id, document] : target.documents) {
      if (document) largest = std::max(largest, document->size());
    }
  }
  return largest;
}

// Fails with payloadTooLarge.
Result<> assembleAll(std::vector<doc::Document>& documents, const Targets& targets, const Steps& steps) {
  Assembly assembly(targets);
  for (doc::Document& document : documents) {
    auto assembled = assembly.assemble(document, steps);
    if (!assembled) return fail(tooLarge());
    document = *std::move(assembled);
  }
  return {};
}

// Runs `step`, which walks through `bytes` of documents and returns a Result, on the core or on the pool.
template <class F>
Task<> runStep(FairPool& pool, const Access& access, size_t bytes, F step) {
  if (bytes <= kMaxInlineBytes) co_return step();
  co_return co_await pool.run(access.project->info().id.str(), std::move(step));
}

}  // namespace

Task<std::vector<std::optional<doc::Document>>> Documents::byIds(const Access& access, const std::string& collection,
                                                                 const std::vector<std::string>& ids) {
  if (collection == kEndUsers) {
    const doc::FieldSet* profile = profileFor(access, impl_->grants);
    if (!profile) co_return std::vector<std::optional<doc::Document>>(ids.size());
    if (ids.size() > kMaxTargets) co_return fail(tooLarge());
    ReadBudget budget;
    co_return co_await profilesOf(impl_->deps.store, access, *profile, ids, budget);
  }
  CO_TRY(Grant grant, impl_->grants.find(access, collection, policy::Operation::read));
  if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await impl_->grants.complete(grant, access.caller, access.deadline));
  if (ids.size() > kMaxTargets) co_return fail(tooLarge());
  const Visibility visibility = visibilityOf(std::move(grant));
  ReadBudget budget;
  co_return co_await readVisible(impl_->deps.store, visibility, ids, budget, access.deadline);
}

Task<> Documents::Impl::expand(const Access& access, const Grant& grant, const std::vector<std::string>& fields,
                               std::vector<doc::Document>& documents) const {
  if (!grant.collection->schema) co_return Result<>();

  // Targets of collections that this caller may not read stay ids.
  Steps steps;
  Targets targets;
  std::set<std::string> refused;
  for (const doc::Relation& relation : grant.collection->schema->relations()) {
    if (std::ranges::find(fields, relation.path) == fields.end() || refused.contains(relation.collection)) continue;
    if (!targets.contains(relation.collection)) {
      CO_TRY(std::optional<Target> target, co_await targetOf(grants, access, relation.collection));
      if (!target) {
        refused.insert(relation.collection);
        continue;
      }
      targets.emplace(relation.collection, *std::move(target));
    }
    steps.push_back({&relation, relation.path});
  }
  if (steps.empty()) co_return Result<>();
  const size_t bytes = bytesOf(documents) * steps.size();
  size_t references = 0;
  CO_RETURN_IF_ERROR(co_await runStep(pool, access, bytes, [&]() -> Result<> {
    if (!collect(documents, steps, targets, references)) return fail(tooLarge());
    return {};
  }));
  CO_RETURN_IF_ERROR(co_await fetch(deps.store, access, targets));
  co_return co_await runStep(pool, access, bytes + references * largestOf(targets),
                             [&] { return assembleAll(documents, targets, steps); });
}

}  // namespace mb::data

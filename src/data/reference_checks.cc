#include "data/reference_checks.h"

#include <algorithm>

#include "data/reference_walk.h"
#include "data/reserved.h"
#include "data/schema_references.h"
#include "data/write.h"
#include "identity/realm.h"

namespace mb::data {
namespace {

constexpr std::string_view kMissing = "refers to a document that does not exist";

bool checks(const doc::Relation& relation) {
  return relation.check != doc::ReferenceCheck::none;
}

}  // namespace

ReferenceChecks::ReferenceChecks(const Collection& collection) : collection_(&collection) {
  for (const doc::Relation& relation : collection.schema->relations()) {
    if (!checks(relation)) continue;
    const size_t at = positionOf(relation);
    if (at == referenced_.size()) {
      Referenced& added = referenced_.emplace_back();
      added.name = relation.collection;
      if (added.name == kEndUsers) added.ref = {collection.ref.project, identity::kUsers, 0};
    }
    Referenced& in = referenced_[at];
    in.checksReading = in.checksReading || relation.check == doc::ReferenceCheck::readable;
  }
}

Task<ReferenceChecks> ReferenceChecks::ofCaller(const Access& access, const Grant& grant, const Grants& grants) {
  const Access reader{access.caller, grant.project, access.authority, access.deadline};
  ReferenceChecks made(*grant.collection);
  for (Referenced& each : made.referenced_) {
    if (each.ref) continue;
    const CollectionPtr* found = grants.table(*grant.project).find(each.name);
    if (found) each.ref = (*found)->ref;
    if (!each.checksReading) continue;
    auto reading = grants.find(reader, each.name, policy::Operation::read);
    if (reading && reading->awaitsSets) {
      const auto complete = co_await grants.complete(*reading, access.caller, access.deadline);
      if (!complete && complete.error().code() != ErrorCode::forbidden) co_return fail(complete.error().clone());
      if (!complete) reading = fail(complete.error().clone());
    }
    each.readable = reading.has_value();
    if (!reading) continue;
    each.filter = std::move(reading->filter);
    each.sets = std::move(reading->sets);
  }
  co_return made;
}

bool ReferenceChecks::outdated() const {
  return std::ranges::any_of(referenced_, [](const Referenced& each) { return each.sets.changed(); });
}

Task<ReferenceChecks> ReferenceChecks::ofService(CollectionFinder& finder, const Collection& collection) {
  ReferenceChecks made(collection);
  for (Referenced& each : made.referenced_) {
    if (each.ref) continue;
    const auto found = co_await finder.find(each.name);
    if (!found && found.error().code() != ErrorCode::notFound) co_return fail(found.error().clone());
    if (found) each.ref = (*found)->ref;
  }
  co_return made;
}

size_t ReferenceChecks::positionOf(const doc::Relation& relation) const {
  const auto found = std::ranges::find(referenced_, relation.collection, &Referenced::name);
  return static_cast<size_t>(found - referenced_.begin());
}

ReferenceChecks::Keys ReferenceChecks::guess(doc::DocumentView document) const {
  Keys keys;
  for (const New& each : newReferences({nullptr, document})) keys.insert(each.key);
  if (keys.size() > kMaxHeldReferences) keys.clear();
  return keys;
}

ReferenceChecks::Targets ReferenceChecks::hold(store::Write& write, const Keys& keys) const {
  Targets held;
  for (const Key& key : keys) {
    const Referenced& in = referenced_[key.collection];
    if (in.ref && isDocumentId(key.id)) held.emplace(key, write.hold(*in.ref, key.id));
  }
  return held;
}

std::vector<ReferenceChecks::New> ReferenceChecks::newReferences(Change change) const {
  std::vector<New> found;
  for (const doc::Relation& relation : collection_->schema->relations()) {
    if (!checks(relation)) continue;
    const std::string_view field = firstStep(relation.path).first;
    const auto now = change.after.find(field);
    if (!now) continue;
    // A write seldom changes the field, and the document may hold many references.
    const auto was = change.before ? change.before->view().find(field) : std::nullopt;
    if (was && was->type() == now->type() && was->raw() == now->raw()) continue;
    const size_t referenced = positionOf(relation);
    std::set<std::string, std::less<>> had;
    if (change.before) {
      eachReference(*change.before, relation.path, [&](std::string_view id, const std::string&) { had.emplace(id); });
    }
    eachReference(change.after, relation.path, [&](std::string_view id, const std::string& pointer) {
      if (!had.contains(id)) found.push_back({&relation, {referenced, std::string(id)}, pointer});
    });
  }
  return found;
}

bool ReferenceChecks::fits(const New& reference, std::optional<doc::DocumentView> document) const {
  if (!document) return false;
  if (reference.relation->check != doc::ReferenceCheck::readable) return true;
  const Referenced& in = referenced_[reference.key.collection];
  return in.readable && in.filter.matches(*document);
}

Result<ReferenceChecks::Outcome> ReferenceChecks::check(Change change, const Targets& held,
                                                        const store::PreImages& images,
                                                        const doc::FieldSet& hidden) const {
  Outcome outcome;
  std::vector<ErrorDetail> problems;
  const std::string_view own = change.after.stringOr("id");
  for (const New& each : newReferences(change)) {
    const Referenced& in = referenced_[each.key.collection];
    // The document itself exists once it is written.
    const bool itself = in.ref && in.ref->number == collection_->ref.number && each.key.id == own;
    if (itself || !in.ref || !isDocumentId(each.key.id)) {
      if (!fits(each, itself ? std::optional(change.after) : std::nullopt))
        problems.push_back({each.pointer, std::string(kMissing)});
      continue;
    }
    outcome.needed.insert(each.key);
    if (outcome.needed.size() > kMaxHeldReferences) {
      std::vector<ErrorDetail> tooMany;
      tooMany.push_back({each.pointer, fmt::format("is more than {} new references: a write sets at most that many",
                                                   kMaxHeldReferences)});
      return fail(schemaError(std::move(tooMany), hidden));
    }
    const auto target = held.find(each.key);
    if (target == held.end()) {
      outcome.held = false;
      continue;
    }
    const std::optional<doc::Document>& found = images[target->second];
    if (!fits(each, found ? std::optional(found->view()) : std::nullopt))
      problems.push_back({each.pointer, std::string(kMissing)});
  }
  if (!problems.empty() && outcome.held) return fail(schemaError(std::move(problems), hidden));
  return outcome;
}

}  // namespace mb::data

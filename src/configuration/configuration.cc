#include "configuration/configuration.h"

#include <algorithm>
#include <cassert>

#include "base/crypto.h"
#include "configuration/canonical_form.h"
#include "configuration/collection_kind.h"
#include "configuration/document_check.h"
#include "configuration/oauth_kind.h"
#include "configuration/policy_set_kind.h"
#include "configuration/role_kind.h"
#include "configuration/sections.h"
#include "configuration/variable_kind.h"
#include "store/configuration_limits.h"

namespace mb::configuration {

namespace {

constexpr size_t kFreedInline = 16 << 20;  // freeing more memory takes milliseconds

// The server is busy or stops: a retry helps.
bool isPassing(const Error& error) {
  return error.code() == ErrorCode::unavailable;
}

std::string_view nameOf(Action action) {
  switch (action) {
    case Action::create:
      return "create";
    case Action::update:
      return "update";
    case Action::unchanged:
      break;
  }
  return "unchanged";
}

struct Summary {
  int64_t create = 0;
  int64_t update = 0;
  int64_t unchanged = 0;
  static constexpr auto shape() {
    return doc::shape<Summary>("ImportSummary", doc::field("create", &Summary::create),
                               doc::field("update", &Summary::update), doc::field("unchanged", &Summary::unchanged));
  }
  void count(Action action) { ++(action == Action::create ? create : action == Action::update ? update : unchanged); }
};

Change changeTo(Entry after, const std::vector<Entry>& current) {
  const auto before = std::ranges::lower_bound(current, after.name, {}, &Entry::name);
  Change change{std::move(after.name), Action::create, std::nullopt, std::move(after.value)};
  if (before == current.end() || before->name != change.name) return change;
  change.before = before->value;
  change.action = sameText(before->value, change.after) ? Action::unchanged : Action::update;
  return change;
}

doc::BsonWriter responseWith(const doc::Document& plan) {
  doc::BsonWriter out;
  out.appendDocument("plan", plan);
  out.beginArray("problems");
  out.end();
  return out;
}

// The warning of a copy that names its variables, which are created without values; "" without any.
std::string emptyVariables(doc::DocumentView shape) {
  std::vector<std::string_view> names;
  if (const auto section = shape.find("variables")) {
    for (const auto& [index, entry] : section->asDocument()) names.push_back(entry.asDocument().stringOr("name"));
  }
  if (names.empty()) return {};
  return fmt::format("variables have no value here until they are set: {}", fmt::join(names, ", "));
}

}  // namespace

std::vector<Change> unfinished(std::vector<Change> changes) {
  std::erase_if(changes, [](const Change& each) { return each.action == Action::unchanged; });
  return changes;
}

// Covers the current and the new state, so it changes with either.
std::string planDigestOf(doc::DocumentView plan) {
  return toHex(sha256(plan.bytes()));
}

Configuration::Configuration(ConfigurationDeps deps)
    : deps_(std::move(deps)),
      policyTests_(deps_.data.policyTrials(), deps_.identity.describedCallers(), deps_.data.slot()) {
  identity::Identity& identity = deps_.identity;
  const identity::IdentitySlots& slots = identity.slots();
  kinds_.push_back(std::make_unique<VariableKind>(deps_.variables));
  kinds_.push_back(std::make_unique<CollectionKind>(deps_.data.collections(), deps_.data.slot(), deps_.snapshots,
                                                    deps_.introspection));
  kinds_.push_back(std::make_unique<PolicySetKind>(deps_.data.policySets(), deps_.data.slot()));
  for (const identity::RoleKind kind : {identity::RoleKind::member, identity::RoleKind::endUser}) {
    kinds_.push_back(std::make_unique<RoleKind>(kind, identity.roles(), slots.roles));
  }
  kinds_.push_back(std::make_unique<OauthKind>(identity.oauthConfigs(), slots.oauth, deps_.variables));
}

void Configuration::add(std::unique_ptr<ResourceKind> kind) {
  const auto placeOf = [](const std::unique_ptr<ResourceKind>& each) {
    const Section* section = sectionNamed(each->section());
    assert(section != nullptr);
    return section->applied;
  };
  const auto place = std::ranges::upper_bound(kinds_, placeOf(kind), {}, placeOf);
  kinds_.insert(place, std::move(kind));
}

ResourceKind* Configuration::kindOf(std::string_view section) const {
  const auto found = std::ranges::find(kinds_, section, [](const auto& kind) { return kind->section(); });
  return found == kinds_.end() ? nullptr : found->get();
}

// ---- export

Task<doc::Document> Configuration::configurationOf(snapshot::SnapshotPtr project) {
  doc::BsonWriter out;
  out.appendInteger("formatVersion", kFormatVersion);
  out.appendString("exportedAt", toRfc3339(deps_.clock.now()));
  out.appendString("serverVersion", deps_.version);
  out.beginDocument("project");
  out.appendString("name", project->info().name);
  out.end();
  for (const Section& section : sections()) {
    std::vector<Entry> entries;
    ResourceKind* kind = kindOf(section.name);
    if (kind) {
      CO_TRY(entries, co_await kind->entries(project));
    }
    if (entries.empty() && section.optional) continue;
    if (kind) {
      kind->append(out, entries);
    } else {
      out.beginArray(section.name);
      out.end();
    }
  }
  co_return out.finish();
}

Task<doc::Document> Configuration::exported(snapshot::SnapshotPtr project) {
  CO_TRY(const doc::Document shape, co_await configurationOf(project));
  co_return co_await offCore(project, [&]() -> Result<doc::Document> { return portable(shape); });
}

// ---- plan

Task<Configuration::KindPlan> Configuration::planKind(ResourceKind& kind, ResourceKind::Source source,
                                                      Problems& problems) {
  CO_TRY(std::vector<Entry> current, co_await kind.entries(source.project));
  std::ranges::sort(current, {}, &Entry::name);
  const size_t before = problems.count();
  CO_TRY(std::vector<Entry> merged, co_await kind.merged(std::move(source), current, problems));
  KindPlan planned{&kind, {}};
  if (problems.count() > before) co_return planned;
  CooperativeYielder yielder;
  for (Entry& entry : merged) {
    planned.changes.push_back(changeTo(std::move(entry), current));
    co_await yielder.maybeYield();
  }
  std::ranges::sort(planned.changes, {}, &Change::name);
  co_return planned;
}

Task<Configuration::Plan> Configuration::planAll(Target target, doc::Document document, bool allowMissing) {
  Problems problems;
  CO_RETURN_IF_ERROR(co_await offCore(target.project, [&]() -> Result<> {
    const auto known = [this](std::string_view section) { return kindOf(section) != nullptr; };
    if (checkDocument(document, known, problems)) return {};
    const doc::Document released = std::move(document);
    return fail(std::move(problems).asError());
  }));
  Plan plan;
  for (const auto& kind : kinds_) {
    const auto section = document.view().find(kind->section());
    if (!section || !section->isContainer()) continue;
    CO_TRY(KindPlan planned,
           co_await planKind(*kind, {*section, document, target.project, false, allowMissing}, problems));
    plan.push_back(std::move(planned));
  }
  if (document.size() > kFreedInline) {
    co_await offCore(target.project, [released = std::move(document)]() -> Result<> { return {}; });
  }
  if (!problems.empty()) co_return fail(std::move(problems).asError());
  CO_RETURN_IF_ERROR(checkCaller(target, plan));
  CO_RETURN_IF_ERROR(co_await checkSize(target, plan));
  co_return plan;
}

Result<> Configuration::checkCaller(const Target& target, const Plan& plan) const {
  const policy::Caller& caller = target.caller;
  std::vector<std::string> missing;
  for (const KindPlan& planned : plan) {
    for (const Change& change : planned.changes) {
      for (std::string& needed : planned.kind->permissionsFor(change)) {
        if (!caller.may(needed)) missing.push_back(std::move(needed));
      }
    }
  }
  if (!missing.empty()) {
    return fail(ErrorCode::forbidden, fmt::format("this import needs permissions that you do not hold: {}",
                                                  fmt::join(canonicalSet(std::move(missing)), ", ")));
  }
  for (const KindPlan& planned : plan) {
    for (const Change& change : planned.changes) {
      if (change.action != Action::unchanged) RETURN_IF_ERROR(planned.kind->mayApply(target, change));
    }
  }
  return {};
}

Task<> Configuration::checkSize(Target target, const Plan& plan) const {
  CO_TRY(std::vector<store::PartSize> parts,
         co_await store::configurationSizes(deps_.store, target.project->info().number));
  uint64_t total = 0;
  for (const store::PartSize& part : parts) total += part.bytes;
  for (const KindPlan& planned : plan) {
    const std::string_view name = sectionNamed(planned.kind->section())->part;
    auto part = std::ranges::find(parts, name, &store::PartSize::name);
    if (part == parts.end()) part = parts.insert(part, {name, 0});
    for (const Change& change : planned.changes) {
      if (change.action == Action::unchanged) continue;
      const uint64_t before = change.before ? planned.kind->storedBytes(*target.project, *change.before) : 0;
      const uint64_t after = planned.kind->storedBytes(*target.project, change.after);
      part->bytes = part->bytes + after - std::min(before, part->bytes + after);
      const uint64_t next = total + after - std::min(before, total + after);
      if (store::passesConfigurationLimit(total, next)) co_return fail(store::configurationTooLarge(std::move(parts)));
      total = next;
    }
  }
  co_return Result<>();
}

doc::Document Configuration::planDocument(const Plan& plan) const {
  Summary summary;
  doc::BsonWriter out;
  out.beginArray("changes");
  size_t index = 0;
  for (const KindPlan& planned : plan) {
    for (const Change& change : planned.changes) {
      summary.count(change.action);
      out.beginDocument(doc::arrayKey(index++));
      out.appendString("section", planned.kind->section());
      out.appendString("name", change.name);
      out.appendString("action", nameOf(change.action));
      change.before ? out.append("before", *change.before) : out.appendNull("before");
      out.append("after", change.after);
      out.end();
    }
  }
  out.end();
  doc::encodeValue(out, "summary", summary);
  return portable(out.finish());
}

Task<doc::Document> Configuration::plan(Target target, doc::Document document, projects::ImportMode mode) {
  CO_TRY(const Plan plan, co_await planAll(target, std::move(document), mode.allowMissing));
  if (!mode.skipTests) CO_RETURN_IF_ERROR(co_await checkTests(target, plan));
  co_return co_await offCore(target.project,
                             [&]() -> Result<doc::Document> { return responseWith(planDocument(plan)).finish(); });
}

// ---- import

Task<> Configuration::apply(Target target, KindPlan planned) {
  std::vector<Change> changes = unfinished(std::move(planned.changes));
  if (changes.empty()) co_return Result<>();
  co_return co_await planned.kind->apply(std::move(target), std::move(changes));
}

// Written before the import is applied, so that the audit entry exists whatever happens then.
Task<> Configuration::record(Target target, const Plan& plan, bool skipsTests) {
  Summary summary;
  for (const KindPlan& planned : plan) {
    for (const Change& change : planned.changes) summary.count(change.action);
  }
  const policy::Caller& caller = target.caller;
  audit::AuditActor actor{std::string(policy::actorKind(caller.kind)), caller.id, std::nullopt};
  if (!caller.email.empty()) actor.email = caller.email;
  doc::BsonWriter details;
  doc::encodeFields(details, summary);
  if (skipsTests) details.appendBool("skipTests", true);
  std::vector<store::Insert> entries =
      deps_.auditor.entry(target.project->info().number, "config.import", std::move(actor), "config", caller.ip,
                          caller.requestId, details.finish());
  if (entries.empty()) co_return Result<>();
  store::Write write({.deadline = target.deadline, .actor = policy::actorOf(caller), .bumpEpochs = {}});
  write.insert(std::move(entries));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), nullptr));
  co_return Result<>();
}

Task<doc::Document> Configuration::import(Target target, doc::Document document, projects::ImportMode mode) {
  CO_TRY(const Plan plan, co_await planAll(target, std::move(document), mode.allowMissing));
  CO_TRY(const doc::Document changes, co_await offCore(target.project, [&]() -> Result<doc::Document> {
           doc::Document made = planDocument(plan);
           if (mode.planDigest.empty() || mode.planDigest == planDigestOf(made)) return made;
           return fail(ErrorCode::conflict, "the plan is out of date, nothing was changed: plan it again");
         }));
  if (!mode.skipTests) CO_RETURN_IF_ERROR(co_await checkTests(target, plan));
  CO_RETURN_IF_ERROR(co_await record(target, plan, mode.skipTests));
  for (const KindPlan& planned : plan) CO_RETURN_IF_ERROR(co_await apply(target, planned));
  doc::BsonWriter out = responseWith(changes);
  out.appendBool("applied", true);
  co_return out.finish();
}

// ---- copy

Task<std::vector<std::string>> Configuration::copy(snapshot::SnapshotPtr from, Target target) {
  CO_TRY(const doc::Document shape, co_await configurationOf(std::move(from)));
  std::vector<std::string> warnings;
  const auto warn = [&](const Error& error) { warnings.push_back(error.message()); };
  for (const auto& kind : kinds_) {
    const auto section = shape.view().find(kind->section());
    if (!section) continue;
    Problems problems;
    auto planned = co_await planKind(*kind, {*section, shape, target.project, true}, problems);
    if (planned && !problems.empty()) planned = fail(std::move(problems).asError());
    if (!planned && isPassing(planned.error())) co_return fail(std::move(planned).error());
    if (!planned) {
      warn(planned.error());
      continue;
    }
    if (co_await apply(target, *planned)) continue;
    // Something failed: what can be done is done one by one, from where that left it.
    CO_TRY(target.project, co_await deps_.snapshots.byNumber(target.project->info().number));
    if (!target.project) co_return fail(ErrorCode::notFound, "no such project");
    planned = co_await planKind(*kind, {*section, shape, target.project, true}, problems);
    if (!planned && isPassing(planned.error())) co_return fail(std::move(planned).error());
    if (!planned) {
      warn(planned.error());
      continue;
    }
    for (Change& change : planned->changes) {
      const auto done = co_await apply(target, {kind.get(), {std::move(change)}});
      if (!done) warn(done.error());
    }
  }
  if (std::string text = emptyVariables(shape); !text.empty()) warnings.push_back(std::move(text));
  co_return warnings;
}

}  // namespace mb::configuration

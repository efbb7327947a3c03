#include "variables/variables.h"

#include <algorithm>

#include "store/configuration_limits.h"
#include "store/records.h"
#include "store/retry.h"

namespace mb::variables {

namespace {

constexpr int kMaxRaces = 8;
constexpr size_t kMaxNamedUses = 5;

Error invalid(Problems problems) {
  std::string message = problems.front().path + " " + problems.front().message;
  return Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems));
}

Error noVariable() {
  return Error(ErrorCode::notFound, "no such variable");
}

bool isNamed(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

doc::Document detailsOf(const VariableRecord& record, const VariableBody& body, bool moves) {
  doc::BsonWriter out;
  out.appendBool("secret", record.secret);
  out.appendBool("valueGiven", body.value.has_value());
  if (moves) out.appendBool("moveSecrets", true);
  return out.finish();
}

// Whether a PUT gives a plain variable that has a value another one.
bool replacesValue(const VariableRecord* before, const VariableBody& body) {
  return before && before->value && body.value && *before->value != *body.value;
}

}  // namespace

// The limits of a project's configuration use this number.
static_assert(store::isConfigurationPart(kVariables, "variables"));

std::vector<store::SystemCollection> systemCollections() {
  return {{kVariables, "__variables", {}}};
}

std::vector<store::SealedField> sealedFields() {
  return {{kVariables, "sealed", store::SealedField::Form::base64,
           [](std::string_view project, doc::DocumentView variable) {
             return sealContext(project, variable.stringOr("id"));
           }}};
}

Variables::Variables(VariableDeps deps)
    : deps_(deps), tables_(deps.store), slot_(deps.snapshots.addSlot<VariableTable>(tables_)) {}

std::vector<VariableView> Variables::list(const snapshot::ProjectSnapshot& project) const {
  std::vector<VariableView> views;
  for (const auto& [name, record] : table(project).byName) {
    views.push_back({name, record.secret, record.value, record.hasValue()});
  }
  return views;
}

Values Variables::valuesOf(const snapshot::ProjectSnapshot& project) const {
  return {table(project), project.info().id.str(), deps_.master};
}

Values Variables::noValues() const {
  static const VariableTable kNone;
  return {kNone, "", deps_.master};
}

Values Variables::valuesAfter(const snapshot::ProjectSnapshot& project, doc::DocumentView document) const {
  Values values = valuesOf(project);
  const auto section = document.find("variables");
  if (!section || section->type() != doc::BsonType::array) return values;
  for (const auto& [index, entry] : section->asDocument()) {
    if (entry.type() != doc::BsonType::document) continue;
    const auto secret = entry.asDocument().find("secret");
    if (secret && secret->type() == doc::BsonType::boolean && secret->asBool()) {
      values.makeSecret(std::string(entry.asDocument().stringOr("name")));
    }
  }
  return values;
}

Problems Variables::problemsIfSecret(const snapshot::ProjectSnapshot& project, const std::string& name) const {
  Values values = valuesOf(project);
  values.makeSecret(name);
  Problems problems;
  for (const VariableUser* user : users_) {
    for (ErrorDetail& each : user->problemsWith(project, values, name)) problems.push_back(std::move(each));
  }
  return problems;
}

// ---- changing

store::Write Variables::writeOf(const Access& access, std::string action, std::string_view name,
                                doc::Document details) const {
  const store::ProjectNo project = access.project->info().number;
  const policy::Caller& by = access.caller;
  store::Write write({.deadline = access.deadline, .actor = policy::actorOf(by), .bumpEpochs = {project}});
  audit::AuditActor actor{std::string(policy::actorKind(by.kind)), by.id,
                          by.email.empty() ? std::nullopt : std::optional(by.email)};
  write.insert(deps_.auditor.entry(project, std::move(action), std::move(actor), fmt::format("variables/{}", name),
                                   by.ip, by.requestId, std::move(details)));
  return write;
}

Result<VariableRecord> Variables::changed(const snapshot::ProjectInfo& project, const VariableRecord* before,
                                          std::string name, const VariableBody& body) const {
  VariableRecord after;
  after.id = std::move(name);
  after.secret = body.secret.value_or(before && before->secret);
  after.updatedAt = deps_.clock.now();
  if (!after.secret) {
    if (before && before->secret && !body.value) {
      return fail(invalid({{"/value", "is required: a secret variable becomes plain with a new value only"}}));
    }
    after.value = body.value ? body.value : before ? before->value : std::nullopt;
    return after;
  }
  const std::optional<std::string> plain = body.value ? body.value : before ? before->value : std::nullopt;
  if (plain) {
    after.sealed = toBase64(deps_.master.seal(*plain, sealContext(project.id.str(), after.id)));
  } else if (before) {
    after.sealed = before->sealed;
  }
  return after;
}

Result<> Variables::checkUses(const Access& access, const VariableRecord* before, const VariableRecord& after,
                              const VariableBody& body) const {
  const snapshot::ProjectSnapshot& project = *access.project;
  VariableTable next = table(project);
  next.byName.insert_or_assign(after.id, after);
  const Values values(next, project.info().id.str(), deps_.master);
  const std::string_view cause = body.value ? "/value" : "/secret";
  Problems problems;
  std::string moved;  // the first field whose secrets the new value moves
  for (const VariableUser* user : users_) {
    for (ErrorDetail& each : user->problemsWith(project, values, after.id)) {
      problems.push_back({std::string(cause), fmt::format("does not fit {}: {}", each.path, each.message)});
    }
    if (!replacesValue(before, body)) continue;
    for (const VariableUse& use : user->uses(project)) {
      if (moved.empty() && use.sendsSecrets && isNamed(use.names, after.id)) moved = use.field;
    }
  }
  if (!problems.empty()) return fail(invalid(std::move(problems)));
  if (moved.empty()) return {};
  if (!body.moveSecrets.value_or(false)) {
    return fail(invalid({{"/moveSecrets", fmt::format("must be true: the new value sends the stored secrets of {} to "
                                                      "another address",
                                                      moved)}}));
  }
  if (access.caller.may("*")) return {};
  return fail(
      ErrorCode::forbidden,
      fmt::format("the new value sends the stored secrets of {} to another address: this needs the permission *",
                  moved));
}

Task<> Variables::putOnce(Access access, std::string name, VariableBody body) {
  CO_TRY(access.project, co_await deps_.snapshots.find(access.project->info().id.str()));
  if (!access.project) co_return fail(ErrorCode::notFound, "no such project");
  const VariableRecord* known = table(*access.project).find(name);
  CO_TRY(const VariableRecord after, changed(access.project->info(), known, name, body));
  CO_RETURN_IF_ERROR(checkUses(access, known, after, body));
  const bool moves = body.moveSecrets.value_or(false) && replacesValue(known, body);
  store::Write write = writeOf(access, "variable.set", name, detailsOf(after, body, moves));
  const store::Target row = write.change({access.project->info().number, kVariables, 0}, name);
  std::optional<doc::Document> seen;
  if (known) seen = doc::encode(*known);
  CO_RETURN_IF_ERROR(
      co_await deps_.store.write(std::move(write),
                                 [row, seen = std::move(seen), next = doc::encode(after)](
                                     const store::PreImages& before, store::Changes& changes) -> Result<> {
                                   if (before[row] != seen)
                                     return fail(ErrorCode::retry, "the variable was changed since it was read");
                                   changes.put(row, next);
                                   return {};
                                 }));
  co_return Result<>();
}

Task<> Variables::put(Access access, std::string name, VariableBody body) {
  Problems problems;
  if (!isVariableName(name)) problems.push_back({"/name", std::string(kVariableNameRule)});
  if (body.value && body.value->contains('\0')) problems.push_back({"/value", "must not hold NUL"});
  if (body.value && body.value->size() > kMaxValueBytes) {
    problems.push_back({"/value", fmt::format("must have at most {} KiB", kMaxValueBytes >> 10)});
  } else if (body.value && holdsReference(*body.value)) {
    problems.push_back({"/value", "must not refer to another variable"});
  }
  if (!problems.empty()) co_return fail(invalid(std::move(problems)));
  co_return co_await store::retryWrite(kMaxRaces,
                                       Error(ErrorCode::conflict, "the variable is being changed: try again"),
                                       [&] { return putOnce(access, name, body); });
}

Task<> Variables::remove(Access access, std::string name) {
  if (!table(*access.project).find(name)) co_return fail(noVariable());
  std::vector<std::string> fields;
  for (const VariableUser* user : users_) {
    for (VariableUse& use : user->uses(*access.project)) {
      if (isNamed(use.names, name) && !isNamed(fields, use.field)) fields.push_back(std::move(use.field));
    }
  }
  if (!fields.empty()) {
    const size_t more = fields.size() > kMaxNamedUses ? fields.size() - kMaxNamedUses : 0;
    fields.resize(fields.size() - more);
    co_return fail(ErrorCode::conflict,
                   fmt::format("the variable is used by {}{}: change that first", fmt::join(fields, ", "),
                               more > 0 ? fmt::format(" and {} more", more) : ""));
  }
  store::Write write = writeOf(access, "variable.deleted", name, {});
  const store::Target row = write.change({access.project->info().number, kVariables, 0}, name);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write), [row](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (!before[row]) return fail(noVariable());
        changes.remove(row);
        return {};
      }));
  co_return Result<>();
}

}  // namespace mb::variables

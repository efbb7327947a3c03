#include "integrations/integration_service.h"

#include <algorithm>

#include "identity/audited_write.h"
#include "integrations/email_provider.h"
#include "integrations/http_provider.h"
#include "integrations/resolved.h"
#include "store/configuration_limits.h"
#include "store/records.h"

namespace mb::integrations {

namespace {

Error noIntegration() {
  return Error(ErrorCode::notFound, "no such integration");
}

store::CollectionRef in(const Access& access) {
  return {access.project->info().number, kIntegrations, 0};
}

Result<IntegrationRecord> existing(const std::optional<doc::Document>& before) {
  if (!before) return fail(noIntegration());
  return store::fromStore<IntegrationRecord>(before->view());
}

std::vector<std::string> namesOf(const SecretEdit& edit, bool given) {
  std::vector<std::string> names;
  for (const auto& [name, text] : edit.texts) {
    if (text.has_value() == given) names.push_back(name);
  }
  if (!given && edit.dropsHeaders) names.emplace_back(kHeaders);
  return names;
}

std::optional<std::vector<std::string>> orAbsent(std::vector<std::string> names) {
  if (names.empty()) return std::nullopt;
  return names;
}

// The number of headers that it sends with each call.
size_t headersOf(const doc::Document& config, const std::vector<std::string>& secretNames) {
  const auto plain = config.view().find(kHeaders);
  const bool given = plain && plain->type() == doc::BsonType::document;
  return (given ? plain->asDocument().count() : 0) + secretHeaderCount(secretNames);
}

}  // namespace

// The limits of a project's configuration use these numbers.
static_assert(store::isConfigurationPart(kIntegrations, "integrations"));

std::vector<store::SystemCollection> systemCollections() {
  return {{kIntegrations, "__integrations", {}}};
}

std::vector<store::SealedField> sealedFields() {
  return {{kIntegrations, "secrets", store::SealedField::Form::base64,
           [](std::string_view project, doc::DocumentView integration) {
             return sealContext(project, integration.stringOr("integrationId"));
           }}};
}

doc::Document asRestored(doc::DocumentView integration) {
  doc::BsonWriter out(integration.bytes().size());
  for (const doc::Element& element : integration) {
    if (element.key == "enabled") {
      out.appendBool("enabled", false);
    } else {
      out.append(element.key, element.value);
    }
  }
  return out.finish();
}

Integrations::Integrations(IntegrationDeps deps)
    : deps_(std::move(deps)),
      box_(deps_.master),
      tables_(deps_.store),
      slot_(deps_.snapshots.addSlot<IntegrationTable>(tables_)) {
  providers_.push_back(std::make_unique<EmailProvider>(deps_.outbound, deps_.ids, deps_.clock));
  providers_.push_back(std::make_unique<BotProvider>(deps_.outbound, deps_.bots, deps_.baseUrl));
  providers_.push_back(std::make_unique<HttpProvider>(deps_.outbound));
  deps_.variables.add(*this);
}

// ---- reading

std::vector<doc::Document> Integrations::catalogues() const {
  std::vector<doc::Document> all;
  for (const auto& provider : providers_) all.push_back(provider->catalogue().shown);
  return all;
}

Provider* Integrations::provider(std::string_view name) const {
  const auto found = std::ranges::find(providers_, name,
                                       [](const auto& each) -> std::string_view { return each->catalogue().provider; });
  return found == providers_.end() ? nullptr : found->get();
}

Provider& Integrations::providerOf(const IntegrationRecord& record) const {
  Provider* found = provider(record.provider);
  if (!found) throw std::logic_error("a stored integration of the provider " + record.provider);
  return *found;
}

Result<IntegrationPtr> Integrations::require(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  IntegrationPtr found = project.get(slot_).find(name);
  if (!found) return fail(noIntegration());
  return found;
}

Result<IntegrationPtr> Integrations::enabled(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  TRY(IntegrationPtr found, require(project, name));
  if (!found->enabled) return fail(ErrorCode::notFound, "the integration is not enabled");
  return found;
}

IntegrationView Integrations::viewOf(const IntegrationRecord& record) const {
  return {record.id,        record.provider,
          record.config,    shownSecrets(providerOf(record).catalogue().secrets, record.secretNames),
          record.enabled,   record.tests,
          record.createdAt, record.updatedAt};
}

std::vector<IntegrationView> Integrations::list(const snapshot::ProjectSnapshot& project) const {
  std::vector<IntegrationView> views;
  for (const auto& [name, record] : project.get(slot_).byName) views.push_back(viewOf(*record));
  return views;
}

Result<IntegrationView> Integrations::get(const snapshot::ProjectSnapshot& project, std::string_view name) const {
  TRY(const IntegrationPtr found, require(project, name));
  return viewOf(*found);
}

// ---- changing

Result<> Integrations::checkEdit(const Access& access, const Provider& provider, const Edit& edit) const {
  const variables::Values values = deps_.variables.valuesOf(*access.project);
  Problems problems;
  if (edit.config) checkConfig(provider, *edit.config, values, problems);
  checkSecrets(provider, edit.secrets, values, problems);
  if (edit.tests) checkTests(provider, *edit.tests, problems);
  if (!problems.empty()) return fail(invalid(std::move(problems)));
  if (access.caller.may("variables:manage")) return {};
  for (const auto& [name, text] : edit.secrets.texts) {
    if (!text) continue;
    for (const std::string& variable : variables::namesIn(text->reveal())) {
      if (values.mayBeSecret(variable)) return fail(variables::needsManage(variable));
    }
  }
  return {};
}

std::vector<std::string> Integrations::movedSecrets(const IntegrationRecord& record, const doc::Document& config,
                                                    const SecretEdit& given) const {
  const Provider& provider = providerOf(record);
  std::vector<std::string> moved;
  if (provider.destination(config) == provider.destination(record.config)) return moved;
  for (const std::string& name : record.secretNames) {
    if (!given.decides(name)) moved.push_back(name);
  }
  return moved;
}

std::vector<ErrorDetail> Integrations::importProblems(const snapshot::ProjectSnapshot& project,
                                                      const IntegrationShape& shape) const {
  const IntegrationPtr known = project.get(slot_).find(shape.name);
  const bool exists = known && known->provider == shape.provider;
  Problems problems;
  const size_t before = exists ? headersOf(known->config, known->secretNames) : 0;
  const size_t after = headersOf(shape.config, exists ? known->secretNames : std::vector<std::string>());
  if (after > std::max(store::kMaxConfiguredHeaders, before)) {
    problems.push_back({"/config/headers", fmt::format("would be more than {} headers together with the secret ones",
                                                       store::kMaxConfiguredHeaders)});
  }
  const std::vector<std::string> moved = exists ? movedSecrets(*known, shape.config, {}) : std::vector<std::string>();
  if (moved.empty() || followsValue(project, shape)) return problems;
  problems.push_back({"/config", fmt::format("would send the project's secrets to another destination: change "
                                             "it in the project first, and set {} again",
                                             fmt::join(moved, ", "))});
  return problems;
}

bool Integrations::followsValue(const snapshot::ProjectSnapshot& project, const IntegrationShape& shape) const {
  const Provider* found = provider(shape.provider);
  if (!found || !found->followsVariable(shape.config)) return false;
  const variables::Values values = deps_.variables.valuesOf(project);
  return std::ranges::all_of(variables::namesIn(found->destination(shape.config)),
                             [&](const std::string& name) { return values.hasValue(name); });
}

bool Integrations::movesSecrets(const snapshot::ProjectSnapshot& project, const IntegrationShape& shape) const {
  const IntegrationPtr known = project.get(slot_).find(shape.name);
  return known && known->provider == shape.provider && !movedSecrets(*known, shape.config, {}).empty();
}

// The limit applies to all headers of the integration: otherwise one input after another could add to them. An
// integration over the limit may shrink.
Result<> Integrations::change(const Access& access, const Edit& edit, IntegrationRecord& record) const {
  const size_t before = headersOf(record.config, record.secretNames);
  RETURN_IF_ERROR(apply(access, edit, record));
  const size_t after = headersOf(record.config, record.secretNames);
  if (after <= std::max(store::kMaxConfiguredHeaders, before)) return {};
  return fail(ErrorCode::conflict, fmt::format("an integration has at most {} headers, secret ones included: remove "
                                               "some",
                                               store::kMaxConfiguredHeaders));
}

// Secrets that can no longer be opened can be set again.
Result<> Integrations::apply(const Access& access, const Edit& edit, IntegrationRecord& record) const {
  if (edit.config) {
    Problems problems;
    for (const std::string& name : movedSecrets(record, *edit.config, edit.secrets)) {
      if (edit.mayMove) break;
      problems.push_back({"/secrets/" + name, "must be set again or removed: the config leads to another destination"});
    }
    if (!problems.empty()) return fail(invalid(std::move(problems)));
    record.config = *edit.config;
    record.variables = orAbsent(variablesIn(record.config));
  }
  if (edit.enabled) record.enabled = *edit.enabled;
  if (edit.tests) record.tests = *edit.tests;
  record.updatedAt = deps_.clock.now();
  if (edit.secrets.empty()) return {};
  const std::string& project = access.project->info().id.str();
  Secrets secrets = box_.open(project, record).value_or(Secrets());
  edit.secrets.applyTo(secrets);
  if (std::string problem = providerOf(record).secretsProblem(secrets.names()); !problem.empty()) {
    return fail(invalid({{"/secrets", std::move(problem)}}));
  }
  std::vector<std::string> names;
  for (const auto& [name, text] : secrets.all()) variables::addNames(text.reveal(), names);
  record.secretVariables = orAbsent(std::move(names));
  box_.put(project, secrets, record);
  return {};
}

doc::Document Integrations::detailsOf(const IntegrationRecord& record, const Edit& edit) const {
  doc::BsonWriter out;
  out.appendString("provider", record.provider);
  out.appendString("destination", providerOf(record).destination(record.config));
  out.appendBool("enabled", record.enabled);
  doc::encodeValue(out, "secretsGiven", namesOf(edit.secrets, true));
  doc::encodeValue(out, "secretsRemoved", namesOf(edit.secrets, false));
  if (edit.tests) out.appendInteger("tests", static_cast<int64_t>(edit.tests->size()));
  return out.finish();
}

Task<IntegrationRecord> Integrations::insert(Access access, std::string name, std::string providerName, Edit edit) {
  const Timestamp now = deps_.clock.now();
  IntegrationRecord record{name, "int_" + deps_.ids.next(), std::move(providerName), {}, true, {}, {}, {}, now, now, {},
                           {}};
  CO_RETURN_IF_ERROR(checkEdit(access, providerOf(record), edit));
  CO_RETURN_IF_ERROR(change(access, edit, record));
  store::Write write = identity::auditedWrite(deps_.auditor, access,
                                              {"integration.created", "integrations/" + name, detailsOf(record, edit)});
  const store::Target row = write.change(in(access), name);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [row, &record = std::as_const(record)](const store::PreImages& before, store::Changes& changes) -> Result<> {
        if (before[row]) return fail(ErrorCode::conflict, "an integration of this name exists: use another name");
        changes.put(row, doc::encode(record));
        return {};
      }));
  co_return record;
}

Task<IntegrationView> Integrations::create(Access access, NewIntegration input) {
  Problems problems;
  if (!isIntegrationName(input.name)) problems.push_back({"/name", std::string(kNameRule)});
  const Provider* found = provider(input.provider);
  Edit edit;
  edit.config = std::move(input.config).value_or(doc::Document());
  edit.enabled = input.enabled;
  if (!found) {
    problems.push_back({"/provider", "must be one of the providers of the catalogue"});
  } else {
    const variables::Values values = deps_.variables.valuesOf(*access.project);
    checkConfig(*found, *edit.config, values, problems);
    if (input.secrets) edit.secrets = readSecrets(*input.secrets, found->catalogue().secrets, problems);
    checkSecrets(*found, edit.secrets, values, problems);
  }
  if (!problems.empty()) co_return fail(invalid(std::move(problems)));
  CO_TRY(const IntegrationRecord record,
         co_await insert(std::move(access), std::move(input.name), std::move(input.provider), std::move(edit)));
  co_return viewOf(record);
}

Task<> Integrations::edit(Access access, std::string name, Edit edit) {
  CO_TRY(const IntegrationPtr known, require(*access.project, name));
  CO_RETURN_IF_ERROR(checkEdit(access, providerOf(*known), edit));
  IntegrationRecord next = *known;
  if (edit.config) next.config = *edit.config;
  next.enabled = edit.enabled.value_or(next.enabled);
  store::Write write = identity::auditedWrite(deps_.auditor, access,
                                              {"integration.changed", "integrations/" + name, detailsOf(next, edit)});
  const store::Target row = write.change(in(access), name);
  CO_RETURN_IF_ERROR(co_await deps_.store.write(
      std::move(write),
      [&self = std::as_const(*this), row, known, &access = std::as_const(access), &edit = std::as_const(edit)](
          const store::PreImages& before, store::Changes& changes) -> Result<> {
        TRY(IntegrationRecord record, existing(before[row]));
        if (record.integrationId != known->integrationId) return fail(noIntegration());
        RETURN_IF_ERROR(self.change(access, edit, record));
        changes.put(row, doc::encode(record));
        return {};
      }));
  co_return Result<>();
}

Task<> Integrations::change(Access access, std::string name, IntegrationPatch patch) {
  CO_TRY(const IntegrationPtr known, require(*access.project, name));
  const Provider& provider = providerOf(*known);
  Problems problems;
  Edit edit;
  if (patch.secrets) edit.secrets = readSecrets(*patch.secrets, provider.catalogue().secrets, problems);
  const variables::Values values = deps_.variables.valuesOf(*access.project);
  checkSecrets(provider, edit.secrets, values, problems);
  if (patch.config) checkConfig(provider, *patch.config, values, problems);
  if (!problems.empty()) co_return fail(invalid(std::move(problems)));
  edit.config = std::move(patch.config);
  edit.enabled = patch.enabled;
  co_return co_await this->edit(std::move(access), std::move(name), std::move(edit));
}

Task<> Integrations::saveTests(Access access, std::string name, StoredTests tests) {
  Edit edit;
  edit.tests = std::move(tests.tests);
  co_return co_await this->edit(std::move(access), std::move(name), std::move(edit));
}

Task<> Integrations::import(Access access, IntegrationShape shape) {
  Edit edit;
  edit.mayMove = access.caller.may("*") && followsValue(*access.project, shape);
  edit.config = std::move(shape.config);
  edit.enabled = shape.enabled;
  edit.tests = std::move(shape.tests);
  const IntegrationPtr known = access.project->get(slot_).find(shape.name);
  if (!known) {
    if (!isIntegrationName(shape.name)) co_return fail(invalid({{"/name", std::string(kNameRule)}}));
    if (!provider(shape.provider)) co_return fail(invalid({{"/provider", "is not a provider of this server"}}));
    CO_RETURN_IF_ERROR(
        co_await insert(std::move(access), std::move(shape.name), std::move(shape.provider), std::move(edit)));
    co_return Result<>();
  }
  if (known->provider != shape.provider) co_return fail(invalid({{"/provider", "cannot change"}}));
  co_return co_await this->edit(std::move(access), std::move(shape.name), std::move(edit));
}

Task<> Integrations::remove(Access access, std::string name) {
  CO_TRY(const IntegrationPtr known, require(*access.project, name));
  store::Write write =
      identity::auditedWrite(deps_.auditor, access, {"integration.deleted", "integrations/" + name, {}});
  const store::Target row = write.change(in(access), name);
  auto callback = [row, known](const store::PreImages& before, store::Changes& changes) -> Result<> {
    TRY(const IntegrationRecord record, existing(before[row]));
    if (record.integrationId != known->integrationId) return fail(noIntegration());
    changes.remove(row);
    return {};
  };
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), std::move(callback)));
  co_return Result<>();
}

}  // namespace mb::integrations

#include "integrations/integration_kind.h"

#include "document/canonical.h"
#include "store/configuration_limits.h"

namespace mb::integrations {

namespace {

doc::Document ordered(const doc::Document& document) {
  return doc::Document(doc::canonical(valueOf(document)).view().asDocument());
}

StoredTest ordered(StoredTest test) {
  if (test.args) test.args = ordered(*test.args);
  test.stub.value = doc::canonical(test.stub.value);
  test.expect = doc::canonical(test.expect);
  return test;
}

}  // namespace

// With JSON types only, as in a request: {"$date": …} in the arguments of a test stays an object.
IntegrationKind::IntegrationKind(Integrations& integrations)
    : NamedKind({.section = "integrations",
                 .permission = "integrations:manage",
                 .name = &IntegrationShape::name,
                 .fold = configuration::UniqueNameSet::exact,
                 .limit = store::kMaxIntegrations,
                 .plural = "integrations",
                 .plainJson = true}),
      integrations_(integrations) {}

std::vector<IntegrationShape> IntegrationKind::stored(const snapshot::ProjectSnapshot& project) const {
  std::vector<IntegrationShape> all;
  for (IntegrationView& view : integrations_.list(project)) {
    all.push_back(
        {std::move(view.name), std::move(view.provider), std::move(view.config), view.enabled, std::move(view.tests)});
  }
  return all;
}

std::vector<ErrorDetail> IntegrationKind::problemsIn(const IntegrationShape& shape) const {
  std::vector<ErrorDetail> details;
  if (!isIntegrationName(shape.name)) details.push_back({"/name", std::string(kNameRule)});
  if (const Provider* provider = integrations_.provider(shape.provider)) {
    for (ErrorDetail& each : integrations_.literalProblems(*provider, shape)) details.push_back(std::move(each));
    if (shape.tests) checkTests(*provider, *shape.tests, details);
  } else {
    details.push_back({"/provider", "must be one of the providers of the catalogue"});
  }
  return details;
}

// Fields that the document omits get their current values, or those of a new integration.
void IntegrationKind::complete(IntegrationShape& shape, const Incoming& incoming) const {
  const IntegrationShape* now = incoming.current;
  if (now && now->provider != shape.provider) {
    incoming.problems.add(incoming.pointer + "/provider",
                          fmt::format("is {} in the project, and cannot change", now->provider));
  }
  const Source& source = incoming.source;
  for (ErrorDetail& each :
       integrations_.variableProblems(*source.project, source.document, shape, source.copied || source.allowMissing)) {
    incoming.problems.add(incoming.pointer + each.path, std::move(each.message));
  }
  for (ErrorDetail& each : integrations_.importProblems(*source.project, shape)) {
    incoming.problems.add(incoming.pointer + each.path, std::move(each.message));
  }
  if (!shape.enabled) shape.enabled = now ? now->enabled : true;
  if (!shape.tests) shape.tests = now ? now->tests : std::vector<StoredTest>();
}

Result<> IntegrationKind::mayApply(const configuration::Target& target, const configuration::Change& change) const {
  TRY(const IntegrationShape shape, doc::decode<IntegrationShape>(change.after.view().asDocument()));
  if (!integrations_.movesSecrets(*target.project, shape) || target.caller.may("*")) return {};
  return fail(ErrorCode::forbidden,
              fmt::format("{}/{}: sending its stored secrets to the value of a variable needs the permission *",
                          section(), change.name));
}

IntegrationShape IntegrationKind::canonical(IntegrationShape shape) const {
  shape.config = ordered(shape.config);
  if (!shape.tests) return shape;
  for (StoredTest& test : *shape.tests) test = ordered(std::move(test));
  return shape;
}

Task<> IntegrationKind::save(configuration::Target target, IntegrationShape shape, bool) {
  co_return co_await integrations_.import({target.caller, target.project, target.deadline}, std::move(shape));
}

}  // namespace mb::integrations

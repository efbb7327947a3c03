#include "integrations/integration_kind.h"

#include "configuration/canonical_shape.h"
#include "document/canonical.h"
#include "store/configuration_limits.h"

namespace mb::integrations {

namespace {

using configuration::Change;
using configuration::Entry;

doc::Document ordered(const doc::Document& document) {
  return doc::Document(doc::canonical(valueOf(document)).view().asDocument());
}

StoredTest ordered(StoredTest test) {
  if (test.args) test.args = ordered(*test.args);
  test.stub.value = doc::canonical(test.stub.value);
  test.expect = doc::canonical(test.expect);
  return test;
}

Entry entryOf(IntegrationShape shape) {
  shape.config = ordered(shape.config);
  for (StoredTest& test : *shape.tests) test = ordered(std::move(test));
  return configuration::entryShowing(shape.name, shape);
}

// Fields that the document omits get their current values, or those of a new integration.
IntegrationShape completed(IntegrationShape shape, const IntegrationShape* now) {
  if (!shape.enabled) shape.enabled = now ? now->enabled : true;
  if (!shape.tests) shape.tests = now ? now->tests : std::vector<StoredTest>();
  return shape;
}

}  // namespace

Task<std::vector<Entry>> IntegrationKind::entries(snapshot::SnapshotPtr project) {
  std::vector<Entry> entries;
  for (IntegrationView& view : integrations_.list(*project)) {
    entries.push_back(entryOf(
        {std::move(view.name), std::move(view.provider), std::move(view.config), view.enabled, std::move(view.tests)}));
  }
  co_return entries;
}

std::optional<IntegrationShape> IntegrationKind::shapeAt(doc::ValueView value, const std::string& pointer,
                                                         configuration::Problems& problems) const {
  if (!configuration::isEntry(value, pointer, problems)) return std::nullopt;
  // With JSON types only, as in a request: {"$date": …} in the arguments of a test stays an object.
  const doc::Document plain = configuration::portable(value.asDocument());
  return configuration::entryAt<IntegrationShape>(
      valueOf(plain), pointer, problems, [this](const IntegrationShape& shape) {
        std::vector<ErrorDetail> details;
        if (!isIntegrationName(shape.name)) details.push_back({"/name", std::string(kNameRule)});
        if (const Provider* provider = integrations_.provider(shape.provider)) {
          checkConfig(*provider, shape.config, details);
          if (shape.tests) checkTests(*provider, *shape.tests, details);
        } else {
          details.push_back({"/provider", "must be one of the providers of the catalogue"});
        }
        return details;
      });
}

Task<std::vector<Entry>> IntegrationKind::merged(Source source, const std::vector<Entry>& current,
                                                 configuration::Problems& problems) {
  configuration::UniqueNameSet names(current, [](std::string_view name) { return std::string(name); });
  std::vector<Entry> merged;
  configuration::CooperativeYielder yielder;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await yielder.maybeYield();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    std::optional<IntegrationShape> shape = shapeAt(value, pointer, problems);
    if (!shape) continue;
    std::optional<IntegrationShape> now;
    if (const Entry* existing = names.take(shape->name, pointer, problems)) {
      CO_TRY(now, doc::decode<IntegrationShape>(existing->value.view().asDocument()));
    }
    if (now && now->provider != shape->provider) {
      problems.add(pointer + "/provider", fmt::format("is {} in the project, and cannot change", now->provider));
    }
    for (ErrorDetail& each : integrations_.importProblems(*source.project, *shape)) {
      problems.add(pointer + each.path, std::move(each.message));
    }
    merged.push_back(entryOf(completed(*std::move(shape), now ? &*now : nullptr)));
  }
  names.checkCount(section(), store::kMaxIntegrations, "integrations", problems);
  co_return merged;
}

Task<> IntegrationKind::applyOne(configuration::Target target, Change change) {
  CO_TRY(IntegrationShape shape, doc::decode<IntegrationShape>(change.after.view().asDocument()));
  co_return co_await integrations_.import({target.caller, target.project, target.deadline}, std::move(shape));
}

}  // namespace mb::integrations

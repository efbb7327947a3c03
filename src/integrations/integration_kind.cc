#include "integrations/integration_kind.h"

#include <algorithm>
#include <set>

#include "configuration/canonical_shape.h"
#include "document/canonical.h"

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
  doc::BsonWriter out;
  doc::encodeValue(out, "", shape);
  const doc::Document whole = out.finish();
  return {std::move(shape.name), doc::Value(whole.view().begin()->value)};
}

// What the document does not say is as it is, or as a new one would be.
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
  IntegrationShape shape;
  std::vector<ErrorDetail> details;
  // In JSON's types alone, as a route has them: {"$date": …} in the arguments of a test stays that.
  const doc::Document plain = configuration::portable(value.asDocument());
  doc::decodeValue(shape, valueOf(plain), "", doc::UnknownFields::refuse, details);
  if (details.empty()) {
    if (!isIntegrationName(shape.name)) details.push_back({"/name", std::string(kNameRule)});
    if (const Provider* provider = integrations_.provider(shape.provider)) {
      checkConfig(*provider, shape.config, details);
      if (shape.tests) checkTests(*provider, *shape.tests, details);
    } else {
      details.push_back({"/provider", "must be one of the providers of the catalogue"});
    }
  }
  for (ErrorDetail& each : details) problems.add(pointer + each.path, std::move(each.message));
  return details.empty() ? std::optional(std::move(shape)) : std::nullopt;
}

Task<std::vector<Entry>> IntegrationKind::merged(Source source, const std::vector<Entry>& standing,
                                                 configuration::Problems& problems) {
  std::map<std::string, IntegrationShape> now;
  for (const Entry& entry : standing) {
    CO_TRY(IntegrationShape shape, doc::decode<IntegrationShape>(entry.value.view().asDocument()));
    now.emplace(entry.name, std::move(shape));
  }
  std::set<std::string> seen;
  std::vector<Entry> merged;
  size_t created = 0;
  configuration::Breather breather;
  for (const auto& [index, value] : source.section.asDocument()) {
    co_await breather.breathe();
    const std::string pointer = fmt::format("/{}/{}", section(), index);
    std::optional<IntegrationShape> shape = shapeAt(value, pointer, problems);
    if (!shape) continue;
    if (!seen.insert(shape->name).second) {
      problems.add(pointer + "/name", fmt::format("\"{}\" stands here twice", shape->name));
      continue;
    }
    const auto found = now.find(shape->name);
    if (found == now.end()) {
      ++created;
    } else if (found->second.provider != shape->provider) {
      problems.add(pointer + "/provider",
                   fmt::format("is {} in the project, and never changes", found->second.provider));
    }
    merged.push_back(entryOf(completed(*std::move(shape), found == now.end() ? nullptr : &found->second)));
  }
  if (standing.size() + created > kMostIntegrations) {
    problems.add("/integrations", fmt::format("would make more than {} integrations", kMostIntegrations));
  }
  co_return merged;
}

std::vector<std::string> IntegrationKind::permissionsFor(const Change& change) const {
  if (change.action == configuration::Action::unchanged) return {};
  return {"integrations:manage"};
}

Task<> IntegrationKind::apply(configuration::Target target, std::vector<Change> changes) {
  for (const Change& change : changes) {
    CO_CHECK(configuration::checkTime(target));
    CO_TRY(IntegrationShape shape, doc::decode<IntegrationShape>(change.after.view().asDocument()));
    const Result<> done =
        co_await integrations_.import({target.caller, target.project, target.deadline}, std::move(shape));
    if (!done) co_return fail(configuration::about(fmt::format("{}/{}", section(), change.name), done.error()));
  }
  co_return Result<>();
}

}  // namespace mb::integrations

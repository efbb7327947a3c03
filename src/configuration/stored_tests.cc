// The stored tests of a configuration: run by themselves, and before an import is applied.
#include <algorithm>
#include <iterator>

#include "configuration/configuration.h"
#include "configuration/settings_kind.h"

namespace mb::configuration {
namespace {

constexpr size_t kMaxListed = 1000;

std::string failureOf(const data::PolicyTestResult& result) {
  std::string text = fmt::format("test \"{}\": expected {}, got {}", result.name, result.expected, result.got);
  if (result.got == "error" && !result.steps.empty()) {
    text += fmt::format(" ({})", result.steps.front().view().stringOr("message"));
  }
  return text;
}

std::vector<ErrorDetail> failuresOf(const data::PolicyTestReport& report) {
  std::vector<ErrorDetail> failures;
  size_t index = 0;
  std::string_view collection;
  for (const data::PolicyTestResult& result : report.results) {
    index = result.collection == collection ? index + 1 : 0;
    collection = result.collection;
    if (result.passed) continue;
    failures.push_back({fmt::format("/collections/{}/policyTests/{}", result.collection, index), failureOf(result)});
  }
  return failures;
}

Error testsFailed(std::vector<ErrorDetail> failures) {
  const size_t count = failures.size();
  if (count > kMaxListed) failures.resize(kMaxListed);
  std::string message = fmt::format("{} of the stored tests would fail, nothing was changed: {}: {}", count,
                                    failures.front().path, failures.front().message);
  return Error(ErrorCode::testsFailed, std::move(message)).withDetails(std::move(failures));
}

// The error of a document's plan, whose pointers are below that of the document.
Error inDocument(const Error& error) {
  std::vector<ErrorDetail> details = error.details();
  for (ErrorDetail& each : details) each.path = "/document" + each.path;
  return Error(error.code(), error.message()).withDetails(std::move(details)).withCause(error.cause());
}

// Leaves the tests of the selected collections. Fails with validation for one that does not exist.
Result<> select(data::PolicyTestsByCollection& tests, const std::optional<std::vector<std::string>>& selected,
                const data::CollectionTable& table) {
  if (!selected) return {};
  for (size_t i = 0; i < selected->size(); ++i) {
    if (table.find((*selected)[i])) continue;
    const std::string path = fmt::format("/collections/{}", i);
    return fail(Error(ErrorCode::validation, path + ": no such collection").withDetail(path, "no such collection"));
  }
  std::erase_if(tests, [&](const auto& each) { return std::ranges::find(*selected, each.first) == selected->end(); });
  return {};
}

}  // namespace

Task<ProjectDraft> Configuration::draftOf(Target target, const Plan& plan) {
  co_return co_await offCore(target.project, [&]() -> Result<ProjectDraft> {
    ProjectDraft draft{target.project, {}, data::policyTestsOf(target.project->get(deps_.data.slot()))};
    for (const KindPlan& planned : plan) {
      const std::vector<Change> changes = unfinished(planned.changes);
      if (!changes.empty()) RETURN_IF_ERROR(planned.kind->draft(draft, changes));
    }
    return draft;
  });
}

Task<snapshot::SnapshotPtr> Configuration::compiled(const ProjectDraft& draft) const {
  data::PolicyDrafts policies = draft.policies;
  policies.onGivenDocuments = true;
  co_return co_await deps_.data.policyTrials().withDrafts(draft.project, std::move(policies));
}

Task<> Configuration::checkTests(Target target, const Plan& plan) {
  CO_TRY(ProjectDraft draft, co_await draftOf(target, plan));
  // An import cannot turn the setting off for itself.
  const bool all = requiresTests(target.project->info()) || requiresTests(draft.project->info());
  if (draft.policyTests.empty() && !all) co_return Result<>();
  CO_TRY(const snapshot::SnapshotPtr drafted, co_await compiled(draft));
  const data::PolicyTestReport report =
      co_await policyTests_.run(drafted, std::move(draft.policyTests), target.deadline);
  std::vector<ErrorDetail> failures = failuresOf(report);
  for (const auto& kind : kinds_) {
    if (!all) break;
    const auto planned = std::ranges::find(plan, kind.get(), &KindPlan::kind);
    CO_TRY(std::vector<ErrorDetail> more,
           co_await kind->failingTests(
               drafted, planned == plan.end() ? std::vector<Change>() : unfinished(planned->changes), target.deadline));
    std::ranges::move(more, std::back_inserter(failures));
  }
  if (failures.empty()) co_return Result<>();
  co_return fail(testsFailed(std::move(failures)));
}

Task<data::PolicyTestReport> Configuration::runTests(Target target, TestSelection selection) {
  Plan plan;
  if (selection.document) {
    if (!target.caller.may(policy::RequiredPermission("config:manage"))) {
      co_return fail(ErrorCode::forbidden, "a document needs the permission config:manage");
    }
    auto planned = co_await planAll(target, *std::move(selection.document), true);
    if (!planned) co_return fail(inDocument(planned.error()));
    plan = *std::move(planned);
  }
  CO_TRY(ProjectDraft draft, co_await draftOf(target, plan));
  CO_TRY(const snapshot::SnapshotPtr drafted, co_await compiled(draft));
  CO_RETURN_IF_ERROR(select(draft.policyTests, selection.collections, drafted->get(deps_.data.slot())));
  co_return co_await policyTests_.run(drafted, std::move(draft.policyTests), target.deadline);
}

}  // namespace mb::configuration

#include "api/policy_test_routes.h"

#include <iterator>

#include "configuration/canonical_form.h"

namespace mb::api {
namespace {

Result<> refuseIfAny(std::vector<ErrorDetail> problems) {
  if (problems.empty()) return {};
  std::string message = fmt::format("{} {}", problems.front().path, problems.front().message);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

// The parts that belong to the other of the two, a collection and a bucket.
std::vector<ErrorDetail> misplaced(const PolicyTrialRequest& request) {
  std::vector<ErrorDetail> problems;
  const auto refuse = [&](bool has, std::string_view part, std::string_view with) {
    if (has) problems.push_back({fmt::format("/{}", part), fmt::format("is only allowed with {}", with)});
  };
  if (request.collection) {
    refuse(request.path.has_value(), "path", "bucket");
    refuse(request.rules.has_value(), "rules", "bucket");
  } else {
    refuse(request.id.has_value(), "id", "collection");
    refuse(request.filter.has_value(), "filter", "collection");
    refuse(request.replace.has_value(), "replace", "collection");
    refuse(request.policy.given(), "policy", "collection");
  }
  return problems;
}

// Checks the form. What is missing or wrong by the drafts is found where they are compiled.
Result<> check(const PolicyTrialRequest& request) {
  if (request.collection.has_value() == request.bucket.has_value()) {
    const std::string path = request.bucket ? "/bucket" : "/collection";
    return refuseIfAny({{path, request.bucket ? "must be absent where there is a collection"
                                              : "is required where there is no bucket"}});
  }
  std::vector<ErrorDetail> problems =
      identity::descriptionProblems(request.caller, identity::DescribedBy::records, "/caller");
  std::ranges::move(misplaced(request), std::back_inserter(problems));
  if (!problems.empty()) return refuseIfAny(std::move(problems));
  const bool file = request.bucket.has_value();
  return refuseIfAny(data::partProblems({.operation = request.operation,
                                         .id = file ? request.path.has_value() : request.id.has_value(),
                                         .document = request.document.has_value(),
                                         .filter = request.filter.has_value(),
                                         .body = request.body.has_value(),
                                         .replace = request.replace.has_value()},
                                        "", file ? "path" : "id"));
}

// Fails with forbidden, naming the first permission that the caller does not hold.
Result<> require(const policy::Caller& caller, const std::vector<std::string>& permissions) {
  for (const std::string& each : permissions) {
    if (caller.may(each)) continue;
    return fail(ErrorCode::forbidden, fmt::format("this needs the permission {}", each));
  }
  return {};
}

std::string readingOf(std::string_view collection) {
  return fmt::format("data:{}:read", collection);
}

// The permissions that are known before the drafts are compiled.
std::vector<std::string> neededFor(const PolicyTrialRequest& request) {
  std::vector<std::string> needed = {request.collection ? readingOf(*request.collection)
                                                        : std::string(policy::RequiredPermission("storage:read"))};
  if (const auto described = identity::permissionFor(request.caller)) needed.emplace_back(std::string_view(*described));
  return needed;
}

std::vector<std::string> readingOf(const std::vector<std::string>& collections) {
  std::vector<std::string> needed;
  for (const std::string& each : collections) needed.push_back(readingOf(each));
  return needed;
}

data::PolicyDrafts draftsOf(const PolicyTrialRequest& request) {
  data::PolicyDrafts drafts;
  if (request.policy.given()) drafts.collections.push_back({*request.collection, {}, request.policy});
  if (request.sets) drafts.sets = *request.sets;
  return drafts;
}

}  // namespace

void PolicyTestRoutes::addTo(RouteTable& routes) {
  const std::string ofCollection = "/api/v1/admin/collections/:name/policy-tests";
  routes.post("/api/v1/admin/policies/test", admin("policies:read"), this, &PolicyTestRoutes::test,
              "Explain the response that a request would get");
  routes.get(ofCollection, admin("policies:read"), this, &PolicyTestRoutes::tests,
             "List the stored tests of a collection's policy");
  routes.put(ofCollection, admin("policies:manage"), this, &PolicyTestRoutes::setTests,
             "Replace the stored tests of a collection's policy");
  // The body may hold a whole configuration document.
  routes
      .post("/api/v1/admin/policies/tests/run", admin("policies:read"), this, &PolicyTestRoutes::runTests,
            "Run stored tests of policies")
      .maxBody = configuration::kMaxDocument;
}

Task<data::TrialResult> PolicyTestRoutes::testDocument(RequestContext& context, PolicyTrialRequest request) const {
  const policy::Operation operation = *data::trialOperation(request.operation);
  CO_TRY(snapshot::SnapshotPtr project, co_await trials_.withDrafts(context.project, draftsOf(request)));
  CO_TRY(const std::vector<std::string> read, trials_.collectionsRead(*project, *request.collection, operation));
  CO_RETURN_IF_ERROR(require(context.caller, readingOf(read)));
  CO_TRY(const policy::Caller caller, co_await callers_.find(project, std::move(request.caller), "/caller"));
  data::Trial trial{*std::move(request.collection), operation,
                    std::move(request.id),          std::move(request.document),
                    std::move(request.filter),      std::move(request.body),
                    request.replace.value_or(false)};
  const data::Access access{caller, std::move(project), data::Authority::policies, context.deadline};
  co_return co_await trials_.run(access, std::move(trial));
}

Task<data::TrialResult> PolicyTestRoutes::testFile(RequestContext& context, PolicyTrialRequest request) const {
  if (!files_) co_return fail(ErrorCode::notFound, "storage is not enabled on this deployment");
  const policy::Operation operation = *data::trialOperation(request.operation);
  CO_TRY(snapshot::SnapshotPtr project, co_await trials_.withDrafts(context.project, draftsOf(request)));
  CO_TRY(project, files_->withDrafts(std::move(project), *request.bucket, request.rules));
  CO_TRY(const std::vector<std::string> read, files_->collectionsRead(*project, *request.bucket, operation));
  CO_RETURN_IF_ERROR(require(context.caller, readingOf(read)));
  CO_TRY(const policy::Caller caller, co_await callers_.find(project, std::move(request.caller), "/caller"));
  storage::FileTrial trial{*std::move(request.bucket), operation, std::move(request.path), std::move(request.document),
                           std::move(request.body)};
  const storage::Access access{{caller, std::move(project), context.deadline}};
  co_return co_await files_->run(access, std::move(trial));
}

Task<Reply> PolicyTestRoutes::test(RequestContext& context, doc::Document body) {
  CO_TRY(PolicyTrialRequest request, doc::decode<PolicyTrialRequest>(body));
  CO_RETURN_IF_ERROR(check(request));
  CO_RETURN_IF_ERROR(require(context.caller, neededFor(request)));
  auto tried = request.collection ? testDocument(context, std::move(request)) : testFile(context, std::move(request));
  CO_TRY(data::TrialResult result, co_await std::move(tried));
  co_return Reply::object(200, PolicyTrialResponse{result.allowed, result.status, std::move(result.code),
                                                   std::move(result.steps), std::move(result.notChecked)});
}

Task<Reply> PolicyTestRoutes::tests(RequestContext& context) {
  CO_TRY(const std::vector<doc::Document> tests, collections_.policyTests(*context.project, context.param(0)));
  doc::BsonWriter out;
  doc::encodeValue(out, "tests", tests);
  // Values keep their types when what is read is saved again.
  co_return Reply::object(200, configuration::portable(out.finish()));
}

Task<Reply> PolicyTestRoutes::setTests(RequestContext& context, doc::Document body) {
  CO_TRY(PolicyTestList list, doc::decode<PolicyTestList>(body));
  CO_RETURN_IF_ERROR(
      co_await collections_.setPolicyTests({context.caller, context.project}, context.param(0), std::move(list.tests)));
  co_return Reply::noContent();
}

Task<Reply> PolicyTestRoutes::runTests(RequestContext& context) {
  configuration::TestSelection selection;
  if (!context.request.body.empty()) {
    CO_TRY(const doc::Document body, co_await parseBody(context, doc::ExtendedJson::accept));
    CO_TRY(selection, doc::decode<configuration::TestSelection>(body));
  }
  CO_TRY(const data::PolicyTestReport report,
         co_await configuration_.runTests({context.caller, context.project, context.deadline}, std::move(selection)));
  co_return Reply::object(200, report);
}

}  // namespace mb::api

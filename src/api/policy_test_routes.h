// Trials and stored tests of policies (docs/policy-tests.md).
#pragma once

#include "api/routes.h"
#include "configuration/configuration.h"
#include "data/policy_trial.h"
#include "identity/described_callers.h"
#include "storage/file_trial.h"

namespace mb::api {

// The body of POST /admin/policies/test.
struct PolicyTrialRequest {
  identity::CallerDescription caller;
  std::optional<std::string> collection;
  std::optional<std::string> bucket;
  std::string operation;
  std::optional<std::string> id;    // with `collection`
  std::optional<std::string> path;  // with `bucket`
  std::optional<doc::Document> document;
  std::optional<doc::Document> filter;
  std::optional<doc::Document> body;
  std::optional<bool> replace;
  doc::Patch<doc::Document> policy;
  std::optional<doc::Document> rules;
  std::optional<std::vector<data::PolicySet>> sets;
  static constexpr auto shape() {
    return doc::shape<PolicyTrialRequest>(
        "PolicyTrialRequest", doc::field("caller", &PolicyTrialRequest::caller),
        doc::field("collection", &PolicyTrialRequest::collection), doc::field("bucket", &PolicyTrialRequest::bucket),
        doc::field("operation", &PolicyTrialRequest::operation), doc::field("id", &PolicyTrialRequest::id),
        doc::field("path", &PolicyTrialRequest::path), doc::field("document", &PolicyTrialRequest::document),
        doc::field("filter", &PolicyTrialRequest::filter), doc::field("body", &PolicyTrialRequest::body),
        doc::field("replace", &PolicyTrialRequest::replace), doc::field("policy", &PolicyTrialRequest::policy),
        doc::field("rules", &PolicyTrialRequest::rules), doc::field("sets", &PolicyTrialRequest::sets));
  }
};

struct PolicyTrialResponse {
  bool allowed = false;
  int64_t status = 200;
  std::optional<std::string> code;
  std::vector<doc::Document> steps;
  std::optional<std::vector<std::string>> notChecked;
  static constexpr auto shape() {
    return doc::shape<PolicyTrialResponse>(
        "PolicyTrialResult", doc::field("allowed", &PolicyTrialResponse::allowed),
        doc::field("status", &PolicyTrialResponse::status), doc::field("code", &PolicyTrialResponse::code),
        doc::field("steps", &PolicyTrialResponse::steps), doc::field("notChecked", &PolicyTrialResponse::notChecked));
  }
};

struct PolicyTestList {
  std::vector<data::PolicyTest> tests;
  static constexpr auto shape() {
    return doc::shape<PolicyTestList>("PolicyTestList", doc::field("tests", &PolicyTestList::tests));
  }
};

class PolicyTestRoutes {
 public:
  PolicyTestRoutes(data::Data& data, const identity::DescribedCallers& callers,
                   configuration::Configuration& configuration)
      : collections_(data.collections()),
        trials_(data.policyTrials()),
        callers_(callers),
        configuration_(configuration) {}
  // Without it buckets do not exist. Before the first request.
  void setFiles(const storage::FileTrials& files) { files_ = &files; }
  void addTo(RouteTable& routes);

  Task<Reply> test(RequestContext& context, doc::Document body);
  Task<Reply> tests(RequestContext& context);
  Task<Reply> setTests(RequestContext& context, doc::Document body);
  // The body is optional.
  Task<Reply> runTests(RequestContext& context);

 private:
  Task<data::TrialResult> testDocument(RequestContext& context, PolicyTrialRequest request) const;
  Task<data::TrialResult> testFile(RequestContext& context, PolicyTrialRequest request) const;

  data::Collections& collections_;
  const data::PolicyTrials& trials_;
  const identity::DescribedCallers& callers_;
  configuration::Configuration& configuration_;
  const storage::FileTrials* files_ = nullptr;
};

}  // namespace mb::api

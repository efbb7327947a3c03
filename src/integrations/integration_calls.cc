// Calls of integrations: by functions, by tryCall(), by stored tests.

#include "base/log.h"
#include "integrations/integration_service.h"
#include "integrations/resolved.h"
#include "integrations/test_suite.h"

namespace mb::integrations {

namespace {

using Clock = std::chrono::steady_clock;

// The cause is logged, and the log must not hold a secret either.
Error withoutSecrets(const Error& error, const Secrets& secrets) {
  const bool holdsOne = std::ranges::any_of(secrets.all(), [&](const auto& secret) {
    return error.message().contains(secret.second.reveal()) || error.cause().contains(secret.second.reveal());
  });
  return holdsOne ? Error(error.code(), "request failed") : error.clone();
}

// Nor the value of a variable, such as the host of the destination.
Error withoutDestination(const Error& error, std::string_view destination) {
  const std::string_view host = variables::hostIn(destination);
  return host.empty() || !error.cause().contains(host) ? error.clone() : Error(error.code(), error.message());
}

}  // namespace

Result<std::pair<IntegrationPtr, Secrets>> Integrations::opened(const snapshot::ProjectSnapshot& project,
                                                                IntegrationPtr integration) const {
  const Provider& provider = providerOf(*integration);
  TRY(Secrets secrets, box_.open(project.info().id.str(), *integration));
  if (!integration->variables && !integration->secretVariables) return std::pair(integration, std::move(secrets));
  const variables::Values values = deps_.variables.valuesOf(project);
  TRY(secrets, withValues(provider, *integration, std::move(secrets), values));
  TRY(integration, withValues(provider, std::move(integration), values));
  return std::pair(std::move(integration), std::move(secrets));
}

Result<> Integrations::checkCallOf(const snapshot::ProjectSnapshot& project, IntegrationPtr integration,
                                   std::string_view op, doc::DocumentView arguments) const {
  const Provider& provider = providerOf(*integration);
  TRY(const IntegrationPtr resolved, withValues(provider, std::move(integration), deps_.variables.valuesOf(project)));
  return checkCall(provider, *resolved, op, arguments);
}

Task<doc::Value> Integrations::send(snapshot::SnapshotPtr project, IntegrationPtr stored, std::string op,
                                    doc::Document arguments, CallOptions options) {
  Provider& provider = providerOf(*stored);
  const ProjectId& id = project->info().id;
  CO_TRY(auto both, opened(*project, stored));
  const IntegrationPtr integration = std::move(both.first);
  const Secrets secrets = std::move(both.second);
  CO_RETURN_IF_ERROR(checkCall(provider, *integration, op, arguments));
  const auto left = std::chrono::floor<std::chrono::milliseconds>(options.deadline - Clock::now());
  if (left.count() <= 0) co_return fail(ErrorCode::upstreamTimeout, "request timed out");
  Call call{id,
            integration,
            op,
            std::move(arguments),
            secrets,
            std::min(left, kMaxCallTime),
            std::move(options.aborted),
            std::move(options.trace)};
  auto reply = co_await provider.call(std::move(call));
  if (reply) co_return std::move(reply);
  Error error = withoutSecrets(reply.error(), secrets);
  if (stored->variables) error = withoutDestination(error, provider.destination(integration->config));
  logDebug("integration call failed", {{"project", id.str()},
                                       {"integration", integration->id},
                                       {"op", op},
                                       {"error", error.message()},
                                       {"cause", error.cause()}});
  co_return fail(std::move(error));
}

Task<doc::Value> Integrations::call(snapshot::SnapshotPtr project, std::string name, std::string op,
                                    doc::Document arguments, CallOptions options) {
  CO_TRY(IntegrationPtr integration, enabled(*project, name));
  co_return co_await send(std::move(project), std::move(integration), std::move(op), std::move(arguments),
                          std::move(options));
}

Task<> Integrations::check(snapshot::SnapshotPtr project, std::string name, std::string op, doc::Document arguments) {
  CO_TRY(const IntegrationPtr integration, enabled(*project, name));
  co_return checkCallOf(*project, integration, op, arguments);
}

Task<TryResult> Integrations::tryCall(Access access, std::string name, TryBody body) {
  CO_TRY(IntegrationPtr integration, require(*access.project, name));
  const std::string mode = body.mode.value_or("dry");
  if (mode != "live" && mode != "dry") co_return fail(invalid({{"/mode", "must be live or dry"}}));
  doc::Document arguments = std::move(body.args).value_or(doc::Document());
  if (mode == "dry") {
    CO_RETURN_IF_ERROR(checkCallOf(*access.project, integration, body.op, arguments));
    co_return TryResult{std::move(body.stub.value), mode};
  }
  if (body.stub.given()) co_return fail(invalid({{"/stub", "needs mode dry: it replaces the call's result"}}));
  CO_TRY(doc::Value result, co_await send(access.project, std::move(integration), std::move(body.op),
                                          std::move(arguments), {.deadline = access.deadline}));
  co_return TryResult{std::move(result), mode};
}

Task<doc::Value> Integrations::runTest(Access access, IntegrationPtr integration, StoredTest test) {
  doc::Document arguments = std::move(test.args).value_or(doc::Document());
  if (test.stub.given()) {
    CO_RETURN_IF_ERROR(checkCallOf(*access.project, integration, test.op, arguments));
    co_return std::move(test.stub.value);
  }
  co_return co_await send(access.project, std::move(integration), std::move(test.op), std::move(arguments),
                          {.deadline = access.deadline});
}

Task<SuiteOutcome> Integrations::runTests(Access access, std::string name) {
  CO_TRY(const IntegrationPtr integration, require(*access.project, name));
  SuiteOutcome suite;
  for (const StoredTest& test : integration->tests) {
    TestOutcome outcome{test.name, false, test.stub.given() ? "dry" : "live", {}, 0};
    const auto began = Clock::now();
    const Result<doc::Value> reply = co_await runTest(access, integration, test);
    outcome.durationMs = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count();
    outcome.failures = failuresOf(test.expect, reply);
    outcome.passed = outcome.failures.empty();
    ++(outcome.passed ? suite.passed : suite.failed);
    suite.results.push_back(std::move(outcome));
  }
  co_return suite;
}

}  // namespace mb::integrations

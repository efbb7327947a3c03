#include "integrations/integration_rules.h"

#include <algorithm>
#include <set>

#include "integrations/resolved.h"

namespace mb::integrations {

namespace {

constexpr size_t kMaxConfigBytes = 32 << 10;
constexpr size_t kMaxNameBytes = 100;

// A document with one of these keys is never imported, so a configuration with one could not be imported again.
bool holdsSecretKey(doc::DocumentView within) {
  for (const auto& [key, value] : within) {
    if (key == "clientSecret" || key == "secretEnc") return true;
    if (value.isContainer() && holdsSecretKey(value.asDocument())) return true;
  }
  return false;
}

void refuseSecretKeys(doc::DocumentView within, std::string pointer, Problems& problems) {
  if (holdsSecretKey(within)) problems.push_back({std::move(pointer), "must not hold a clientSecret or secretEnc"});
}

}  // namespace

bool isIntegrationName(std::string_view name) {
  if (name.size() < 2 || name.size() > 64 || name[0] < 'a' || name[0] > 'z' || name == "providers") return false;
  return std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

void checkConfig(const Provider& provider, doc::DocumentView config, const variables::Values& values,
                 Problems& problems) {
  if (config.bytes().size() > kMaxConfigBytes) return problems.push_back({"/config", "must have at most 32 KiB"});
  const ResolvedConfig resolved = resolvedConfig(provider, config, values);
  Problems found = resolved.problems;
  refuseSecretKeys(config, "/config", found);
  checkResolved(provider, resolved, found);
  problems.insert(problems.end(), found.begin(), found.end());
}

void checkTests(const Provider& provider, const std::vector<StoredTest>& tests, Problems& problems) {
  if (tests.size() > kMaxTests) {
    problems.push_back({"/tests", fmt::format("must be at most {} tests", kMaxTests)});
    return;
  }
  std::set<std::string_view> names;
  size_t bytes = 0;
  for (size_t i = 0; i < tests.size(); ++i) {
    const StoredTest& test = tests[i];
    const std::string at = fmt::format("/tests/{}", i);
    const doc::Document whole = doc::encode(test);
    bytes += whole.size();
    if (test.name.empty() || test.name.size() > kMaxNameBytes) {
      problems.push_back({at + "/name", fmt::format("must have 1 to {} bytes", kMaxNameBytes)});
    } else if (!names.insert(test.name).second) {
      problems.push_back({at + "/name", "occurs twice"});
    }
    if (!provider.catalogue().operation(test.op)) {
      problems.push_back({at + "/op", "is not an operation of this provider"});
    }
    refuseSecretKeys(whole, at, problems);
  }
  if (bytes > kMaxTestBytes) problems.push_back({"/tests", "must have at most 64 KiB in all"});
}

Result<> checkCall(const Provider& provider, const IntegrationRecord& integration, std::string_view op,
                   doc::DocumentView args) {
  const Operation* operation = provider.catalogue().operation(op);
  if (!operation) return fail(invalid({{"/op", "is not an operation of this provider"}}));
  Problems problems;
  operation->args.check(args, "/args", problems);
  if (problems.empty()) provider.checkArguments(integration, op, args, problems);
  if (!problems.empty()) return fail(invalid(std::move(problems)));
  return {};
}

}  // namespace mb::integrations

// A project configuration with functions, flows and integrations has one text, independent of its history, and can be
// imported into another project without a change.
#include "base/testing.h"
#include "configuration/bundle.h"
#include "functions/functions_fixture.h"
#include "functions/random_functions.h"
#include "integrations/integrations_fixture.h"

namespace mb::functions {
namespace {

class FunctionsRoundTrip : public FunctionsFixture {
 protected:
  FunctionsRoundTrip() { configuration_->add(std::make_unique<integrations::IntegrationKind>(integrations_)); }

  // The definitions of other modules, and of these two, in any order.
  store::ProjectNo madeWithFunctions(uint32_t seed, uint32_t order) {
    const store::ProjectNo number = project();
    std::vector<configuration::Step> steps = configuration::RandomConfiguration(seed, order).steps();
    std::vector<Definition> definitions = RandomFunctions(seed, order).definitions();
    std::mt19937 chance(order);
    auto step = steps.begin();
    auto definition = definitions.begin();
    while (step != steps.end() || definition != definitions.end()) {
      if (definition == definitions.end() || (step != steps.end() && chance() % 2 == 0)) {
        make(number, *step++);
      } else {
        define(number, *definition++);
      }
    }
    return number;
  }

 private:
  void define(store::ProjectNo project, const Definition& definition) {
    // Like request bodies of the admin plane.
    const auto body = doc::parseJson(definition.body, {.maxDepth = 100, .extended = doc::ExtendedJson::refuse});
    ASSERT_TRUE(body) << definition.body << ": " << body.error().message();
    switch (definition.kind) {
      case Definition::Kind::function:
        return expectOk(run(functions_.create(access(project), *doc::decode<NewFunction>(*body))), definition);
      case Definition::Kind::integration:
        return expectOk(
            run(integrations_.create(ofIntegrations(project), *doc::decode<integrations::NewIntegration>(*body))),
            definition);
      case Definition::Kind::integrationTests:
        return expectOk(run(integrations_.saveTests(ofIntegrations(project), definition.name,
                                                    *doc::decode<integrations::StoredTests>(*body))),
                        definition);
    }
  }
  template <class T>
  void expectOk(const Result<T>& result, const Definition& definition) {
    EXPECT_TRUE(result) << definition.body << ": " << result.error().message();
  }
  integrations::Access ofIntegrations(store::ProjectNo project) { return {admin(), snapshot(project), soon()}; }

  integrations::Outside outside_;
  integrations::Integrations integrations_{
      {store_, snapshots_, outside_, ids_, clock_, auditor_, master_, variables_, {}, "https://api.example.com"}};
};

TEST_F(FunctionsRoundTrip, RandomConfigurationsAreOneTextEach) {
  const uint64_t configurations = randomCases("MB_CONFIGURATIONS", 100);
  size_t functions = 0;
  size_t flows = 0;
  size_t suites = 0;
  for (uint32_t seed = 1; seed <= configurations; ++seed) {
    const store::ProjectNo first = madeWithFunctions(seed, seed);
    const store::ProjectNo second = madeWithFunctions(seed, seed + 7777);
    const store::ProjectNo third = project();
    const Text text = exported(first);
    ASSERT_EQ(exported(first), text) << "seed " << seed;
    ASSERT_EQ(exported(second), text) << "seed " << seed;
    ASSERT_FALSE(text.contains("very-secret"));

    const auto done = import(third, text);
    ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
    ASSERT_EQ(exported(third), text) << "seed " << seed;
    for (const store::ProjectNo each : {first, second, third}) {
      ASSERT_TRUE(summary(plan(each, text)).starts_with("0 0 ")) << "seed " << seed;
    }
    const auto bundle =
        configuration::bundleOf(*doc::parseJson(text, {.maxDepth = 100, .extended = doc::ExtendedJson::refuse}));
    ASSERT_TRUE(bundle) << bundle.error().message();
    const auto joined = configuration::documentOf(*bundle);
    ASSERT_TRUE(joined) << joined.error().message();
    ASSERT_EQ(*configuration::bundleOf(*joined), *bundle) << "seed " << seed;
    ASSERT_TRUE(summary(plan(third, doc::toJson(*joined))).starts_with("0 0 ")) << "seed " << seed;

    for (const FunctionView& each : functions_.list(*snapshot(third))) {
      ++functions;
      flows += each.flow.value ? 1 : 0;
    }
    suites += text.contains(R"("op":)") ? 1 : 0;
    for (const store::ProjectNo each : {first, second, third}) forget(each);
  }
  EXPECT_GT(functions, configurations * 3 / 2);
  EXPECT_GT(flows, configurations / 2);
  EXPECT_GT(suites, configurations * 3 / 10);
}

TEST_F(FunctionsRoundTrip, AnImportThatEndsAnywhereIsFinishedByTheNext) {
  const Text text = exported(madeWithFunctions(23, 1));
  int ended = 0;
  for (int changes = 0;; ++changes) {
    const store::ProjectNo copy = project();
    store_.stopAfter(changes);
    const bool whole = import(copy, text).has_value();
    store_.stopAfter(-1);
    const auto again = import(copy, text);
    ASSERT_TRUE(again) << again.error().message();
    ASSERT_EQ(exported(copy), text) << "after " << changes;
    if (whole) break;
    ++ended;
  }
  EXPECT_GT(ended, 10);
}

}  // namespace
}  // namespace mb::functions

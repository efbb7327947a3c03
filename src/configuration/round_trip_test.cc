// Equal configurations have equal text, independent of their history, and can be copied between projects unchanged.
#include "base/testing.h"
#include "configuration/bundle.h"
#include "configuration/random_configuration_fixture.h"

namespace mb::configuration {
namespace {

class RoundTrip : public RandomConfigurationFixture {
 protected:
  // An export without the fields that a bundle omits.
  static Text withoutMoment(Text text) {
    const size_t from = text.find("\"exportedAt\"");
    text.erase(from, text.find("\"project\"") - from);
    return text;
  }
};

TEST_F(RoundTrip, RandomConfigurationsAreOneTextEach) {
  const uint64_t configurations = randomCases("MB_CONFIGURATIONS", 100);
  for (uint32_t seed = 1; seed <= configurations; ++seed) {
    const store::ProjectNo first = made(seed, seed);
    const store::ProjectNo second = made(seed, seed + 7777);
    const store::ProjectNo third = project();
    const Text text = exported(first);
    ASSERT_EQ(exported(second), text) << "seed " << seed;

    const auto done = import(third, text);
    ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
    ASSERT_EQ(exported(third), text) << "seed " << seed;
    ASSERT_TRUE(summary(plan(third, text)).starts_with("0 0 ")) << "seed " << seed;
    ASSERT_TRUE(summary(plan(second, text)).starts_with("0 0 ")) << "seed " << seed;

    const auto bundle = bundleOf(*doc::parseJson(text, {.maxDepth = 100, .extended = doc::ExtendedJson::refuse}));
    ASSERT_TRUE(bundle) << bundle.error().message();
    const auto joined = documentOf(*bundle);
    ASSERT_TRUE(joined) << joined.error().message();
    ASSERT_EQ(*bundleOf(*joined), *bundle);
    ASSERT_EQ(doc::toJson(*joined), withoutMoment(text));
    ASSERT_TRUE(summary(plan(third, doc::toJson(*joined))).starts_with("0 0 ")) << "seed " << seed;
    for (const store::ProjectNo each : {first, second, third}) forget(each);
  }
}

TEST_F(RoundTrip, AnImportThatEndsAnywhereIsFinishedByTheNext) {
  const store::ProjectNo source = made(23, 1);
  const Text text = exported(source);
  int ended = 0;
  for (int changes = 0;; ++changes) {
    const store::ProjectNo copy = project();
    store_.stopAfter(changes);
    const bool whole = import(copy, text).has_value();
    store_.stopAfter(-1);
    ASSERT_TRUE(import(copy, text));
    ASSERT_EQ(exported(copy), text) << "after " << changes;
    if (whole) break;
    ++ended;
  }
  EXPECT_GT(ended, 10);
}

}  // namespace
}  // namespace mb::configuration

#include "introspection/survey.h"

#include "introspection/analysis.h"

namespace mb::introspection {

Outcome<std::optional<Survey>> surveyCollection(Source& source, const std::string& collection, size_t sample) {
  auto read = readFacts(source, collection);
  if (!read) return std::unexpected(read.error());
  if (!*read) return std::nullopt;
  Survey survey{**std::move(read), {}};
  std::vector<std::string> samples;
  if (survey.facts.view) {
    // Reading it would run its pipeline, and it cannot be imported anyway.
    survey.facts.ids.emplace();
  } else {
    const auto ids = countIds(source, collection);
    if (!ids) return std::unexpected(ids.error());
    survey.facts.ids = *ids;
    auto sampled = sampleDocuments(source, survey.facts, sample);
    if (!sampled) return std::unexpected(sampled.error());
    samples = *std::move(sampled);
  }
  survey.report = analyze(samples, survey.facts);
  return survey;
}

}  // namespace mb::introspection

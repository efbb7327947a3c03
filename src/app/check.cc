#include "app/checkpoint.h"

namespace mb::app {

// On a checkpoint, so that a server in use holds no snapshot for long and its catalogue may change meanwhile.
Result<cli::Outcome> check(Deployment& deployment, const cli::Arguments&, Progress& progress) {
  TRY(const HeldCheckpoint checkpoint, HeldCheckpoint::make(deployment));
  TRY(const store::CheckReport report, checkpoint.image().check(progress));
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendInteger("documents", static_cast<int64_t>(report.documents));
  result.appendInteger("indexEntries", static_cast<int64_t>(report.indexEntries));
  result.beginArray("problems");
  for (size_t i = 0; i < report.problems.size(); ++i) result.appendString(doc::arrayKey(i), report.problems[i]);
  result.end();
  outcome.result = result.finish();
  for (const std::string& problem : report.problems) outcome.text += problem + "\n";
  const bool well = report.problems.empty();
  outcome.text += fmt::format("{} documents, {} index entries, {}", report.documents, report.indexEntries,
                              well ? "all is well" : fmt::format("{} problems", report.problems.size()));
  outcome.exitCode = well ? 0 : 1;
  return outcome;
}

}  // namespace mb::app

#include "app/checkpoint.h"
#include "app/stored_files.h"

namespace mb::app {

// Uses a checkpoint, so that a server in use holds no snapshot for long and its catalogue may change during the check.
Result<cli::Outcome> check(Deployment& deployment, const cli::Arguments&, Progress& progress) {
  const BlobPin kept(deployment);
  TRY(const HeldCheckpoint checkpoint, HeldCheckpoint::make(deployment));
  TRY(store::CheckReport report, checkpoint.image().check(progress));
  TRY(FilesReport files, checkFiles(deployment, checkpoint.image(), progress));
  std::ranges::move(files.problems, std::back_inserter(report.problems));
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendInteger("documents", static_cast<int64_t>(report.documents));
  result.appendInteger("indexEntries", static_cast<int64_t>(report.indexEntries));
  result.appendInteger("files", static_cast<int64_t>(files.files));
  result.appendInteger("fileBytes", static_cast<int64_t>(files.bytes));
  result.appendInteger("orphanedFiles", static_cast<int64_t>(files.orphans));
  result.beginArray("problems");
  for (size_t i = 0; i < report.problems.size(); ++i) result.appendString(doc::arrayKey(i), report.problems[i]);
  result.end();
  outcome.result = result.finish();
  for (const std::string& problem : report.problems) outcome.text += problem + "\n";
  const bool well = report.problems.empty();
  outcome.text += fmt::format("{} documents, {} index entries, {} files, {}", report.documents, report.indexEntries,
                              files.files, well ? "no problems" : fmt::format("{} problems", report.problems.size()));
  outcome.exitCode = well ? 0 : 1;
  return outcome;
}

}  // namespace mb::app

#include "app/command.h"
#include "base/blocking.h"
#include "cli/console.h"
#include "projects/directory.h"

namespace mb::app {

Result<cli::Outcome> compact(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) {
  if (deployment.embedded == nullptr) {
    return fail(ErrorCode::conflict, "this deployment is on MongoDB, which reclaims the space of its files itself");
  }
  std::optional<store::ProjectNo> project;
  if (has(arguments, "project")) {
    const std::string name = valueOf(arguments, "project");
    projects::Directory directory(deployment.store);
    TRY(const auto info, runBlocking(deployment.cores, directory.find(name)));
    if (!info) return fail(ErrorCode::notFound, fmt::format("there is no project {}", name));
    project = info->number;
  }
  TRY(const store::CompactReport report, deployment.embedded->compact(project, progress));
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendInteger("bytesBefore", static_cast<int64_t>(report.bytesBefore));
  result.appendInteger("bytesAfter", static_cast<int64_t>(report.bytesAfter));
  outcome.result = result.finish();
  outcome.text = fmt::format("compacted, {} before, {} after", cli::describeBytes(report.bytesBefore),
                             cli::describeBytes(report.bytesAfter));
  return outcome;
}

}  // namespace mb::app

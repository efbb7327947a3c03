#include "app/checkpoint.h"
#include "app/project_export.h"
#include "app/stored_files.h"
#include "base/blocking.h"
#include "projects/records.h"
#include "store/record_pages.h"

namespace mb::app {

namespace {

// What is printed; what is beyond is counted.
constexpr size_t kMaxCounterProblems = 100;
constexpr size_t kMaxListedCorrections = 1000;

std::string counterNameOf(const store::CounterCorrection& each) {
  return each.counter.group.empty() ? each.name : fmt::format("{} of {}", each.name, each.counter.group);
}

// Compares the counters of all projects with their documents, on the open store: a counter may only be corrected
// there.
class MeterCheck {
 public:
  MeterCheck(Deployment& deployment, bool repair, Progress& progress)
      : deployment_(deployment), repair_(repair), progress_(progress) {}

  // Fails with unavailable when it is stopped.
  Result<> run() {
    RETURN_IF_ERROR(readNames());
    std::vector<store::ProjectNo> projects{store::kControlProject};
    for (const auto& [project, _] : names_) projects.push_back(project);
    for (size_t i = 0; i < projects.size(); ++i) {
      progress_.at("meters", i, projects.size());
      Result<store::CounterRecount> counted = runBlocking(
          deployment_.cores,
          deployment_.store.recountCounters(projects[i], {.correct = repair_, .stop = &progress_.stopFlag()}));
      if (progress_.stopped()) return fail(ErrorCode::unavailable, "the check was stopped");
      if (counted) {
        for (store::CounterCorrection& each : counted->corrections) add(std::move(each));
      } else if (counted.error().code() != ErrorCode::notFound) {  // dropped since
        problem(fmt::format("project {}: its meters could not be counted: {}", nameOf(projects[i]),
                            counted.error().message()));
      }
    }
    return {};
  }
  void appendTo(doc::BsonWriter& out) const {
    out.appendInteger("correctedMeters", static_cast<int64_t>(corrected_));
    out.beginArray("corrections");
    for (size_t i = 0; i < corrections_.size(); ++i) {
      const store::CounterCorrection& each = corrections_[i];
      out.beginDocument(doc::arrayKey(i));
      out.appendString("project", nameOf(each.counter.project));
      out.appendString("meter", each.name);
      if (!each.counter.group.empty()) out.appendString("group", each.counter.group);
      out.appendInteger("was", each.was);
      out.appendInteger("is", each.is);
      out.end();
    }
    out.end();
  }
  std::string text() const {
    std::string text;
    for (const store::CounterCorrection& each : corrections_) {
      text += fmt::format("project {}: the meter {} was {} and is {} now\n", nameOf(each.counter.project),
                          counterNameOf(each), each.was, each.is);
    }
    return text;
  }
  size_t corrected() const { return corrected_; }
  std::vector<std::string>& problems() { return problems_; }

 private:
  Result<> readNames() {
    TRY(const std::vector<doc::Document> records,
        runBlocking(deployment_.cores,
                    store::allRecords(deployment_.store, {store::kControlProject, projects::kProjects, 0})));
    for (const doc::Document& stored : records) {
      TRY(const auto record, projects::fromStore<projects::ProjectRecord>(stored.view()));
      names_[static_cast<store::ProjectNo>(record.number)] = record.id.str();
    }
    return {};
  }
  // The project's id; the number of the control project.
  std::string nameOf(store::ProjectNo project) const {
    const auto found = names_.find(project);
    return found == names_.end() ? std::to_string(project) : found->second;
  }
  void problem(std::string text) {
    if (problems_.size() < kMaxCounterProblems) problems_.push_back(std::move(text));
  }
  void add(store::CounterCorrection each) {
    if (!repair_) {
      problem(fmt::format(
          "project {}: the meter {} is {}, but its documents sum up to {}: manybase check --repair-meters corrects it",
          nameOf(each.counter.project), counterNameOf(each), each.was, each.is));
      return;
    }
    ++corrected_;
    if (corrections_.size() < kMaxListedCorrections) corrections_.push_back(std::move(each));
  }

  Deployment& deployment_;
  const bool repair_;
  Progress& progress_;
  std::map<store::ProjectNo, std::string> names_;
  std::vector<std::string> problems_;
  std::vector<store::CounterCorrection> corrections_;
  size_t corrected_ = 0;
};

}  // namespace

// On the embedded engine it uses a checkpoint, so that a server in use holds no snapshot for long and its catalogue may
// change during the check.
Result<cli::Outcome> check(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) {
  const bool repair = has(arguments, "repair-meters");
  const bool countsEntries = deployment.embedded != nullptr;
  const BlobPin kept(deployment);
  // First, as the database's own check compares corrected meters too.
  MeterCheck meters(deployment, repair, progress);
  RETURN_IF_ERROR(meters.run());
  TRY(const HeldCheckpoint checkpoint, HeldCheckpoint::make(deployment));
  TRY(store::CheckReport report, checkpoint.check(deployment, progress));
  TRY(FilesReport files, checkFiles(deployment, checkpoint.image(), progress));
  std::ranges::move(files.problems, std::back_inserter(report.problems));
  std::ranges::move(meters.problems(), std::back_inserter(report.problems));
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.appendInteger("documents", static_cast<int64_t>(report.documents));
  if (countsEntries) result.appendInteger("indexEntries", static_cast<int64_t>(report.indexEntries));
  result.appendInteger("files", static_cast<int64_t>(files.files));
  result.appendInteger("fileBytes", static_cast<int64_t>(files.bytes));
  result.appendInteger("orphanedFiles", static_cast<int64_t>(files.orphans));
  result.beginArray("problems");
  for (size_t i = 0; i < report.problems.size(); ++i) result.appendString(doc::arrayKey(i), report.problems[i]);
  result.end();
  meters.appendTo(result);
  outcome.result = result.finish();
  outcome.text = meters.text();
  for (const std::string& problem : report.problems) outcome.text += problem + "\n";
  const bool well = report.problems.empty();
  outcome.text += fmt::format("{} documents, ", report.documents);
  if (countsEntries) outcome.text += fmt::format("{} index entries, ", report.indexEntries);
  outcome.text += fmt::format("{} files, {}", files.files,
                              well ? "no problems" : fmt::format("{} problems", report.problems.size()));
  if (repair) outcome.text += fmt::format(", {} meters corrected", meters.corrected());
  outcome.exitCode = well ? 0 : 1;
  return outcome;
}

}  // namespace mb::app

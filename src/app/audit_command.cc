// `manybase audit verify`: on a checkpoint, as check, so that no write or pruning changes the entries during it.
#include "app/checkpoint.h"
#include "app/project_export.h"
#include "audit/chain_check.h"
#include "projects/records.h"

namespace mb::app {

namespace {

constexpr uint64_t kBetweenSigns = 1000;
// Intact chains beyond this number are counted, not listed.
constexpr size_t kMaxListed = 1000;

// The project of a chain; without a project, the instance.
struct Subject {
  store::ProjectNo number = store::kControlProject;
  std::string id;
  std::string slug;
  std::string name() const { return id.empty() ? "the instance" : fmt::format("project {} ({})", slug, id); }
};

class Verification {
 public:
  Verification(const store::Image& image, std::optional<Digest> wantedHash, Progress& progress)
      : image_(image), wantedHash_(wantedHash), progress_(progress) {}

  Result<audit::ChainReport> run(store::ProjectNo project) {
    audit::ChainCheck check(wantedHash_);
    RETURN_IF_ERROR(older(project, check));
    RETURN_IF_ERROR(
        image_.eachBy(project, audit::kAuditCollection, audit::kByPlace, [&](doc::DocumentView entry) -> Result<> {
          RETURN_IF_ERROR(sign());
          check.take(entry);
          return {};
        }));
    TRY(const store::ChainHead head, image_.chainHead(project, audit::kAuditCollection));
    TRY(const store::CollectionStats stats, image_.stats(project, audit::kAuditCollection));
    return check.finish(stats.documents, head);
  }

 private:
  Result<> sign() {
    if (seen_++ % kBetweenSigns == 0) progress_.at("audit entries", seen_ - 1, 0);
    return progress_.stopped() ? fail(ErrorCode::unavailable, "the verification was stopped") : Result<>();
  }

  // Counts the entries from before the chain, which come first.
  Result<> older(store::ProjectNo project, audit::ChainCheck& check) {
    bool ended = false;
    Result<> read = image_.each(project, audit::kAuditCollection, [&](doc::DocumentView entry) -> Result<> {
      RETURN_IF_ERROR(sign());
      ended = store::namesPlace(entry);
      if (ended) return fail(ErrorCode::notFound, "the chain begins");
      check.takeOlder(entry);
      return {};
    });
    if (ended) return {};
    return read;
  }

  const store::Image& image_;
  const std::optional<Digest> wantedHash_;
  Progress& progress_;
  uint64_t seen_ = 0;
};

Result<std::vector<Subject>> subjectsOf(const store::Image& image, const std::string& project) {
  std::vector<Subject> subjects;
  if (!project.empty()) {
    TRY(const projects::ProjectRecord record, findProject(image, project));
    subjects.push_back({static_cast<store::ProjectNo>(record.number), record.id.str(), record.slug});
    return subjects;
  }
  subjects.push_back({});
  RETURN_IF_ERROR(image.each(store::kControlProject, projects::kProjects, [&](doc::DocumentView stored) -> Result<> {
    TRY(const auto record, projects::fromStore<projects::ProjectRecord>(stored));
    subjects.push_back({static_cast<store::ProjectNo>(record.number), record.id.str(), record.slug});
    return {};
  }));
  return subjects;
}

std::string textOf(const Subject& subject, const audit::ChainReport& report) {
  std::string text = fmt::format("{}: {} entries", subject.name(), report.entries);
  if (report.from && report.to) text += fmt::format(" from {} to {}", toRfc3339(*report.from), toRfc3339(*report.to));
  if (report.older > 0) text += fmt::format(", {} older ones without a chain", report.older);
  if (report.pruned > 0) text += fmt::format(", {} pruned", report.pruned);
  text += fmt::format(", head {} {}", report.head.seq, toHex(report.head.hash));
  return text + (report.problem.empty() ? "\n" : fmt::format("\n  BROKEN: {}\n", report.problem));
}

void appendReport(doc::BsonWriter& out, std::string_view key, const Subject& subject,
                  const audit::ChainReport& report) {
  out.beginDocument(key);
  if (!subject.id.empty()) {
    out.appendString("project", subject.id);
    out.appendString("slug", subject.slug);
  }
  out.appendInteger("entries", static_cast<int64_t>(report.entries));
  out.appendInteger("older", static_cast<int64_t>(report.older));
  out.appendInteger("pruned", static_cast<int64_t>(report.pruned));
  if (report.from) out.appendDate("from", *report.from);
  if (report.to) out.appendDate("to", *report.to);
  out.beginDocument("head");
  out.appendInteger("seq", static_cast<int64_t>(report.head.seq));
  out.appendString("hash", toHex(report.head.hash));
  out.end();
  if (!report.problem.empty()) out.appendString("problem", report.problem);
  out.end();
}

}  // namespace

Result<cli::Outcome> verifyAudit(Deployment& deployment, const cli::Arguments& arguments, Progress& progress) {
  std::optional<Digest> wantedHash;
  if (has(arguments, "head")) {
    wantedHash = store::digestOf(valueOf(arguments, "head"));
    if (!wantedHash) return fail(ErrorCode::invalidParam, "--head must be a hash: 64 hex digits");
  }
  TRY(const HeldCheckpoint checkpoint, HeldCheckpoint::make(deployment));
  const store::Image& image = checkpoint.image();
  TRY(const std::vector<Subject> subjects, subjectsOf(image, valueOf(arguments, "project")));
  Verification verification(image, wantedHash, progress);
  cli::Outcome outcome;
  doc::BsonWriter result;
  result.beginArray("chains");
  size_t listed = 0;
  uint64_t whole = 0;
  uint64_t broken = 0;
  uint64_t unlisted = 0;
  bool found = !wantedHash;
  for (const Subject& subject : subjects) {
    TRY(const audit::ChainReport report, verification.run(subject.number));
    found |= report.foundHash;
    const bool well = report.problem.empty();
    (well ? whole : broken) += 1;
    if (listed >= kMaxListed && (well || listed >= 2 * kMaxListed)) {
      ++unlisted;
      continue;
    }
    appendReport(result, doc::arrayKey(listed++), subject, report);
    outcome.text += textOf(subject, report);
  }
  result.end();
  result.appendInteger("whole", static_cast<int64_t>(whole));
  result.appendInteger("broken", static_cast<int64_t>(broken));
  if (wantedHash) result.appendBool("foundHead", found);
  outcome.result = result.finish();
  if (unlisted > 0) outcome.text += fmt::format("and {} more\n", unlisted);
  if (!found) outcome.text += fmt::format("BROKEN: no chain holds the hash {}\n", toHex(*wantedHash));
  outcome.text += broken > 0 ? fmt::format("{} of {} chains are broken", broken, broken + whole)
                             : fmt::format("{} chains are whole", whole);
  outcome.exitCode = broken == 0 && found ? 0 : 1;
  return outcome;
}

}  // namespace mb::app

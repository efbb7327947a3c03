#include "introspection/introspection.h"

#include <algorithm>
#include <array>

#include "identity/records.h"
#include "introspection/problems.h"
#include "introspection/survey.h"
#include "policy/required_permission.h"
#include "store/own/cover.h"

namespace mb::introspection {

namespace {

using store::mongo::CommandError;
using store::own::Database;
using DatabasePtr = std::shared_ptr<Database>;

// Codes of the server: a validator refuses the document; an index of the same keys or name is there.
constexpr int kDocumentValidationFailure = 121;
constexpr std::array kIndexConflicts = {85, 86};

Error noCollection() {
  return Error(ErrorCode::notFound, "the database has no such collection");
}

Error incompatible(const std::vector<Problem>& problems) {
  std::vector<ErrorDetail> details;
  for (const Problem& each : problems) {
    if (each.severity == "error") details.push_back({each.path.value_or(""), each.code + ": " + each.message});
  }
  return Error(ErrorCode::conflict, "the collection is incompatible").withDetails(std::move(details));
}

// The error of a write of the backfill.
Error writeError(Database& database, const CommandError& error) {
  if (error.code == CommandError::kDuplicateKey) return incompatible({duplicateIds()});
  if (error.code == kDocumentValidationFailure) {
    return Error(ErrorCode::validation, "the database refused the document");
  }
  if (std::ranges::find(kIndexConflicts, error.code) != kIndexConflicts.end()) {
    return Error(ErrorCode::conflict, "the database has an index on id that is not unique: drop it there");
  }
  return database.failed(error);
}

// Surveys the collection; fails with notFound, and with conflict where it is incompatible.
Result<Survey> usableSurvey(Source& source, Database& database, const std::string& collection) {
  auto survey = surveyCollection(source, collection, kDefaultSample);
  if (!survey) return fail(database.failedToRead(survey.error()));
  if (!*survey) return fail(noCollection());
  if ((*survey)->report.verdict == kIncompatible) return fail(incompatible((*survey)->report.problems));
  return **std::move(survey);
}

Result<BackfillReport> runBackfill(Source& source, Database& database, const std::string& collection, int64_t limit) {
  TRY(const Survey survey, usableSurvey(source, database, collection));
  store::own::Cover cover(database.coverKey());
  const auto report = backfillIds(source, collection, limit, cover);
  if (!report) return fail(writeError(database, report.error()));
  if (report->remaining > 0 || hasUniqueIds(survey.facts)) return *report;
  if (const auto made = createIdIndex(source, collection); !made) return fail(writeError(database, made.error()));
  return *report;
}

// Surveys a collection that is to be imported, and makes it keep pre-images where that is wanted.
Result<Survey> runImport(Source& source, Database& database, const std::string& collection, bool preImages) {
  TRY(Survey survey, usableSurvey(source, database, collection));
  if (!preImages || survey.facts.keepsPreImages) return survey;
  if (const auto kept = keepPreImages(source, collection); !kept) {
    if (kept.error().code < 0 || kept.error().isTime()) return fail(database.failed(kept.error()));
    return fail(ErrorCode::conflict, "the database does not keep pre-images of this collection");
  }
  std::erase_if(survey.report.problems, [](const Problem& each) { return each.code == kNoPreImages; });
  return survey;
}

Result<std::optional<doc::Document>> schemaOf(const ImportBody& body) {
  if (!body.schema) return std::nullopt;
  const doc::ValueView given = *body.schema;
  if (given.type() == doc::BsonType::document) return doc::Document(given.asDocument());
  if (given.type() == doc::BsonType::boolean && !given.asBool()) return std::nullopt;
  return fail(Error(ErrorCode::validation, "/schema must be an object or false")
                  .withDetail("/schema", "must be an object or false"));
}

// What is imported becomes a collection, and a backfill prepares that.
Result<> requireCollections(const policy::Caller& caller) {
  constexpr std::string_view kPermission = policy::RequiredPermission("collections:manage");
  if (caller.may(kPermission)) return {};
  return fail(ErrorCode::forbidden, fmt::format("this needs the permission {}", kPermission));
}

Candidate candidateOf(const Listed& listed, const std::map<std::string, std::string, std::less<>>& imported) {
  Candidate candidate;
  candidate.name = listed.facts.name;
  candidate.documents.value = listed.documents;
  candidate.sizeBytes.value = listed.bytes;
  candidate.reason = reasonAgainst(listed.facts);
  candidate.importable = !candidate.reason;
  const auto found = imported.find(candidate.name);
  if (found != imported.end()) candidate.imported.value = found->second;
  return candidate;
}

}  // namespace

Introspection::Introspection(IntrospectionDeps deps)
    : deps_(std::move(deps)), claims_(std::make_shared<CollectionClaims>()) {}

Result<DatabasePtr> Introspection::databaseOf(const Access& access) const {
  DatabasePtr database = deps_.database(access.project->info().number);
  if (!database) return fail(ErrorCode::notFound, "the project has no database of its own");
  return database;
}

Result<Introspection::Claim> Introspection::claim(const Access& access, const std::string& collection) const {
  Claim claim = claims_->take(access.project->info().number, collection);
  if (!claim) return fail(ErrorCode::conflict, "another call is changing this collection: try again once it has ended");
  return claim;
}

Task<std::vector<Candidate>> Introspection::list(Access access) const {
  CO_TRY(const DatabasePtr database, databaseOf(access));
  const auto read = [database,
                     deadline = access.deadline](store::mongo::Connection& connection) -> Result<std::vector<Listed>> {
    Source source(connection, database->name(), deadline);
    auto listed = listCollections(source);
    if (!listed) return fail(database->failedToRead(listed.error()));
    return *std::move(listed);
  };
  CO_TRY(const std::vector<Listed> listed, co_await database->run(access.deadline, read));
  const auto imported = deps_.collections.namesBySource(*access.project);
  std::vector<Candidate> candidates;
  for (const Listed& each : listed) candidates.push_back(candidateOf(each, imported));
  co_return candidates;
}

Task<Report> Introspection::report(Access access, std::string collection, size_t sample) const {
  CO_TRY(const DatabasePtr database, databaseOf(access));
  const auto read = [database, deadline = access.deadline, collection = std::move(collection),
                     sample](store::mongo::Connection& connection) -> Result<Report> {
    Source source(connection, database->name(), deadline);
    auto survey = surveyCollection(source, collection, sample);
    if (!survey) return fail(database->failedToRead(survey.error()));
    if (!*survey) return fail(noCollection());
    return (**std::move(survey)).report;
  };
  co_return co_await database->run(access.deadline, read);
}

Result<> Introspection::checkFree(const Access& access, const std::string& collection, const std::string& name) const {
  const auto imported = deps_.collections.namesBySource(*access.project);
  const auto found = imported.find(collection);
  if (found != imported.end()) {
    return fail(ErrorCode::conflict, "the collection is imported already, as \"" + found->second + "\"");
  }
  const auto clashes = [&](const auto& each) { return store::foldedName(each.second) == store::foldedName(name); };
  if (std::ranges::any_of(imported, clashes)) {
    return fail(ErrorCode::conflict, "the project has a collection \"" + name + "\", or one too much like it");
  }
  return {};
}

Task<ImportReport> Introspection::import(Access access, std::string collection, ImportBody body) {
  CO_TRY(const DatabasePtr database, databaseOf(access));
  CO_RETURN_IF_ERROR(requireCollections(access.caller));
  if (body.name) CO_RETURN_IF_ERROR(data::Collections::checkName(*body.name));
  const std::string name = body.name.value_or(collection);
  CO_TRY(std::optional<doc::Document> schema, schemaOf(body));
  CO_TRY(const Claim claim, this->claim(access, collection));
  CO_RETURN_IF_ERROR(checkFree(access, collection, name));
  const bool preImages = body.preImages.value_or(false);
  if (preImages && !database->capabilities().preImages) {
    co_return fail(ErrorCode::conflict, "the database cannot keep pre-images");
  }
  if (schema) CO_RETURN_IF_ERROR(co_await deps_.collections.checkSchema(access.project, *schema));
  // Released before the caller continues, unless the caller waits no longer.
  auto survey = [database, deadline = access.deadline, collection, preImages,
                 claim = Claim(claim)](store::mongo::Connection& connection) mutable -> Result<Survey> {
    const Claim held = std::move(claim);
    Source source(connection, database->name(), deadline);
    return runImport(source, *database, collection, preImages);
  };
  CO_TRY(Survey surveyed, co_await database->run(access.deadline, std::move(survey)));
  if (!body.schema) schema = std::move(surveyed.report.schema);
  CO_RETURN_IF_ERROR(
      co_await deps_.collections.import({access.caller, access.project}, {name, collection, std::move(schema)}));
  ImportReport report{name, std::move(surveyed.report.verdict), {}};
  for (Problem& each : surveyed.report.problems) {
    if (each.severity == "warning") report.warnings.push_back({std::move(each.code), std::move(each.message)});
  }
  co_return report;
}

Task<BackfillReport> Introspection::backfill(Access access, std::string collection, BackfillBody body) {
  CO_TRY(const DatabasePtr database, databaseOf(access));
  CO_RETURN_IF_ERROR(requireCollections(access.caller));
  const int64_t limit = body.limit.value_or(kDefaultBackfill);
  if (limit < 1 || limit > kMaxBackfill) {
    const std::string rule = fmt::format("must be 1 to {}", kMaxBackfill);
    co_return fail(Error(ErrorCode::validation, "/limit " + rule).withDetail("/limit", rule));
  }
  CO_TRY(const Claim claim, this->claim(access, collection));
  auto fill = [database, deadline = access.deadline, collection, limit,
               claim = Claim(claim)](store::mongo::Connection& connection) mutable -> Result<BackfillReport> {
    const Claim held = std::move(claim);
    Source source(connection, database->name(), deadline);
    return runBackfill(source, *database, collection, limit);
  };
  CO_TRY(const BackfillReport report, co_await database->run(access.deadline, std::move(fill)));
  CO_RETURN_IF_ERROR(co_await audit(access, collection, report));
  co_return report;
}

Task<> Introspection::audit(const Access& access, const std::string& collection, const BackfillReport& report) const {
  const policy::Caller& by = access.caller;
  const store::ProjectNo project = access.project->info().number;
  doc::BsonWriter details;
  details.appendInteger("matched", report.matched);
  details.appendInteger("modified", report.modified);
  std::vector<store::Insert> entries =
      deps_.auditor.entry(project, "introspect.backfilled", identity::auditActorOf(by), "collections/" + collection,
                          by.ip, by.requestId, details.finish());
  if (entries.empty()) co_return Result<>();
  store::Write write({.deadline = access.deadline, .actor = policy::actorOf(by), .bumpEpochs = {}});
  write.insert(std::move(entries));
  CO_RETURN_IF_ERROR(co_await deps_.store.write(std::move(write), nullptr));
  co_return Result<>();
}

}  // namespace mb::introspection

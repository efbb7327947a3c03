#include "app/project_import.h"

#include "app/application.h"
#include "app/checkpoint.h"
#include "app/data_directory.h"
#include "app/secret_rotation.h"
#include "app/stored_files.h"
#include "base/blocking.h"
#include "base/log.h"
#include "data/backed_up_config.h"
#include "data/default_policy.h"
#include "data/policy_fields.h"
#include "data/reference_jobs.h"
#include "data/vector_counts.h"
#include "identity/realm.h"
#include "identity/user_names.h"
#include "integrations/integration_service.h"
#include "projects/records.h"
#include "store/own/pending_writes.h"
#include "vectors/embedding_rows.h"

namespace mb::app {

namespace {

constexpr size_t kBatchDocuments = 200;
constexpr size_t kBatchBytes = 512 << 10;
constexpr auto kWriteLimit = std::chrono::seconds(60);
constexpr uint64_t kComparedBetweenSteps = 1000;

// Collections that a copy of a project does not get: their records authenticate clients for the original, or say what
// the original's processes were doing.
bool staysBehind(std::string_view systemCollection) {
  return systemCollection == "__sessions" || systemCollection == "__api_keys" || systemCollection == "__challenges" ||
         systemCollection == "__webhook_deliveries" || systemCollection == "__webhook_sent" ||
         systemCollection == "__function_runs" || systemCollection == "__function_stats" ||
         systemCollection == "__function_run_inputs" || systemCollection == "__own_pending_writes" ||
         systemCollection == "__own_stream" || systemCollection == "__own_index_drops";
}

std::unexpected<Error> corrupt(std::string_view what) {
  return fail(ErrorCode::validation, fmt::format("the backup is corrupt: {}", what));
}

void copyInto(doc::BsonWriter& out, doc::DocumentView source, std::string_view from, std::string_view to) {
  for (const doc::Element& element : source) {
    const doc::ValueView value = element.value;
    if (value.isContainer()) {
      value.type() == doc::BsonType::array ? out.beginArray(element.key) : out.beginDocument(element.key);
      copyInto(out, value.asDocument(), from, to);
      out.end();
      continue;
    }
    const bool text = value.type() == doc::BsonType::string;
    if (text && value.asString() == from) {
      out.appendString(element.key, to);
    } else if (text && value.asString() == fmt::format("projects/{}", from)) {
      out.appendString(element.key, fmt::format("projects/{}", to));
    } else {
      out.append(element.key, value);
    }
  }
}

// Collections whose documents are not imported. The server walks through the documents of vectors and references again:
// pending jobs are not part of the copy. Counts of vectors name collections by number: takeDocument() writes them.
// Unfinished uploads have bytes that no backup has.
bool staysOut(store::CollectionNo system) {
  return system == vectors::kWalks || system == data::kVectorCounts || system == data::kVectorCountWalks ||
         system == data::kReferenceJobs || system == storage::kUploads || system == storage::kPieces;
}

bool known(const SystemSection& section) {
  const auto all = systemCollections();
  return std::any_of(all.begin(), all.end(), [&](const store::SystemCollection& each) {
    return each.number == section.number && each.name == section.name;
  });
}

}  // namespace

doc::Document withProjectId(doc::DocumentView document, std::string_view from, std::string_view to) {
  doc::BsonWriter out(document.bytes().size() + 64);
  copyInto(out, document, from, to);
  return out.finish();
}

ProjectImport::ProjectImport(Deployment& deployment, ImportOptions options, Progress& progress)
    : deployment_(deployment),
      options_(std::move(options)),
      progress_(progress),
      restoring_(deployment.store, deployment.ids, deployment.clock, deployment.auditor, deployment.plans) {
  // An invalid secret cannot open anything; other commands report it.
  if (!deployment.secret) return;
  auto secret = parseMasterSecret(deployment.secret->reveal());
  if (secret) secret_.emplace(*std::move(secret));
}

ProjectImport::~ProjectImport() {
  if (!started_) return;
  const Result<> undone = runBlocking(deployment_.cores, restoring_.abandon());
  if (!undone) {
    logWarn("data of a failed restore not removed; the purge of deleted projects removes it",
            {{"reason", undone.error().message()}});
  }
}

Result<> ProjectImport::take(std::string_view kind, doc::DocumentView content) {
  if (progress_.stopped()) return fail(ErrorCode::unavailable, "the restore was stopped");
  if (end_) return corrupt("records after its end");
  if (!formatSeen_) {
    const auto begin = doc::decode<StreamBegin>(content);
    if (kind != "manybase" || !begin) return corrupt("it does not begin as one");
    if (begin->format > kRecordsFormat) {
      return fail(ErrorCode::unavailable, "the backup was made by a newer version of Manybase");
    }
    formatSeen_ = true;
    return {};
  }
  if (kind == "project") {
    if (projectSeen_) return corrupt("it holds two projects");
    auto record = doc::decode<projects::ProjectRecord>(content, doc::UnknownFields::ignore);
    if (!record) return corrupt("the project's record, " + record.error().message());
    project_.record = *std::move(record);
    projectSeen_ = true;
    return {};
  }
  if (!projectSeen_) return corrupt("it does not begin as one");
  if (kind == kDatabaseRecord) return takeDatabase(content);
  if (kind == "member") {
    auto member = doc::decode<projects::BackedUpMember>(content, doc::UnknownFields::ignore);
    if (!member || started_) return corrupt("a member");
    project_.members.push_back(*std::move(member));
    return {};
  }
  RETURN_IF_ERROR(start());
  if (kind == "document") return takeDocument(content);
  RETURN_IF_ERROR(flush());
  if (kind == "system") return takeSystem(content);
  if (kind == "collection") return takeCollection(content);
  if (kind != "end")
    return fail(ErrorCode::unavailable, fmt::format("this version does not support content of the backup: {}", kind));
  TRY(end_, doc::decode<StreamEnd>(content));
  return {};
}

Result<> ProjectImport::takeDatabase(doc::DocumentView content) {
  auto database = doc::decode<projects::OwnDatabaseRecord>(content, doc::UnknownFields::ignore);
  if (!database || database_ || started_) return corrupt("the record of the owner's database");
  database_ = *std::move(database);
  return {};
}

Result<> ProjectImport::start() {
  if (started_) return {};
  project_.slug = options_.slug;
  project_.owner = options_.owner;
  project_.moved = options_.source.has_value();
  started_ = true;
  project_.verifiedOnly = deployment_.deliversMail;
  return runBlocking(deployment_.cores, restoring_.begin(project_));
}

Result<> ProjectImport::takeSystem(doc::DocumentView content) {
  const auto section = doc::decode<SystemSection>(content);
  if (!section) return corrupt("a section, " + section.error().message());
  if (!known(*section)) {
    return fail(ErrorCode::unavailable,
                fmt::format("this version does not support content of the backup: {}", section->name));
  }
  section_ = store::CollectionRef{restoring_.number(), static_cast<store::CollectionNo>(section->number), 0};
  system_ = true;
  skips_ = staysOut(section_->number) || (options_.slug && staysBehind(section->name));
  verbatim_ = section->chain.has_value();
  if (options_.source && !skips_) sections_.push_back({section_->number, section->name});
  if (!section->chain) return {};
  const auto hash = store::digestOf(section->chain->hash);
  if (section->chain->seq < 1 || !hash) return corrupt("the end of a chain");
  const store::ChainHead head{static_cast<uint64_t>(section->chain->seq), *hash};
  if (options_.source) sections_.back().chain = head;
  return runBlocking(deployment_.cores, deployment_.store.restoreChain(section_->project, section_->number, head));
}

Result<> ProjectImport::bringDatabase() {
  if (!database_) return {};
  const doc::Document read = doc::encode(*database_);
  database_->id = restoring_.id();
  const doc::Document bound = doc::encode(*database_);
  if (secret_) {
    const ResealedDocument made =
        resealedAs(projects::kOwnDatabases, {formerSecret(), "", read}, {*secret_, "", bound});
    unreadable_ += made.unreadable;
    TRY(*database_, doc::decode<projects::OwnDatabaseRecord>(made.document));
  }
  restoring_.bring(*std::move(database_));
  return {};
}

doc::Document ProjectImport::resealed(doc::DocumentView document) {
  const std::string before = project_.record.id.str();
  const std::string after = restoring_.id().str();
  doc::Document made(document);
  if (secret_) {
    ResealedDocument resealed =
        resealedAs(section_->number, {formerSecret(), before, document}, {*secret_, after, document});
    unreadable_ += resealed.unreadable;
    made = std::move(resealed.document);
  }
  return options_.slug ? withProjectId(made, before, after) : std::move(made);
}

Result<> ProjectImport::takeCollection(doc::DocumentView content) {
  TRY(store::CollectionInfo collection, decodeCollection(content));
  const data::CollectionConfig config = data::restoredConfig(collection.config);
  collection.config = config.write();
  manualVectors_ = data::manualVectorFields(collection.config);
  std::vector<std::string> held = data::fieldsForPolicy(config.policy ? *config.policy : defaultPolicy_);
  TRY(const store::CollectionInfo made,
      runBlocking(deployment_.cores,
                  deployment_.store.restoreCollection(restoring_.number(), std::move(collection), std::move(held))));
  numbers_.emplace(made.name, made.number);
  section_ = store::CollectionRef{restoring_.number(), made.number, made.version};
  if (options_.source) sections_.push_back({made.number, made.name});
  system_ = skips_ = verbatim_ = false;
  ++seen_.collections;
  return {};
}

Result<> ProjectImport::takeDocument(doc::DocumentView content) {
  if (!section_) return corrupt("a document outside of all collections");
  ++seen_.documents;
  if (skips_) return {};
  // Entries of a chain name the project by the id that it had when they were written.
  const bool isBound = system_ && !verbatim_ && (options_.slug || options_.source);
  doc::Document document = isBound ? resealed(content) : doc::Document(content);
  const store::CollectionNo kind = system_ ? section_->number : 0;
  if (kind == identity::kUsers) {
    if (auto upgraded = identity::upgradedUser(document)) document = *std::move(upgraded);
  }
  if (kind == integrations::kIntegrations) document = integrations::asRestored(document);
  if (kind == store::own::kStream && !options_.source) {
    TRY(document, store::own::restoredStream(std::move(document)));
  }
  if (isFollowers(kind)) document = events::restoredFollower(document, numbers_);
  if (kind == data::kPolicySetCollection) document = data::restoredPolicySet(document, numbers_);
  if (kind == data::kPolicyCollection) {
    const auto policy = document.view().find("policy");
    if (policy && policy->type() == doc::BsonType::document) defaultPolicy_ = doc::Document(policy->asDocument());
  }
  if (system_ && section_->number == storage::kFiles) {
    const BlobFinder blobs =
        options_.source ? blobsOfDeployment(options_.source->deployment) : blobsOfBackup(options_.from);
    TRY(document, restoreFile(deployment_, blobs, restoring_.number(), document));
  }
  if (options_.source) {
    sections_.back().hash.add(document.view().bytes());
    ++sections_.back().documents;
  }
  pending_.bytes += document.size();
  pending_.targets.push_back({*section_, std::string(document.view().stringOr("id"))});
  pending_.documents.push_back(std::move(document));
  if (!system_) addVectorCount(pending_.targets.back().id, pending_.documents.back());
  const bool full = pending_.targets.size() >= kBatchDocuments || pending_.bytes >= kBatchBytes;
  return full ? flush() : Result<>();
}

void ProjectImport::addVectorCount(std::string_view id, doc::DocumentView document) {
  std::string rowId = data::vectorCountId(section_->number, id);
  std::optional<doc::Document> row = data::vectorCountRow(rowId, data::heldVectors(manualVectors_, document));
  if (!row) return;
  pending_.targets.push_back({data::vectorCountsOf(restoring_.number()), std::move(rowId)});
  pending_.documents.push_back(*std::move(row));
}

Result<> ProjectImport::flush() {
  if (pending_.targets.empty()) return {};
  Pending batch = std::exchange(pending_, {});
  store::Write write({.deadline = std::chrono::steady_clock::now() + kWriteLimit,
                      .actor = {store::ActorKind::server, ""},
                      .priority = store::WritePriority::low,
                      .bumpEpochs = {},
                      .logged = false});
  const std::vector<store::Target> targets = write.change(std::move(batch.targets));
  const auto putAll = [&targets = std::as_const(targets), &documents = std::as_const(batch.documents)](
                          const store::PreImages&, store::Changes& changes) -> Result<> {
    for (size_t i = 0; i < targets.size(); ++i) changes.put(targets[i], documents[i]);
    return {};
  };
  const auto written = runBlocking(deployment_.cores, deployment_.store.write(std::move(write), putAll));
  if (!written) {
    const Violation* violation = store::indexViolation(written.error());
    if (!violation) return fail(written.error().clone());
    return corrupt(fmt::format("a document of it breaks the unique index {}", violation->name));
  }
  progress_.at("documents", static_cast<uint64_t>(seen_.documents), static_cast<uint64_t>(options_.documents));
  return {};
}

Result<> ProjectImport::compareSection(const store::Image& image, Section& section) const {
  uint64_t documents = 0;
  Sha256 hash;
  RETURN_IF_ERROR(image.each(restoring_.number(), section.number, [&](doc::DocumentView stored) -> Result<> {
    if (progress_.stopped()) return fail(ErrorCode::unavailable, "stopped");
    if (documents++ % kComparedBetweenSteps == 0) progress_.at("documents compared: " + section.name, documents - 1, 0);
    hash.add(stored.bytes());
    return section.number == storage::kFiles ? compareBlob(deployment_, stored) : Result<>();
  }));
  TRY(const store::ChainHead head, image.chainHead(restoring_.number(), section.number));
  const bool isSame = documents == section.documents && hash.finish() == section.hash.finish() &&
                      (!section.chain || head == *section.chain);
  if (isSame) return {};
  return fail(ErrorCode::internal, fmt::format("the copy of \"{}\" is not what was read: {} documents, expected {}",
                                               section.name, documents, section.documents));
}

Result<> ProjectImport::compare() {
  TRY(const HeldCheckpoint checkpoint, HeldCheckpoint::make(deployment_));
  for (Section& section : sections_) RETURN_IF_ERROR(compareSection(checkpoint.image(), section));
  return {};
}

Result<Imported> ProjectImport::finish() {
  if (!end_) return corrupt("its end is missing");
  if (*end_ != seen_) return corrupt("it does not hold as much as its end says");
  RETURN_IF_ERROR(start());
  RETURN_IF_ERROR(bringDatabase());
  TRY(const projects::RestoredProject project, runBlocking(deployment_.cores, restoring_.publish()));
  return Imported{project, seen_, unreadable_};
}

}  // namespace mb::app

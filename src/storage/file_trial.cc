#include "storage/file_trial.h"

#include <set>

#include "data/policy_claims.h"
#include "data/trial_refusal.h"
#include "policy/trace_steps.h"
#include "storage/file_writes.h"
#include "storage/storage_rules.h"
#include "store/records.h"

namespace mb::storage {

namespace {

using policy::Operation;

// Fields of a file's record, of a trial.
struct GivenFile {
  std::optional<std::string> path;
  std::optional<int64_t> size;
  std::optional<std::string> contentType;
  std::optional<std::string> ownerId;
  std::optional<doc::Document> metadata;
  std::optional<Timestamp> createdAt;
  std::optional<Timestamp> updatedAt;
  static constexpr auto shape() {
    return doc::shape<GivenFile>(
        "GivenFile", doc::field("path", &GivenFile::path), doc::field("size", &GivenFile::size),
        doc::field("contentType", &GivenFile::contentType), doc::field("ownerId", &GivenFile::ownerId),
        doc::field("metadata", &GivenFile::metadata), doc::field("createdAt", &GivenFile::createdAt),
        doc::field("updatedAt", &GivenFile::updatedAt));
  }
};
struct GivenChange {
  std::optional<int64_t> size;
  std::optional<std::string> contentType;
  std::optional<doc::Document> metadata;
  static constexpr auto shape() {
    return doc::shape<GivenChange>("GivenChange", doc::field("size", &GivenChange::size),
                                   doc::field("contentType", &GivenChange::contentType),
                                   doc::field("metadata", &GivenChange::metadata));
  }
};

template <class T>
Result<T> decoded(const doc::Document& given, const std::string& pointer) {
  T out;
  std::vector<ErrorDetail> problems;
  doc::decodeInto(out, given, pointer, doc::UnknownFields::refuse, problems);
  if (problems.empty()) return out;
  std::string message = fmt::format("{} {}", problems.front().path, problems.front().message);
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

bool writesContent(Operation operation) {
  return operation == Operation::create || operation == Operation::update;
}

// One trial. Lives on the frame of FileTrials::run(), whose arguments it refers to.
class FileTrialRun {
 public:
  FileTrialRun(const FilesDeps& deps, Access access, const FileTrial& trial)
      : deps_(deps), access_(std::move(access)), trial_(trial) {
    access_.trace = &trace_;
  }

  // Decodes what is given. Fails with validation and invalidBody.
  Result<> prepare() {
    if (trial_.operation == Operation::admin) {
      return fail(data::notAnOperation());
    }
    if (trial_.document) TRY(standing_, standingFile(*trial_.document));
    if (writesContent(trial_.operation)) {
      if (!trial_.body) return fail(data::missingPart(ErrorCode::invalidBody, "body"));
      TRY(change_, decoded<GivenChange>(*trial_.body, "/body"));
    }
    path_ = trial_.path ? *trial_.path : standing_ ? standing_->path : "";
    if (path_.empty() && trial_.operation != Operation::list)
      return fail(data::missingPart(ErrorCode::validation, "path"));
    return {};
  }

  Task<data::TrialResult> result() {
    Result<> done = co_await attempt();
    if (done) {
      result_.allowed = !result_.hidden && (!isList() || path_.empty() || found_);
    } else {
      CO_RETURN_IF_ERROR(data::refuse(result_, std::move(done).error(), found_));
    }
    result_.steps = trace_.take();
    co_return std::move(result_);
  }

 private:
  bool isList() const { return trial_.operation == Operation::list; }

  Task<> attempt() {
    CO_RETURN_IF_ERROR(checkGate());
    bucket_ = access_.project->get(deps_.slot).find(trial_.bucket);
    if (bucket_ == nullptr) co_return fail(ErrorCode::notFound, "no such bucket");
    if (!isList()) CO_RETURN_IF_ERROR(checkPath(path_));
    switch (trial_.operation) {
      case Operation::list:
        co_return co_await list();
      case Operation::create:
        co_return co_await put();
      case Operation::update:
        if (change_.size || change_.contentType) co_return co_await put();
        co_return co_await setMetadata();
      default:
        co_return co_await readOrRemove();
    }
  }

  // The gate of the request's route. Only keys have scopes.
  Result<> checkGate() {
    if (access_.caller.kind == policy::CallerKind::anonymous && trial_.operation != Operation::read) {
      return fail(ErrorCode::unauthenticated, "this needs a bearer token");
    }
    if (access_.caller.kind != policy::CallerKind::apiKey || access_.caller.hasScope("storage")) return {};
    policy::tracePermission(trace_, "scope:storage", nullptr);
    return fail(ErrorCode::forbidden, "this key lacks the scope storage");
  }

  Task<FileGrant> grant(Operation operation) {
    CO_TRY(FileGrant grant, deps_.access.find(access_, bucket_, operation));
    if (grant.awaitsSets) CO_RETURN_IF_ERROR(co_await deps_.access.complete(grant, access_));
    co_return grant;
  }

  Task<> readOrRemove() {
    result_.status = trial_.operation == Operation::read ? 200 : 204;
    CO_TRY(const FileGrant granted, co_await grant(trial_.operation));
    CO_TRY(const std::optional<FileRecord> file, co_await standing());
    if (!file) co_return absent();
    co_return evaluate(granted, access_.caller, &*file, *file, deps_.clock.now());
  }

  // A list is served, whether the file is in it or not.
  Task<> list() {
    CO_TRY(const FileGrant granted, co_await grant(Operation::list));
    if (path_.empty()) co_return Result<>();
    CO_TRY(const std::optional<FileRecord> file, co_await standing());
    if (!file) {
      policy::traceDocument(trace_, {}, std::nullopt, false);
      co_return Result<>();
    }
    const Result<> listed = evaluate(granted, access_.caller, &*file, *file, deps_.clock.now());
    if (!listed && listed.error().code() == ErrorCode::queryTooCostly) co_return fail(listed.error().clone());
    result_.hidden = !listed;
    co_return Result<>();
  }

  // As Files::put(), which may replace a file.
  Task<> put() {
    result_.status = 201;
    if (change_.metadata) CO_RETURN_IF_ERROR(checkMetadata(*change_.metadata));
    FileRecord record;
    CO_TRY(const std::optional<FileRecord> old,
           co_await (trial_.operation == Operation::create ? stored() : standing()));
    if (!old && trial_.operation == Operation::update) co_return co_await setMetadata();
    CO_TRY(record.contentType, contentTypeOf(change_.contentType.value_or(old ? old->contentType : "")));
    record.path = path_;
    record.size = change_.size.value_or(old ? old->size : 0);
    record.owner = access_.caller.id;
    record.metadata = std::move(change_.metadata);
    CO_TRY(const FileGrant granted, co_await grant(old ? Operation::update : Operation::create));
    record.updatedAt = deps_.clock.now();
    inherit(record, old, bucket_->rules != nullptr);
    CO_RETURN_IF_ERROR(evaluate(granted, access_.caller, old ? &*old : nullptr, record, record.updatedAt));
    if (record.size <= access_.project->get(deps_.record).maxFileSize) co_return Result<>();
    co_return fail(ErrorCode::payloadTooLarge, "this file is larger than the project allows");
  }

  Task<> setMetadata() {
    result_.status = 204;
    if (change_.metadata && FileAccess::mayWrite(access_.caller)) {
      CO_RETURN_IF_ERROR(checkMetadata(*change_.metadata));
    }
    CO_TRY(const FileGrant granted, co_await grant(Operation::update));
    CO_TRY(const std::optional<FileRecord> old, co_await standing());
    if (!old) co_return absent();
    FileRecord record = *old;
    if (change_.metadata) record.metadata = std::move(change_.metadata);
    record.updatedAt = deps_.clock.now();
    inherit(record, old, true);
    co_return evaluate(granted, access_.caller, &*old, record, record.updatedAt);
  }

  Result<> absent() {
    policy::traceDocument(trace_, {}, std::nullopt, false);
    return fail(noFile());
  }

  // ---- files

  // The file that the trial is about.
  Task<std::optional<FileRecord>> standing() {
    if (!standing_) co_return co_await stored();
    found_ = true;
    co_return standing_;
  }

  Task<std::optional<FileRecord>> stored() {
    CO_TRY(const auto record, co_await deps_.store.get(inProject(access_, kFiles),
                                                       fileKey(bucket_->record.bucketId, path_), {access_.deadline}));
    found_ = record.has_value();
    co_return store::fromStore<FileRecord>(record);
  }

  Result<FileRecord> standingFile(const doc::Document& given) const {
    TRY(GivenFile file, decoded<GivenFile>(given, "/document"));
    FileRecord record;
    record.path = file.path.value_or(trial_.path.value_or(""));
    record.size = file.size.value_or(0);
    TRY(record.contentType, contentTypeOf(file.contentType.value_or("")));
    record.owner = file.ownerId.value_or("");
    record.metadata = std::move(file.metadata);
    record.createdAt = file.createdAt.value_or(deps_.clock.now());
    record.updatedAt = file.updatedAt.value_or(record.createdAt);
    return record;
  }

  const FilesDeps& deps_;
  Access access_;
  const FileTrial& trial_;
  policy::Trace trace_;
  data::TrialResult result_;
  BucketPtr bucket_;
  std::string path_;                    // "" of a list
  std::optional<FileRecord> standing_;  // given
  GivenChange change_;
  bool found_ = false;  // the file exists
};

}  // namespace

Result<snapshot::SnapshotPtr> FileTrials::withDrafts(snapshot::SnapshotPtr project, std::string_view bucket,
                                                     const std::optional<doc::Document>& rules) const {
  const BucketTable& table = project->get(deps_.slot);
  const BucketPtr found = table.find(bucket);
  if (found == nullptr) return fail(ErrorCode::notFound, "no such bucket");
  if (!rules) return project;
  const std::vector<std::string> sets = deps_.access.collections(*project).setNames();
  const policy::ClaimNames claims = data::claimNamesOf(*project);
  RETURN_IF_ERROR(checkRules(found->record.access, &*rules, {&sets, &claims}));
  auto drafted = std::make_shared<Bucket>(*found);
  drafted->record.rules.reset();
  drafted->rules = nullptr;
  if (!rules->empty()) {
    drafted->record.rules = *rules;
    TRY(drafted->rules, policy::compileFileRules(*rules));
  }
  auto changed = std::make_shared<BucketTable>(table);
  changed->byKey[drafted->record.id] = std::move(drafted);
  return project->with(deps_.slot, std::shared_ptr<const BucketTable>(std::move(changed)));
}

Result<std::vector<std::string>> FileTrials::collectionsRead(const snapshot::ProjectSnapshot& project,
                                                             std::string_view bucket,
                                                             policy::Operation operation) const {
  const BucketPtr found = project.get(deps_.slot).find(bucket);
  if (found == nullptr) return fail(ErrorCode::notFound, "no such bucket");
  std::set<std::string> names;
  const data::CollectionTable& table = deps_.access.collections(project);
  // An upload to the path of a file is an update.
  for (const Operation each : {operation, operation == Operation::create ? Operation::update : operation}) {
    const policy::Rule* rule = found->rules ? found->rules->rule(each) : nullptr;
    for (size_t i = 0; rule && i < rule->sets().size(); ++i) {
      const data::BoundSet* set = table.findSet(rule->sets()[i]);
      if (set && set->collection) names.insert(set->collection->name());
    }
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Task<data::TrialResult> FileTrials::run(const Access& access, FileTrial trial) const {
  FileTrialRun run(deps_, access, trial);
  CO_RETURN_IF_ERROR(run.prepare());
  co_return co_await run.result();
}

}  // namespace mb::storage

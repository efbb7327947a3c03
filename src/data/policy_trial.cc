#include "data/policy_trial.h"

#include <algorithm>
#include <set>

#include "base/work_budget.h"
#include "data/data_deps.h"
#include "data/read_plan.h"
#include "data/reserved.h"
#include "data/trial_refusal.h"
#include "data/vector_quota.h"
#include "data/write.h"
#include "policy/trace_steps.h"

namespace mb::data {
namespace {

using policy::Operation;

bool isRead(Operation operation) {
  return operation == Operation::read || operation == Operation::list;
}

Result<> checkParts(const Trial& trial) {
  if (trial.operation == Operation::admin) {
    return fail(notAnOperation());
  }
  const bool writes = trial.operation == Operation::create || trial.operation == Operation::update;
  if (writes && !trial.body) return fail(missingPart(ErrorCode::invalidBody, "body"));
  const bool needsTarget = trial.operation != Operation::create && trial.operation != Operation::list;
  if (needsTarget && !trial.id && !trial.document) return fail(missingPart(ErrorCode::validation, "id"));
  return {};
}

// Date fields of the server, as the store has them.
bool isServerDate(std::string_view key) {
  return key == "createdAt" || key == "updatedAt";
}

// One trial. Lives on the frame of PolicyTrials::run(), whose arguments it refers to.
class TrialRun {
 public:
  TrialRun(const DataDeps& deps, const Grants& grants, const Access& access, Trial& trial, const GivenDocuments* given)
      : deps_(deps), grants_(grants), access_(access), trial_(trial), given_(given) {
    access_.trace = &trace_;
  }

  Task<TrialResult> result() {
    if (!isRead(trial_.operation)) result_.notChecked = notChecked();
    Result<> done = co_await attempt();
    if (done) {
      result_.allowed = !result_.hidden && (!aboutOne_ || found_);
    } else {
      if (invalid_) co_return fail(std::move(done).error());
      CO_RETURN_IF_ERROR(refuse(result_, std::move(done).error(), found_));
    }
    result_.steps = trace_.take();
    co_return std::move(result_);
  }

 private:
  std::vector<std::string> notChecked() const {
    std::vector<std::string> steps{"preHooks", "uniqueIndexes", "references"};
    if (VectorQuota(deps_.store, deps_.plan).max(*access_.project)) steps.emplace_back("planLimits");
    return steps;
  }
  Task<> attempt() {
    CO_RETURN_IF_ERROR(convertGiven());
    CO_RETURN_IF_ERROR(checkScope());
    if (isRead(trial_.operation)) co_return co_await read();
    co_return co_await write();
  }

  // The gate of the request's route. Only keys have scopes.
  Result<> checkScope() {
    const std::string_view scope = isRead(trial_.operation) ? "read" : "write";
    if (access_.caller.kind != policy::CallerKind::apiKey || access_.caller.hasScope(scope)) return {};
    policy::tracePermission(trace_, fmt::format("scope:{}", scope), nullptr);
    return fail(ErrorCode::forbidden, fmt::format("this key lacks the scope {}", scope));
  }

  Task<Grant> grant() {
    CO_TRY(Grant grant, grants_.find(access_, trial_.collection, trial_.operation));
    if (!grant.awaitsSets) co_return grant;
    if (!given_) {
      CO_RETURN_IF_ERROR(co_await grants_.complete(grant, access_.caller, access_.deadline));
      co_return grant;
    }
    const auto documents = [this](const std::string& name) -> const std::vector<doc::Document>& { return given(name); };
    CO_TRY(grant.sets, CallerSets::among(documents, table(), access_.caller, grant.rule->sets(), &trace_));
    grant.awaitsSets = false;
    CO_RETURN_IF_ERROR(grant.fill(access_.caller));
    co_return grant;
  }

  Task<> read() {
    result_.status = 200;
    CO_TRY(Grant granted, co_await grant());
    ReadQuery query;
    query.filter = trial_.filter;
    CO_TRY(const ReadPlan plan, planRead(std::move(granted), query));
    const bool lists = trial_.operation == Operation::list;
    if (lists && !trial_.id && !trial_.document) co_return Result<>();
    aboutOne_ = true;
    CO_TRY(const std::optional<doc::Document> target, co_await this->target(*plan.grant.collection));
    Result<> visible = checkVisible(plan, target);
    // A list is served, whether the document is in it or not.
    const bool absent = !visible && visible.error().code() == ErrorCode::notFound;
    if (!lists || !absent) co_return visible;
    result_.hidden = found_;
    co_return Result<>();
  }

  Task<> write() {
    WriteRequest request = trial_.operation == Operation::create
                               ? insertRequest(*std::move(trial_.body), deps_, access_.project->info().number)
                               : WriteRequest();
    if (trial_.operation != Operation::create) {
      request.event = trial_.operation == Operation::remove ? WriteEvent::remove
                      : trial_.replace                      ? WriteEvent::replace
                                                            : WriteEvent::update;
      if (trial_.body) request.body = *std::move(trial_.body);
    }
    result_.status = successOf(request.event);
    CO_TRY(const Grant granted, co_await grant());
    // The id that a document without one gets is known before the request is parsed.
    std::optional<doc::Document> before;
    if (trial_.operation != Operation::create && trial_.document) {
      CO_TRY(before, co_await target(*granted.collection));
      request.id = before->view().stringOr("id");
    } else if (trial_.id && trial_.operation != Operation::create) {
      request.id = *trial_.id;
    }
    CO_RETURN_IF_ERROR(parseWriteRequest(request, granted));
    if (!before && !request.idIsNew) {
      CO_TRY(before, co_await stored(*granted.collection, request.id));
    }
    co_return compute({granted, request, access_.caller, deps_.clock.now()}, before);
  }

  // As in the write's callback, with its bound.
  static Result<> compute(const EvaluationContext& context, const std::optional<doc::Document>& before) {
    const WorkBudget work(kCoreWork);
    auto computed = computeDocument(context, before, nullptr);
    RETURN_IF_ERROR(work.check());
    if (!computed) return fail(std::move(computed).error());
    return {};
  }

  int64_t successOf(WriteEvent event) const {
    if (event == WriteEvent::insert) return 201;
    return event != WriteEvent::remove && access_.authority == Authority::admin ? 200 : 204;
  }

  // ---- documents

  const CollectionTable& table() const { return grants_.table(*access_.project); }

  // The document of a trial that is about one.
  Task<std::optional<doc::Document>> target(const Collection& collection) {
    if (!trial_.document) co_return co_await stored(collection, *trial_.id);
    found_ = true;
    co_return asStored(&collection, *trial_.document, "/document");
  }

  Task<std::optional<doc::Document>> stored(const Collection& collection, std::string id) {
    std::optional<doc::Document> document;
    if (!given_) {
      CO_TRY(document, co_await deps_.store.get(collection.ref, id, {access_.deadline}));
    }
    for (const doc::Document& each : given(collection.name())) {
      if (each.view().stringOr("id") == id) document = each;
    }
    found_ = document.has_value();
    co_return document;
  }

  const std::vector<doc::Document>& given(const std::string& collection) const {
    static const std::vector<doc::Document> none;
    const auto found = givenStored_.find(collection);
    return found == givenStored_.end() ? none : found->second;
  }

  Result<> convertGiven() {
    if (!given_) return {};
    for (const auto& [name, documents] : *given_) {
      const CollectionPtr* collection = table().find(name);
      std::vector<doc::Document>& converted = givenStored_[name];
      for (const doc::Document& each : documents) {
        const std::string pointer = fmt::format("/given/{}/{}", name, converted.size());
        TRY(doc::Document document, asStored(collection ? collection->get() : nullptr, each, pointer));
        converted.push_back(std::move(document));
      }
    }
    return {};
  }

  // A document that was given, with the types that the store would have, and the fields of the server that it lacks.
  // Fails with validation, at `pointer`. `collection`: null if no collection has the name.
  Result<doc::Document> asStored(const Collection* collection, doc::DocumentView given, const std::string& pointer) {
    const doc::FilterCoercion& coercion = collection ? collection->coercion() : doc::defaultCoercion();
    doc::BsonWriter out;
    if (!given.find("id")) out.appendString("id", deps_.ids.next());
    for (const auto& [key, value] : given) {
      const auto coerced = isServerDate(key) ? coercion.coerce(key, value) : std::nullopt;
      out.append(key, coerced ? coerced->view() : value);
    }
    for (const std::string_view key : {"createdAt", "updatedAt"}) {
      if (!given.find(key)) out.appendDate(key, deps_.clock.now());
    }
    doc::Document document = out.finish();
    if (!isDocumentId(document.view().stringOr("id"))) {
      return invalid(pointer + "/id", "must match ^[A-Za-z0-9_-]{1,64}$");
    }
    if (!collection || !collection->schema) return document;
    const WorkBudget work(kCoreWork);
    auto prepared = collection->schema->prepare(document, false);
    RETURN_IF_ERROR(work.check());
    if (prepared) return prepared;
    const std::vector<ErrorDetail>& details = prepared.error().details();
    if (details.empty()) return invalid(pointer, prepared.error().message());
    return invalid(pointer + details.front().path, details.front().message);
  }

  std::unexpected<Error> invalid(std::string pointer, const std::string& message) {
    invalid_ = true;
    return fail(
        Error(ErrorCode::validation, fmt::format("{} {}", pointer, message)).withDetail(std::move(pointer), message));
  }

  const DataDeps& deps_;
  const Grants& grants_;
  Access access_;
  Trial& trial_;
  const GivenDocuments* given_;
  GivenDocuments givenStored_;  // given_ as the store would have it
  policy::Trace trace_;
  TrialResult result_;
  bool aboutOne_ = false;  // a read or list of one document
  bool found_ = false;     // the document exists
  bool invalid_ = false;   // the trial is not valid, rather than its request
};

void addSets(std::set<std::string>& names, const policy::Rule* rule) {
  if (rule) names.insert(rule->sets().begin(), rule->sets().end());
}

}  // namespace

PolicyTrials::PolicyTrials(const DataDeps& deps, FairPool& pool, const Grants& grants,
                           snapshot::SlotKey<CollectionTable> slot)
    : deps_(deps), pool_(pool), grants_(grants), slot_(slot) {}

Result<std::vector<std::string>> PolicyTrials::collectionsRead(const snapshot::ProjectSnapshot& project,
                                                               std::string_view collection,
                                                               policy::Operation operation) const {
  const CollectionTable& table = project.get(slot_);
  const CollectionPtr* found = table.find(collection);
  if (!found) return fail(ErrorCode::notFound, "no such collection");
  std::set<std::string> sets;
  if (const policy::Policy* policy = (*found)->policy.get()) {
    addSets(sets, policy->rule(operation));
    addSets(sets, policy->rule(Operation::admin));
  }
  std::set<std::string> names{std::string(collection)};
  for (const std::string& name : sets) {
    const BoundSet* set = table.findSet(name);
    if (set && set->collection) names.insert(set->collection->name());
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Task<TrialResult> PolicyTrials::run(const Access& access, Trial trial, const GivenDocuments* given) const {
  CO_RETURN_IF_ERROR(checkParts(trial));
  TrialRun run(deps_, grants_, access, trial, given);
  co_return co_await run.result();
}

}  // namespace mb::data

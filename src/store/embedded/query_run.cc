#include "store/embedded/query_run.h"

#include "document/keep_fields.h"
#include "document/strip_fields.h"
#include "store/embedded/keys.h"
#include "store/embedded/page_start.h"
#include "store/embedded/query_session.h"

namespace mb::store::embedded {

namespace {

uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

// A page in the order of ids starts after a bound on the ids.
Query resumed(Query query) {
  const SortOrder order(query.sort);
  if (query.after.empty() || !order.keys.empty()) return query;
  doc::BsonWriter out;
  out.beginDocument("id");
  out.appendString(order.idDescending ? "$lt" : "$gt", query.after);
  out.end();
  query.filter = doc::Filter::both(query.filter, *doc::Filter::parse(out.finish()));
  return query;
}

Error tooLarge(size_t maxBytes) {
  return Error(ErrorCode::payloadTooLarge,
               fmt::format("the result would be larger than {} MiB: use a smaller `limit`", maxBytes >> 20));
}

uint64_t traitsOf(const AccessPath& path) {
  if (!path.index) return 0;
  return uint64_t{path.index->traits->multikey.load()} << 32 | path.index->traits->truncated.load();
}

}  // namespace

QueryRun::QueryRun(QueryContext context, CollectionHandle collection, Query query, bool counting)
    : context_(context),
      collection_(std::move(collection)),
      query_(resumed(std::move(query))),
      order_(query_.sort),
      counting_(counting) {
  resetResult();
}

void QueryRun::resetResult() {
  skipLeft_ = counting_ ? 0 : query_.skip;
  counted_ = 0;
  bytes_ = 0;
  sorter_.reset();
  sorted_.reset();
  result_.documents.clear();
  result_.more = false;
  lastPosition_.clear();
}

void QueryRun::restart() {
  resetResult();
  pending_.reset();
  result_ = {};
  plan_.reset();
  distrustAfter_ = UINT64_MAX;
  positions_.clear();
  at_ = 0;
  next_.clear();
  tried_ = false;
  window_.clear();
  windowReady_ = windowTruncated_ = anyFloor_ = false;
}

uint64_t QueryRun::wanted() const {
  if (counting_) return UINT64_MAX;
  return saturatingAdd(query_.limit - result_.documents.size(), query_.seesMore ? 1 : 0);
}

Result<QueryRun::Step> QueryRun::step(const Budget& budget) {
  const WorkBudget work(std::min(budget.work, workLeft_));
  auto reached = steps(budget);
  workLeft_ -= work.spent();
  return reached;
}

Result<QueryRun::Step> QueryRun::steps(const Budget& budget) {
  if (!counting_ && query_.limit == 0) return Step::done;
  while (true) {
    Session session(context_.database, budget, ++session_);
    // The indexes of the plan may have changed since the previous step.
    if (session_ > 1 && !isCurrent()) {
      restart();
      if (!collection_) return Step::done;
    }
    TRY(const Flow flow, run(session));
    if (flow == Flow::disk) {
      if (!pending_) restart();
      return Step::disk;
    }
    if (flow == Flow::more) return Step::more;
    if (flow == Flow::costly) {
      if (budget.work >= workLeft_) return tooCostly();
      restart();
      return Step::more;
    }
    if (flow != Flow::again) return Step::done;
    trusting_ = false;
    restart();
  }
}

Result<QueryRun::Flow> QueryRun::run(Session& session) {
  if (!plan_) {
    TRY(const Flow chosen, choosePlan(session));
    if (chosen != Flow::on) return chosen;
  }
  if (!sorted_) {
    TRY(const Flow flow, readPlan(session));
    const bool collected = flow == Flow::on || flow == Flow::enough;
    if (!collected || !sorter_ || sorter_->holdsDocuments()) return flow;
    sorted_ = sorter_->take(query_.skip);
    sortedAt_ = 0;
  }
  return readSorted(session);
}

Result<QueryRun::Flow> QueryRun::readPlan(Session& session) {
  switch (plan_->kind) {
    case Plan::Kind::ids:
      return readByIds(session);
    case Plan::Kind::documents:
      return readDocuments(session);
    case Plan::Kind::index:
      break;
  }
  if (query_.projection == Projection::unorderedIds) return readStream(session);
  // If no index yields the order, the ids are sorted; if documents may repeat, duplicates are removed.
  const bool ordered = plan_->inOrder || sorter_ || counting_;
  const bool repeats = plan_->mayRepeat && !(plan_->inOrder && plan_->reading == Reading::merged);
  return ordered && !repeats ? readStream(session) : readWindows(session);
}

Result<QueryResult> QueryRun::takeResult() {
  if (sorter_ && !sorted_) RETURN_IF_ERROR(takeSorted());
  if (!query_.paged || (result_.documents.empty() && lastPosition_.empty())) return std::move(result_);
  if (lastPosition_.empty()) {
    const doc::DocumentView last = result_.documents.back();
    const std::string_view id = last.stringOr("id");
    lastPosition_ = ordersByKeys() ? sortPositions_.of(id, last) : std::string(id);
  }
  result_.next = std::move(lastPosition_);
  return std::move(result_);
}

Result<bool> QueryRun::add(std::string document, std::string position) {
  if (result_.documents.size() >= query_.limit) {
    result_.more = true;
    return false;
  }
  bytes_ += document.size();
  if (bytes_ > query_.maxBytes) {
    if (!query_.paged) return fail(tooLarge(query_.maxBytes));
    result_.more = !result_.documents.empty();
    if (result_.more) return false;
  }
  lastPosition_ = std::move(position);
  result_.documents.push_back(doc::Document::fromTrusted(std::move(document)));
  return true;
}

Result<> QueryRun::takeSorted() {
  result_.more = sorter_->shrunk();
  for (Sorter::Entry& entry : sorter_->take(query_.skip)) {
    std::string position = ordersByKeys() ? std::move(entry.key) : std::string(entry.id());
    TRY(const bool fits, add(std::move(entry.document), std::move(position)));
    if (!fits) return {};
  }
  return {};
}

Result<QueryRun::Flow> QueryRun::choosePlan(Session& session) {
  const CollectionRef ref{collection_.state->project, collection_.schema->number, collection_.schema->version};
  Candidates candidates = usablePlans(ref, *collection_.schema, query_.filter, order_);
  if (query_.projection == Projection::unorderedIds) {
    candidates.unions.clear();
    std::erase_if(candidates.plans, [](const Plan& each) { return each.kind != Plan::Kind::index || !each.exact; });
    result_.known = !candidates.plans.empty();
    if (!result_.known) return Flow::enough;
  }
  const bool ordered = !counting_ && query_.projection != Projection::unorderedIds;
  if ((ordered && !order_.isIdAscending()) || query_.paged) {
    TRY(sortPositions_, SortPositions::make(order_));
  }
  if (ordersByKeys() && !query_.after.empty()) {
    auto start = sortPositions_.split(query_.after);
    if (!start) return fail(ErrorCode::invalidParam, "the query does not continue a page in this order");
    const std::string_view id = start->back();
    startAfter(candidates, order_, {*std::move(start), id});
  }
  const uint64_t enough =
      counting_ ? UINT64_MAX : saturatingAdd(saturatingAdd(query_.skip, query_.limit), query_.seesMore ? 1 : 0);
  PlanChoice choice(context_.database, session.options,
                    {.tier = session.budget.tier,
                     .enough = enough,
                     .documents = collection_.state->documents.load(),
                     .bytes = collection_.state->bytes.load(),
                     .counting = counting_,
                     .keysOnly = query_.projection != Projection::documents,
                     .sorted = !order_.isIdAscending(),
                     .trusting = trusting_});
  TRY(plan_, choice.choose(std::move(candidates), ref, context_.memory));
  if (!plan_) return Flow::disk;
  distrustAfter_ = choice.distrustAfter();
  traits_.clear();
  for (const AccessPath& path : plan_->accessPaths) traits_.push_back(traitsOf(path));
  result_.explain.index = plan_->name();
  if (ordered && !order_.isIdAscending() && !plan_->inOrder) {
    sorter_.emplace(sortPositions_, Sorter::Settings{.keep = enough,
                                                     .ordered = plan_->orderedKeys,
                                                     .after = ordersByKeys() ? query_.after : std::string(),
                                                     .shrinks = query_.paged && query_.skip == 0});
  }
  return Flow::on;
}

// Reads the current catalogue: the plan's indexes may be dropped, or may hold other kinds of values than its bounds
// assume.
bool QueryRun::isCurrent() {
  collection_ = context_.catalogue.collection(query_.collection.project, query_.collection.number);
  if (!collection_) return false;
  for (size_t i = 0; plan_ && i < plan_->accessPaths.size(); ++i) {
    const AccessPath& path = plan_->accessPaths[i];
    if (!path.index) continue;
    const Index* index = collection_.schema->index(path.index->number);
    if (!index || !index->ready || traits_[i] != traitsOf(path)) return false;
  }
  return true;
}

QueryRun::Flow QueryRun::examine() {
  return ++result_.explain.keysExamined > distrustAfter_ ? Flow::again : Flow::on;
}

bool QueryRun::isMatch(Session& session, std::string_view document, bool known) const {
  const bool fresh = session.number == gathered_;
  return ((plan_->exact || known) && fresh) || query_.filter.matches(doc::DocumentView(document));
}

// Whether only ids are requested and all of the batch are known to match.
bool QueryRun::keysSuffice(const Session& session, const DocumentBatch& batch) const {
  const bool known = batch.allKnownToMatch() && session.number == gathered_;
  return known && query_.projection != Projection::documents && !sorter_ && !(query_.paged && ordersByKeys());
}

// Counts or skips a match; true if the document needs no further processing.
bool QueryRun::countOrSkip() {
  if (counting_) {
    ++counted_;
    return true;
  }
  if (sorter_ || skipLeft_ == 0) return false;
  --skipLeft_;
  return true;
}

std::string QueryRun::project(std::string_view id, std::string document) const {
  if (query_.projection != Projection::documents) return idDocument(id).takeBytes();
  if (query_.hidden) doc::stripFields(*query_.hidden, document);
  if (query_.fields) document = doc::keepFields(doc::DocumentView(document), *query_.fields).takeBytes();
  return document;
}

// Only the sizes of projected documents count: hidden fields must not affect the result.
Result<QueryRun::Flow> QueryRun::accept(std::string_view id, std::string document) {
  if (sorter_) {
    RETURN_IF_ERROR(sortPositions_.check(doc::DocumentView(document)));
    const Sorter::Position position = sorter_->locate(id, doc::DocumentView(document));
    if (position == Sorter::Position::behind) return Flow::enough;
    if (position == Sorter::Position::kept) RETURN_IF_ERROR(sorter_->keep(project(id, std::move(document))));
    return Flow::on;
  }
  const bool unprojected = query_.projection == Projection::documents && !query_.hidden && !query_.fields;
  std::string position;
  if (query_.paged && ordersByKeys() && (!unprojected || !query_.after.empty())) {
    position = sortPositions_.of(id, doc::DocumentView(document));
    if (position <= query_.after) return Flow::on;
  } else if (query_.paged && !unprojected) {
    position = id;
  }
  TRY(const bool fits, add(project(id, std::move(document)), std::move(position)));
  return !fits || wanted() == 0 ? Flow::enough : Flow::on;
}

Result<QueryRun::Flow> QueryRun::fetch(Session& session, DocumentBatch& batch) {
  if (batch.empty()) return Flow::on;
  if (keysSuffice(session, batch)) {
    for (size_t i = 0; i < batch.size(); ++i) {
      if (countOrSkip()) continue;
      TRY(const Flow flow, accept(batch.id(i), {}));
      if (flow != Flow::on) return flow;
    }
    return Flow::on;
  }
  TRY(const bool read, batch.read(context_.database, session.options, !session.isScan()));
  if (!read) return Flow::disk;
  if (!counting_) result_.documents.reserve(result_.documents.size() + std::min<uint64_t>(batch.size(), wanted()));
  for (size_t i = 0; i < batch.size(); ++i) {
    ++result_.explain.documentsExamined;
    const bool matches = batch.found(i) && isMatch(session, batch.bytes(i), batch.isKnownToMatch(i));
    if (WorkBudget::exceeded()) return Flow::costly;
    if (!matches || countOrSkip()) continue;
    TRY(const Flow flow, accept(batch.id(i), std::move(batch.bytes(i))));
    if (flow != Flow::on) return flow;
  }
  return Flow::on;
}

}  // namespace mb::store::embedded

#include "store/embedded/query_run.h"

#include "store/embedded/keys.h"
#include "store/embedded/query_session.h"

namespace mb::store::embedded {

namespace {

// How far the keys of each usable index are counted before the smallest is taken.
constexpr std::array<uint64_t, 2> kCountCaps = {32, 512};

uint64_t saturatingAdd(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace

QueryRun::QueryRun(Database& database, CollectionHandle collection, Query query, bool counting)
    : database_(database), collection_(std::move(collection)), query_(std::move(query)), counting_(counting) {
  resetAnswer();
}

void QueryRun::resetAnswer() {
  skipLeft_ = counting_ ? 0 : query_.skip;
  counted_ = 0;
  bytes_ = 0;
  sorter_.reset();
  result_.documents.clear();
}

void QueryRun::restart() {
  resetAnswer();
  result_ = {};
  plan_.reset();
  at_ = 0;
  next_.clear();
  tried_ = false;
  window_.clear();
  windowReady_ = windowCut_ = anyFloor_ = false;
}

uint64_t QueryRun::wanted() const {
  return counting_ ? UINT64_MAX : query_.limit - result_.documents.size();
}

Result<QueryRun::Step> QueryRun::step(const Budget& budget) {
  if (!counting_ && query_.limit == 0) return Step::done;
  Session session(database_, budget, ++session_);
  if (!plan_) {
    TRY(const Flow chosen, choosePlan(session));
    if (chosen == Flow::disk) return Step::disk;
  }
  Flow flow = Flow::on;
  switch (plan_->kind) {
    case Plan::Kind::ids: {
      TRY(flow, readByIds(session));
      break;
    }
    case Plan::Kind::documents: {
      TRY(flow, readDocuments(session));
      break;
    }
    case Plan::Kind::index: {
      TRY(flow, readIndex(session));
      break;
    }
  }
  if (flow == Flow::disk) return Step::disk;
  return flow == Flow::more ? Step::more : Step::done;
}

QueryResult QueryRun::takeResult() {
  if (sorter_) result_.documents = sorter_->take(query_.skip);
  return std::move(result_);
}

Result<QueryRun::Flow> QueryRun::choosePlan(Session& session) {
  const CollectionRef ref{collection_.state->project, collection_.schema->number, collection_.schema->version};
  std::vector<Plan> plans = usablePlans(ref, *collection_.schema, query_.filter, query_.sort);
  size_t best = 0;
  if (plans.size() > 1) {
    const uint64_t enough = saturatingAdd(query_.skip, query_.limit);
    std::vector<std::unique_ptr<RangeReader>> readers(plans.size());
    for (const uint64_t cap : kCountCaps) {
      auto least = std::tuple(UINT64_MAX, false, false, false);
      for (size_t i = 0; i < plans.size(); ++i) {
        const Plan& plan = plans[i];
        if (!readers[i]) {
          readers[i] = std::make_unique<RangeReader>(database_, Family::indexes, session.options, plan.ranges);
        }
        session.prepared = std::move(readers[i]);
        const auto keys = countKeys(session, plan, cap);
        readers[i] = std::move(session.prepared);
        if (!keys) return Flow::disk;
        const bool ordered = query_.sort.empty() ? plan.inIdOrder : plan.inSortOrder;
        const uint64_t cost = ordered && plan.exact && !counting_ ? std::min(*keys, enough) : *keys;
        const auto rank = std::tuple(cost, !ordered, !plan.exact, plan.mayRepeat);
        if (rank >= least) continue;
        least = rank;
        best = i;
      }
      if (std::get<0>(least) < cap) break;
    }
    session.prepared = std::move(readers[best]);
  }
  plan_ = std::move(plans[best]);
  if (plan_->kind == Plan::Kind::index) {
    result_.explain.index = plan_->index->spec.name;
  } else if (plan_->kind == Plan::Kind::ids || plan_->boundsIds) {
    result_.explain.index = "id";
  }
  if (!counting_ && !query_.sort.empty() && !plan_->inSortOrder) {
    TRY(sorter_, Sorter::make(query_.sort, saturatingAdd(query_.skip, query_.limit)));
  }
  return Flow::on;
}

std::optional<uint64_t> QueryRun::countKeys(Session& session, const Plan& plan, uint64_t cap) {
  RangeReader& reader = *session.prepared;
  uint64_t keys = 0;
  for (const KeyRange& range : plan.ranges) {
    for (reader.seek(range.from); keys < cap && reader.isBelow(range.to); reader.next()) ++keys;
    if (keys == cap) return keys;
    if (reader.status().IsIncomplete()) return std::nullopt;
  }
  return keys;
}

bool QueryRun::isMatch(Session& session, std::string_view document) const {
  const bool fresh = window_.empty() || windowSession_ == session.number;
  return (plan_->exact && fresh) || query_.filter.matches(doc::DocumentView(document));
}

Result<QueryRun::Flow> QueryRun::accept(std::string_view id, std::string_view document) {
  if (counting_) {
    ++counted_;
    return Flow::on;
  }
  if (sorter_) {
    CHECK(sorter_->add(id, doc::DocumentView(document)));
    return Flow::on;
  }
  if (skipLeft_ > 0) {
    --skipLeft_;
    return Flow::on;
  }
  bytes_ += document.size();
  if (bytes_ > kAnswerBytes) {
    return fail(ErrorCode::payloadTooLarge, "the answer would be larger than 16 MiB; ask for a smaller `limit`");
  }
  result_.documents.push_back(doc::Document::fromTrusted(std::string(document)));
  return result_.documents.size() >= query_.limit ? Flow::enough : Flow::on;
}

std::string_view QueryRun::idOf(std::string_view key, std::string_view value) const {
  if (plan_->index->spec.unique) return value;
  return value.size() == 2 ? key.substr(std::min<size_t>(readU16(value.data()), key.size())) : std::string_view();
}

Result<QueryRun::Flow> QueryRun::fetch(Session& session, std::span<const std::string> ids) {
  if (ids.empty()) return Flow::on;
  const CollectionState& state = *collection_.state;
  const uint64_t sequence = session.snapshot.get()->GetSequenceNumber();
  DocumentCache& cache = database_.documents();
  std::vector<DocumentCache::Bytes> found(ids.size());
  std::vector<DocumentCache::Ticket> tickets(ids.size());
  std::vector<std::string> keys;
  std::vector<rocksdb::Slice> slices;
  std::vector<size_t> missed;
  keys.reserve(ids.size());  // slices point into it
  for (size_t i = 0; i < ids.size(); ++i) {
    std::string& key = keys.emplace_back(documentKey(state.project, state.number, ids[i]));
    found[i] = cache.find(key, sequence, tickets[i]);
    if (found[i]) continue;
    slices.push_back(slice(key));
    missed.push_back(i);
  }
  std::vector<rocksdb::PinnableSlice> values(missed.size());
  std::vector<rocksdb::Status> statuses(missed.size());
  if (!missed.empty()) {
    database_.db().MultiGet(session.options, database_.family(Family::documents), missed.size(), slices.data(),
                            values.data(), statuses.data(), false);
  }
  for (const rocksdb::Status& status : statuses) {
    if (status.IsIncomplete()) return Flow::disk;
    if (!status.ok() && !status.IsNotFound()) return fail(readError(status));
  }
  size_t read = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    ++result_.explain.documentsExamined;
    std::string_view bytes;
    if (found[i]) {
      bytes = *found[i];
    } else {
      const size_t at = read++;
      if (!statuses[at].ok()) continue;
      bytes = view(values[at]);
      // A scan passes by everything once; it would push out what is asked for again and again.
      if (session.budget.tier == Tier::memory) {
        cache.fill(keys[i], std::make_shared<const std::string>(bytes), sequence, tickets[i]);
      }
    }
    if (!isMatch(session, bytes)) continue;
    TRY(const Flow flow, accept(ids[i], bytes));
    if (flow != Flow::on) return flow;
  }
  return Flow::on;
}

}  // namespace mb::store::embedded

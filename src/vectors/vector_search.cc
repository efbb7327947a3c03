#include "vectors/vector_search.h"

#include <algorithm>
#include <unordered_set>

#include "base/cancellation.h"
#include "data/grant.h"
#include "data/vector_fields.h"
#include "data/visible_documents.h"

namespace mb::vectors {

namespace {

constexpr auto kEmbedLimit = std::chrono::seconds(10);
constexpr size_t kReadAtOnce = data::SearchDocuments::kMaxAtOnce;
constexpr size_t kDefaultEf = IndexOptions{}.efSearch;
// With a filter, this many candidates estimate its selectivity. A sample of this size seldom misjudges a filter that
// matches a tenth, or one that matches a hundredth.
constexpr size_t kSampledCandidates = 128;
// If an index shows that the filter matches at most this many documents, all of them are measured at once.
constexpr size_t kFewIds = 1'024;
// If the filter matches at most this many documents, all of them are measured.
constexpr size_t kExactIds = 5'000;
// After this many candidates all documents that the filter matches are measured, whatever their number.
constexpr size_t kMaxCandidates = 16'384;

std::unexpected<Error> wrong(std::string path, std::string message) {
  std::string line = path + " " + message;
  return fail(Error(ErrorCode::validation, std::move(line)).withDetail(std::move(path), std::move(message)));
}

// Refuses a search whose scores would reveal a field that the caller may not read.
Result<> refuseDenied(const data::Access& access, const data::Collection& collection, const VectorField& field) {
  if (data::authorityOf(access.caller, access.authority) == data::Authority::admin) return {};
  const doc::FieldSet& denied = collection.deniedReadFields(readerKindOf(access.caller));
  if (denied.empty()) return {};
  bool touched = !field.automatic && denied.touches(field.config.name);
  if (field.automatic) {
    for (const doc::FieldPath& path : field.source.paths()) touched = touched || denied.touches(path.dotted());
  }
  if (!touched) return {};
  return fail(ErrorCode::forbidden, "search on this field is denied: your role cannot read it");
}

}  // namespace

struct VectorSearch::Run {
  const data::Access& access;
  const std::string& collection;
  data::ReadQuery query = {};
  VectorFieldPtr field = {};
  std::vector<float> vector = {};
  size_t limit = 0;
  bool seesAll = false;
  std::shared_ptr<VectorIndex> index = {};
  std::optional<View> view = {};
  std::unordered_set<std::string> checkedIds = {};
  SearchResult result = {};
  int64_t work = data::kMatchWork;

  size_t ef() const {
    const auto& graph = field->config.index;
    return graph && graph->efSearch ? static_cast<size_t>(*graph->efSearch) : kDefaultEf;
  }
  bool full() const { return result.hits.size() >= limit; }
};

Result<> VectorSearch::allowed(const data::Access& access, const std::string& collection) const {
  return deps_.documents.allowed(access, collection);
}

Result<VectorFieldPtr> VectorSearch::fieldOf(const CollectionVectors* vectors, const SearchRequest& request) const {
  if (!vectors) {
    return fail(ErrorCode::validation, "this collection cannot be searched: it has no vector config");
  }
  VectorFieldPtr field = request.field ? vectors->find(*request.field) : vectors->fields.front();
  if (!field) return wrong("/field", "must name a vector field of this collection");
  if (field->automatic) {
    if (request.vector) return wrong("/vector", "is not allowed: the field is in mode auto; send text");
    if (!request.text) return wrong("/text", "is required");
    if (request.text->empty()) return wrong("/text", "must not be empty");
    if (request.text->size() > kMaxTextBytes) {
      return wrong("/text", fmt::format("must have at most {} bytes", kMaxTextBytes));
    }
    return field;
  }
  if (request.text) return wrong("/text", "is not allowed: the field is in mode manual; send a vector");
  return field;
}

Task<std::vector<float>> VectorSearch::queryOf(const data::Access& access, VectorFieldPtr field,
                                               const SearchRequest& request) {
  std::vector<float> query;
  if (field->automatic) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(access.deadline - std::chrono::steady_clock::now());
    const auto timeout = std::clamp<std::chrono::milliseconds>(left, std::chrono::milliseconds(1), kEmbedLimit);
    std::vector<std::string> texts{request.text.value_or("")};
    CO_TRY(TextVectors vectors,
           co_await deps_.embedder.embed(std::move(texts), field->dimensions(),
                                         {access.project->info().id.str(), "embeddings/search"}, timeout));
    query = std::move(vectors.front());
  } else {
    if (!request.vector) co_return wrong("/vector", "is required");
    auto numbers = data::vectorOf(*request.vector, field->dimensions());
    if (!numbers) co_return wrong("/vector", numbers.error());
    query = *std::move(numbers);
  }
  if (const Result<> measurable = checkVector(optionsOf(field->config), query); !measurable) {
    co_return wrong(field->automatic ? "/text" : "/vector", measurable.error().message());
  }
  co_return query;
}

Task<SearchResult> VectorSearch::search(const data::Access& access, const std::string& collection,
                                        SearchRequest request) {
  Run run{access, collection};
  run.query.filter = std::move(request.filter);
  // First, so that a caller without read access gets no other error.
  CO_TRY(run.seesAll, co_await deps_.documents.seesAll(access, collection, run.query));
  if (request.text && access.caller.kind == policy::CallerKind::anonymous) {
    co_return fail(ErrorCode::unauthenticated,
                   "searching by text needs a bearer token: each search costs an embedding");
  }
  const CollectionVectorsPtr vectors = access.project->get(deps_.slot).find(collection);
  CO_TRY(run.field, fieldOf(vectors.get(), request));
  const data::CollectionPtr* found = access.project->get(deps_.collections).find(collection);
  CO_RETURN_IF_ERROR(refuseDenied(access, **found, *run.field));
  CO_TRY(run.vector, co_await queryOf(access, run.field, request));
  run.limit = std::min<uint64_t>(request.limit.value_or(kDefaultHits), kMaxHits);
  if (run.limit == 0) co_return SearchResult{};
  const FieldPlace place{access.project->info().number, vectors->number, run.field};
  CO_TRY(run.index, co_await deps_.indexes.use(place, access.deadline));
  CO_RETURN_IF_ERROR(co_await nearest(run));
  co_return std::move(run.result);
}

// The read path checks candidates of the graph, more of them as long as too few are visible. For a selective filter,
// as estimated from an index or the first candidates, the order is reversed: the read path returns the ids of all
// matching documents, and their vectors are measured.
Task<> VectorSearch::nearest(Run& run) {
  run.view.emplace(run.index->view());
  if (!run.seesAll) {
    CO_TRY(const auto few, co_await deps_.documents.fewIds(run.access, run.collection, run.query, kFewIds));
    if (few) co_return co_await exact(run, *few);
  }
  const size_t vectors = run.view->size();
  // The cost of a walk depends on the candidates that it keeps, not on the number of results.
  size_t wanted = run.seesAll ? run.limit : std::max(run.ef(), 2 * run.limit);
  bool sampled = run.seesAll;  // the filter's selectivity was estimated
  bool counted = run.seesAll;  // the documents that the filter matches were counted
  while (true) {
    const CancellationFlag left(co_await asio::this_coro::cancellation_state);
    auto candidates = co_await deps_.pool.run([&run, &left, wanted]() -> Result<std::vector<Hit>> {
      Search search;
      search.limit = wanted;
      search.ef = std::max(run.ef(), wanted);
      search.deadline = run.access.deadline;
      search.stop = &left.atomic();
      return run.view->nearest(run.vector, search);
    });
    if (left.isSet()) co_return clientLeft();
    if (!candidates) co_return fail(std::move(candidates).error());
    const size_t found = candidates->size();
    std::vector<Hit> rest = *std::move(candidates);
    bool promising = true;
    if (!sampled && found > kSampledCandidates) {
      sampled = true;
      const auto first = rest.begin() + kSampledCandidates;
      CO_RETURN_IF_ERROR(co_await collectVisible(run, {std::move_iterator(rest.begin()), std::move_iterator(first)}));
      rest.erase(rest.begin(), first);
      promising = run.result.hits.size() * found >= run.limit * kSampledCandidates;
    }
    if (promising) {
      CO_RETURN_IF_ERROR(co_await collectVisible(run, std::move(rest)));
      if (run.full() || found < wanted || found >= vectors) co_return Result<>();
    }
    // Checked before a wider walk.
    if (!counted || found >= kMaxCandidates) {
      const size_t max = found >= kMaxCandidates ? vectors : kExactIds;
      counted = true;
      CO_TRY(const std::vector<std::string> ids,
             co_await deps_.documents.ids(run.access, run.collection, run.query, max));
      if (ids.size() <= kExactIds || found >= kMaxCandidates) co_return co_await exact(run, ids);
    }
    wanted = std::min(vectors, 4 * wanted);
  }
}

Task<> VectorSearch::exact(Run& run, const std::vector<std::string>& ids) {
  const CancellationFlag left(co_await asio::this_coro::cancellation_state);
  auto hits = co_await deps_.pool.run([&run, &left, &ids]() -> Result<std::vector<Hit>> {
    const SlotSet within = run.view->slotsOf(ids);
    Search search;
    // A few more than the limit: a document may have been deleted or changed since its id was read.
    search.limit = run.limit + 16;
    search.within = &within;
    search.deadline = run.access.deadline;
    search.stop = &left.atomic();
    return run.view->exact(run.vector, search);
  });
  if (left.isSet()) co_return clientLeft();
  if (!hits) co_return fail(std::move(hits).error());
  run.result.hits.clear();
  run.checkedIds.clear();
  co_return co_await collectVisible(run, *std::move(hits));
}

// Adds the candidates whose documents the caller may read to the hits, until there are enough; with most filters few
// documents are read. A wider walk finds mostly the candidates of the narrower one; those are not checked again.
Task<> VectorSearch::collectVisible(Run& run, std::vector<Hit> candidates) {
  std::erase_if(candidates, [&](const Hit& each) { return !run.checkedIds.insert(each.id).second; });
  size_t part = std::min(2 * run.limit, kReadAtOnce);
  for (size_t at = 0, end = 0; at < candidates.size() && !run.full(); at = end) {
    end = std::min(candidates.size(), at + part);
    part = std::min(2 * part, kReadAtOnce);
    std::vector<std::string> ids;
    for (size_t i = at; i < end; ++i) ids.push_back(candidates[i].id);
    // Denied fields are removed before the client's projection: the projection removes list positions, and the
    // remaining ones move up.
    CO_TRY(std::vector<std::optional<doc::Document>> visible,
           co_await deps_.documents.among(run.access, run.collection, run.query, ids, run.work));
    for (size_t i = 0; i < visible.size() && !run.full(); ++i) {
      if (visible[i]) run.result.hits.push_back({*std::move(visible[i]), candidates[at + i].score});
    }
  }
  std::ranges::sort(run.result.hits, [](const SearchHit& a, const SearchHit& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.document.view().stringOr("id") < b.document.view().stringOr("id");
  });
  co_return Result<>();
}

}  // namespace mb::vectors

#include "vectors/vector_search.h"

#include <algorithm>
#include <unordered_set>

#include "base/cancellation.h"
#include "data/vector_fields.h"
#include "data/visible_documents.h"

namespace mb::vectors {

namespace {

constexpr auto kEmbedLimit = std::chrono::seconds(10);
constexpr size_t kReadAtOnce = data::SearchDocuments::kMaxAtOnce;
constexpr size_t kDefaultEf = IndexOptions{}.efSearch;
// With a filter: so many candidates tell whether it lets enough of them through. One that lets a tenth through seldom
// looks as if it did not, one that lets a hundredth through seldom as if it did.
constexpr size_t kTriedCandidates = 128;
// So many documents are measured one by one before anything else, where an index tells that there are no more.
constexpr size_t kFewIds = 1'024;
// As many documents as that, and fewer, are measured one by one.
constexpr size_t kExactIds = 5'000;
// Past that many candidates all that the filter matches is measured, however many these are.
constexpr size_t kMaxCandidates = 16'384;

std::unexpected<Error> wrong(std::string path, std::string message) {
  std::string line = path + " " + message;
  return fail(Error(ErrorCode::validation, std::move(line)).withDetail(std::move(path), std::move(message)));
}

// What the field's nearness tells of is what the caller may not read.
Result<> refuseDenied(const data::Access& access, const data::Collection& collection, const VectorField& field) {
  if (access.authority == data::Authority::admin) return {};
  const doc::FieldSet& denied = collection.deniedReadFields();
  if (denied.empty()) return {};
  bool touched = !field.automatic && denied.touches(field.config.name);
  if (field.automatic) {
    for (const doc::FieldPath& path : field.source.paths()) touched = touched || denied.touches(path.dotted());
  }
  if (!touched) return {};
  return fail(ErrorCode::forbidden, "this field is not for you to read, nor to search by");
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
  std::unordered_set<std::string> judged = {};
  SearchResult result = {};
  int64_t work = data::kMatchWork;

  size_t ef() const {
    const auto& graph = field->config.index;
    return graph && graph->efSearch ? static_cast<size_t>(*graph->efSearch) : kDefaultEf;
  }
  bool full() const { return result.hits.size() >= limit; }
};

Result<> VectorSearch::allowed(const data::Access& access, const std::string& collection) const {
  RETURN_IF_ERROR(deps_.documents.seesAll(access, collection, {}));
  return {};
}

Result<VectorFieldPtr> VectorSearch::fieldOf(const CollectionVectors* vectors, const SearchRequest& request) const {
  if (!vectors) return fail(ErrorCode::validation, "this collection has no vector config, and cannot be searched");
  VectorFieldPtr field = request.field ? vectors->find(*request.field) : vectors->fields.front();
  if (!field) return wrong("/field", "names no vector field of this collection");
  if (field->automatic) {
    if (request.vector) return wrong("/vector", "cannot be given: the field's vectors are made of text; give text");
    if (!request.text) return wrong("/text", "is required");
    if (request.text->empty()) return wrong("/text", "must not be empty");
    if (request.text->size() > kMaxTextBytes) {
      return wrong("/text", fmt::format("must have at most {} bytes", kMaxTextBytes));
    }
    return field;
  }
  if (request.text) return wrong("/text", "cannot be given: the field's vectors are not made of text; give a vector");
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
    auto given = data::vectorOf(*request.vector, field->dimensions());
    if (!given) co_return wrong("/vector", given.error());
    query = *std::move(given);
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
  // Who may not read learns nothing else.
  CO_TRY(run.seesAll, deps_.documents.seesAll(access, collection, run.query));
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

// Candidates of the graph are judged by the read path, more of them as long as too few are shown. A filter that lets
// few through, as an index or the first candidates tell, is answered the other way round: the read path says which
// documents, and all of these are measured.
Task<> VectorSearch::nearest(Run& run) {
  run.view.emplace(run.index->view());
  if (!run.seesAll) {
    CO_TRY(const auto few, co_await deps_.documents.fewIds(run.access, run.collection, run.query, kFewIds));
    if (few) co_return co_await exact(run, *few);
  }
  const size_t vectors = run.view->size();
  // A walk costs what it keeps, not what it gives.
  size_t wanted = run.seesAll ? run.limit : std::max(run.ef(), 2 * run.limit);
  bool tried = run.seesAll;    // what the first candidates tell
  bool counted = run.seesAll;  // and how many documents the filter matches
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
    if (!tried && found > kTriedCandidates) {
      tried = true;
      const auto first = rest.begin() + kTriedCandidates;
      CO_RETURN_IF_ERROR(co_await judge(run, {std::move_iterator(rest.begin()), std::move_iterator(first)}));
      rest.erase(rest.begin(), first);
      promising = run.result.hits.size() * found >= run.limit * kTriedCandidates;
    }
    if (promising) {
      CO_RETURN_IF_ERROR(co_await judge(run, std::move(rest)));
      if (run.full() || found < wanted || found >= vectors) co_return Result<>();
    }
    // Before a wider walk.
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
    // Some more than asked for: a document may have gone, or changed, since its id was read.
    search.limit = run.limit + 16;
    search.within = &within;
    search.deadline = run.access.deadline;
    search.stop = &left.atomic();
    return run.view->exact(run.vector, search);
  });
  if (left.isSet()) co_return clientLeft();
  if (!hits) co_return fail(std::move(hits).error());
  run.result.hits.clear();
  run.judged.clear();
  co_return co_await judge(run, *std::move(hits));
}

// Takes those whose documents the caller may read, until there are enough; most filters need few to be read. A wider
// walk finds mostly what a narrower one found; that is not judged again.
Task<> VectorSearch::judge(Run& run, std::vector<Hit> candidates) {
  std::erase_if(candidates, [&](const Hit& each) { return !run.judged.insert(each.id).second; });
  size_t part = std::min(2 * run.limit, kReadAtOnce);
  for (size_t at = 0, end = 0; at < candidates.size() && !run.full(); at = end) {
    end = std::min(candidates.size(), at + part);
    part = std::min(2 * part, kReadAtOnce);
    std::vector<std::string> ids;
    for (size_t i = at; i < end; ++i) ids.push_back(candidates[i].id);
    // Denied fields are left out before the client's choice of fields: that leaves list positions out, and the rest
    // move up.
    CO_TRY(std::vector<std::optional<doc::Document>> shown,
           co_await deps_.documents.among(run.access, run.collection, run.query, ids, run.work));
    for (size_t i = 0; i < shown.size() && !run.full(); ++i) {
      if (shown[i]) run.result.hits.push_back({*std::move(shown[i]), candidates[at + i].score});
    }
  }
  std::ranges::sort(run.result.hits, [](const SearchHit& a, const SearchHit& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.document.view().stringOr("id") < b.document.view().stringOr("id");
  });
  co_return Result<>();
}

}  // namespace mb::vectors

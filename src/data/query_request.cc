#include "data/query_request.h"

#include "document/path.h"

namespace mb::data {

namespace {

void checkPaths(const std::vector<std::string>& paths, size_t max, const std::string& pointer,
                std::vector<ErrorDetail>& problems) {
  if (paths.size() > max) problems.push_back({pointer, fmt::format("must have at most {} paths", max)});
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto path = doc::FieldPath::parse(paths[i]);
    if (!path) problems.push_back({fmt::format("{}/{}", pointer, i), path.error().message()});
  }
}

void checkCount(const std::optional<int64_t>& count, const std::string& pointer, std::vector<ErrorDetail>& problems) {
  if (count && *count < 0) problems.push_back({pointer, "must not be negative"});
}

// The problem of a sort key; "" for none.
std::string sortProblem(doc::DocumentView key) {
  if (key.count() != 1) return "must be an object of one path, with 1 or -1";
  const doc::Element only = *key.begin();
  const auto path = doc::FieldPath::parse(only.key);
  if (!path) return path.error().message();
  const auto direction = only.value.isNumber() ? only.value.toInteger() : std::nullopt;
  if (direction != 1 && direction != -1) return "must have 1 (ascending) or -1 (descending) for its path";
  return "";
}

}  // namespace

std::vector<store::SortKey> parseSort(const std::vector<doc::Document>& sort, const std::string& pointer,
                                      std::vector<ErrorDetail>& problems) {
  std::vector<store::SortKey> keys;
  if (sort.size() > kMaxSortKeys) {
    problems.push_back({pointer, fmt::format("must have at most {} keys", kMaxSortKeys)});
    return keys;
  }
  for (size_t i = 0; i < sort.size(); ++i) {
    const std::string at = fmt::format("{}/{}", pointer, i);
    const doc::DocumentView key = sort[i];
    if (std::string problem = sortProblem(key); !problem.empty()) {
      problems.push_back({at, std::move(problem)});
      continue;
    }
    const std::string_view path = key.begin()->key;
    if (std::ranges::find(keys, path, &store::SortKey::path) != keys.end()) {
      problems.push_back({at, "names a path for the second time"});
    }
    keys.push_back({std::string(path), static_cast<int>(*key.begin()->value.toInteger())});
  }
  return keys;
}

Result<DocumentQuery> parseQuery(QueryRequest request) {
  std::vector<ErrorDetail> problems;
  DocumentQuery query;
  query.read.filter = std::move(request.filter);
  if (request.sort) query.read.sort = parseSort(*request.sort, "/sort", problems);
  if (request.fields) {
    checkPaths(*request.fields, kMaxQueryFields, "/fields", problems);
    query.fields = std::move(request.fields);
  }
  if (request.expand) {
    checkPaths(*request.expand, kMaxQueryExpands, "/expand", problems);
    query.read.expand = *std::move(request.expand);
  }
  checkCount(request.limit, "/limit", problems);
  checkCount(request.skip, "/skip", problems);
  if (request.skip && request.after) problems.push_back({"/skip", "must not be given with after"});
  if (!problems.empty()) {
    std::string message = fmt::format("{} {}", problems.front().path, problems.front().message);
    return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
  }
  if (request.limit) query.read.limit = static_cast<uint64_t>(*request.limit);
  if (request.skip) query.read.skip = static_cast<uint64_t>(*request.skip);
  query.after = std::move(request.after);
  query.total = request.total.value_or(false);
  return query;
}

}  // namespace mb::data

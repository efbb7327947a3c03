#include "vectors/vector_rules.h"

#include <algorithm>
#include <set>

#include "vectors/index/vector_index.h"
#include "vectors/source_text.h"

namespace mb::vectors {

namespace {

constexpr std::string_view kServerFields[] = {"id", "ownerId", "createdAt", "updatedAt", "_score"};

bool isFieldName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto other = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= 64 && letter(name.front()) && std::ranges::all_of(name, other);
}

void checkRange(std::optional<int64_t> value, int64_t from, int64_t to, const std::string& pointer,
                std::vector<ErrorDetail>& problems) {
  if (value && (*value < from || *value > to)) {
    problems.push_back({pointer, fmt::format("must be {} to {}", from, to)});
  }
}

void checkField(const FieldConfig& field, const std::string& pointer, bool embeds, std::vector<ErrorDetail>& problems) {
  if (!isFieldName(field.name)) {
    problems.push_back(
        {pointer + "/name", "must be a letter or underscore, then at most 63 letters, digits, hyphens or underscores"});
  } else if (std::ranges::find(kServerFields, field.name) != std::end(kServerFields)) {
    problems.push_back({pointer + "/name", "is reserved for the server: use another name"});
  }
  checkRange(field.dimensions, 1, static_cast<int64_t>(kMaxDimensions), pointer + "/dimensions", problems);
  if (field.metric && *field.metric != "cosine" && *field.metric != "dot" && *field.metric != "euclidean") {
    problems.push_back({pointer + "/metric", "must be cosine, dot or euclidean"});
  }
  if (field.mode && *field.mode != "manual" && *field.mode != "auto") {
    problems.push_back({pointer + "/mode", "must be manual or auto"});
  }
  if (field.source) {
    for (ErrorDetail& each : SourceText::problemsOf(*field.source)) {
      problems.push_back({pointer + "/source" + each.path, std::move(each.message)});
    }
  }
  if (field.mode == "auto") {
    if (!field.source) problems.push_back({pointer + "/source", "is required in mode auto"});
    if (!embeds) problems.push_back({pointer + "/mode", "cannot be auto: the deployment has no embeddings endpoint"});
    if (field.source && std::ranges::find(field.source->fields, field.name) != field.source->fields.end()) {
      problems.push_back({pointer + "/source/fields", "must not name the field itself"});
    }
  }
  if (field.index) {
    checkRange(field.index->m, 4, 64, pointer + "/index/m", problems);
    checkRange(field.index->efConstruction, 16, 1000, pointer + "/index/efConstruction", problems);
    checkRange(field.index->efSearch, 10, 1000, pointer + "/index/efSearch", problems);
  }
}

}  // namespace

std::vector<ErrorDetail> problemsOf(const VectorConfig& config, bool embeds) {
  std::vector<ErrorDetail> problems;
  if (config.fields.empty() || config.fields.size() > kMaxVectorFields) {
    problems.push_back({"/fields", fmt::format("must hold 1 to {} fields", kMaxVectorFields)});
    return problems;
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < config.fields.size(); ++i) {
    const std::string pointer = fmt::format("/fields/{}", i);
    checkField(config.fields[i], pointer, embeds, problems);
    if (!names.insert(config.fields[i].name).second) {
      problems.push_back({pointer + "/name", "is a duplicate: remove it"});
    }
  }
  return problems;
}

Result<> check(const VectorConfig& config, bool embeds) {
  std::vector<ErrorDetail> problems = problemsOf(config, embeds);
  if (problems.empty()) return {};
  std::string message = problems.front().path + " " + problems.front().message;
  return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
}

VectorConfig canonical(VectorConfig config) {
  for (FieldConfig& field : config.fields) {
    if (!field.metric) field.metric = "cosine";
    if (!field.mode) field.mode = "manual";
    if (field.index == GraphConfig()) field.index.reset();
  }
  return config;
}

}  // namespace mb::vectors

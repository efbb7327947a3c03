// `manybase introspect`, `introspect import` and `introspect backfill`.
#include <charconv>

#include "base/files.h"
#include "cli/configuration_sync.h"
#include "cli/own_database.h"
#include "cli/server_features.h"
#include "document/json.h"

namespace mb::cli {

namespace {

constexpr size_t kMaxSchemaBytes = 1 << 20;
constexpr int64_t kMaxSample = 1000;
constexpr int64_t kMaxLimit = 10'000;

std::string routeOf(std::string_view collection, std::string_view below = "") {
  return fmt::format("/introspect/{}{}", percentEncoded(collection), below);
}

// An option that is a whole number from 1 to `most`; nullopt where it is not given.
Result<std::optional<int64_t>> numberIn(const Client& client, const std::string& option, int64_t most) {
  if (!client.has(option)) return std::nullopt;
  const std::string text = client.value(option);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= most) return number;
  return fail(ErrorCode::invalidParam, fmt::format("--{} must be a whole number from 1 to {}", option, most));
}

// The response, and `T` out of it.
template <class T>
Result<std::pair<doc::Document, T>> callFor(ProjectSession& opened, Call call) {
  TRY(doc::Document response, opened.session->admin(opened.project, std::move(call)));
  auto read = doc::decode<T>(response, doc::UnknownFields::ignore);
  if (!read) return unexpectedResponse(*opened.session);
  return std::pair(std::move(response), *std::move(read));
}

Outcome outcomeOf(const ProjectSession& opened, std::string text, const doc::Document& response) {
  doc::BsonWriter result;
  appendProject(result, *opened.session, opened.project);
  result.appendAll(response);
  return Outcome{0, std::move(text), result.finish()};
}

// Puts the schema that --schema names into the body: "none" for none, else a file. Without it the server infers one.
Result<> putSchema(doc::BsonWriter& body, const Client& client) {
  if (!client.has("schema")) return {};
  const std::string given = client.value("schema");
  if (given == "none") {
    body.appendBool("schema", false);
    return {};
  }
  TRY(const std::string text, readWhole(given, kMaxSchemaBytes));
  const auto schema = doc::parseJson(text, {.extended = doc::ExtendedJson::refuse});
  if (!schema)
    return fail(ErrorCode::validation, fmt::format("{} is not a JSON object: {}", given, schema.error().message()));
  body.appendDocument("schema", *schema);
  return {};
}

std::string countOf(int64_t documents) {
  return documents == 1 ? "1 document" : fmt::format("{} documents", documents);
}

}  // namespace

Result<Outcome> introspect(Client& client) {
  TRY(const std::optional<int64_t> sample, numberIn(client, "sample", kMaxSample));
  const std::string source = client.value("collection");
  if (source.empty() && sample) return fail(ErrorCode::invalidParam, "--sample is about a collection: name one");
  TRY(ProjectSession opened, client.projectSession());
  if (source.empty()) {
    TRY(const auto listed, callFor<SourceList>(opened, {"GET", "/introspect", "reading the collections"}));
    const auto& [response, list] = listed;
    return outcomeOf(opened, list.collections.empty() ? "the database has no collections" : textOf(list.collections),
                     response);
  }
  const std::string query = sample ? fmt::format("?sample={}", *sample) : "";
  TRY(const auto reported, callFor<SourceReport>(opened, {"GET", routeOf(source, query), "reading documents"}));
  return outcomeOf(opened, textOf(reported.second), reported.first);
}

Result<Outcome> importSource(Client& client) {
  doc::BsonWriter body;
  if (client.has("name")) body.appendString("name", client.value("name"));
  RETURN_IF_ERROR(putSchema(body, client));
  if (client.has("pre-images")) body.appendBool("preImages", true);
  TRY(ProjectSession opened, client.projectSession());
  const std::string source = client.value("collection");
  TRY(const auto made,
      callFor<ImportedSource>(opened, {"POST", routeOf(source, "/import"), "importing the collection", body.finish()}));
  const ImportedSource& imported = made.second;
  std::string text = fmt::format("imported {} as {} into {}; only administrators can use it until it has a policy\n",
                                 source, imported.collection, opened.project.shown()) +
                     textOf(imported.warnings);
  if (imported.verdict == "needs-backfill") {
    text += fmt::format("some documents have no id: `manybase introspect backfill {}` gives them one\n", source);
  }
  return outcomeOf(opened, std::move(text), made.first);
}

Result<Outcome> backfillSource(Client& client) {
  TRY(const std::optional<int64_t> limit, numberIn(client, "limit", kMaxLimit));
  TRY(ProjectSession opened, client.projectSession());
  const std::string source = client.value("collection");
  doc::BsonWriter written;
  if (limit) written.appendInt64("limit", *limit);
  const doc::Document body = written.finish();
  BackfilledSource total;
  do {
    TRY(const auto made,
        callFor<BackfilledSource>(opened, {"POST", routeOf(source, "/backfill"), "reading documents", body}));
    const BackfilledSource& part = made.second;
    total.matched += part.matched;
    total.modified += part.modified;
    total.remaining = part.remaining;
    client.console().step({"documents with an id", total.modified, total.modified + total.remaining});
    // Without this a collection whose documents cannot get an id would be called for ever.
    if (part.remaining > 0 && part.modified == 0) {
      return fail(
          ErrorCode::conflict,
          fmt::format("{} of {} have no id still, and the last call gave none: `manybase introspect {}` may say why",
                      countOf(part.remaining), source, source));
    }
  } while (total.remaining > 0);
  return outcomeOf(opened, fmt::format("gave an id to {} of {}", countOf(total.modified), source), doc::encode(total));
}

}  // namespace mb::cli

#include "store/mongo/explain.h"

#include "document/fields.h"
#include "store/mongo/log_entry.h"

namespace mb::store::mongo {

namespace {

// Adds the indexes that a stage of a plan and those below it scan, each once. Other fields of a stage may hold a
// caller's values.
void addIndexes(doc::DocumentView stage, const CollectionInfo* info, std::vector<std::string>& names) {
  const std::string_view server = stage.stringOr("stage") == "IDHACK" ? "_id_" : stage.stringOr("indexName");
  if (!server.empty()) {
    std::string name = catalogueName(server, info);
    if (name.empty()) name = "id";
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  for (const std::string_view below : {"queryPlan", "inputStage"}) {
    const doc::DocumentView next = doc::containerOr(stage, below);
    if (!next.empty()) addIndexes(next, info, names);
  }
  for (const auto& each : doc::containerOr(stage, "inputStages")) {
    if (each.value.type() == doc::BsonType::document) addIndexes(each.value.asDocument(), info, names);
  }
}

uint64_t figure(doc::DocumentView stats, std::string_view name) {
  return static_cast<uint64_t>(std::max<int64_t>(0, doc::integerOr(stats, name)));
}

}  // namespace

doc::Document explainCommand(doc::DocumentView find) {
  doc::BsonWriter out(find.bytes().size() + 64);
  out.appendDocument("explain", find);
  out.appendString("verbosity", "executionStats");
  out.appendInt64("maxTimeMS", doc::integerOr(find, "maxTimeMS"));
  return out.finish();
}

Outcome<Explain> explainOf(doc::DocumentView reply, const CollectionInfo* info) {
  std::vector<std::string> names;
  addIndexes(doc::containerOr(doc::containerOr(reply, "queryPlanner"), "winningPlan"), info, names);
  const doc::DocumentView stats = doc::containerOr(reply, "executionStats");
  if (!doc::boolOr(stats, "executionSuccess", true)) {
    return std::unexpected(CommandError(static_cast<int>(doc::integerOr(stats, "errorCode")),
                                        std::string(stats.stringOr("errorMessage"))));
  }
  Explain out;
  out.index = fmt::format("{}", fmt::join(names, ", "));
  out.keysExamined = figure(stats, "totalKeysExamined");
  out.documentsExamined = figure(stats, "totalDocsExamined");
  return out;
}

}  // namespace mb::store::mongo

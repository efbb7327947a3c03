#include "functions/scratch.h"

#include "store/records.h"

namespace mb::functions {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPrefix = "scratch/";

struct ScratchRow {
  std::string id;
  int64_t number = 0;
  static constexpr auto shape() {
    return doc::shape<ScratchRow>("FunctionScratch", doc::field("id", &ScratchRow::id),
                                  doc::field("number", &ScratchRow::number));
  }
};

std::string rowId(store::ProjectNo number) {
  return fmt::format("{}{}", kPrefix, number);
}

Task<> change(store::DocumentStore& store, std::string id, std::optional<doc::Document> row) {
  store::Write write(
      {.deadline = std::chrono::steady_clock::now() + 10s, .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}});
  const store::Target target = write.change(kScratchRows, std::move(id));
  auto callback = [target, &row = std::as_const(row)](const store::PreImages&, store::Changes& changes) -> Result<> {
    changes.set(target, row ? store::Change::put(*row) : store::Change::remove());
    return {};
  };
  CO_RETURN_IF_ERROR(co_await store.write(std::move(write), std::move(callback)));
  co_return Result<>();
}

}  // namespace

Task<> Scratch::begin() {
  CO_TRY(const store::ProjectNo number, co_await deps_.store.allocateProject());
  CO_RETURN_IF_ERROR(co_await change(deps_.store, rowId(number), doc::encode(ScratchRow{rowId(number), number})));
  number_ = number;
  co_return Result<>();
}

Task<data::CollectionPtr> Scratch::find(std::string name) {
  const data::CollectionPtr* original = project_->get(deps_.collections).find(name);
  if (!original) co_return fail(ErrorCode::notFound, "no such collection");
  while (making_) co_await sleepFor(1ms);
  if (const auto there = made_.find(name); there != made_.end()) co_return there->second;
  making_ = true;
  auto made = co_await make(*original);
  making_ = false;
  if (made) made_.emplace(std::move(name), *made);
  co_return made;
}

Task<data::CollectionPtr> Scratch::make(data::CollectionPtr original) {
  if (number_ == 0) CO_RETURN_IF_ERROR(co_await begin());
  CO_TRY(store::CollectionInfo info,
         co_await deps_.store.createCollection(number_, original->info.name, original->info.config, {}));
  for (const store::IndexInfo& index : original->info.indexes) {
    if (!index.spec.unique) continue;
    CO_TRY(store::IndexInfo made,
           co_await deps_.store.createIndex({number_, info.number, info.version}, index.spec, {}));
    CO_TRY(const std::vector<store::CollectionInfo> all, co_await deps_.store.collections(number_));
    for (const store::CollectionInfo& each : all) {
      if (each.number == info.number) info = each;
    }
  }
  auto collection = std::make_shared<data::Collection>(*original);
  collection->ref = {number_, info.number, info.version};
  collection->info = std::move(info);
  co_return data::CollectionPtr(std::move(collection));
}

Task<> Scratch::drop() {
  if (number_ == 0) co_return Result<>();
  CO_RETURN_IF_ERROR(co_await deps_.store.dropProject(number_));
  co_return co_await change(deps_.store, rowId(number_), std::nullopt);
}

Task<> Scratch::sweep(store::DocumentStore& store) {
  doc::BsonWriter filter;
  filter.beginDocument("id");
  filter.appendString("$gte", kPrefix);
  filter.appendString("$lt", "scratch0");  // the next character
  filter.end();
  store::Query query;
  query.collection = kScratchRows;
  query.filter = *doc::Filter::parse(filter.finish());
  query.limit = 1000;
  query.deadline = std::chrono::steady_clock::now() + 10s;
  CO_TRY(const store::QueryResult found, co_await store.find(std::move(query)));
  CO_TRY(const std::vector<ScratchRow> rows, store::fromStore<ScratchRow>(found.documents));
  for (const ScratchRow& row : rows) {
    CO_RETURN_IF_ERROR(co_await store.dropProject(static_cast<store::ProjectNo>(row.number)));
    CO_RETURN_IF_ERROR(co_await change(store, row.id, std::nullopt));
  }
  co_return Result<>();
}

}  // namespace mb::functions

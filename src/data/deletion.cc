#include "data/deletion.h"

#include <algorithm>

#include "data/data_deps.h"
#include "data/reference_jobs.h"

namespace mb::data {
namespace {

doc::Value textValue(std::string_view text) {
  doc::BsonWriter out;
  out.appendString("", text);
  return doc::Value(out.finish().view().begin()->value);
}

}  // namespace

bool findsReferences(const store::IndexSpec& index, std::string_view path) {
  return !index.keys.empty() && index.keys.front().path == path && !index.partialFilter;
}

Result<> requireReferenceIndex(const Collection& collection, std::string_view path) {
  const bool ready = std::ranges::any_of(collection.info.indexes, [&](const store::IndexInfo& each) {
    return each.ready && findsReferences(each.spec, path);
  });
  if (ready) return {};
  return fail(ErrorCode::unavailable,
              fmt::format("the index on \"{}\" of \"{}\" that this deletion needs is not ready: try again", path,
                          collection.name()));
}

Task<Deletion> Deletion::of(const DataDeps& deps, CollectionFinder& finder, const Collection& collection,
                            std::string trace) {
  Deletion made;
  made.deps_ = &deps;
  made.name_ = collection.name();
  made.trace_ = std::move(trace);
  for (const Referrer& each : collection.referrers) {
    auto found = co_await finder.find(each.collection);
    if (!found && found.error().code() == ErrorCode::notFound) {
      co_return fail(ErrorCode::staleCatalogue, "the collection changed concurrently: try again");
    }
    if (!found) co_return fail(std::move(found).error());
    CO_RETURN_IF_ERROR(requireReferenceIndex(**found, each.path));
    made.referring_.push_back({each.collection, (*found)->ref, each.path, each.onDelete});
  }
  co_return made;
}

Result<Deletion::Removal> Deletion::name(store::Write& write, store::CollectionRef collection, std::string id) const {
  Removal removal{write.change(collection, id), {}, {}};
  if (referring_.empty()) return removal;
  for (const Referring& each : referring_) {
    if (each.onDelete != doc::OnDelete::restrict) continue;
    // A document that refers to itself may go.
    const bool own = each.collection.number == collection.number;
    write.require({each.name, each.collection, each.path, textValue(id), own ? id : std::string()});
  }
  for (const doc::OnDelete kind : {doc::OnDelete::cascade, doc::OnDelete::unset}) {
    RETURN_IF_ERROR(addJob(write, removal, collection, id, kind));
  }
  return removal;
}

Result<> Deletion::addJob(store::Write& write, Removal& removal, store::CollectionRef collection, const std::string& id,
                          doc::OnDelete kind) const {
  ReferenceJob job;
  for (const Referring& each : referring_) {
    if (each.onDelete == kind) job.references.push_back({each.collection.number, each.path});
  }
  if (job.references.empty()) return {};
  job.id = "job_" + deps_->ids.next();
  job.kind = onDeleteName(kind);
  job.collection = collection.number;
  job.collectionName = name_;
  job.documentId = id;
  job.createdAt = deps_->clock.now();
  TRY(store::Insert row, queuedJob(*deps_, collection.project, job.id, trace_));
  const store::CollectionRef jobs = referenceJobs(collection.project);
  removal.jobs.emplace_back(write.create(jobs, job.id), doc::encode(job));
  const store::Target queued = write.create(row.collection, row.id());
  removal.queued.push_back(row.id());
  removal.jobs.emplace_back(queued, std::move(row.document));
  return {};
}

void Deletion::remove(const Removal& removal, store::Changes& changes) {
  changes.remove(removal.document);
  for (const auto& [target, document] : removal.jobs) changes.put(target, document);
}

void Deletion::wake(std::span<const Removal> removals) const {
  std::vector<std::string> ids;
  for (const Removal& removal : removals) ids.insert(ids.end(), removal.queued.begin(), removal.queued.end());
  if (!ids.empty()) deps_->queue->wake(std::move(ids));
}

Error Deletion::refusal(const Error& error) {
  return Error(ErrorCode::conflict,
               fmt::format("documents of \"{}\" refer to this one: delete them first", error.violation()->name));
}

}  // namespace mb::data

#include "data/caller_sets.h"

#include <fmt/format.h>

#include "base/log.h"
#include "base/work_budget.h"
#include "data/visible_documents.h"
#include "document/path.h"
#include "policy/trace_steps.h"

namespace mb::data {
namespace {

// Documents of one caller that are read for a set: several may hold the same value.
constexpr uint64_t kMaxDocuments = 4 * policy::kMaxSetValues;
constexpr size_t kMaxReadBytes = 2 << 20;
constexpr size_t kEntryOverhead = 256;  // bytes of an entry besides its values

std::string keyOf(const CompiledSet& set, store::ProjectNo project, const policy::Caller& caller) {
  return fmt::format("{}/{}/{}", project, set.record.id, caller.id);
}

// The strings at the path.
std::vector<std::string> valuesOf(const std::vector<doc::Document>& documents, const doc::FieldPath& path) {
  std::vector<std::string> values;
  for (const doc::Document& document : documents) {
    doc::walkPath(document, path, doc::Leaf::elementsToo, [&](std::optional<doc::ValueView> value) {
      if (value && value->type() == doc::BsonType::string) values.emplace_back(value->asString());
      return false;
    });
  }
  return values;
}

// `found`: the caller's documents of the set's collection.
policy::SetValuePtr valueOfDocuments(const BoundSet& set, const std::vector<doc::Document>& found, store::Mark mark) {
  std::optional<std::vector<std::string>> values;
  if (found.size() <= kMaxDocuments) values = valuesOf(found, set.compiled->set.valuePath());
  return std::make_shared<const policy::SetValue>(std::move(values), mark);
}

Result<> addValue(policy::SetValues& values, const std::string& name, policy::SetValuePtr value, policy::Trace* trace) {
  if (value && value->tooMany()) {
    if (trace) policy::traceUnusableSet(*trace, name);
    return fail(ErrorCode::forbidden, "denied by policy");
  }
  if (value) values.add(name, std::move(value));
  return {};
}

void logTooMany(const BoundSet& set, const policy::Caller& caller, bool tooLarge) {
  logWarn(tooLarge ? "the documents of a caller's set are too large; rules that name it deny"
                   : "a caller's set has too many values; rules that name it deny",
          {{"project", caller.projectId.str()},
           {"set", set.name()},
           {"caller", caller.id},
           {"limit", static_cast<int64_t>(tooLarge ? kMaxReadBytes : policy::kMaxSetValues)}});
}

doc::Value idValue(std::string_view text) {
  doc::BsonWriter out;
  out.appendString("", text);
  const doc::Document wrapped = out.finish();
  return doc::Value(wrapped.view().begin()->value);
}

}  // namespace

CallerSets::CallerSets(store::DocumentStore& store, Cores& cores) : store_(store) {
  for (int core = 0; core < cores.count(); ++core) {
    caches_.push_back(std::make_unique<Cache>(kEntriesPerCore, kBytesPerCore));
  }
}

CallerSets::Cache* CallerSets::cache() {
  const int core = Cores::current();
  return core < 0 || static_cast<size_t>(core) >= caches_.size() ? nullptr : caches_[static_cast<size_t>(core)].get();
}

policy::SetValuePtr CallerSets::held(const BoundSet& set, const policy::Caller& caller) {
  Cache* own = cache();
  const Entry* entry = own == nullptr ? nullptr : own->find(keyOf(*set.compiled, set.collection->ref.project, caller));
  const bool current = entry != nullptr && entry->set == set.compiled && entry->schema == set.collection->schema &&
                       !entry->value->changed();
  return current ? entry->value : nullptr;
}

policy::SetValues CallerSets::marks(const CollectionTable& table, const policy::Caller& caller,
                                    const std::vector<std::string>& names) const {
  policy::SetValues marks;
  for (const std::string& name : names) {
    const BoundSet* set = table.findSet(name);
    if (!set || !set->collection) continue;
    const store::CollectionRef& collection = set->collection->ref;
    const std::string& path = set->compiled->set.callerPath();
    const store::Mark mark = store_.mark(collection.project, collection.number, path, idValue(caller.id));
    marks.add(name, std::make_shared<const policy::SetValue>(std::nullopt, mark));
  }
  return marks;
}

bool CallerSets::fromCache(const CollectionTable& table, const policy::Caller& caller,
                           const std::vector<std::string>& names, policy::SetValues& values) {
  policy::SetValues found;
  for (const std::string& name : names) {
    const BoundSet* set = table.findSet(name);
    if (!set || !set->collection) continue;
    policy::SetValuePtr value = held(*set, caller);
    if (!value || value->tooMany()) return false;
    found.add(name, std::move(value));
  }
  values = std::move(found);
  return true;
}

Task<policy::SetValues> CallerSets::read(const CollectionTable& table, const policy::Caller& caller,
                                         const std::vector<std::string>& names, store::Deadline deadline,
                                         policy::Trace* trace) {
  policy::SetValues values;
  for (const std::string& name : names) {
    const BoundSet* set = table.findSet(name);
    if (!set || !set->collection) continue;
    policy::SetValuePtr value = trace ? nullptr : held(*set, caller);
    if (!value) {
      CO_TRY(value, co_await readOne(*set, caller, deadline));
      if (value && !trace) cacheOne(*set, caller, value);
    }
    CO_RETURN_IF_ERROR(addValue(values, name, std::move(value), trace));
  }
  co_return values;
}

Result<policy::SetValues> CallerSets::among(const DocumentsOf& documents, const CollectionTable& table,
                                            const policy::Caller& caller, const std::vector<std::string>& names,
                                            policy::Trace* trace) {
  policy::SetValues values;
  for (const std::string& name : names) {
    const BoundSet* set = table.findSet(name);
    if (!set || !set->collection) continue;
    const auto filter = set->compiled->set.filterFor(caller, set->collection->coercion());
    if (!filter) continue;
    const WorkBudget work(kMatchWork);
    std::vector<doc::Document> found;
    for (const doc::Document& each : documents(set->collection->name())) {
      if (found.size() <= kMaxDocuments && filter->matches(each)) found.push_back(each);
    }
    RETURN_IF_ERROR(work.check());
    auto value = valueOfDocuments(*set, found, store::Mark());
    RETURN_IF_ERROR(addValue(values, name, std::move(value), trace));
  }
  return values;
}

Task<policy::SetValuePtr> CallerSets::readOne(const BoundSet& set, const policy::Caller& caller,
                                              store::Deadline deadline) {
  const policy::CallerSet& asked = set.compiled->set;
  const store::CollectionRef collection = set.collection->ref;
  const auto filter = asked.filterFor(caller, set.collection->coercion());
  if (!filter) co_return nullptr;
  // Before the read: a change after it moves the mark.
  const store::Mark mark = store_.mark(collection.project, collection.number, asked.callerPath(), idValue(caller.id));
  store::Query query;
  query.collection = collection;
  query.filter = *filter;
  query.limit = kMaxDocuments + 1;
  query.deadline = deadline;
  query.maxBytes = kMaxReadBytes;
  const Result<store::QueryResult> found = co_await store_.find(std::move(query));
  if (!found && found.error().code() != ErrorCode::payloadTooLarge) co_return fail(found.error().clone());
  auto value = found ? valueOfDocuments(set, found->documents, mark)
                     : std::make_shared<const policy::SetValue>(std::nullopt, mark);
  // Once for each cached value.
  if (value->tooMany()) logTooMany(set, caller, !found);
  co_return value;
}

void CallerSets::cacheOne(const BoundSet& set, const policy::Caller& caller, const policy::SetValuePtr& value) {
  Cache* own = cache();
  if (own == nullptr) return;
  own->put(keyOf(*set.compiled, set.collection->ref.project, caller),
           Entry{set.compiled, set.collection->schema, value}, value->bytes() + kEntryOverhead);
}

}  // namespace mb::data

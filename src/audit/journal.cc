#include "audit/journal.h"

#include "store/records.h"

namespace mb::audit {

namespace {

doc::Document conditionsOf(const JournalQuery& query) {
  doc::BsonWriter out;
  if (query.action.ends_with(".*")) {
    // All strings with the prefix "user." lie in ["user.", "user/"): '/' is the character after '.'.
    std::string begin = query.action.substr(0, query.action.size() - 1);
    std::string end = begin;
    ++end.back();
    out.beginDocument("action");
    out.appendString("$gte", begin);
    out.appendString("$lt", end);
    out.end();
  } else if (!query.action.empty()) {
    out.appendString("action", query.action);
  }
  if (!query.actor.empty()) out.appendString("actor.id", query.actor);
  if (!query.target.empty()) out.appendString("target", query.target);
  if (query.from || query.to) {
    out.beginDocument("at");
    if (query.from) out.appendDate("$gte", *query.from);
    if (query.to) out.appendDate("$lte", *query.to);
    out.end();
  }
  return out.finish();
}

}  // namespace

Task<std::vector<AuditEntry>> Journal::list(store::ProjectNo project, JournalQuery query, store::Deadline deadline) {
  store::Query storeQuery{.collection = {project, kAuditCollection, 0},
                          .filter = {},
                          .skip = query.skip,
                          .limit = query.limit,
                          .sort = {{"at", -1}, {"id", -1}},
                          .deadline = deadline};
  CO_TRY(storeQuery.filter, doc::Filter::parse(conditionsOf(query)));
  CO_TRY(const store::QueryResult found, co_await store_.find(std::move(storeQuery)));
  co_return store::fromStore<AuditEntry>(found.documents);
}

}  // namespace mb::audit

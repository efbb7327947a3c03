// Commands of the server (https://www.mongodb.com/docs/manual/reference/command/), as documents.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "document/bson.h"

namespace mb::store::mongo {

// The bytes and statements of one command of writes; the server takes 48 MB and 100,000.
inline constexpr size_t kCommandBytes = 12 << 20;
inline constexpr size_t kCommandStatements = 1000;

inline doc::Document insertCommand(std::string_view collection, std::span<const doc::Document> documents) {
  doc::BsonWriter out;
  out.appendString("insert", collection);
  out.beginArray("documents");
  for (size_t i = 0; i < documents.size(); ++i) out.appendDocument(doc::arrayKey(i), documents[i]);
  out.end();
  return out.finish();
}

// Statements as {q, u, upsert?} and {q, limit}.
inline doc::Document statementsCommand(std::string_view name, std::string_view collection, std::string_view list,
                                       std::span<const doc::Document> statements) {
  doc::BsonWriter out;
  out.appendString(name, collection);
  out.beginArray(list);
  for (size_t i = 0; i < statements.size(); ++i) out.appendDocument(doc::arrayKey(i), statements[i]);
  out.end();
  return out.finish();
}

// The commands of one statement.
inline doc::Document updateCommand(std::string_view collection, const doc::Document& statement) {
  return statementsCommand("update", collection, "updates", std::span(&statement, 1));
}
inline doc::Document deleteCommand(std::string_view collection, const doc::Document& statement) {
  return statementsCommand("delete", collection, "deletes", std::span(&statement, 1));
}

inline doc::Document replaceStatement(std::string_view id, doc::DocumentView by) {
  doc::BsonWriter out(by.bytes().size() + 64);
  out.beginDocument("q");
  out.appendString("_id", id);
  out.end();
  out.appendDocument("u", by);
  return out.finish();
}

inline doc::Document removeStatement(std::string_view id) {
  doc::BsonWriter out;
  out.beginDocument("q");
  out.appendString("_id", id);
  out.end();
  out.appendInt32("limit", 1);
  return out.finish();
}

// {q: {_id: id}, u: {…}, upsert: true}; `update` appends the operators.
inline doc::Document upsertStatement(std::string_view id, const std::function<void(doc::BsonWriter&)>& update) {
  doc::BsonWriter out;
  out.beginDocument("q");
  out.appendString("_id", id);
  out.end();
  out.beginDocument("u");
  update(out);
  out.end();
  out.appendBool("upsert", true);
  return out.finish();
}

// {find: collection, filter: {…}}; `filter` appends its fields.
inline doc::Document findAll(std::string_view collection, const std::function<void(doc::BsonWriter&)>& filter = {}) {
  doc::BsonWriter out;
  out.appendString("find", collection);
  out.beginDocument("filter");
  if (filter) filter(out);
  out.end();
  out.appendInt32("batchSize", static_cast<int32_t>(kCommandStatements));
  return out.finish();
}

// {aggregate: collection}, which counts the documents that match `filter`; `more` appends further fields.
inline doc::Document countCommand(std::string_view collection, doc::DocumentView filter,
                                  const std::function<void(doc::BsonWriter&)>& more) {
  doc::BsonWriter out;
  out.appendString("aggregate", collection);
  out.beginArray("pipeline");
  out.beginDocument("0");
  out.appendDocument("$match", filter);
  out.end();
  out.beginDocument("1");
  out.appendString("$count", "n");
  out.end();
  out.end();
  out.beginDocument("cursor");
  out.end();
  more(out);
  return out.finish();
}

// {aggregate: collection}, which returns the number of the documents that match `filter` and their stored bytes as {n,
// bytes}, or nothing where none match; `more` appends further fields.
inline doc::Document sumCommand(std::string_view collection, doc::DocumentView filter,
                                const std::function<void(doc::BsonWriter&)>& more = {}) {
  doc::BsonWriter out;
  out.appendString("aggregate", collection);
  out.beginArray("pipeline");
  out.beginDocument("0");
  out.appendDocument("$match", filter);
  out.end();
  out.beginDocument("1");
  out.beginDocument("$group");
  out.appendNull("_id");
  out.beginDocument("n");
  out.appendInt32("$sum", 1);
  out.end();
  out.beginDocument("bytes");
  out.beginDocument("$sum");
  out.appendString("$bsonSize", "$$ROOT");
  out.end();
  out.end();
  out.end();
  out.end();
  out.end();
  out.beginDocument("cursor");
  out.end();
  if (more) more(out);
  return out.finish();
}

// {find: collection, filter: {<path>: number}}
inline doc::Document findWhere(std::string_view collection, std::string_view path, int64_t number) {
  return findAll(collection, [&](doc::BsonWriter& out) { out.appendInt64(path, number); });
}

// {find: collection, filter: {_id: {$in: ids}}}, or {_id: id} of one, which servers have a shorter way for; `more`
// appends further fields.
inline doc::Document findByIds(std::string_view collection, std::span<const std::string> ids,
                               const std::function<void(doc::BsonWriter&)>& more = {}) {
  doc::BsonWriter out;
  out.appendString("find", collection);
  out.beginDocument("filter");
  if (ids.size() == 1) {
    out.appendString("_id", ids.front());
  } else {
    out.beginDocument("_id");
    out.beginArray("$in");
    for (size_t i = 0; i < ids.size(); ++i) out.appendString(doc::arrayKey(i), ids[i]);
    out.end();
    out.end();
  }
  out.end();
  if (more) more(out);
  return out.finish();
}

}  // namespace mb::store::mongo

// What a write wants, and what becomes of a document by it. Pure: no store, no waiting.
#pragma once

#include <optional>
#include <string>

#include "data/grant.h"
#include "data/pre_hook.h"
#include "document/update.h"

namespace mb::data {

struct WriteRequest {
  WriteEvent event = WriteEvent::insert;
  std::string id;
  bool fresh = false;                 // the id was made for this insert
  doc::Document body;                 // of insert, update and replace, as sent
  doc::UpdateOptions options = {};    // of update: positional operators, for those who may use them
  std::optional<doc::Update> update;  // of update, parsed; empty when the body names nothing
};

policy::Operation operationOf(WriteEvent event);

// ---- before the document is known
// Checks the shape of the body and reads it with the collection's schema. Fails with validation, invalidUpdate,
// invalidBody; forbidden (a field that the caller cannot read is named in a way that could tell its value); notFound
// (an id that no document can have).
Result<> parseWriteRequest(WriteRequest& request, const Grant& grant);

// ---- under the document's lock
struct EvaluationContext {
  const Grant& grant;
  const WriteRequest& request;
  const policy::Caller& caller;
  Timestamp now;
};
// Fails with notFound (absent, or hidden by the rule's filter), conflict (an insert over a document).
Result<> checkTarget(const EvaluationContext& context, const std::optional<doc::Document>& before);
// The document that the request makes of `before`. Not for remove.
Result<doc::Document> draft(const EvaluationContext& context, const std::optional<doc::Document>& before);
// The draft (or what a hook made of it) as it will be stored: fields of the server, schema, keys, field rules, CEL.
Result<doc::Document> finalizeDocument(const EvaluationContext& context, const std::optional<doc::Document>& before,
                                       const doc::Document& draft);

// Whether an update or a replacement leaves `before` as it is, but for updatedAt: such a one is no write. Never where
// the request names or may move a field that its caller cannot read: whether a guess was right must not be told.
bool changesNothing(const EvaluationContext& context, const doc::Document& before, const doc::Document& finalized);

// What is told of a write that a unique index refused.
Error violation(const Grant& grant, const std::string& index);

// ---- the pieces of finalizeDocument
// `draft` with id, createdAt, updatedAt and ownerId as the server wants them.
Result<doc::Document> pinServerFields(const EvaluationContext& context, const std::optional<doc::Document>& before,
                                      doc::DocumentView draft);

// Refuses updates whose outcome could tell the value of a field in `denied`: operators that look at the old value,
// paths below it, and guesses at fields that may not change. `body` has been parsed as an update.
Result<> guardDeniedFields(doc::DocumentView body, bool operators, const Grant& grant);
// The same for a replacement.
Result<> guardReplacement(doc::DocumentView body, const Grant& grant);
// `after` with the denied fields of `before` that it does not name, and the documents around them (not inside arrays).
doc::Document keepUnseen(doc::DocumentView before, const doc::Document& after, const doc::FieldSet& denied);

}  // namespace mb::data

// Computes a document from a write request. Pure: does not access the store, does not wait.
#pragma once

#include <optional>
#include <string>

#include "data/data_deps.h"
#include "data/grant.h"
#include "data/pre_hook.h"
#include "data/write_condition.h"
#include "document/update.h"

namespace mb::data {

struct WriteRequest {
  WriteEvent event = WriteEvent::insert;
  std::string id;
  bool idIsNew = false;               // the id was generated for this insert
  bool idIsGiven = false;             // the request names the id outside its body
  doc::Document body;                 // of insert, update and replace, as sent
  doc::UpdateOptions options = {};    // of update: positional operators, for callers that may use them
  std::optional<doc::Update> update;  // of update, parsed; nullopt if the body names no field
  WriteCondition condition = {};
};

policy::Operation operationOf(WriteEvent event);
// A new document of the project, under a new id unless `body` has one.
WriteRequest insertRequest(doc::Document body, const DataDeps& deps, store::ProjectNo project);

// ---- before the document is read
// Parses the body with the collection's schema. Fails with validation, invalidUpdate, invalidBody; forbidden (a field
// that the caller cannot read is named in a way that could reveal its value); notFound (an id that no document can
// have).
Result<> parseWriteRequest(WriteRequest& request, const Grant& grant);

// ---- under the document's lock
struct EvaluationContext {
  const Grant& grant;
  const WriteRequest& request;
  const policy::Caller& caller;
  Timestamp now;
  store::DocumentVersion version = 0;  // of the document as it is; read where the request has a condition
};
// Fails with notFound (absent, or hidden by the rule's filter), conflict (an insert of an existing id), and then with
// preconditionFailed.
Result<> checkTarget(const EvaluationContext& context, const std::optional<doc::Document>& before);
// Applies the request to `before`. Not for remove.
Result<doc::Document> draft(const EvaluationContext& context, const std::optional<doc::Document>& before);
// The draft (or the hook's replacement of it) as it will be stored: fields of the server, schema, keys, field rules,
// CEL.
Result<doc::Document> finalizeDocument(const EvaluationContext& context, const std::optional<doc::Document>& before,
                                       const doc::Document& draft);

// The document as the request leaves it; nullopt where it removes it. `hooked`: the hooks' draft, null without one. Of
// requests and of trials of them.
Result<std::optional<doc::Document>> computeDocument(const EvaluationContext& context,
                                                     const std::optional<doc::Document>& before,
                                                     const doc::Document* hooked);

// The error for a document that breaks the schema. `hidden`: fields that the document may already hold and the caller
// cannot read; their problems are not reported.
Error schemaError(std::vector<ErrorDetail> details, const doc::FieldSet& hidden);
// The `hidden` of a write.
const doc::FieldSet& unreportedFields(const EvaluationContext& context);

// Whether an update or a replacement changes nothing but updatedAt: then nothing is written. False if the request names
// or may move a field that its caller cannot read: whether a guess was right must not show.
bool changesNothing(const EvaluationContext& context, const doc::Document& before, const doc::Document& finalized);

// The error for a write that a unique index refused.
Error violation(const Grant& grant, const std::string& index);

// ---- the pieces of finalizeDocument
// `draft` with id, createdAt, updatedAt and ownerId set by the server.
Result<doc::Document> pinServerFields(const EvaluationContext& context, const std::optional<doc::Document>& before,
                                      doc::DocumentView draft);

// Refuses updates whose outcome could reveal the value of a denied field: operators that read the old value, paths
// below it, and guesses at fields that may not change. REQUIRES: `body` parses as an update.
Result<> guardDeniedFields(doc::DocumentView body, bool operators, const Grant& grant);
// The same for a replacement.
Result<> guardReplacement(doc::DocumentView body, const Grant& grant);
// `after` with the denied fields of `before` that it does not name, and the documents around them (not inside arrays).
doc::Document keepDeniedFields(doc::DocumentView before, const doc::Document& after, const doc::FieldSet& denied);

}  // namespace mb::data

// Converts a draft to the stored document.
#include <algorithm>

#include "data/vector_fields.h"
#include "data/write.h"
#include "document/storable.h"
#include "policy/trace_steps.h"

namespace mb::data {
namespace {

bool isServerField(std::string_view key) {
  return key == "id" || key == "ownerId" || key == "createdAt" || key == "updatedAt";
}

// "/a~1b/0" as a path of field names: "a/b.0".
std::string dotted(std::string_view pointer) {
  std::string path;
  for (size_t i = pointer.starts_with("/") ? 1 : 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/')
      path += '.';
    else if (pointer[i] == '~' && i + 1 < pointer.size())
      path += pointer[++i] == '1' ? '/' : '~';
    else
      path += pointer[i];
  }
  return path;
}

Result<> checkVectors(const EvaluationContext& context, const std::optional<doc::Document>& before,
                      const doc::Document& document) {
  std::vector<ErrorDetail> problems =
      vectorProblems(context.grant.collection->info, before ? &*before : nullptr, document);
  if (problems.empty()) return {};
  if (policy::Trace* trace = context.grant.trace) policy::traceSchema(*trace, problems);
  return fail(schemaError(std::move(problems), unreportedFields(context)));
}

Result<doc::Document> applySchema(const EvaluationContext& context, doc::Document document) {
  const doc::Schema* schema = context.grant.collection->schema.get();
  if (!schema) return document;
  policy::Trace* trace = context.grant.trace;
  const doc::FieldSet& hidden = unreportedFields(context);
  auto prepared = schema->prepare(document, context.request.event == WriteEvent::insert);
  if (!prepared) {
    if (trace) policy::traceSchema(*trace, prepared.error());
    return fail(hidden.empty() ? std::move(prepared).error() : schemaError(prepared.error().details(), hidden));
  }
  std::vector<ErrorDetail> problems = schema->validate(*prepared);
  if (trace) policy::traceSchema(*trace, problems);
  if (!problems.empty()) return fail(schemaError(std::move(problems), hidden));
  return prepared;
}

// The new owner of the document; nullopt for none. `given`: the draft's ownerId.
Result<std::optional<doc::Value>> owner(const EvaluationContext& context, const std::optional<doc::Document>& before,
                                        std::optional<doc::ValueView> given) {
  const bool inserting = context.request.event == WriteEvent::insert;
  if (context.grant.asAdmin() && given) {
    if (given->type() != doc::BsonType::string && given->type() != doc::BsonType::null) {
      return fail(Error(ErrorCode::validation, "ownerId must be a string or null")
                      .withDetail("/ownerId", "must be a string or null"));
    }
    return doc::Value(*given);
  }
  if (inserting) {
    if (context.caller.id.empty()) return std::nullopt;
    doc::BsonWriter out;
    out.appendString("", context.caller.id);
    return doc::Value(out.finish().view().begin()->value);
  }
  // An admin's $unset removes the owner; a replacement without ownerId keeps it.
  if (context.grant.asAdmin() && context.request.event == WriteEvent::update) return std::nullopt;
  const auto held = before->view().find("ownerId");
  return held ? std::optional(doc::Value(*held)) : std::nullopt;
}

// What is as it was stays, whatever another program stored.
Result<> checkStorable(const doc::Document& document, const std::optional<doc::Document>& before) {
  Result<> whole = doc::checkStorable(document);
  if (whole || !before) return whole;
  doc::BsonWriter changed;
  for (const auto& [key, value] : document.view()) {
    const auto was = before->view().find(key);
    if (!was || was->type() != value.type() || was->raw() != value.raw()) changed.append(key, value);
  }
  return doc::checkStorable(changed.finish());
}

Result<doc::Document> storableDocument(const EvaluationContext& context, const std::optional<doc::Document>& before,
                                       const doc::Document& draft) {
  TRY(doc::Document pinned, pinServerFields(context, before, draft));
  RETURN_IF_ERROR(checkStorable(pinned, before));
  return pinned;
}

// Whether the rule's filter matches a new document.
bool isInsertable(const EvaluationContext& context, const doc::Document& document) {
  const Grant& grant = context.grant;
  if (!grant.trace || grant.filter.matchesAll()) return grant.filter.matches(document);
  return policy::traceDocument(*grant.trace, grant.filter, document.view(), false);
}

// Whether the outcome may depend on a field that the caller cannot read. A replacement moves such fields to the end:
// their former position would reveal that they exist.
bool touchesDenied(const EvaluationContext& context) {
  const doc::FieldSet& denied = context.grant.denied();
  if (denied.empty()) return false;
  const WriteRequest& request = context.request;
  if (request.event == WriteEvent::replace) return true;
  if (!request.update) return false;
  return std::ranges::any_of(request.update->paths(), [&](const std::string& path) { return denied.touches(path); });
}

}  // namespace

Error schemaError(std::vector<ErrorDetail> details, const doc::FieldSet& hidden) {
  std::erase_if(details, [&](const ErrorDetail& detail) { return hidden.covers(dotted(detail.path)); });
  if (details.empty()) return Error(ErrorCode::validation, "the document does not fit the collection's schema");
  std::string message = details.front().path + " " + details.front().message;
  return Error(ErrorCode::validation, std::move(message)).withDetails(std::move(details));
}

const doc::FieldSet& unreportedFields(const EvaluationContext& context) {
  static const doc::FieldSet nothing;
  return context.request.event == WriteEvent::insert ? nothing : context.grant.denied();
}

Result<doc::Document> pinServerFields(const EvaluationContext& context, const std::optional<doc::Document>& before,
                                      doc::DocumentView draft) {
  TRY(const std::optional<doc::Value> owned, owner(context, before, draft.find("ownerId")));
  const auto created = before ? before->view().find("createdAt") : std::nullopt;

  constexpr size_t kServerFields = 256;
  doc::BsonWriter out(draft.bytes().size() + kServerFields);
  out.appendString("id", before ? before->view().stringOr("id") : context.request.id);
  for (const auto& [key, value] : draft) {
    if (!isServerField(key)) out.append(key, value);
  }
  if (owned) out.append("ownerId", *owned);
  if (!before) out.appendDate("createdAt", context.now);
  if (created) out.append("createdAt", *created);
  out.appendDate("updatedAt", context.now);
  return out.finish();
}

Result<> checkTarget(const EvaluationContext& context, const std::optional<doc::Document>& before) {
  const WriteCondition& condition = context.request.condition;
  if (context.request.event == WriteEvent::insert) {
    if (!before) return checkCondition(condition, std::nullopt);
    if (policy::Trace* trace = context.grant.trace) policy::traceDocument(*trace, {}, std::nullopt, true);
    RETURN_IF_ERROR(checkCondition(condition, context.version));
    return fail(ErrorCode::conflict, "a document with this id exists already");
  }
  if (!isMatched(context.grant, context.grant.filter, before)) return fail(ErrorCode::notFound, "no such document");
  return checkCondition(condition, context.version);
}

Result<doc::Document> draft(const EvaluationContext& context, const std::optional<doc::Document>& before) {
  const WriteRequest& request = context.request;
  if (request.event == WriteEvent::update) {
    if (!request.update) return *before;
    return request.update->apply(*before, context.now);
  }
  if (request.event == WriteEvent::replace && !context.grant.denied().empty()) {
    return keepDeniedFields(*before, request.body, context.grant.denied());
  }
  return request.body;
}

Result<doc::Document> finalizeDocument(const EvaluationContext& context, const std::optional<doc::Document>& before,
                                       const doc::Document& draft) {
  auto storable = storableDocument(context, before, draft);
  if (!storable) {
    if (context.grant.trace) policy::traceSchema(*context.grant.trace, storable.error());
    return storable;
  }
  TRY(doc::Document document, applySchema(context, *std::move(storable)));
  RETURN_IF_ERROR(checkVectors(context, before, document));
  const policy::Rule* rule = context.grant.rule;
  if (!rule) return document;

  if (context.request.event == WriteEvent::insert && !isInsertable(context, document)) {
    return fail(policy::refusedBy(rule->name(), context.caller, "the policy does not allow this document"));
  }
  std::optional<doc::DocumentView> previous;
  if (before) previous = before->view();
  RETURN_IF_ERROR(rule->checkWrite({{context.caller, &context.grant.sets},
                                    previous ? &*previous : nullptr,
                                    document,
                                    context.now,
                                    &context.grant.denied(),
                                    false,
                                    context.grant.trace}));
  return document;
}

Result<std::optional<doc::Document>> computeDocument(const EvaluationContext& context,
                                                     const std::optional<doc::Document>& before,
                                                     const doc::Document* hooked) {
  const WriteEvent event = context.request.event;
  RETURN_IF_ERROR(checkTarget(context, before));
  if (event == WriteEvent::remove) return std::nullopt;
  std::optional<doc::Document> drafted;
  if (!hooked && event != WriteEvent::insert) {
    TRY(drafted, draft(context, before));
  }
  const doc::Document& source = hooked ? *hooked : drafted ? *drafted : context.request.body;
  return finalizeDocument(context, before, source);
}

bool changesNothing(const EvaluationContext& context, const doc::Document& before, const doc::Document& finalized) {
  const WriteRequest& request = context.request;
  if (request.event != WriteEvent::update && request.event != WriteEvent::replace) return false;
  const auto updated = before.view().find("updatedAt");
  // Compares bytes, as 1 and 1.0 are different values; a time always has the same size.
  if (!updated || before.view().bytes().size() != finalized.view().bytes().size()) return false;
  if (touchesDenied(context)) return false;
  const auto same = [](const doc::Element& a, const doc::Element& b) {
    if (a.key != b.key || a.value.type() != b.value.type()) return false;
    return a.key == "updatedAt" || a.value.raw() == b.value.raw();
  };
  const auto end = before.view().end();
  auto now = finalized.view().begin();
  for (auto held = before.view().begin(); held != end; ++held, ++now) {
    if (now == finalized.view().end() || !same(*held, *now)) return false;
  }
  return now == finalized.view().end();
}

}  // namespace mb::data

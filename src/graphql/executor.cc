#include "graphql/executor.h"

#include <algorithm>

#include "base/cancellation.h"
#include "document/json.h"
#include "graphql/describe.h"
#include "graphql/language/validator.h"
#include "graphql/language/words.h"

namespace mb::graphql {

namespace {

constexpr size_t kReservedBytes = 32 << 10;  // for the response, before it is written
constexpr size_t kInlineBytes = 256 << 10;   // of documents, each time one is written; more is written off the core
constexpr size_t kBytesPerField = 16;        // charged for a field or a reference, whatever its size

// Calls `use` for the relations of a document that `fields` select, also in its objects, until it returns false.
template <class Use>
bool eachRelation(const std::vector<Planned>& fields, doc::DocumentView document, const Use& use);

template <class Use>
bool eachRelationIn(const Planned& field, doc::ValueView value, const Use& use) {
  if (value.type() == doc::BsonType::document) return eachRelation(field.children, value.asDocument(), use);
  if (value.type() != doc::BsonType::array) return true;
  for (const doc::Element& each : value.asDocument()) {
    if (!eachRelationIn(field, each.value, use)) return false;
  }
  return true;
}

template <class Use>
bool eachRelation(const std::vector<Planned>& fields, doc::DocumentView document, const Use& use) {
  for (const Planned& field : fields) {
    const bool relation = field.field->source == Source::relation;
    if (!relation && field.children.empty()) continue;
    const auto value = document.find(field.field->key);
    if (!value) continue;
    bool more = true;
    if (relation) {
      eachReference(*value, [&](std::string_view id) { return more = use(field, id); });
    } else {
      more = eachRelationIn(field, *value, use);
    }
    if (!more) return false;
  }
  return true;
}

// Sorts, and removes duplicates.
template <class T>
void sortUnique(std::vector<T>& all) {
  std::ranges::sort(all);
  const auto duplicates = std::ranges::unique(all);
  all.erase(duplicates.begin(), duplicates.end());
}

// The number of fields of one document, without those of documents that it refers to.
size_t fieldsOf(const std::vector<Planned>& fields) {
  size_t count = fields.size();
  for (const Planned& field : fields) {
    if (field.field->source != Source::relation) count += fieldsOf(field.children);
  }
  return count;
}

}  // namespace

Error Executor::responseTooLarge() {
  return Error(ErrorCode::payloadTooLarge, "the response is too large: lower `limit` or select fewer fields");
}

Result<> Executor::hold(size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > kMaxDocumentBytes) return fail(responseTooLarge());
  return {};
}

// ---- writing

Result<Executor::Root> Executor::changed(data::VisibleDocument document) {
  Root root;
  root.found = true;
  if (document.hidden) document.document = document.hidden->strip(document.document);
  RETURN_IF_ERROR(hold(document.document.size()));
  root.documents.push_back(std::move(document.document));
  return root;
}

Task<Executor::Root> Executor::write(const Planned& field) {
  const std::string& collection = field.field->collection;
  const std::string id = textOf(field, "id");
  if (field.field->source == Source::remove) {
    CO_RETURN_IF_ERROR(co_await documents_.remove(access_, collection, id));
    Root root;
    root.plain = "true";
    co_return root;
  }
  const std::string_view name = field.field->source == Source::update ? "patch" : "input";
  CO_TRY(doc::Document body, bodyOf(argumentType(field, name), argumentOf(field, name)->asDocument()));
  if (field.field->source == Source::create) {
    CO_TRY(data::VisibleDocument created, co_await documents_.create(access_, collection, std::move(body)));
    co_return changed(std::move(created));
  }
  if (field.field->source == Source::update) {
    CO_TRY(data::VisibleDocument after, co_await documents_.update(access_, collection, id, std::move(body)));
    co_return changed(std::move(after));
  }
  CO_TRY(data::VisibleDocument after, co_await documents_.replace(access_, collection, id, std::move(body)));
  co_return changed(std::move(after));
}

// ---- the schema

Task<Executor::Root> Executor::describe(const Planned& field) {
  Root root;
  root.plain.emplace();
  const Type* type = field.field->source == Source::type ? schema_.find(textOf(field, "name")) : nullptr;
  if (field.field->source == Source::introspection) {
    doc::writeJsonString(*root.plain, field.parent->name);
  } else if (field.field->source == Source::schema || type) {
    // The size of a description is unknown before it is written, so it is always written on the pool.
    CO_RETURN_IF_ERROR(co_await pool_.run(access_.project->info().id.str(), [&]() -> Result<> {
      type ? describeType(*root.plain, schema_, *type, field.children)
           : describeSchema(*root.plain, schema_, field.children);
      return {};
    }));
  } else {
    root.plain = "null";
  }
  CO_RETURN_IF_ERROR(hold(root.plain->size()));
  co_return root;
}

Task<Executor::Root> Executor::fetch(const Planned& field) {
  switch (field.field->source) {
    case Source::list:
      co_return co_await read(field);
    case Source::page:
      co_return co_await readPage(field);
    case Source::byId:
      co_return co_await readOne(field);
    case Source::count:
      co_return co_await countAll(field);
    case Source::search:
      co_return co_await searchFor(field);
    case Source::create:
    case Source::update:
    case Source::replace:
    case Source::remove:
      co_return co_await write(field);
    case Source::schema:
    case Source::type:
    case Source::introspection:
      co_return co_await describe(field);
    default:
      co_return Root();
  }
}

// ---- relations

template <class F>
Task<> Executor::runSized(size_t work, OperationKind kind, F step) {
  if (work <= kInlineBytes) co_return step();
  const std::string& project = access_.project->info().id.str();
  // A mutation is committed already, so its response is written even if the pool is full.
  if (kind == OperationKind::mutation) co_return co_await pool_.runOrHere(project, std::move(step));
  co_return co_await pool_.run(project, std::move(step));
}

Task<> Executor::load(const std::string& collection, std::vector<std::string> ids) {
  Related& target = related_[collection];
  auto found = co_await documents_.byIds(access_, collection, ids);
  if (!found) {
    const ErrorCode code = found.error().code();
    // A document of a collection that the caller may not read is null, like one that does not exist.
    if (code != ErrorCode::forbidden && code != ErrorCode::notFound)
      target.failure = problemOf(found.error(), access_.caller.requestId);
    co_return Result<>();
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    std::optional<doc::Document>& document = (*found)[i];
    if (document) CO_RETURN_IF_ERROR(hold(document->size()));
    target.documents.emplace(std::move(ids[i]), std::move(document));
  }
  co_return Result<>();
}

std::vector<Executor::Reference> Executor::referencesOf(const std::vector<Parent>& level) const {
  std::vector<Reference> references;
  for (const Parent& parent : level) {
    eachRelation(parent.field->children, parent.document, [&](const Planned& field, std::string_view id) {
      references.push_back({&field, id});
      return true;
    });
  }
  sortUnique(references);
  return references;
}

std::map<std::string_view, std::vector<std::string>> Executor::unloadedIds(
    const std::vector<Reference>& references) const {
  std::map<std::string_view, std::vector<std::string>> missing;
  for (const Reference& each : references) {
    const std::string& collection = each.field->field->collection;
    const auto known = related_.find(collection);
    if (known != related_.end() && known->second.documents.contains(each.id)) continue;
    missing[collection].emplace_back(each.id);
  }
  // Several fields may refer to the same document.
  for (auto& [collection, ids] : missing) sortUnique(ids);
  return missing;
}

// Makes one call for each collection of a level, however many documents the level has.
Task<> Executor::relate(std::vector<Parent> level, OperationKind kind) {
  while (!level.empty()) {
    size_t work = 0;
    for (const Parent& parent : level) work += parent.document.bytes().size() * parent.field->passes;
    std::vector<Reference> references;
    std::map<std::string_view, std::vector<std::string>> unloaded;
    CO_RETURN_IF_ERROR(co_await runSized(work, kind, [&]() -> Result<> {
      references = referencesOf(level);
      unloaded = unloadedIds(references);
      return {};
    }));
    for (auto& [collection, ids] : unloaded) CO_RETURN_IF_ERROR(co_await load(std::string(collection), std::move(ids)));
    level.clear();
    for (const Reference& each : references) {
      if (each.field->relations == 0) continue;
      const doc::Document* found = ResponseWriter::lookUp(&related_[each.field->field->collection], each.id);
      if (found) level.push_back({each.field, found->view()});
    }
  }
  co_return Result<>();
}

// ---- the response

void Executor::append(std::string& out, const Planned& field, const Root& root) {
  if (root.plain) {
    out += *root.plain;
    return;
  }
  if (!root.found) {
    out += "null";
    return;
  }
  ResponseWriter writer(out, problems_, related_);
  const bool many = field.field->type->kind == TypeKind::list;
  many ? writer.list(field, root.documents) : writer.document(field, root.documents.front());
}

size_t Executor::workOf(const Planned& field, const Root& root) const {
  size_t work = root.plain ? root.plain->size() : 0;
  for (const doc::Document& document : root.documents) {
    addWork(field, document, work);
    if (work > kInlineBytes) break;
  }
  return work;
}

// Stops soon above kInlineBytes: each reference adds to `work`, also if its document was counted before.
void Executor::addWork(const Planned& parent, const doc::Document& document, size_t& work) const {
  const std::vector<Planned>& fields = parent.children;
  work += document.size() * parent.passes + fieldsOf(fields) * kBytesPerField;
  if (work > kInlineBytes || parent.relations == 0) return;
  eachRelation(fields, document, [&](const Planned& field, std::string_view id) {
    work += kBytesPerField;
    const auto known = related_.find(field.field->collection);
    const auto* found = ResponseWriter::lookUp(known == related_.end() ? nullptr : &known->second, id);
    if (found) addWork(field, *found, work);
    return work <= kInlineBytes;
  });
}

Task<> Executor::runQuery(std::span<const Planned> fields, OperationKind kind, std::string& out) {
  std::vector<Root> roots;
  std::vector<Parent> level;
  for (const Planned& field : fields) {
    // Each field may use the core as long as a request of its own.
    if (!roots.empty()) CO_RETURN_IF_ERROR(co_await yieldCore());
    auto root = co_await fetch(field);
    if (!root && root.error().code() == ErrorCode::requestTimeout) co_return clientLeft();
    if (!root) {
      Problem problem = problemOf(root.error(), access_.caller.requestId);
      problem.at = field.at;
      problem.path = {std::string(field.key)};
      if (problems_.size() < kMaxProblems) problems_.push_back(std::move(problem));
    }
    roots.push_back(root ? *std::move(root) : Root());
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].relations == 0) continue;
    for (const doc::Document& document : roots[i].documents) level.push_back({&fields[i], document.view()});
  }
  CO_RETURN_IF_ERROR(co_await relate(std::move(level), kind));
  out.reserve(out.size() + std::min(bytes_, kReservedBytes));
  size_t work = 0;
  for (size_t i = 0; i < fields.size() && work <= kInlineBytes; ++i) work += workOf(fields[i], roots[i]);
  co_return co_await runSized(work, kind, [&] { return write(fields, roots, out); });
}

Result<> Executor::write(std::span<const Planned> fields, const std::vector<Root>& roots, std::string& out) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    out += fields[i].keyText;
    append(out, fields[i], roots[i]);
    if (out.size() > ResponseWriter::kMaxBytes) return fail(responseTooLarge());
  }
  return {};
}

// Runs the fields one after another; the result of each has its relations as they are right after it.
Task<> Executor::runMutation(const std::vector<Planned>& fields, std::string& out) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    related_.clear();
    bytes_ = 0;
    const size_t mark = out.size();
    auto done = co_await runQuery({&fields[i], 1}, OperationKind::mutation, out);
    if (done) continue;
    // The mutation is committed, although its result could not be written.
    Problem problem = problemOf(done.error(), access_.caller.requestId);
    problem.at = fields[i].at;
    problem.path = {std::string(fields[i].key)};
    problems_.push_back(std::move(problem));
    out.resize(mark);
    out += fields[i].keyText + "null";
  }
  co_return Result<>();
}

Task<> Executor::run(const std::vector<Planned>& fields, OperationKind kind, std::string& out) {
  out += '{';
  if (kind == OperationKind::mutation) {
    CO_RETURN_IF_ERROR(co_await runMutation(fields, out));
  } else {
    CO_RETURN_IF_ERROR(co_await runQuery(fields, kind, out));
  }
  out += '}';
  co_return Result<>();
}

}  // namespace mb::graphql

#include "app/secret_rotation.h"

#include <algorithm>

#include "base/blocking.h"
#include "connections/connections.h"
#include "identity/signing_keys.h"
#include "integrations/integration_service.h"
#include "jobs/jobs.h"
#include "projects/directory.h"
#include "webhooks/webhooks.h"

namespace mb::app {

namespace {

using Form = store::SealedField::Form;

// In no module's range: two collections with one number would rebuild their indexes at every start.
constexpr store::CollectionNo kSecretRotation = 60;
// The mark's collection in earlier versions: the number of the functions collection, which the control project does not
// have.
constexpr store::CollectionNo kEarlierSecretRotation = 90;
constexpr std::string_view kMarkId = "change";
constexpr std::string_view kMarkContext = "secret-change";
// Field of a document that holds its values under the new secret, by field.
constexpr std::string_view kNextValues = "resealed";
constexpr uint64_t kPage = 100;

store::Deadline deadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}

store::WriteOptions options() {
  return {.deadline = deadline(), .actor = {store::ActorKind::server, ""}, .bumpEpochs = {}};
}

store::WriteTarget mark(store::CollectionNo collection = kSecretRotation) {
  return {{store::kControlProject, collection, 0}, std::string(kMarkId)};
}

Result<doc::Filter> behind(const std::string& id) {
  if (id.empty()) return doc::Filter();
  doc::BsonWriter out;
  out.beginDocument("id");
  out.appendString("$gt", id);
  out.end();
  return doc::Filter::parse(out.finish());
}

// The sealed bytes of a field; empty if absent.
Result<std::string> sealedIn(doc::DocumentView document, const store::SealedField& field) {
  const auto value = document.find(field.field);
  if (!value) return std::string();
  if (field.form == Form::bytes) {
    return value->type() == doc::BsonType::binary ? std::string(value->asBinary()) : std::string();
  }
  if (value->type() != doc::BsonType::string || value->asString().empty()) return std::string();
  return fromBase64(value->asString());
}

void append(doc::BsonWriter& out, const store::SealedField& field, const std::string& sealed) {
  if (field.form == Form::bytes) {
    out.appendBinary(field.field, sealed);
  } else {
    out.appendString(field.field, toBase64(sealed));
  }
}

// The document with its next values, or with none.
doc::Document withNext(doc::DocumentView document, std::optional<doc::Document> next) {
  doc::BsonWriter out;
  for (const auto& element : document) {
    if (element.key != kNextValues) out.append(element.key, element.value);
  }
  if (next) out.appendDocument(kNextValues, *next);
  return out.finish();
}

// The document with its next values in place of the current ones.
std::optional<doc::Document> promoted(doc::DocumentView document) {
  const auto held = document.find(kNextValues);
  if (!held || held->type() != doc::BsonType::document) return std::nullopt;
  const doc::DocumentView next = held->asDocument();
  doc::BsonWriter out;
  for (const auto& element : document) {
    if (element.key == kNextValues) continue;
    const auto replacement = next.find(element.key);
    out.append(element.key, replacement ? *replacement : element.value);
  }
  return out.finish();
}

}  // namespace

store::SystemCollection secretChangeCollection() {
  return {.number = kSecretRotation, .name = "__secret_change", .indexes = {}};
}

std::vector<store::SealedField> sealedFields() {
  std::vector<store::SealedField> all;
  for (const auto& module :
       {jobs::sealedFields(), identity::sealedFields(), connections::sealedFields(), webhooks::sealedFields(),
        projects::sealedFields(), integrations::sealedFields(), variables::sealedFields()}) {
    all.insert(all.end(), module.begin(), module.end());
  }
  return all;
}

ResealedDocument resealedAs(store::CollectionNo collection, const Sealing& from, const Sealing& to) {
  ResealedDocument resealed{doc::Document(to.document)};
  for (const store::SealedField& field : sealedFields()) {
    if (field.collection != collection) continue;
    const std::string before = field.context(from.project, from.document);
    const std::string after = field.context(to.project, to.document);
    if (&from.master == &to.master && before == after) continue;
    const auto sealed = sealedIn(from.document, field);
    if (!sealed || sealed->empty()) continue;
    const auto plain = from.master.unseal(*sealed, before);
    if (!plain) {
      ++resealed.unreadable;
      continue;
    }
    doc::BsonWriter next;
    append(next, field, to.master.seal(plain->reveal(), after));
    resealed.document = *promoted(withNext(resealed.document, next.finish()));
  }
  return resealed;
}

Result<std::vector<SecretRotation::SealedCollection>> SecretRotation::sealedCollections() {
  projects::Directory directory(store_);
  TRY(const auto projects, runBlocking(cores_, directory.all()));
  std::vector<SealedCollection> all;
  std::vector<store::CollectionNo> seen;
  for (const store::SealedField& field : fields_) {
    if (std::ranges::find(seen, field.collection) != seen.end()) continue;
    seen.push_back(field.collection);
    all.push_back({{store::kControlProject, field.collection, 0}, ""});
    for (const auto& project : projects) all.push_back({{project.number, field.collection, 0}, project.id.str()});
  }
  return all;
}

Result<Resealed> SecretRotation::editPage(const SealedCollection& place, const std::vector<doc::Document>& page,
                                          const Edit& edit) {
  store::Write write(options());
  std::vector<store::Target> targets;
  for (const doc::Document& document : page) {
    targets.push_back(write.change(place.collection, std::string(document.view().stringOr("id"))));
  }
  const auto editEach = [&place = std::as_const(place), &edit = std::as_const(edit), &targets = std::as_const(targets)](
                            const store::PreImages& before, store::Changes& changes) -> Result<Resealed> {
    Resealed counts;
    for (const store::Target& target : targets) {
      if (!before[target]) continue;
      Edited edited = edit(place, before[target]->view());
      if (edited.document) changes.put(target, *std::move(edited.document));
      counts += edited.counts;
    }
    return counts;
  };
  return runBlocking(cores_, store::writeReturning(store_, std::move(write), editEach));
}

Result<Resealed> SecretRotation::editAll(std::string_view step, bool stoppable, const Edit& edit) {
  TRY(const std::vector<SealedCollection> all, sealedCollections());
  uint64_t total = 0;
  for (const SealedCollection& place : all) {
    const auto stats = runBlocking(cores_, store_.stats(place.collection));
    if (stats) total += stats->documents;
  }
  uint64_t done = 0;
  Resealed counts;
  for (const SealedCollection& place : all) {
    std::string last;
    while (true) {
      progress_.at(step, done, total);
      if (stoppable && progress_.stopped()) return fail(ErrorCode::unavailable, "stopped: the secret is as it was");
      TRY(doc::Filter filter, behind(last));
      auto found = runBlocking(cores_, store_.find({.collection = place.collection,
                                                    .filter = std::move(filter),
                                                    .skip = 0,
                                                    .limit = kPage,
                                                    .sort = {},
                                                    .deadline = deadline()}));
      // A deleted project that is being purged.
      if (!found && found.error().code() == ErrorCode::notFound) break;
      if (!found) return fail(found.error().clone());
      if (found->documents.empty()) break;
      TRY(const Resealed ofPage, editPage(place, found->documents, edit));
      counts += ofPage;
      last = found->documents.back().view().stringOr("id");
      done += found->documents.size();
      if (found->documents.size() < kPage) break;
    }
  }
  progress_.at(step, done, std::max(done, total));
  return counts;
}

Result<Resealed> SecretRotation::prepare(const MasterSecret& from, const MasterSecret& to) {
  return editAll("documents sealed", true, [&](const SealedCollection& place, doc::DocumentView document) {
    Edited edited;
    doc::BsonWriter next;
    for (const store::SealedField& field : fields_) {
      if (field.collection != place.collection.number) continue;
      const auto sealed = sealedIn(document, field);
      if (sealed && sealed->empty()) continue;
      const std::string context = field.context(place.project, document);
      const auto plain = sealed ? from.unseal(*sealed, context) : fail(sealed.error().clone());
      if (!plain) {
        ++edited.counts.unreadable;
        continue;
      }
      append(next, field, to.seal(plain->reveal(), context));
      ++edited.counts.values;
    }
    if (edited.counts.values > 0) {
      edited.document = withNext(document, next.finish());
    } else if (document.find(kNextValues)) {
      // Left by a rotation that was never decided.
      edited.document = withNext(document, std::nullopt);
    }
    return edited;
  });
}

Result<> SecretRotation::decide(const MasterSecret& to, Timestamp now, std::vector<store::Insert> extraInserts) {
  doc::BsonWriter out;
  out.appendString("id", kMarkId);
  out.appendString("check", toBase64(to.seal("", kMarkContext)));
  out.appendDate("decidedAt", now);
  store::Write write(options());
  const store::Target decided = write.change(mark());
  write.insert(std::move(extraInserts));
  const auto putMark = [decided, document = out.finish()](const store::PreImages&,
                                                          store::Changes& changes) -> Result<> {
    changes.put(decided, document);
    return {};
  };
  RETURN_IF_ERROR(runBlocking(cores_, store_.write(std::move(write), putMark)));
  return {};
}

Result<> SecretRotation::promote() {
  RETURN_IF_ERROR(editAll("documents promoted", false, [](const SealedCollection&, doc::DocumentView document) {
    return Edited{.document = promoted(document)};
  }));
  store::Write write(options());
  const store::Target current = write.change(mark());
  const store::Target earlier = write.change(mark(kEarlierSecretRotation));
  const auto removeMarks = [current, earlier](const store::PreImages&, store::Changes& changes) -> Result<> {
    changes.remove(current);
    changes.remove(earlier);
    return {};
  };
  RETURN_IF_ERROR(runBlocking(cores_, store_.write(std::move(write), removeMarks)));
  return {};
}

Result<SecretRotation::Open> SecretRotation::open(const MasterSecret* master) {
  std::optional<doc::Document> stored;
  for (const store::CollectionNo collection : {kSecretRotation, kEarlierSecretRotation}) {
    const store::WriteTarget at = mark(collection);
    if (!stored) {
      TRY(stored, runBlocking(cores_, store_.get(at.collection, at.id)));
    }
  }
  if (!stored) return Open::none;
  TRY(const std::string check, fromBase64(stored->view().stringOr("check")));
  return master != nullptr && master->unseal(check, kMarkContext) ? Open::fits : Open::fitsNot;
}

}  // namespace mb::app

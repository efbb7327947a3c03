#include "app/secret_change.h"

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

using Before = std::span<const std::optional<doc::Document>>;
using Changes = std::vector<store::Change>;
using Form = store::SealedField::Form;

// Of no module's range: two collections of one number would rebuild their indexes at every start.
constexpr store::CollectionNo kSecretChange = 60;
// Where earlier versions put the mark: the number that functions have, which the control project has none of.
constexpr store::CollectionNo kEarlierSecretChange = 90;
constexpr std::string_view kMarkId = "change";
constexpr std::string_view kMarkContext = "secret-change";
// Of a document: its values under the new secret, by field.
constexpr std::string_view kNextValues = "resealed";
constexpr uint64_t kPage = 100;

store::Deadline deadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}

store::WriteOptions options() {
  return {.deadline = deadline(), .actor = {"server", ""}, .bumpEpochs = {}};
}

store::WriteTarget mark(store::CollectionNo collection = kSecretChange) {
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

// The sealed bytes of a field; empty where there is nothing.
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

// The document with its next values, or without any.
doc::Document withNext(doc::DocumentView document, std::optional<doc::Document> next) {
  doc::BsonWriter out;
  for (const auto& element : document) {
    if (element.key != kNextValues) out.append(element.key, element.value);
  }
  if (next) out.appendDocument(kNextValues, *next);
  return out.finish();
}

// The next values in the place of those that they follow.
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
  return {.number = kSecretChange, .name = "__secret_change", .indexes = {}};
}

std::vector<store::SealedField> sealedFields() {
  std::vector<store::SealedField> all;
  for (const auto& room : {jobs::sealedFields(), identity::sealedFields(), connections::sealedFields(),
                           webhooks::sealedFields(), integrations::sealedFields()}) {
    all.insert(all.end(), room.begin(), room.end());
  }
  return all;
}

doc::Document boundTo(doc::DocumentView document, store::CollectionNo collection, const MasterSecret& master,
                      std::string_view from, std::string_view to) {
  doc::Document bound(document);
  for (const store::SealedField& field : sealedFields()) {
    if (field.collection != collection) continue;
    const std::string before = field.context(from, document);
    const std::string after = field.context(to, document);
    if (before == after) continue;
    const auto sealed = sealedIn(document, field);
    if (!sealed || sealed->empty()) continue;
    const auto plain = master.unseal(*sealed, before);
    if (!plain) continue;
    doc::BsonWriter next;
    append(next, field, master.seal(plain->reveal(), after));
    bound = *promoted(withNext(bound, next.finish()));
  }
  return bound;
}

Result<std::vector<SecretChange::Place>> SecretChange::places() {
  projects::Directory directory(store_);
  TRY(const auto projects, runBlocking(cores_, directory.all()));
  std::vector<Place> places;
  std::vector<store::CollectionNo> seen;
  for (const store::SealedField& field : fields_) {
    if (std::ranges::find(seen, field.collection) != seen.end()) continue;
    seen.push_back(field.collection);
    places.push_back({{store::kControlProject, field.collection, 0}, ""});
    for (const auto& project : projects) places.push_back({{project.number, field.collection, 0}, project.id.str()});
  }
  return places;
}

Result<> SecretChange::editPage(const Place& place, const std::vector<doc::Document>& page, const Edit& edit) {
  std::vector<store::WriteTarget> targets;
  for (const doc::Document& document : page) {
    targets.push_back({place.collection, std::string(document.view().stringOr("id"))});
  }
  store::Judge judge = [&](Before before) -> Result<Changes> {
    Changes changes;
    for (const auto& held : before) {
      std::optional<doc::Document> edited = held ? edit(place, held->view()) : std::nullopt;
      changes.push_back(edited ? store::Change::put(*std::move(edited)) : store::Change::keep());
    }
    return changes;
  };
  CHECK(runBlocking(cores_, store_.write(std::move(targets), std::move(judge), options())));
  return {};
}

Result<> SecretChange::editAll(std::string_view step, bool stoppable, const Edit& edit) {
  TRY(const std::vector<Place> all, places());
  uint64_t total = 0;
  for (const Place& place : all) {
    const auto stats = runBlocking(cores_, store_.stats(place.collection));
    if (stats) total += stats->documents;
  }
  uint64_t done = 0;
  for (const Place& place : all) {
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
      // A deleted project whose purge is under way.
      if (!found && found.error().code() == ErrorCode::notFound) break;
      if (!found) return fail(found.error().clone());
      if (found->documents.empty()) break;
      CHECK(editPage(place, found->documents, edit));
      last = found->documents.back().view().stringOr("id");
      done += found->documents.size();
      if (found->documents.size() < kPage) break;
    }
  }
  progress_.at(step, done, std::max(done, total));
  return {};
}

Result<Resealed> SecretChange::prepare(const MasterSecret& from, const MasterSecret& to) {
  Resealed count;
  CHECK(editAll("documents sealed", true,
                [&](const Place& place, doc::DocumentView document) -> std::optional<doc::Document> {
                  doc::BsonWriter next;
                  uint64_t values = 0;
                  for (const store::SealedField& field : fields_) {
                    if (field.collection != place.collection.number) continue;
                    const auto sealed = sealedIn(document, field);
                    if (sealed && sealed->empty()) continue;
                    const std::string context = field.context(place.project, document);
                    const auto plain = sealed ? from.unseal(*sealed, context) : fail(sealed.error().clone());
                    if (!plain) {
                      ++count.unreadable;
                      continue;
                    }
                    append(next, field, to.seal(plain->reveal(), context));
                    ++values;
                  }
                  count.values += values;
                  if (values > 0) return withNext(document, next.finish());
                  // Left by a change that was never decided.
                  if (document.find(kNextValues)) return withNext(document, std::nullopt);
                  return std::nullopt;
                }));
  return count;
}

Result<> SecretChange::decide(const MasterSecret& to, Timestamp now, std::vector<store::Insert> alongside) {
  doc::BsonWriter out;
  out.appendString("id", kMarkId);
  out.appendString("check", toBase64(to.seal("", kMarkContext)));
  out.appendDate("decidedAt", now);
  std::vector<store::WriteTarget> targets{mark()};
  for (const store::Insert& insert : alongside) {
    targets.push_back({insert.collection, std::string(insert.document.view().stringOr("id"))});
  }
  store::Judge judge = [&](Before) -> Result<Changes> {
    Changes changes;
    changes.push_back(store::Change::put(out.finish()));
    for (store::Insert& insert : alongside) changes.push_back(store::Change::put(std::move(insert.document)));
    return changes;
  };
  CHECK(runBlocking(cores_, store_.write(std::move(targets), std::move(judge), options())));
  return {};
}

Result<> SecretChange::promote() {
  CHECK(editAll("documents put in place", false,
                [](const Place&, doc::DocumentView document) { return promoted(document); }));
  store::Judge judge = [](Before before) -> Result<Changes> {
    Changes changes;
    for (const auto& each : before) changes.push_back(each ? store::Change::remove() : store::Change::keep());
    return changes;
  };
  std::vector<store::WriteTarget> targets{mark(), mark(kEarlierSecretChange)};
  CHECK(runBlocking(cores_, store_.write(std::move(targets), std::move(judge), options())));
  return {};
}

Result<SecretChange::Open> SecretChange::open(const MasterSecret* master) {
  std::optional<doc::Document> stored;
  for (const store::CollectionNo collection : {kSecretChange, kEarlierSecretChange}) {
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

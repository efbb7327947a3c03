#include "jobs/row.h"

#include "document/fields.h"

namespace mb::jobs {

namespace {

constexpr char kSeparator = '\x01';

std::optional<Timestamp> dateAt(doc::DocumentView stored, std::string_view key) {
  const auto value = stored.find(key);
  if (!value || value->type() != doc::BsonType::date) return std::nullopt;
  return value->asDate();
}

}  // namespace

FairnessKey::FairnessKey(std::string_view kind, store::ProjectNo project, std::string_view group)
    : text_(kindPrefix(kind)) {
  kindEnd_ = text_.size();
  text_ += std::to_string(project);
  text_ += kSeparator;
  projectEnd_ = text_.size();
  text_ += group;
  text_ += kSeparator;
}

std::string kindPrefix(std::string_view kind) {
  return fmt::format("r{}{}", kind, kSeparator);
}

std::string behind(std::string_view prefix) {
  std::string next(prefix);
  ++next.back();
  return next;
}

std::string readyPlace(const FairnessKey& fairnessKey, Timestamp dueAt, std::string_view seq) {
  return fmt::format("{}{:016}{}", fairnessKey.all(), std::max<int64_t>(dueAt.ms, 0), seq);
}

std::string deadPlace(Timestamp diedAt, std::string_view seq) {
  return fmt::format("d{:016}{}", std::max<int64_t>(diedAt.ms, 0), seq);
}

std::string sealContext(std::string_view id) {
  return "job:" + std::string(id);
}

std::string Row::chain() const {
  if (orderKey.empty()) return {};
  return fmt::format("{}{}{}{}{}{}", kind, kSeparator, project, kSeparator, orderKey, kSeparator);
}

RowState Row::stateOf(doc::DocumentView stored) {
  return {std::string(stored.stringOr("seq")), dateAt(stored, "dueAt").value_or(Timestamp()),
          static_cast<int>(doc::integerOr(stored, "failedAttempts"))};
}

Row Row::head() const {
  Row head;
  head.id = id;
  head.kind = kind;
  head.project = project;
  head.group = group;
  head.seq = seq;
  head.createdAt = createdAt;
  head.dueAt = dueAt;
  head.dead = dead;
  head.orderKey = orderKey;
  return head;
}

Timestamp Row::nextFire(Timestamp now) const {
  const int64_t every = repeatEvery.count();
  const int64_t passed = std::max<int64_t>(now.ms - repeatFrom.ms, 0) / every;
  return {repeatFrom.ms + (passed + 1) * every};
}

doc::Document Row::toDocument() const {
  doc::BsonWriter out(payload.size() + sealed.size() + 512);
  out.appendString("id", id);
  out.appendString("kind", kind);
  out.appendInt64("project", project);
  out.appendString("seq", seq);
  const FairnessKey shared = fairnessKey();
  out.appendString(kPlacePath, dead ? deadPlace(dueAt, seq) : readyPlace(shared, dueAt, seq));
  if (!group.empty()) {
    out.appendString("group", group);
    if (!dead) out.appendString(kFairnessKeyPath, shared.stored());
  }
  out.appendDate("createdAt", createdAt);
  out.appendDate("dueAt", dueAt);
  out.appendBool("dead", dead);
  if (failedAttempts > 0) out.appendInteger("failedAttempts", failedAttempts);
  if (!orderKey.empty()) {
    out.appendString("orderKey", orderKey);
    // A dead job does not hold back later ones.
    if (!dead) out.appendString(kChainPath, chain() + seq);
  }
  if (repeatEvery.count() > 0) {
    out.appendInteger("repeatMs", repeatEvery.count());
    out.appendDate("repeatFrom", repeatFrom);
  }
  if (sealed.empty()) {
    out.appendDocument("payload", payload);
  } else {
    out.appendBinary("sealed", sealed);
  }
  if (!error.empty()) out.appendString("error", error);
  if (!trace.empty()) out.appendString("trace", trace);
  return out.finish();
}

Result<Row> Row::fromDocument(doc::DocumentView stored) {
  Row row;
  row.id = stored.stringOr("id");
  row.kind = stored.stringOr("kind");
  row.seq = stored.stringOr("seq");
  row.group = stored.stringOr("group");
  row.orderKey = stored.stringOr("orderKey");
  row.error = stored.stringOr("error");
  row.trace = stored.stringOr("trace");
  row.project = static_cast<store::ProjectNo>(doc::integerOr(stored, "project"));
  row.failedAttempts = static_cast<int>(doc::integerOr(stored, "failedAttempts"));
  row.repeatEvery = std::chrono::milliseconds(doc::integerOr(stored, "repeatMs"));
  row.dead = stored.stringOr(kPlacePath).starts_with('d');
  const auto createdAt = dateAt(stored, "createdAt");
  const auto dueAt = dateAt(stored, "dueAt");
  const auto payload = stored.find("payload");
  const auto sealed = stored.find("sealed");
  if (payload && payload->type() == doc::BsonType::document) row.payload = doc::Document(payload->asDocument());
  if (sealed && sealed->type() == doc::BsonType::binary) row.sealed = sealed->asBinary();
  if (row.id.empty() || row.kind.empty() || row.seq.empty() || !createdAt || !dueAt) {
    return fail(Error(ErrorCode::internal, "a stored job could not be read").withCause(row.id));
  }
  row.createdAt = *createdAt;
  row.dueAt = *dueAt;
  row.repeatFrom = dateAt(stored, "repeatFrom").value_or(*dueAt);
  return row;
}

}  // namespace mb::jobs

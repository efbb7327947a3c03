#include "store/mongo/sessions.h"

#include <map>
#include <optional>
#include <thread>

#include "base/crypto.h"
#include "document/fields.h"
#include "store/mongo/commands.h"

namespace mb::store::mongo {

namespace {

// Four beats.
constexpr std::chrono::seconds kBetweenLooks{1};
constexpr size_t kAtOnce = 100;

struct Noted {
  std::string id;
  std::string instance;
  doc::Document session;
};

// The number of the last beat of each instance that has not said that it ended.
using Beats = std::map<std::string, int64_t, std::less<>>;

Outcome<> readAll(Connection& connection, const Names& names, std::string_view rows,
                  const std::function<void(doc::DocumentView)>& visit,
                  const std::function<void(doc::BsonWriter&)>& filter = {}) {
  const auto read = [&](doc::DocumentView command) { return connection.read(names.shared(), command); };
  return eachDocument(read, rows, findAll(rows, filter), [&](doc::DocumentView row) {
    visit(row);
    return true;
  });
}

Outcome<Beats> beatsNow(Connection& connection, const Names& names) {
  Beats beats;
  const auto done = readAll(connection, names, kBeats, [&](doc::DocumentView beat) {
    if (!doc::boolOr(beat, "ended")) beats.emplace(beat.stringOr("_id"), doc::integerOr(beat, "n"));
  });
  if (!done) return std::unexpected(done.error());
  return beats;
}

Noted notedOf(doc::DocumentView row) {
  return {std::string(row.stringOr("_id")), std::string(row.stringOr("by")),
          doc::Document(doc::containerOr(row, "session"))};
}

doc::Document killCommand(std::span<const Noted> sessions) {
  doc::BsonWriter out;
  out.beginArray("killSessions");
  for (size_t i = 0; i < sessions.size(); ++i) out.appendDocument(doc::arrayKey(i), sessions[i].session);
  out.end();
  return out.finish();
}

Outcome<> inParts(std::span<const Noted> all, const std::function<Outcome<>(std::span<const Noted>)>& work) {
  for (size_t from = 0; from < all.size(); from += kAtOnce) {
    if (auto done = work(all.subspan(from, std::min(kAtOnce, all.size() - from))); !done) return done;
  }
  return {};
}

Outcome<> kill(Connection& connection, std::span<const Noted> sessions) {
  return inParts(sessions, [&](std::span<const Noted> some) -> Outcome<> {
    const auto ended = connection.run("admin", killCommand(some));
    if (!ended) return std::unexpected(ended.error());
    return {};
  });
}

}  // namespace

Outcome<> noteSession(Connection& connection, const Names& names, std::string_view instance,
                      doc::DocumentView session) {
  doc::BsonWriter out;
  const std::string_view bytes = session.bytes();
  out.appendString("_id", toHex({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}));
  out.appendString("by", instance);
  out.appendDocument("session", session);
  const doc::Document row = out.finish();
  const auto done = connection.write(names.shared(), insertCommand(kSessions, std::span(&row, 1)));
  if (!done) return std::unexpected(done.error());
  return {};
}

Outcome<> endAbandonedSessions(Connection& connection, const Names& names) {
  std::vector<Noted> noted;
  auto done = readAll(connection, names, kSessions, [&](doc::DocumentView row) { noted.push_back(notedOf(row)); });
  if (!done || noted.empty()) return done;
  const auto before = beatsNow(connection, names);
  if (!before) return std::unexpected(before.error());
  Beats after;
  if (std::ranges::any_of(noted, [&](const Noted& each) { return before->contains(each.instance); })) {
    std::this_thread::sleep_for(kBetweenLooks);
    auto now = beatsNow(connection, names);
    if (!now) return std::unexpected(now.error());
    after = *std::move(now);
  }
  std::erase_if(noted, [&](const Noted& each) {
    const auto was = before->find(each.instance);
    const auto is = after.find(each.instance);
    return is != after.end() && (was == before->end() || was->second != is->second);
  });
  if (auto killed = kill(connection, noted); !killed) return killed;
  return inParts(noted, [&](std::span<const Noted> some) -> Outcome<> {
    std::vector<doc::Document> statements;
    for (const Noted& each : some) statements.push_back(removeStatement(each.id));
    const auto removed =
        connection.write(names.shared(), statementsCommand("delete", kSessions, "deletes", statements));
    if (!removed) return std::unexpected(removed.error());
    return {};
  });
}

Outcome<> endSessionsOf(Connection& connection, const Names& names, std::string_view instance) {
  std::vector<Noted> noted;
  auto done = readAll(
      connection, names, kSessions, [&](doc::DocumentView row) { noted.push_back(notedOf(row)); },
      [&](doc::BsonWriter& out) { out.appendString("by", instance); });
  if (!done) return done;
  return kill(connection, noted);
}

}  // namespace mb::store::mongo

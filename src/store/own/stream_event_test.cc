#include "store/own/stream_event.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::store::own {
namespace {

using namespace std::string_literals;
using EntryKind = ChangeEntry::Kind;

constexpr CollectionNo kCollection = 1001;

// Events as the server sends them; keys are ObjectIds unless a test says otherwise.
class StreamEvents : public ::testing::Test {
 protected:
  using Append = std::function<void(doc::BsonWriter&)>;

  std::string event(const std::string& type, const Append& more = {}) {
    doc::BsonWriter out;
    out.beginDocument("_id");
    out.appendString("_data", "82aa");
    out.end();
    out.appendString("operationType", type);
    out.beginDocument("ns");
    out.appendString("db", "shop");
    out.appendString("coll", "orders");
    out.end();
    out.beginDocument("documentKey");
    key_(out);
    out.end();
    if (more) more(out);
    return out.finish().bytes();
  }
  // A field that holds the document with this key and these fields.
  Append holding(const std::string& field, const std::string& fields) {
    return [this, field, fields](doc::BsonWriter& out) {
      out.beginDocument(field);
      key_(out);
      out.appendAll(*doc::parseJson(fields));
      out.end();
    };
  }
  static Append both(Append one, Append other) {
    return [one = std::move(one), other = std::move(other)](doc::BsonWriter& out) {
      one(out);
      other(out);
    };
  }
  static Append describing(const std::string& description) {
    return
        [description](doc::BsonWriter& out) { out.appendDocument("updateDescription", *doc::parseJson(description)); };
  }
  std::vector<ChangeEntry> entries(const std::string& bytes, const std::optional<std::string>& known = {}) {
    return entriesOf(readEvent(bytes, cover_), kCollection, known);
  }
  static std::string text(const std::optional<doc::Document>& document) {
    return document ? doc::toJson(*document) : "none";
  }

  const std::string objectId_ = "\x65\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B";
  Cover cover_{std::string(32, 'k')};
  const std::string id_ = cover_.of(objectId_);
  Append key_ = [this](doc::BsonWriter& out) { out.appendObjectId("_id", objectId_); };
};

TEST_F(StreamEvents, AreRead) {
  const StreamEvent read = readEvent(event("insert", holding("fullDocument", R"({"n":1})")), cover_);
  EXPECT_EQ(read.kind, StreamEvent::Kind::insert);
  EXPECT_EQ(read.collection, "orders");
  EXPECT_EQ(doc::toJson(doc::Document::fromTrusted(read.token)), R"({"_data":"82aa"})");
  EXPECT_EQ(read.idOfKey, id_);
  EXPECT_EQ(read.keyName.size(), 64u);
  EXPECT_NE(read.version, 0u);
  EXPECT_EQ(readEvent(event("drop"), cover_).kind, StreamEvent::Kind::vanished);
  EXPECT_EQ(readEvent(event("invalidate"), cover_).kind, StreamEvent::Kind::ended);
  EXPECT_EQ(readEvent(event("createIndexes"), cover_).kind, StreamEvent::Kind::other);
  EXPECT_EQ(readEvent(doc::Document().bytes(), cover_).token, "");
}

TEST_F(StreamEvents, ChangesBecomeEntriesInOurForm) {
  const auto inserted = entries(event("insert", holding("fullDocument", R"({"n":1})")));
  ASSERT_EQ(inserted.size(), 1u);
  EXPECT_EQ(inserted[0].kind, EntryKind::insert);
  EXPECT_EQ(inserted[0].collection, kCollection);
  EXPECT_EQ(inserted[0].id, id_);
  EXPECT_EQ(text(inserted[0].after), R"({"id":")" + id_ + R"(","n":1})");
  EXPECT_EQ(text(inserted[0].before), "none");
  const auto updated = entries(
      event("update", both(holding("fullDocument", R"({"n":2})"), holding("fullDocumentBeforeChange", R"({"n":1})"))));
  ASSERT_EQ(updated.size(), 1u);
  EXPECT_EQ(updated[0].kind, EntryKind::update);
  EXPECT_EQ(text(updated[0].before), R"({"id":")" + id_ + R"(","n":1})");
  const auto replaced = entries(event("replace", holding("fullDocument", R"({"id":"own","n":3})")));
  ASSERT_EQ(replaced.size(), 1u);
  EXPECT_EQ(replaced[0].kind, EntryKind::replace);
  EXPECT_EQ(replaced[0].id, "own");
  // The document was removed since; an event of its own follows.
  EXPECT_TRUE(entries(event("update")).empty());
}

TEST_F(StreamEvents, RemovalsHaveTheIdOfTheDocumentBeforeElseThatOfTheKey) {
  const auto plain = entries(event("delete"));
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0].kind, EntryKind::remove);
  EXPECT_EQ(plain[0].id, id_);
  EXPECT_EQ(text(plain[0].before), "none");
  EXPECT_EQ(entries(event("delete"), "known")[0].id, "known");
  const auto shownBefore = entries(event("delete", holding("fullDocumentBeforeChange", R"({"id":"own"})")), "known");
  ASSERT_EQ(shownBefore.size(), 1u);
  EXPECT_EQ(shownBefore[0].id, "own");
  EXPECT_EQ(text(shownBefore[0].before), R"({"id":"own"})");
}

TEST_F(StreamEvents, HiddenDocumentsHaveNoEntries) {
  key_ = [](doc::BsonWriter& out) { out.appendInt32("_id", 7); };
  EXPECT_TRUE(entries(event("insert", holding("fullDocument", R"({"n":1})"))).empty());
  EXPECT_TRUE(entries(event("delete")).empty());
  EXPECT_TRUE(entries(event("delete", holding("fullDocumentBeforeChange", R"({"n":1})"))).empty());
  EXPECT_EQ(entries(event("delete"), "seven")[0].id, "seven");
  // It gets an id, and loses it.
  const auto appears = entries(event(
      "update", both(holding("fullDocument", R"({"id":"seven"})"), holding("fullDocumentBeforeChange", R"({"n":1})"))));
  ASSERT_EQ(appears.size(), 1u);
  EXPECT_EQ(appears[0].kind, EntryKind::insert);
  const auto leaves = entries(event("update", holding("fullDocument", R"({"n":1})")), "seven");
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_EQ(leaves[0].kind, EntryKind::remove);
  EXPECT_EQ(leaves[0].id, "seven");
}

TEST_F(StreamEvents, AnotherIdIsARemovalAndAnInsert) {
  const auto moved = entries(event(
      "update", both(holding("fullDocument", R"({"id":"b"})"), holding("fullDocumentBeforeChange", R"({"id":"a"})"))));
  ASSERT_EQ(moved.size(), 2u);
  EXPECT_EQ(moved[0].kind, EntryKind::remove);
  EXPECT_EQ(moved[0].id, "a");
  EXPECT_EQ(moved[1].kind, EntryKind::insert);
  EXPECT_EQ(moved[1].id, "b");
}

TEST_F(StreamEvents, ABackfillGivesNone) {
  const auto set = [this](const std::string& id, const std::string& more = "") {
    return event("update", both(holding("fullDocument", R"({"id":")" + id + "\"}"),
                                describing(R"({"updatedFields":{"id":")" + id + "\"" + more +
                                           R"(},"removedFields":[],"truncatedArrays":[]})")));
  };
  EXPECT_TRUE(entries(set(id_)).empty());
  EXPECT_EQ(entries(set("chosen")).size(), 1u);
  EXPECT_EQ(entries(set(id_, R"(,"n":1)")).size(), 1u);
  key_ = [](doc::BsonWriter& out) { out.appendInt32("_id", 7); };
  const std::string holder = event("insert", [](doc::BsonWriter& out) { out.appendInt32("k", 7); });
  const auto key = elementOf(holder, "k");
  const std::string derived = backfilledId(*key, cover_);
  EXPECT_EQ(derived.size(), Cover::kTextSize);
  EXPECT_EQ(cover_.objectIdOf(derived), std::nullopt);
  EXPECT_TRUE(entries(set(derived)).empty());
}

}  // namespace
}  // namespace mb::store::own

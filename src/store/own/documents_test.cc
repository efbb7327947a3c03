#include "store/own/documents.h"

#include <gtest/gtest.h>

#include "document/json.h"

namespace mb::store::own {
namespace {

using namespace std::string_literals;

class OwnDocuments : public ::testing::Test {
 protected:
  // `fields` as JSON, after `_id`.
  std::string stored(const std::function<void(doc::BsonWriter&)>& id, const std::string& fields = "{}") {
    doc::BsonWriter out;
    id(out);
    out.appendAll(*doc::parseJson(fields));
    return out.finish().bytes();
  }
  std::string withObjectId(const std::string& fields = "{}") {
    return stored([&](doc::BsonWriter& out) { out.appendObjectId("_id", objectId_); }, fields);
  }
  std::string jsonOf(const std::string& bytes) { return doc::toJson(doc::Document::fromTrusted(bytes)); }
  doc::Document json(const std::string& text) { return *doc::parseJson(text); }

  const std::string objectId_ = "\x65\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B";
  Cover cover_{std::string(32, 'k')};
};

TEST_F(OwnDocuments, TheIdIsTheFieldElseTheCoverElseAStringThatIsOne) {
  EXPECT_EQ(shownId(withObjectId(R"({"id":"order-1"})"), cover_), "order-1");
  EXPECT_EQ(shownId(withObjectId(), cover_), cover_.of(objectId_));
  EXPECT_EQ(shownId(withObjectId(R"({"id":"not an id"})"), cover_), cover_.of(objectId_));
  EXPECT_EQ(shownId(withObjectId(R"({"id":7})"), cover_), cover_.of(objectId_));
  const auto text = [](std::string_view id) { return [id](doc::BsonWriter& out) { out.appendString("_id", id); }; };
  EXPECT_EQ(shownId(stored(text("sku_9")), cover_), "sku_9");
  EXPECT_EQ(shownId(stored(text("not/an/id")), cover_), std::nullopt);
  EXPECT_EQ(shownId(stored(text(std::string(65, 'x'))), cover_), std::nullopt);
  const auto number = [](doc::BsonWriter& out) { out.appendInt32("_id", 7); };
  EXPECT_EQ(shownId(stored(number), cover_), std::nullopt);
  EXPECT_EQ(shownId(stored(number, R"({"id":"seven"})"), cover_), "seven");
}

TEST_F(OwnDocuments, ADocumentIsShownWithItsIdFirstAndWithoutItsKey) {
  const std::string bytes = withObjectId(R"({"n":1,"id":"a","d":{"_id":2}})");
  EXPECT_EQ(doc::toJson(*shown(bytes, cover_)), R"({"id":"a","n":1,"d":{"_id":2}})");
  EXPECT_FALSE(shown(stored([](doc::BsonWriter& out) { out.appendInt32("_id", 7); }), cover_));
}

TEST_F(OwnDocuments, ANewDocumentGetsTheKeyThatItsIdCovers) {
  const std::string id = cover_.of(objectId_);
  const doc::Document covered = newStored(json(R"({"id":")" + id + R"(","n":1})"), cover_);
  EXPECT_EQ(elementOf(covered.bytes(), "_id")->value, objectId_);
  EXPECT_EQ(shownId(covered.bytes(), cover_), id);
  const doc::Document chosen = newStored(json(R"({"id":"mine"})"), cover_);
  EXPECT_TRUE(elementOf(chosen.bytes(), "_id")->is(doc::BsonType::objectId));
  EXPECT_EQ(shownId(chosen.bytes(), cover_), "mine");
  EXPECT_NE(newObjectId(), newObjectId());
}

TEST_F(OwnDocuments, AChangeKeepsOrderAndStoredFormsOfWhatItDoesNotTouch) {
  doc::BsonWriter out;
  out.appendObjectId("_id", objectId_);
  out.appendString("b", "was");
  out.append("stamp", doc::ValueView(doc::BsonType::timestamp, "\2\0\0\0\1\0\0\0", 8));
  out.beginArray("list");
  out.append("0", doc::ValueView(static_cast<doc::BsonType>(doc::kUndefined), "", 0));
  out.appendInt32("1", 2);
  out.end();
  out.appendInt32("a", 1);
  const std::string before = out.finish().bytes();
  const doc::Document seen = *shown(before, cover_);
  // Only its id is added.
  doc::BsonWriter same;
  same.appendAll(doc::DocumentView(before));
  same.appendString("id", seen.view().stringOr("id"));
  EXPECT_EQ(*changedStored(before, seen, false), same.finish().bytes());

  const std::string id(seen.view().stringOr("id"));
  const doc::Document after =
      json(R"({"id":")" + id + R"(","a":1,"b":"is","stamp":{"$timestamp":{"t":1,"i":2}},"list":[null,3],"c":true})");
  // What is shown the same keeps its form, whatever the types that JSON gives its numbers.
  doc::BsonWriter typed;
  for (const auto& [key, value] : after.view()) {
    if (key == "stamp")
      typed.append(key, *seen.view().find("stamp"));
    else
      typed.append(key, value);
  }
  const std::string changed = *changedStored(before, typed.finish(), false);
  EXPECT_TRUE(elementOf(changed, "stamp")->is(doc::BsonType::timestamp));
  doc::ForeignReader list(elementOf(changed, "list")->value);
  ASSERT_TRUE(list.next());
  EXPECT_EQ(list.element().type, doc::kUndefined);
  EXPECT_EQ(doc::toJson(sortable(changed)),
            R"({"_id":"65010203040506070809)"
            R"(0a0b","b":"is","stamp":{"$timestamp":{"t":1,"i":2}},"list":[null,3],"a":1,"id":")" +
                id + R"(","c":true})");
}

TEST_F(OwnDocuments, AReplacementThatWouldLoseAValueIsRefused) {
  doc::BsonWriter out;
  out.appendObjectId("_id", objectId_);
  out.beginDocument("deep");
  out.append("re", doc::ValueView(doc::BsonType::regex, "a\0\0", 3));
  out.end();
  out.appendInt32("n", 1);
  const std::string before = out.finish().bytes();
  const std::string id = *shownId(before, cover_);
  const doc::Document without = json(R"({"id":")" + id + R"(","n":2})");
  const auto lost = changedStored(before, without, true);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), ErrorCode::conflict);
  EXPECT_NE(lost.error().message().find("/deep"), std::string::npos) << lost.error().message();
  const doc::Document other = json(R"({"id":")" + id + R"(","deep":{"re":"text"},"n":2})");
  EXPECT_NE(changedStored(before, other, true).error().message().find("/deep/re"), std::string::npos);
  // An update names what it changes.
  EXPECT_FALSE(elementOf(*changedStored(before, without, false), "deep"));
}

TEST_F(OwnDocuments, TheVersionChangesWithTheDocument) {
  EXPECT_EQ(versionOf(withObjectId(R"({"n":1})")), versionOf(withObjectId(R"({"n":1})")));
  EXPECT_NE(versionOf(withObjectId(R"({"n":1})")), versionOf(withObjectId(R"({"n":2})")));
}

}  // namespace
}  // namespace mb::store::own

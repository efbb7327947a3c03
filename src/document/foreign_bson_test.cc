#include "document/foreign_bson.h"

#include <gtest/gtest.h>

#include <cmath>

#include "document/json.h"
#include "document/testing.h"

namespace mb::doc {
namespace {

using namespace std::string_literals;

std::string lengthOf(size_t size) {
  const auto length = static_cast<uint32_t>(size);
  return {reinterpret_cast<const char*>(&length), sizeof length};
}

// A document with one element `a` of the type.
std::string documentOf(char type, const std::string& value, const std::string& key = "a") {
  const std::string elements = type + key + '\0' + value;
  return lengthOf(elements.size() + 5) + elements + '\0';
}

std::string text(const std::string& value) {
  return lengthOf(value.size() + 1) + value + '\0';
}

std::string shownAs(const std::string& document) {
  EXPECT_TRUE(isWellFormed(document));
  BsonWriter out;
  ForeignReader reader(document);
  while (reader.next()) appendShown(out, asUtf8(reader.element().key), reader.element());
  EXPECT_FALSE(reader.malformed());
  return toJson(out.finish());
}

std::string realOf(double value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

TEST(ForeignBson, TypesWithoutAFormInJsonAreShownAsExtendedJson) {
  const std::string scope = documentOf('\x10', "\1\0\0\0"s, "n");
  const std::string code = text("f()");
  EXPECT_EQ(shownAs(documentOf('\x06', "")), R"({"a":null})");
  EXPECT_EQ(shownAs(documentOf('\x0B', "^a\0im\0"s)),
            R"({"a":{"$regularExpression":{"pattern":"^a","options":"im"}}})");
  EXPECT_EQ(shownAs(documentOf('\x0D', code)), R"j({"a":{"$code":"f()"}})j");
  EXPECT_EQ(shownAs(documentOf('\x0E', text("sym"))), R"({"a":"sym"})");
  EXPECT_EQ(shownAs(documentOf('\x0F', lengthOf(4 + code.size() + scope.size()) + code + scope)),
            R"j({"a":{"$code":"f()","$scope":{"n":1}}})j");
  EXPECT_EQ(shownAs(documentOf('\x11', "\2\0\0\0\1\0\0\0"s)), R"({"a":{"$timestamp":{"t":1,"i":2}}})");
  EXPECT_EQ(shownAs(documentOf('\xFF', "")), R"({"a":{"$minKey":1}})");
  EXPECT_EQ(shownAs(documentOf('\x7F', "")), R"({"a":{"$maxKey":1}})");
  EXPECT_EQ(shownAs(documentOf('\x0C', text("db.c") + std::string(12, '\x01'))),
            R"({"a":{"$dbPointer":{"$ref":"db.c","$id":"010101010101010101010101"}}})");
  for (const double value : {NAN, INFINITY, -INFINITY}) {
    EXPECT_EQ(shownAs(documentOf('\x01', realOf(value))), R"({"a":null})");
  }
}

TEST(ForeignBson, OtherTypesAreShownAsTheyAre) {
  const char* json = R"({"s":"é","d":{"n":[1,2.5,{"b":true}]},"z":null,"l":9007199254740993})";
  EXPECT_EQ(shownAs(parseJson(json)->bytes()), json);
}

TEST(ForeignBson, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(shownAs(documentOf('\x02', text("a\xFFz"), "k\xC3")), "{\"k\xEF\xBF\xBD\":\"a\xEF\xBF\xBDz\"}");
}

TEST(ForeignBson, KnowsWhatIsShownAsOther) {
  const auto holds = [](const std::string& document) {
    ForeignReader reader(document);
    EXPECT_TRUE(reader.next());
    return holdsShownAsOther(reader.element());
  };
  EXPECT_TRUE(holds(documentOf('\x0E', text("sym"))));
  EXPECT_TRUE(holds(documentOf('\x01', realOf(NAN))));
  EXPECT_TRUE(holds(documentOf('\x03', documentOf('\x04', documentOf('\x06', "", "0")))));
  EXPECT_FALSE(holds(documentOf('\x01', realOf(1))));
  EXPECT_FALSE(holds(documentOf('\x03', documentOf('\x02', text("x")))));
}

TEST(ForeignBson, MalformedBytesAreRefused) {
  const std::string whole = documentOf('\x02', text("x"));
  EXPECT_TRUE(isWellFormed(whole));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(isWellFormed(whole.substr(0, size))) << size;
  EXPECT_FALSE(isWellFormed(whole + '\0'));
  EXPECT_FALSE(isWellFormed(documentOf('\x02', lengthOf(100) + "x\0"s)));
  EXPECT_FALSE(isWellFormed(documentOf('\x02', lengthOf(0) + "x\0"s)));
  EXPECT_FALSE(isWellFormed(documentOf('\x02', lengthOf(2) + "xy"s)));
  EXPECT_FALSE(isWellFormed(documentOf('\x03', lengthOf(3) + "\0"s)));
  EXPECT_FALSE(isWellFormed(documentOf('\x05', lengthOf(0xFFFFFFFF) + "\0"s)));
  EXPECT_FALSE(isWellFormed(documentOf('\x0B', "no end")));
  EXPECT_FALSE(isWellFormed(documentOf('\x0F', lengthOf(14) + text("f()") + documentOf('\x0A', ""))));
  EXPECT_FALSE(isWellFormed(documentOf('\x20', "")));
  EXPECT_FALSE(isWellFormed(documentOf('\x12', "short")));
}

TEST(ForeignBson, TooDeepDocumentsAreRefused) {
  std::string document = documentOf('\x0A', "");
  for (int level = 0; level < kMaxForeignDepth; ++level) document = documentOf('\x03', document);
  EXPECT_TRUE(isWellFormed(document));
  EXPECT_FALSE(isWellFormed(documentOf('\x03', document)));
}

// Every change of a byte is refused or leaves a document that can be shown.
TEST(ForeignBson, AnyBytesAreReadOrRefused) {
  const std::string whole = parseJson(R"({"s":"text","d":{"n":[1,2.5,{"b":true}]},"z":null})")->bytes();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      if (isWellFormed(changed)) EXPECT_FALSE(shownAs(changed).empty());
    }
  }
}

}  // namespace
}  // namespace mb::doc

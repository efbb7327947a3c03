#include "document/bson.h"

#include "document/testing.h"

namespace mb::doc {
namespace {

using namespace std::string_literals;

TEST(BsonWriter, WritesTheBytesOfTheSpecification) {
  // The two examples of bsonspec.org.
  BsonWriter hello;
  hello.appendString("hello", "world");
  EXPECT_EQ(hello.finish().bytes(), "\x16\0\0\0\x02hello\0\x06\0\0\0world\0\0"s);

  BsonWriter awesome;
  awesome.beginArray("BSON");
  awesome.appendString("0", "awesome");
  awesome.appendReal("1", 5.05);
  awesome.appendInt32("2", 1986);
  awesome.end();
  EXPECT_EQ(
      awesome.finish().bytes(),
      "\x31\0\0\0\x04"
      "BSON\0\x26\0\0\0\x02\x30\0\x08\0\0\0awesome\0\x01\x31\0\x33\x33\x33\x33\x33\x33\x14\x40\x10\x32\0\xc2\x07\0\0\0\0"s);
}

TEST(BsonWriter, GivesIntegersTheSmallestType) {
  BsonWriter out;
  out.appendInteger("a", INT32_MAX);
  out.appendInteger("b", int64_t{INT32_MAX} + 1);
  out.appendInteger("c", INT32_MIN);
  out.appendInteger("d", INT64_MIN);
  const Document document = out.finish();
  EXPECT_EQ(document.view().find("a")->type(), BsonType::int32);
  EXPECT_EQ(document.view().find("b")->type(), BsonType::int64);
  EXPECT_EQ(document.view().find("c")->type(), BsonType::int32);
  EXPECT_EQ(document.view().find("d")->asInt64(), INT64_MIN);
}

TEST(BsonWriter, RewindForgetsElements) {
  BsonWriter out;
  out.appendInt32("a", 1);
  const size_t mark = out.size();
  out.beginDocument("b");
  out.appendInt32("c", 1);
  out.end();
  out.rewind(mark);
  out.appendBool("d", true);
  EXPECT_EQ(toJson(out.finish()), R"({"a":1,"d":true})");
}

// At least one value of each type.
Document everyType() {
  BsonWriter out;
  out.appendReal("real", -1.5);
  out.appendString("string", "s\0t"s);
  out.beginDocument("document");
  out.appendNull("null");
  out.end();
  out.beginArray("array");
  out.appendBool("0", true);
  out.end();
  out.appendBinary("binary", "\x01\xff", 4);
  out.appendObjectId("objectId", "123456789012");
  out.appendBool("boolean", false);
  out.appendDate("date", {-1});
  out.appendNull("null");
  out.append("regex", ValueView(BsonType::regex, "a+\0i\0", 5));
  out.appendInt32("int32", -7);
  out.append("timestamp", ValueView(BsonType::timestamp, "\1\0\0\0\2\0\0\0", 8));
  out.appendInt64("int64", INT64_MAX);
  out.appendDecimal("decimal", std::string(16, '\0'));
  out.append("minKey", ValueView(BsonType::minKey, "", 0));
  out.append("maxKey", ValueView(BsonType::maxKey, "", 0));
  return out.finish();
}

TEST(DocumentView, ReadsEveryType) {
  const Document document = everyType();
  const DocumentView view = document;
  EXPECT_EQ(view.count(), 16u);
  EXPECT_EQ(view.find("real")->asReal(), -1.5);
  EXPECT_EQ(view.find("string")->asString(), "s\0t"s);
  EXPECT_EQ(view.find("binary")->asBinary(), "\x01\xff");
  EXPECT_EQ(view.find("binary")->binarySubtype(), 4);
  EXPECT_EQ(view.find("objectId")->asObjectId(), "123456789012");
  EXPECT_EQ(view.find("date")->asDate().ms, -1);
  EXPECT_EQ(view.find("int32")->asInt32(), -7);
  EXPECT_EQ(view.find("int64")->asInt64(), INT64_MAX);
  EXPECT_EQ(view.find("maxKey")->type(), BsonType::maxKey);
  EXPECT_FALSE(view.find("none"));
  EXPECT_FALSE(view.find("rea"));
  EXPECT_EQ(view.stringOr("string"), "s\0t"s);
  EXPECT_EQ(view.stringOr("int32", "other"), "other");
}

TEST(DocumentView, FindPathGoesThroughDocumentsOnly) {
  const Document document = fromJson(R"({"a": {"b": {"c": 1}}, "l": [{"b": 1}], "n": 1})");
  EXPECT_EQ(document.view().findPath("a.b.c")->asInt32(), 1);
  EXPECT_FALSE(document.view().findPath("a.x.c"));
  EXPECT_FALSE(document.view().findPath("l.0"));
  EXPECT_FALSE(document.view().findPath("n.x"));
}

TEST(ValueView, TellsExactIntegers) {
  const auto integer = [](double real) {
    BsonWriter out;
    out.appendReal("", real);
    return out.finish().view().begin()->value.toInteger();
  };
  EXPECT_EQ(integer(3), 3);
  EXPECT_EQ(integer(-0x1p63), INT64_MIN);
  EXPECT_FALSE(integer(0x1p63));
  EXPECT_FALSE(integer(3.5));
  EXPECT_FALSE(integer(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(integer(std::numeric_limits<double>::infinity()));
}

TEST(ArrayKey, IsDecimalAtAnySize) {
  for (const size_t n : {0, 9, 10, 99, 100, 999, 1000, 123456}) EXPECT_EQ(arrayKey(n), std::to_string(n));
}

TEST(FromUntrusted, TakesEveryTypeAndGivesTheSameBytes) {
  const Document document = everyType();
  const auto checked = Document::fromUntrusted(document.bytes());
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_EQ(checked->bytes(), document.bytes());
}

struct BadBytes {
  const char* name;
  std::string bytes;
};

class FromUntrustedBad : public testing::TestWithParam<BadBytes> {};

TEST_P(FromUntrustedBad, IsRefused) {
  const auto document = Document::fromUntrusted(GetParam().bytes);
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code(), ErrorCode::validation);
}

std::string nested(int depth) {
  std::string bytes = "\5\0\0\0\0"s;
  for (int i = 0; i < depth; ++i) {
    BsonWriter out;
    out.appendDocument("a", DocumentView(bytes));
    bytes = out.finish().bytes();
  }
  return bytes;
}

INSTANTIATE_TEST_SUITE_P(
    Bytes, FromUntrustedBad,
    testing::Values(BadBytes{"empty", ""}, BadBytes{"short", "\5\0\0"s}, BadBytes{"lengthBeyond", "\6\0\0\0\0"s},
                    BadBytes{"lengthBelow", "\5\0\0\0\0\0"s}, BadBytes{"negativeLength", "\xff\xff\xff\xff\0"s},
                    BadBytes{"noEnd", "\5\0\0\0\1"s}, BadBytes{"endInTheMiddle", "\7\0\0\0\0\x0a\0"s},
                    BadBytes{"keyWithoutEnd",
                             "\7\0\0\0\x0a"
                             "aa"s},
                    BadBytes{"stringBeyond", "\x0d\0\0\0\2a\0\xff\0\0\0x\0"s},
                    BadBytes{"stringWithoutEnd", "\x0e\0\0\0\2a\0\2\0\0\0xy\0"s},
                    BadBytes{"stringNegative", "\x0d\0\0\0\2a\0\xff\xff\xff\xffx\0"s},
                    BadBytes{"stringNotUtf8", "\x0e\0\0\0\2a\0\2\0\0\0\xff\0\0"s},
                    BadBytes{"keyNotUtf8", "\x08\0\0\0\x0a\xff\0\0"s},
                    BadBytes{"boolOfTwo",
                             "\x09\0\0\0\x08"
                             "a\0\2\0"s},
                    BadBytes{"undefinedType", "\x08\0\0\0\6a\0\0"s},
                    BadBytes{"unknownType",
                             "\x08\0\0\0\x21"
                             "a\0\0"s},
                    BadBytes{"arrayKeys",
                             "\x0f\0\0\0\4a\0\x08\0\0\0\x0a"
                             "1\0\0\0"s},
                    BadBytes{"tooDeep", nested(300)}, BadBytes{"veryDeep", nested(5000)}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mb::doc

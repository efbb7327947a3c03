#include "clone/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "document/json.h"

namespace mb::clone {
namespace {

std::string writtenValue(const std::function<void(Writer&)>& fill) {
  std::string out;
  Writer writer(out);
  fill(writer);
  return out;
}

std::string jsonOf(doc::ValueView value) {
  std::string out;
  doc::writeJsonValue(out, value);
  return out;
}

// The result for a value: type and JSON; or "refused: …", or "no value".
std::string read(std::string_view bytes, Purpose purpose = Purpose::result) {
  Reader in(bytes);
  const auto value = readValue(in, purpose);
  if (in.failed()) return "no value";
  if (!value) return "refused: " + value.error().message();
  return std::string(typeName(value->type())) + " " + jsonOf(value->view());
}

std::string read(const std::function<void(Writer&)>& fill, Purpose purpose = Purpose::result) {
  return read(writtenValue(fill), purpose);
}

TEST(CloneValues, NumbersBecomeTheSmallestTypeThatHoldsThem) {
  const auto real = [](double value) { return [value](Writer& out) { out.real(value); }; };
  EXPECT_EQ(read([](Writer& out) { out.integer(-5); }), "int -5");
  EXPECT_EQ(read(real(7)), "int 7");
  EXPECT_EQ(read(real(-0.0)), "int 0");
  EXPECT_EQ(read(real(2147483648.0)), "long 2147483648");
  EXPECT_EQ(read(real(9007199254740992.0)), "long 9007199254740992");
  EXPECT_EQ(read(real(9007199254740994.0)).substr(0, 6), "double");
  EXPECT_EQ(read(real(0.5)), "double 0.5");
  for (const double none : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(read(real(none)), "null null");
    EXPECT_EQ(read(real(none), Purpose::argument), "refused: an argument holds a number that is not finite");
  }
}

TEST(CloneValues, BigIntsAreInt64) {
  const auto big = [](std::string_view digits) {
    return [digits](Writer& out) {
      out.tag(Tag::bigInt);
      out.text(digits);
    };
  };
  EXPECT_EQ(read(big("5")), "long 5");
  EXPECT_EQ(read(big("9223372036854775807")), "long 9223372036854775807");
  EXPECT_EQ(read(big("-9223372036854775808")), "long -9223372036854775808");
  EXPECT_EQ(read(big("9223372036854775808")), "refused: the result holds a BigInt beyond 64 bits");
  for (const char* none : {"", "-", "1x", " 1", "+1", "-0", "007"}) EXPECT_EQ(read(big(none)), "no value") << none;
}

TEST(CloneValues, DatesAndWhatIsNone) {
  const auto date = [](double ms) { return [ms](Writer& out) { out.date(ms); }; };
  EXPECT_EQ(read(date(0)), R"(date "1970-01-01T00:00:00.000Z")");
  EXPECT_EQ(read(date(std::nan(""))), "null null");
  EXPECT_EQ(read(date(1e300)), "null null");
  EXPECT_EQ(read(date(std::nan("")), Purpose::argument), "refused: an argument holds an invalid date");
}

TEST(CloneValues, ContainersOfEveryKind) {
  EXPECT_EQ(read([](Writer& out) {
              out.tag(Tag::array);
              out.count(3);
              out.integer(1);
              out.tag(Tag::undefined);
              out.tag(Tag::set);
              out.count(1);
              out.string("x");
            }),
            R"(array [1,null,["x"]])");
  EXPECT_EQ(read([](Writer& out) {
              out.tag(Tag::object);
              out.count(3);
              out.text("a");
              out.tag(Tag::undefined);
              out.text("");
              out.tag(Tag::yes);
              out.text("m");
              out.tag(Tag::map);
              out.count(2);
              out.string("k");
              out.tag(Tag::null);
              out.string("u");
              out.tag(Tag::undefined);
            }),
            R"(object {"":true,"m":{"k":null}})");
  EXPECT_EQ(read([](Writer& out) {
              out.tag(Tag::map);
              out.count(1);
              out.integer(1);
              out.integer(2);
            }),
            "refused: the result holds a Map with keys that are not strings");
  EXPECT_EQ(read([](Writer& out) { out.bytes("abc"); }), R"(binData "YWJj")");
  EXPECT_EQ(read([](Writer& out) {
              out.tag(Tag::error);
              out.text("TypeError");
              out.text("no");
            }),
            R"(object {"name":"TypeError","message":"no"})");
}

TEST(CloneValues, RegularExpressionsServeFilters) {
  const auto expression = [](std::string_view source, std::string_view flags) {
    return [=](Writer& out) {
      out.tag(Tag::regexp);
      out.text(source);
      out.text(flags);
    };
  };
  EXPECT_EQ(read(expression("^a", "gi")).substr(0, 5), "regex");
  EXPECT_EQ(read(expression("^a", "gi"), Purpose::argument), R"(object {"$regex":"^a","$options":"i"})");
  EXPECT_EQ(read(expression("^a", "u"), Purpose::argument), R"(object {"$regex":"^a"})");
  EXPECT_EQ(read(expression(std::string_view("a\0b", 3), "")),
            "refused: the result holds a regular expression with a NUL");
}

std::string objectWith(const std::vector<std::string>& keys) {
  return writtenValue([&](Writer& out) {
    out.tag(Tag::object);
    out.count(static_cast<uint32_t>(keys.size()));
    for (const std::string& key : keys) {
      out.text(key);
      out.integer(1);
    }
  });
}

TEST(CloneValues, KeysThatADocumentCannotHave) {
  EXPECT_EQ(read(objectWith({std::string("a\0b", 3)})), "refused: the result holds a key with a NUL");
  EXPECT_EQ(read(objectWith({"a", "b", "a"})), "refused: the result holds an object with one key twice");
  std::vector<std::string> many;
  for (int i = 0; i < 40; ++i) many.push_back("k" + std::to_string(i));
  EXPECT_EQ(read(objectWith(many)).substr(0, 6), "object");
  many.push_back("k7");
  EXPECT_EQ(read(objectWith(many)), "refused: the result holds an object with one key twice");
}

std::string nestedArrays(int depth) {
  std::string out;
  for (int i = 0; i < depth; ++i) {
    out.push_back(static_cast<char>(Tag::array));
    out.push_back(1);
  }
  out.push_back(static_cast<char>(Tag::null));
  return out;
}

TEST(CloneValues, DepthAndSizeAreBounded) {
  EXPECT_EQ(read(nestedArrays(100)).substr(0, 5), "array");
  EXPECT_EQ(read(nestedArrays(101)), "refused: the result is nested too deeply");
  EXPECT_EQ(read(nestedArrays(100'000)), "refused: the result is nested too deeply");
  // One byte each becomes many in BSON.
  std::string wide = writtenValue([](Writer& out) {
    out.tag(Tag::array);
    out.count(5'000'000);
  });
  wide.append(5'000'000, static_cast<char>(Tag::null));
  EXPECT_EQ(read(wide), "refused: the result is too large");
}

TEST(CloneValues, BytesThatAreNoValue) {
  const std::string cases[] = {"",
                               "\x10",
                               "\xff",
                               std::string("\x07\x05"
                                           "abc",
                                           5),                              // fewer bytes than stated
                               std::string("\x07\xff\xff\xff\xff\x0f", 6),  // four billion
                               std::string("\x07\x02\xc3\x28", 4),          // not UTF-8
                               std::string("\x0a\x02\x01", 3),              // an element missing
                               std::string("\x0b\x01\x01"
                                           "a",
                                           4),  // a value missing
                               std::string("\x05\x00\x00", 3),
                               std::string("\x04\x80\x80\x80\x80\x80\x01", 7)};
  for (const std::string& bytes : cases) EXPECT_EQ(read(bytes), "no value");
}

TEST(CloneValues, ArgumentsAreAnArray) {
  const std::string two = writtenValue([](Writer& out) {
    out.tag(Tag::array);
    out.count(2);
    out.string("notes");
    out.tag(Tag::object);
    out.count(0);
  });
  Reader in(two);
  const auto arguments = readArguments(in);
  ASSERT_TRUE(arguments);
  EXPECT_EQ(doc::toJson(*arguments), R"({"0":"notes","1":{}})");
  Reader other(std::string_view("\x01"));
  EXPECT_FALSE(readArguments(other));
  EXPECT_TRUE(other.failed());
}

// ---- BSON to clone values

std::string cloned(doc::DocumentView document) {
  std::string out;
  Writer writer(out);
  EXPECT_TRUE(writeObject(writer, document));
  return out;
}

TEST(CloneValues, DocumentsComeBackAsTheyWere) {
  for (const char* json :
       {R"({})", R"({"a":1,"b":[1,2.5,"x",null,true,{"c":{}}],"d":9007199254740993})",
        R"({"when":{"$date":"2026-01-31T09:30:00.000Z"},"raw":{"$binary":{"base64":"AQID","subType":"00"}}})"}) {
    const auto document = doc::parseJson(json);
    ASSERT_TRUE(document) << json;
    const std::string bytes = cloned(*document);
    ASSERT_EQ(wholeValue(bytes), bytes);
    Reader in(bytes);
    const auto back = readValue(in, Purpose::result);
    ASSERT_TRUE(back);
    EXPECT_TRUE(in.atEnd());
    EXPECT_EQ(back->view().raw(), document->bytes()) << json;
  }
}

TEST(CloneValues, WhatJavaScriptHasNoTypeForIsTextOrNumber) {
  const auto price = doc::parseJson(R"({"price":{"$numberDecimal":"12.50"}})");
  ASSERT_TRUE(price);
  doc::BsonWriter out;
  out.appendObjectId("id", "123456789012");
  out.append("price", *price->view().find("price"));
  out.append("regex", doc::ValueView(doc::BsonType::regex, "a+\0ix\0", 6));
  out.appendInt64("exact", 9007199254740992);
  out.appendInt64("big", -9007199254740993);
  const std::string bytes = cloned(out.finish());
  Reader in(bytes);
  const auto back = readValue(in, Purpose::argument);
  ASSERT_TRUE(back);
  EXPECT_EQ(jsonOf(back->view()),
            R"({"id":"313233343536373839303132","price":"12.50","regex":{"$regex":"a+","$options":"i"},)"
            R"("exact":9007199254740992,"big":-9007199254740993})");
}

TEST(CloneValues, RefusesToWriteWhatIsTooDeep) {
  const auto deep = [](int depth) {
    doc::BsonWriter out;
    for (int i = 1; i < depth; ++i) out.beginArray("0");
    for (int i = 1; i < depth; ++i) out.end();
    return out.finish();
  };
  std::string out;
  Writer writer(out);
  EXPECT_TRUE(writeObject(writer, deep(kMaxDepth)));
  EXPECT_FALSE(writeObject(writer, deep(kMaxDepth + 1)));
}

}  // namespace
}  // namespace mb::clone

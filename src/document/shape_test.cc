#include "document/shape.h"

#include <gtest/gtest.h>

#include "document/testing.h"

namespace mb::doc {
namespace {

struct OwnerTag {};

struct Address {
  std::string street;
  std::optional<int32_t> number;
  static constexpr auto shape() {
    return doc::shape<Address>("Address", field("street", &Address::street), field("number", &Address::number));
  }
};

struct Everything {
  std::string text;
  bool flag = false;
  int32_t small = 0;
  int64_t large = 0;
  double real = 0;
  Timestamp at;
  Id<OwnerTag> owner;
  Document object;
  Value any;
  Address address;
  std::vector<Address> addresses;
  std::optional<std::string> maybe;
  Nullable<std::string> parent;
  Patch<std::string> patch;

  static constexpr auto shape() {
    return doc::shape<Everything>("Everything", field("text", &Everything::text), field("flag", &Everything::flag),
                                  field("small", &Everything::small), field("large", &Everything::large),
                                  field("real", &Everything::real), field("at", &Everything::at),
                                  field("owner", &Everything::owner), field("object", &Everything::object),
                                  field("any", &Everything::any), field("address", &Everything::address),
                                  field("addresses", &Everything::addresses), field("maybe", &Everything::maybe),
                                  field("parent", &Everything::parent), field("patch", &Everything::patch));
  }
};

constexpr std::string_view kAll =
    R"({"text":"t","flag":true,"small":-5,"large":5000000000,"real":1.5,"at":"2026-01-31T09:30:00.000Z","owner":"u1",
        "object":{"k":[1]},"any":[null],"address":{"street":"s","number":7},"addresses":[{"street":"x"}],
        "maybe":"m","parent":"p","patch":"v"})";

// kAll with the field `name` as the JSON text `value`, or without it where that is empty.
Document with(std::string_view name, std::string_view value) {
  BsonWriter out;
  for (const Element& element : fromJson(kAll).view()) {
    if (element.key != name) out.append(element.key, element.value);
  }
  if (!value.empty()) out.append(name, valueFromJson(value));
  return out.finish();
}

TEST(Shape, DecodesEachKindOfMember) {
  const auto decoded = decode<Everything>(fromJson(kAll));
  ASSERT_TRUE(decoded) << decoded.error().message();
  EXPECT_EQ(decoded->text, "t");
  EXPECT_TRUE(decoded->flag);
  EXPECT_EQ(decoded->small, -5);
  EXPECT_EQ(decoded->large, 5'000'000'000);
  EXPECT_EQ(decoded->real, 1.5);
  EXPECT_EQ(decoded->at.ms, 1769851800000);
  EXPECT_EQ(decoded->owner.str(), "u1");
  EXPECT_EQ(toJson(decoded->object), R"({"k":[1]})");
  EXPECT_EQ(decoded->any.type(), BsonType::array);
  EXPECT_EQ(decoded->address.number, 7);
  ASSERT_EQ(decoded->addresses.size(), 1u);
  EXPECT_FALSE(decoded->addresses.front().number);
  EXPECT_EQ(decoded->maybe, "m");
  EXPECT_EQ(decoded->parent.value, "p");
  EXPECT_EQ(decoded->patch.state, Patch<std::string>::State::value);
  EXPECT_EQ(decoded->patch.value, "v");
}

TEST(Shape, ComesBackAsItWent) {
  const auto decoded = decode<Everything>(fromJson(kAll));
  ASSERT_TRUE(decoded);
  const Document encoded = encode(*decoded);
  EXPECT_TRUE(Document::fromUntrusted(encoded.bytes()));
  EXPECT_EQ(toJson(encoded), toJson(fromJson(kAll)));
}

TEST(Shape, TellsAbsentFromNull) {
  const auto absent = decode<Everything>(with("patch", ""));
  ASSERT_TRUE(absent);
  EXPECT_FALSE(absent->patch.given());
  EXPECT_FALSE(encode(*absent).view().find("patch"));

  const auto null = decode<Everything>(with("patch", "null"));
  ASSERT_TRUE(null);
  EXPECT_TRUE(null->patch.given());
  EXPECT_EQ(null->patch.state, Patch<std::string>::State::null);
  EXPECT_EQ(encode(*null).view().find("patch")->type(), BsonType::null);
}

TEST(Shape, LeavesOutWhatIsOptionalAndKeepsWhatIsNullable) {
  for (const char* value : {"", "null"}) {
    const auto maybe = decode<Everything>(with("maybe", value));
    ASSERT_TRUE(maybe);
    EXPECT_FALSE(encode(*maybe).view().find("maybe"));
    const auto parent = decode<Everything>(with("parent", value));
    ASSERT_TRUE(parent);
    ASSERT_TRUE(encode(*parent).view().find("parent"));
    EXPECT_EQ(encode(*parent).view().find("parent")->type(), BsonType::null);
  }
}

TEST(Shape, TakesNumbersThatAreWhole) {
  EXPECT_EQ(decode<Everything>(with("small", "7.0"))->small, 7);
  EXPECT_EQ(decode<Everything>(with("real", "7"))->real, 7);
  EXPECT_EQ(decode<Everything>(with("at", R"({"$date":5})"))->at.ms, 5);
}

// A field with a value that it refuses, and the path of the problem.
struct Misfit {
  std::string name;
  std::string value;
  std::string path;
};

class ShapeMisfit : public testing::TestWithParam<Misfit> {};

TEST_P(ShapeMisfit, NamesThePath) {
  const auto decoded = decode<Everything>(with(GetParam().name, GetParam().value));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code(), ErrorCode::validation);
  ASSERT_EQ(decoded.error().details().size(), 1u) << decoded.error().message();
  EXPECT_EQ(decoded.error().details().front().path, GetParam().path);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ShapeMisfit,
    testing::Values(Misfit{"text", "5", "/text"}, Misfit{"text", "null", "/text"}, Misfit{"text", "", "/text"},
                    Misfit{"flag", "1", "/flag"}, Misfit{"small", "2147483648", "/small"},
                    Misfit{"small", "1.5", "/small"}, Misfit{"large", "\"5\"", "/large"},
                    Misfit{"real", "true", "/real"}, Misfit{"at", "\"soon\"", "/at"}, Misfit{"at", "5", "/at"},
                    Misfit{"owner", "5", "/owner"}, Misfit{"object", "[]", "/object"}, Misfit{"any", "", "/any"},
                    Misfit{"address", "5", "/address"}, Misfit{"address", "{}", "/address/street"},
                    Misfit{"address", R"({"street":"s","numbr":1})", "/address/numbr"},
                    Misfit{"addresses", "{}", "/addresses"}, Misfit{"addresses", "[5]", "/addresses/0"},
                    Misfit{"addresses", R"([{"street":"s"},{"street":1}])", "/addresses/1/street"},
                    Misfit{"maybe", "5", "/maybe"}, Misfit{"parent", "5", "/parent"}, Misfit{"patch", "5", "/patch"},
                    Misfit{"unknown", "1", "/unknown"}));

TEST(Shape, TellsAllProblemsAtOnce) {
  const auto decoded = decode<Address>(fromJson(R"({"number":"x","a":1,"b":2})"));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().details().size(), 4u);
}

TEST(Shape, PassesOverUnknownFieldsWhereAsked) {
  EXPECT_TRUE(decode<Address>(fromJson(R"({"street":"s","more":1})"), UnknownFields::ignore));
}

}  // namespace
}  // namespace mb::doc

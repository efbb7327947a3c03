#include "document/shape_info.h"

#include <gtest/gtest.h>

namespace mb::doc {
namespace {

struct Street {
  std::string name;
  static constexpr auto shape() { return doc::shape<Street>("Street", field("name", &Street::name)); }
};

struct All {
  std::string text;
  std::optional<bool> flag;
  int32_t small = 0;
  Nullable<int64_t> large;
  double real = 0;
  Patch<Timestamp> at;
  UserId owner;
  std::optional<Document> object;
  Value any;
  Street street;
  std::optional<std::vector<Street>> streets;
  Patch<std::vector<std::string>> words;
  static constexpr auto shape() {
    return doc::shape<All>("All", field("text", &All::text), field("flag", &All::flag), field("small", &All::small),
                           field("large", &All::large), field("real", &All::real), field("at", &All::at),
                           field("owner", &All::owner), field("object", &All::object), field("any", &All::any),
                           field("street", &All::street), field("streets", &All::streets), field("words", &All::words));
  }
};

const FieldInfo& find(std::string_view name) {
  for (const FieldInfo& field : shapeInfo<All>().fields) {
    if (field.name == name) return field;
  }
  throw std::out_of_range(std::string(name));
}

TEST(ShapeInfo, NamesEveryFieldInOrder) {
  const ShapeInfo& info = shapeInfo<All>();
  EXPECT_EQ(info.name, "All");
  ASSERT_EQ(info.fields.size(), 12u);
  EXPECT_EQ(info.fields.front().name, "text");
  EXPECT_EQ(info.fields.back().name, "words");
  EXPECT_EQ(&info, &shapeInfo<All>());
}

TEST(ShapeInfo, TellsTypes) {
  const std::pair<std::string_view, FieldKind> expected[] = {
      {"text", FieldKind::string},  {"flag", FieldKind::boolean},  {"small", FieldKind::int32},
      {"large", FieldKind::int64},  {"real", FieldKind::number},   {"at", FieldKind::time},
      {"owner", FieldKind::string}, {"object", FieldKind::object}, {"any", FieldKind::anything},
      {"street", FieldKind::shape}, {"streets", FieldKind::shape}, {"words", FieldKind::string},
  };
  for (const auto& [name, kind] : expected) EXPECT_EQ(find(name).kind, kind) << name;
  EXPECT_EQ(find("street").shape, &shapeInfo<Street>);
  EXPECT_EQ(find("streets").shape, &shapeInfo<Street>);
  EXPECT_EQ(find("text").shape, nullptr);
  for (const FieldInfo& field : shapeInfo<All>().fields) {
    EXPECT_EQ(field.list, field.name == "streets" || field.name == "words") << field.name;
  }
}

TEST(ShapeInfo, TellsWhatMayBeAbsentOrNull) {
  // As in decoding and encoding: absent in a body, always in a response, null in a body, null in a response.
  const auto is = [](std::string_view name, bool absent, bool always, bool takesNull, bool answersNull) {
    const FieldInfo& field = find(name);
    EXPECT_EQ(field.mayBeAbsent, absent) << name;
    EXPECT_EQ(field.alwaysThere, always) << name;
    EXPECT_EQ(field.takesNull, takesNull) << name;
    EXPECT_EQ(field.answersNull, answersNull) << name;
  };
  is("text", false, true, false, false);
  is("flag", true, false, true, false);
  is("large", true, true, true, true);
  is("at", true, false, true, true);
  is("any", false, true, false, false);
  is("streets", true, false, true, false);
  is("words", true, false, true, true);
}

}  // namespace
}  // namespace mb::doc

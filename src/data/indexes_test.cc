#include "data/data_fixture.h"

namespace mb::data {
namespace {

class IndexesTest : public DataTest {
 protected:
  Result<std::string> make(std::string_view body) {
    auto index = doc::decode<NewIndex>(json(body));
    if (!index) return std::unexpected(std::move(index).error());
    return run(data_->collections().createIndex(managing(), "posts", *std::move(index)));
  }
  std::string listed() {
    const auto found = run(data_->collections().indexes(snapshot(), "posts"));
    doc::BsonWriter out;
    doc::encodeValue(out, "indexes", *found);
    return doc::toJson(out.finish());
  }
};

TEST_F(IndexesTest, AreListedWithTheOptionsThatAreSet) {
  collection("posts");
  EXPECT_EQ(R"({"indexes":[]})", listed());
  EXPECT_EQ("a_1_b.c_-1", *make(R"({"keys":{"a":1,"b.c":-1}})"));
  EXPECT_EQ("mine", *make(R"({"keys":{"a":-1},"name":"mine","unique":true,"sparse":true})"));
  EXPECT_EQ("at_1", *make(R"({"keys":{"at":1},"expireAfterSeconds":60,"partialFilter":{"a":{"$gt":1}}})"));
  EXPECT_EQ("owner_1", *make(R"({"keys":{"owner":1},"covering":true})"));
  EXPECT_EQ("held_1", *make(R"({"keys":{"held":1},"unique":true,"include":["z","a.b"]})"));
  EXPECT_EQ("none_1", *make(R"({"keys":{"none":1},"include":[]})"));
  EXPECT_EQ(R"({"indexes":[{"name":"a_1_b.c_-1","keys":{"a":1,"b.c":-1},"unique":false},)"
            R"({"name":"at_1","keys":{"at":1},"unique":false,"partialFilter":{"a":{"$gt":1}},"expireAfterSeconds":60},)"
            R"({"name":"held_1","keys":{"held":1},"unique":true,"include":["z","a.b"]},)"
            R"({"name":"mine","keys":{"a":-1},"unique":true,"sparse":true},)"
            R"({"name":"none_1","keys":{"none":1},"unique":false},)"
            R"({"name":"owner_1","keys":{"owner":1},"unique":false,"covering":true}]})",
            listed());
  expectError(ErrorCode::conflict, make(R"({"keys":{"z":1},"name":"mine"})"));
  expectOk(run(data_->collections().dropIndex(managing(), "posts", "mine")));
  expectError(ErrorCode::notFound, run(data_->collections().dropIndex(managing(), "posts", "mine")));
  expectError(ErrorCode::notFound, run(data_->collections().dropIndex(managing(), "nope", "mine")));
}

TEST_F(IndexesTest, BadOnesAreRefused) {
  collection("posts");
  for (
      const char* bad :
      {R"({})",
       R"({"keys":{}})",
       R"({"keys":[]})",
       R"({"keys":{"a":2}})",
       R"({"keys":{"a":"text"}})",
       R"({"keys":{"a":true}})",
       R"({"keys":{"$a":1}})",
       R"({"keys":{"a..b":1}})",
       R"({"keys":{"":1}})",
       R"({"keys":{"a":1},"name":"1x"})",
       R"({"keys":{"a":1},"name":""})",
       R"({"keys":{"a":1},"unique":1})",
       R"({"keys":{"a":1},"background":true})",
       R"({"keys":{"a":1},"partialFilter":{"$where":"x"}})",
       R"({"keys":{"a":1},"partialFilter":{"$or":[{"a":1},{"b":{"$not":{"$regex":"^x"}}}]}})",
       R"({"keys":{"a":1},"sparse":true,"partialFilter":{"a":1}})",
       R"({"keys":{"a":1},"expireAfterSeconds":-1})",
       R"({"keys":{"a":1,"b":1},"expireAfterSeconds":5})",
       R"({"keys":{"a":1},"unique":true,"covering":true})",
       R"({"keys":{"a":1},"covering":1})",
       R"({"keys":{"a":1},"covering":true,"include":["b"]})",
       R"({"keys":{"a":1},"include":"b"})",
       R"({"keys":{"a":1},"include":[1]})",
       R"({"keys":{"a":1},"include":[""]})",
       R"({"keys":{"a":1},"include":["b","c","b"]})",
       R"({"keys":{"a":1},"include":["$b"]})",
       R"({"keys":{"a":1},"include":["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q"]})",
       R"({"keys":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1}})"}) {
    SCOPED_TRACE(bad);
    expectError(ErrorCode::validation, make(bad));
  }
  EXPECT_EQ(R"({"indexes":[]})", listed());
}

TEST_F(IndexesTest, AUniqueOneOverDuplicatesChangesNothing) {
  collection("posts");
  put("posts", R"({"id":"a","n":1})");
  put("posts", R"({"id":"b","n":1})");
  expectError(ErrorCode::conflict, make(R"({"keys":{"n":1},"unique":true})"));
  EXPECT_EQ(R"({"indexes":[]})", listed());
}

}  // namespace
}  // namespace mb::data

#include "data/data_fixture.h"

namespace mb::data {
namespace {

class ExpandTest : public DataTest {
 protected:
  void library(std::string_view peoplePolicy, std::string_view bookPolicy = R"({"read":{},"list":{}})") {
    collection("people", peoplePolicy, R"({"type":"object","properties":{"boss":{"type":"string","x-ref":"people"}}})");
    collection("nowhere", peoplePolicy);
    collection("books", bookPolicy, R"({"type":"object","properties":{
      "author":{"type":"string","x-ref":"people"},
      "editors":{"type":"array","items":{"type":"string","x-ref":"people"}},
      "meta":{"type":"object","properties":{"by":{"type":"string","x-ref":"people"}}},
      "parts":{"type":"array","items":{"type":"object","properties":{"who":{"type":"string","x-ref":"people"}}}},
      "lost":{"type":"string","x-ref":"nowhere"}}})");
    expectOk(run(data_->collections().drop(managing(), "nowhere")));
    put("people", R"({"id":"p1","ownerId":"user_alice","name":"Ann","salary":9,"boss":"p2"})");
    put("people", R"({"id":"p2","ownerId":"user_bob","name":"Ben","salary":8})");
    put("books", R"({"id":"b1","author":"p1","editors":["p2","p1","px"],"meta":{"by":"p2"},
                     "parts":[{"who":"p1"},{"who":"zz"}],"lost":"p1","title":"t"})");
  }
  doc::Document expanded(const policy::Caller& caller, std::vector<std::string> fields) {
    ReadQuery query;
    query.expand = std::move(fields);
    const auto found = get(caller, "books", "b1", query);
    expectOk(found);
    return found ? json(*found) : doc::Document();
  }
  static std::string text(const doc::Document& document, std::string_view path) {
    const auto value = document.view().findPath(path);
    std::string out;
    if (value) doc::writeJsonValue(out, *value);
    return out;
  }
};

TEST_F(ExpandTest, PutsDocumentsInPlaceOfIds) {
  library(R"({"read":{}})");
  const doc::Document book = expanded(alice_, {"author", "editors", "meta.by", "parts.who"});
  EXPECT_EQ("\"Ann\"", text(book, "author.name"));
  EXPECT_EQ("\"p2\"", text(book, "author.boss"));  // one level
  EXPECT_EQ("\"Ben\"", text(book, "meta.by.name"));
  const auto editors = book.view().find("editors")->asDocument();
  EXPECT_EQ("Ben", editors.find("0")->asDocument().stringOr("name"));
  EXPECT_EQ("Ann", editors.find("1")->asDocument().stringOr("name"));
  EXPECT_EQ("px", editors.find("2")->asString());
  const auto parts = book.view().find("parts")->asDocument();
  EXPECT_EQ("Ann", parts.find("0")->asDocument().find("who")->asDocument().stringOr("name"));
  EXPECT_EQ("zz", parts.find("1")->asDocument().find("who")->asString());
}

TEST_F(ExpandTest, UnknownNamesAreIgnored) {
  library(R"({"read":{}})");
  const doc::Document book = expanded(alice_, {"nope", "title", "lost", "meta", "parts", "$where", "a..b", ""});
  EXPECT_EQ("\"p1\"", text(book, "author"));
  EXPECT_EQ("\"p1\"", text(book, "lost"));
}

TEST_F(ExpandTest, TheTargetsPolicyJudges) {
  library(R"({"read":{"filter":{"ownerId":"$auth.uid"},"deniedReadFields":["salary"]},"list":{}})");
  const doc::Document book = expanded(alice_, {"author", "meta.by"});
  EXPECT_EQ("\"Ann\"", text(book, "author.name"));
  EXPECT_EQ("", text(book, "author.salary"));
  EXPECT_EQ("\"p2\"", text(book, "meta.by"));
}

TEST_F(ExpandTest, WithoutARuleOrPermissionIdsStay) {
  settings(R"({"tokenClaims":["team"]})");
  library(R"({"list":{}})");
  EXPECT_EQ("\"p1\"", text(expanded(alice_, {"author"}), "author"));
  expectOk(run(data_->collections().setPolicy(managing(), "people", json(R"({"read":{}})"))));
  EXPECT_EQ("\"Ann\"", text(expanded(alice_, {"author"}), "author.name"));
  policy::Caller reader = user("user_r");
  reader.permissions = permissions({"data:books:read"});
  EXPECT_EQ("\"p1\"", text(expanded(reader, {"author"}), "author"));
  expectOk(run(data_->collections().setPolicy(managing(), "people",
                                              json(R"({"read":{"filter":{"team":"$auth.token.team"}}})"))));
  EXPECT_EQ("\"p1\"", text(expanded(alice_, {"author"}), "author"));
}

// End users and a collection that refers to them.
class ProfileTest : public ExpandTest {
 protected:
  void SetUp() override {
    collection("books", R"({"read":{},"list":{}})", R"({"type":"object","properties":{
      "author":{"type":"string","x-ref":"users"},
      "readers":{"type":"array","items":{"type":"string","x-ref":"users"}}}})");
    put("books", R"({"id":"b1","author":"user_ann","readers":["user_ann","user_gone","ann",""]})");
    endUser("user_ann", R"({"id":"user_ann","email":"ann@x.example","name":"Ann","passwordHash":"secret",
                            "metadata":{"avatar":"a.png","role":"chief"}})");
  }
};

TEST_F(ProfileTest, WithoutTheSettingReferencesStayIds) {
  EXPECT_EQ("\"user_ann\"", text(expanded(alice_, {"author"}), "author"));
}

TEST_F(ProfileTest, ShowTheFieldsOfTheSetting) {
  settings(R"({"profileFields":["email","metadata.avatar"]})");
  const std::string ann = R"({"id":"user_ann","email":"ann@x.example","metadata":{"avatar":"a.png"}})";
  const doc::Document book = expanded(alice_, {"author", "readers"});
  EXPECT_EQ(ann, text(book, "author"));
  EXPECT_EQ("[" + ann + R"(,"user_gone","ann",""])", text(book, "readers"));
  // No permission of a collection "users" is needed, and none shows more.
  policy::Caller reader = user("user_r");
  reader.permissions = permissions({"data:books:read"});
  EXPECT_EQ(ann, text(expanded(reader, {"author"}), "author"));
  EXPECT_EQ("\"user_ann\"", text(expanded(reader, {}), "author"));
}

TEST_F(ProfileTest, CallersWithoutATokenGetNoEmail) {
  settings(R"({"profileFields":["email","name"]})");
  expectOk(run(data_->collections().setPolicy(managing(), "books", json(R"({"public":{"read":{}}})"))));
  policy::Caller nobody = user("");
  nobody.kind = policy::CallerKind::anonymous;
  EXPECT_EQ(R"({"id":"user_ann","name":"Ann"})", text(expanded(nobody, {"author"}), "author"));
}

TEST_F(ProfileTest, ByIds) {
  const std::vector<std::string> ids = {"user_ann", "user_gone"};
  const auto shown = [&] {
    const Access access = as(alice_);
    const auto found = run(data_->documents().byIds(access, "users", ids));
    if (!found) return found.error().message();
    std::string out;
    for (const auto& each : *found) out += each ? doc::toJson(*each) : "none";
    return out;
  };
  EXPECT_EQ("nonenone", shown());
  settings(R"({"profileFields":["name"]})");
  EXPECT_EQ(R"({"id":"user_ann","name":"Ann"}none)", shown());
}

TEST_F(ExpandTest, ADeniedReferenceIsLikeAnUnknownOne) {
  library(R"({"read":{}})", R"({"read":{"deniedReadFields":["author","meta.by"]},"list":{}})");
  const doc::Document book = expanded(alice_, {"author", "meta.by", "editors"});
  EXPECT_EQ("", text(book, "author"));
  EXPECT_EQ("{}", text(book, "meta"));
}

TEST_F(ExpandTest, ListsExpandEachDocument) {
  library(R"({"read":{}})");
  put("books", R"({"id":"b2","author":"p1"})");
  ReadQuery query;
  query.expand = {"author"};
  const auto found = list(alice_, "books", query);
  ASSERT_EQ(2u, found->size());
  for (const std::string& each : *found) EXPECT_EQ("\"Ann\"", text(json(each), "author.name"));
}

TEST_F(ExpandTest, TheAdminPlaneSkipsTheTargetsPolicy) {
  library("", R"({"read":{}})");
  ReadQuery query;
  query.expand = {"author"};
  const Access access = asAdmin();
  const auto found = run(data_->documents().get(access, "books", "b1", query));
  EXPECT_EQ(9, found->document.view().findPath("author.salary")->toInteger());
}

TEST_F(ExpandTest, EachTargetIsReadOnceWhereverItStands) {
  library(R"({"read":{}})");
  for (int i = 0; i < 20; ++i) {
    put("books", R"({"id":"c)" + std::to_string(i) +
                     R"(","author":"p1","editors":["p1","p2","p1"],"meta":{"by":"p2"},"parts":[{"who":"p1"}]})");
  }
  ReadQuery query;
  query.expand = {"author", "editors", "meta.by", "parts.who"};
  const Access access = as(alice_);
  const size_t before = store_.reads();
  const auto found = run(data_->documents().list(access, "books", query));
  ASSERT_TRUE(found);
  EXPECT_EQ(store_.reads() - before, 2U);  // the list, and both people together
}

TEST_F(ExpandTest, ArraysInArraysAreWalked) {
  collection("people", R"({"read":{}})");
  collection("games", R"({"read":{}})", R"({"type":"object","properties":{
    "rounds":{"type":"array","items":{"type":"object","properties":{
      "teams":{"type":"array","items":{"type":"object","properties":{
        "players":{"type":"array","items":{"type":"string","x-ref":"people"}}}}}}}}}})");
  put("people", R"({"id":"p1","name":"Ann"})");
  put("games",
      R"({"id":"g","rounds":[{"teams":[{"players":["p1","p9"]},{"players":[]}]},{"teams":[{"players":["p1"]}]}]})");
  ReadQuery query;
  query.expand = {"rounds.teams.players"};
  const std::string game = *get(alice_, "games", "g", query);
  EXPECT_NE(std::string::npos, game.find(R"("rounds":[{"teams":[{"players":[{"id":"p1","name":"Ann")")) << game;
  EXPECT_NE(std::string::npos, game.find(R"(},"p9"]},{"players":[]}]},{"teams":[{"players":[{"id":"p1")")) << game;
}

TEST_F(ExpandTest, EndsWithTheRequestsTime) {
  library(R"({"read":{}})");
  ReadQuery query;
  query.expand = {"author"};
  Access access = as(alice_);
  access.deadline = std::chrono::steady_clock::now();
  expectError(ErrorCode::unavailable, run(data_->documents().get(access, "books", "b1", query)));
}

TEST_F(ExpandTest, ManifoldReferencesToALargeDocumentAreCutOff) {
  library(R"({"read":{}})");
  put("people", R"({"id":"fat","text":")" + std::string(900'000, 'x') + "\"}");
  std::string editors;
  for (int i = 0; i < 40; ++i) editors += (i ? ",\"fat\"" : "\"fat\"");
  put("books", R"({"id":"b9","editors":[)" + editors + "]}");
  ReadQuery query;
  query.expand = {"editors"};
  const auto found = get(alice_, "books", "b9", query);
  expectError(ErrorCode::payloadTooLarge, found);
  EXPECT_NE(std::string::npos, found.error().message().find("limit"));
}

// A stopped pool refuses work as a full one does, which shows what runs on it.
TEST_F(ExpandTest, WalksOverMuchOffTheCore) {
  library(R"({"read":{}})");
  put("people", R"({"id":"fat","text":")" + std::string(100'000, 'x') + "\"}");
  put("books", R"({"id":"b8","editors":["fat"]})");
  put("books", R"({"id":"b9","editors":["fat","fat","fat","fat","fat","fat"]})");
  ReadQuery query;
  query.expand = {"editors"};
  expectOk(get(alice_, "books", "b9", query));
  data_->pool().stop();
  expectOk(get(alice_, "books", "b8", query));
  expectError(ErrorCode::unavailable, get(alice_, "books", "b9", query));
}

TEST_F(ExpandTest, TooManyTargetsAreCutOff) {
  library(R"({"read":{}})");
  std::string editors;
  for (int i = 0; i < 5000; ++i) editors += (i ? ",\"e" : "\"e") + std::to_string(i) + "\"";
  put("books", R"({"id":"b9","editors":[)" + editors + "]}");
  ReadQuery query;
  query.expand = {"editors"};
  expectError(ErrorCode::payloadTooLarge, get(alice_, "books", "b9", query));
}

}  // namespace
}  // namespace mb::data

#include "functions/file_calls.h"

#include <gmock/gmock.h>

#include "functions/call_fixture.h"
#include "storage/storage_fixture.h"

namespace mb::functions {
namespace {

class FileCallsTest : public storage::StorageFixture {
 protected:
  FileCallsTest() { bucket("docs"); }

  Result<doc::Value> callWith(const std::string& operation, doc::Document arguments) {
    return run(callFiles({&storage_->files(), snapshot(shop_)},
                         {{store::ActorKind::function, "fn_1/2"}, soon(), std::stop_token()}, operation,
                         std::move(arguments)));
  }
  std::string call(const std::string& operation, std::string_view arguments) {
    return shown(callWith(operation, argumentsOf(arguments)));
  }
  std::string write(const std::string& path, std::string_view bytes, std::string_view options = "{}") {
    doc::BsonWriter out;
    out.appendString("0", "docs");
    out.appendString("1", path);
    out.appendBinary("2", bytes);
    out.appendDocument("3", json(options));
    return shown(callWith("storage.write", out.finish()));
  }
};

TEST_F(FileCallsTest, ReadAndWriteFiles) {
  EXPECT_EQ(call("storage.list", R"(["docs"])"), "[]");
  const doc::Document made = json(write("a/b", "hello", R"({"contentType":"text/plain","metadata":{"n":1}})"));
  EXPECT_EQ(made.view().stringOr("path"), "a/b");
  EXPECT_FALSE(made.view().find("ownerId"));
  const auto read = callWith("storage.read", json(R"({"0":"docs","1":"a/b"})"));
  ASSERT_TRUE(read) << read.error().message();
  const doc::DocumentView found = read->view().asDocument();
  EXPECT_EQ(found.find("bytes")->asBinary(), "hello");
  EXPECT_EQ(found.stringOr("contentType"), "text/plain");
  EXPECT_EQ(doc::toJson(found.find("metadata")->asDocument()), R"({"n":1})");
  EXPECT_EQ(json(write("empty", "")).view().stringOr("contentType"), "application/octet-stream");
  EXPECT_EQ(
      callWith("storage.read", json(R"({"0":"docs","1":"empty"})"))->view().asDocument().find("bytes")->asBinary(), "");
  EXPECT_TRUE(call("storage.list", R"(["docs",{"prefix":"a","limit":5}])").starts_with(R"([{"path":"a/b")"));
  EXPECT_EQ(call("storage.list", R"(["docs",{"limit":0}])"), "[]");
  EXPECT_TRUE(call("storage.sign", R"(["docs","a/b",60])").contains("&signature="));
  EXPECT_EQ(call("storage.delete", R"(["docs","a/b"])"), "null");
  EXPECT_TRUE(call("storage.read", R"(["docs","a/b"])").starts_with("NOT_FOUND: "));
}

TEST_F(FileCallsTest, AnOverwriteKeepsTheOwner) {
  ASSERT_TRUE(put("docs", "a", "x", endUser("user_a")));
  EXPECT_EQ(json(write("a", "y")).view().stringOr("ownerId"), "user_a");
}

TEST_F(FileCallsTest, PassRules) {
  const auto set = run(storage_->buckets().change(
      access(), "docs", {std::nullopt, {doc::Patch<doc::Document>::State::value, json(R"({"list":{}})")}}));
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_EQ(json(write("a", "x")).view().stringOr("path"), "a");
  EXPECT_TRUE(callWith("storage.read", json(R"({"0":"docs","1":"a"})")));
  EXPECT_EQ(call("storage.delete", R"(["docs","a"])"), "null");
}

TEST_F(FileCallsTest, MeetThePlansLimit) {
  limit(10);
  EXPECT_EQ(json(write("a", "0123456")).view().stringOr("path"), "a");
  EXPECT_EQ(write("b", "0123"),
            "PLAN_LIMIT: plan limit: storageBytes: the plan Free allows 10 bytes of files, in use are 7");
  EXPECT_EQ(json(write("a", "0123456789")).view().stringOr("path"), "a");
  EXPECT_TRUE(write("a", "0123456789+").starts_with("PLAN_LIMIT: "));
  EXPECT_EQ(call("storage.delete", R"(["docs","a"])"), "null");
  EXPECT_EQ(json(write("b", "0123")).view().stringOr("path"), "b");
}

TEST_F(FileCallsTest, RefuseWhatIsNoCall) {
  const RefusedCall cases[] = {
      {"storage.drop", "[]", "VALIDATION"},
      {"storage.", "[]", "VALIDATION"},
      {"storage.list", "[]", "VALIDATION"},
      {"storage.list", R"(["docs",{},1])", "VALIDATION"},
      {"storage.list", R"(["docs",{"limit":-1}])", "VALIDATION"},
      {"storage.list", R"(["docs",{"prefix":1}])", "VALIDATION"},
      {"storage.list", R"(["docs",{"skip":1}])", "VALIDATION"},
      {"storage.list", R"(["none"])", "NOT_FOUND"},
      {"storage.read", R"(["docs"])", "VALIDATION"},
      {"storage.read", R"(["docs","a","b"])", "VALIDATION"},
      {"storage.read", R"(["docs","none"])", "NOT_FOUND"},
      {"storage.read", R"(["docs","../x"])", "INVALID_PARAM"},
      {"storage.write", R"(["docs","a"])", "VALIDATION"},
      {"storage.write", R"(["docs","a","text"])", "VALIDATION"},
      {"storage.delete", R"(["docs","none"])", "NOT_FOUND"},
      {"storage.sign", R"(["docs","a"])", "VALIDATION"},
      {"storage.sign", R"(["docs","a",0])", "INVALID_PARAM"},
      {"storage.sign", R"(["docs","a",1.5])", "VALIDATION"},
  };
  expectRefused(cases, [&](const auto& operation, auto arguments) { return call(operation, arguments); });
  EXPECT_TRUE(write("a", "x", R"({"contentType":1})").starts_with("VALIDATION: "));
  EXPECT_TRUE(write("a", "x", R"({"contentType":"none"})").starts_with("INVALID_PARAM: "));
  EXPECT_TRUE(write("a", "x", R"({"metadata":[]})").starts_with("VALIDATION: "));
  EXPECT_TRUE(write("a", "x", R"({"owner":"user_a"})").starts_with("VALIDATION: "));
  EXPECT_TRUE(write("a", std::string(kMaxFileSize + 1, 'x')).starts_with("PAYLOAD_TOO_LARGE: "));
  EXPECT_EQ(stored(), "0 0");
}

TEST_F(FileCallsTest, WithoutFilesThereAreNone) {
  const auto refused = run(callFiles({nullptr, snapshot(shop_)}, {{}, soon(), std::stop_token()}, "storage.list", {}));
  EXPECT_EQ(codeOf(refused), "NOT_FOUND");
}

}  // namespace
}  // namespace mb::functions

#include "store/mongo/uri.h"

#include <gtest/gtest.h>

namespace mb::store {

TEST(MongoUri, TakesAddressesAndNamesTheirDatabase) {
  for (const auto& [text, prefix] :
       {std::pair("mongodb://db1,db2:27018,db3/?replicaSet=rs0", "manybase"), std::pair("mongodb://db1/", "manybase"),
        std::pair("mongodb://ann:secret@db1/backends?authSource=admin&w=majority", "backends"),
        std::pair("mongodb://db1/a-b_1?tls=true&readPreference=primary", "a-b_1"),
        std::pair("mongodb://db1/?directConnection=true&retryWrites=true", "manybase")}) {
    const auto parsed = parseMongoUri(text);
    ASSERT_TRUE(parsed) << text << " " << parsed.error().message();
    EXPECT_EQ(parsed->prefix, prefix) << text;
    EXPECT_NE(parsed->uri.find("retryWrites=true"), std::string::npos) << parsed->uri;
  }
}

TEST(MongoUri, RefusesWhatWouldWeakenItsPromises) {
  for (const auto& [text, part] :
       {std::pair("http://ann:secret@db1/", "mongodb://"), std::pair("mongodb://", "not a valid"),
        std::pair("mongodb://ann:se cret@db1:port/x", "not a valid"), std::pair("mongodb://ann:secret@db1/?w=0", " w "),
        std::pair("mongodb://ann:secret@db1/?w=1", " w "), std::pair("mongodb://ann:secret@db1/?w=3", " w "),
        std::pair("mongodb://ann:secret@db1/?journal=false", "journal"),
        std::pair("mongodb://ann:secret@db1/?readConcernLevel=local", "readConcernLevel"),
        std::pair("mongodb://ann:secret@db1/?readPreference=secondary", "readPreference"),
        std::pair("mongodb://ann:secret@db1/?readPreference=nearest", "readPreference"),
        std::pair("mongodb://ann:secret@db1/?retryWrites=false", "retrywrites"),
        std::pair("mongodb://ann:secret@db1/?tls=true&tlsInsecure=true", "certificates"),
        std::pair("mongodb://ann:secret@db1/?tls=true&tlsAllowInvalidHostnames=true", "certificates"),
        std::pair("mongodb://ann:secret@db1/admin", "server's own"), std::pair("mongodb://ann:secret@db1/a.b", ""),
        std::pair("mongodb://ann:secret@db1/a%20b", ""),
        std::pair("mongodb://ann:secret@db1/this_name_is_much_too_long", "letters")}) {
    const auto parsed = parseMongoUri(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::validation) << text;
    EXPECT_NE(parsed.error().message().find(part), std::string::npos) << text << ": " << parsed.error().message();
    EXPECT_EQ(parsed.error().message().find("secret"), std::string::npos);
    EXPECT_EQ(parsed.error().message().find("db1"), std::string::npos);
  }
}

}  // namespace mb::store

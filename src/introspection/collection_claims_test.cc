#include "introspection/collection_claims.h"

#include <gtest/gtest.h>

namespace mb::introspection {
namespace {

TEST(CollectionClaimsTest, ACollectionIsHeldOnce) {
  auto claims = std::make_shared<CollectionClaims>();
  CollectionClaims::Claim first = claims->take(2, "orders");
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(claims->take(2, "orders"), nullptr);
  EXPECT_NE(claims->take(2, "Orders"), nullptr);
  EXPECT_NE(claims->take(3, "orders"), nullptr);
  const CollectionClaims::Claim copy = first;
  first.reset();
  EXPECT_EQ(claims->take(2, "orders"), nullptr);
}

TEST(CollectionClaimsTest, AClaimEndsWithItsLastCopy) {
  auto claims = std::make_shared<CollectionClaims>();
  {
    const CollectionClaims::Claim claim = claims->take(2, "orders");
  }
  CollectionClaims::Claim again = claims->take(2, "orders");
  EXPECT_NE(again, nullptr);
  // A call may run on when the service has been destroyed.
  claims.reset();
  again.reset();
}

}  // namespace
}  // namespace mb::introspection

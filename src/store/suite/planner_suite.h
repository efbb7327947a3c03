// The tests of query plans, over a collection that suits them.
#pragma once

#include "store/suite/store_suite.h"

namespace mb::store::suite {

// A collection of 600 documents: id "0000"…, n 0 to 599, mod n%10, name "n<n>", tags [n%7, n%11], at an object with day
// n%30, opt n only if n is even, on true if n%3 is 0.
class PlannerSuite : public StoreSuite {
 protected:
  void SetUp() override;
  CollectionRef things_;
};

}  // namespace mb::store::suite

// The tests of what a query reads, over a collection that suits them.
#pragma once

#include "store/suite/store_suite.h"

namespace mb::store::suite {

// A collection of 600 documents: id "0000"…, n 0 to 599, mod n%10, name "n<n>", tags [n%7, n%11], at an object with
// day n%30, opt n only where n is even, on true where n%3 is 0.
class PlannerSuite : public StoreSuite {
 protected:
  void SetUp() override;
  CollectionRef things_;
};

}  // namespace mb::store::suite

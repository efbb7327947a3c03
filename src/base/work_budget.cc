#include "base/work_budget.h"

namespace mb {

std::unexpected<Error> tooCostly() {
  return fail(ErrorCode::queryTooCostly,
              "the request takes more work than one request may: use smaller regular expressions, fewer conditions, or "
              "smaller values");
}

Result<> WorkBudget::check() const {
  if (exceeded()) return tooCostly();
  return {};
}

}  // namespace mb

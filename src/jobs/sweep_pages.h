// SweepPages chooses how many rows a sweep reads at a time. Private to jobs/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mb::jobs {

class SweepPages {
 public:
  static constexpr uint64_t kMaxRows = 50;

  // The limit of the next page. A walk begins with one row, as it may begin at a fairness key to skip, and rows are
  // large.
  uint64_t rows() const { return rows_; }
  // Of a page of `read` rows, `skipped` were skipped; `leaps`: the next page begins at the next fairness key. If half
  // of them or more were skipped, the next key is likely to be skipped too, so one row is read of it. Keys with few
  // rows are still read many at a time.
  void onPage(bool leaps, size_t read, size_t skipped) {
    if (!leaps) {
      rows_ = kMaxRows;
    } else {
      rows_ = skipped > 0 && skipped * 2 >= read ? 1 : std::min(rows_ * 2, kMaxRows);
    }
  }

 private:
  uint64_t rows_ = 1;
};

}  // namespace mb::jobs

// Who is told of notices (WriteOptions::notices): the part of a store that all engines share.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "store/store_types.h"

namespace mb::store {

// Called on a thread of the store, in the order of the commits; must return at once.
using NoticeListener = std::function<void(const Notice& notice)>;

// Any thread.
class Notices {
 public:
  // Calls `listener` until what is returned is dropped, which waits for a call under way. Not from within a listener.
  std::shared_ptr<void> listen(NoticeListener listener);
  void send(const std::vector<Notice>& notices) const;

 private:
  struct Listeners {
    std::mutex mutex;  // held during the calls, which is what a removal waits for
    std::vector<std::shared_ptr<NoticeListener>> all;
  };
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
};

// Fails with internal for more notices, or longer keys, than a write may have.
Result<> checkNotices(const std::vector<Notice>& notices);

}  // namespace mb::store

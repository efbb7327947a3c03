#include "store/notices.h"

#include <algorithm>

namespace mb::store {

std::shared_ptr<void> Notices::listen(NoticeListener listener) {
  auto added = std::make_shared<NoticeListener>(std::move(listener));
  {
    const std::lock_guard lock(listeners_->mutex);
    listeners_->all.push_back(added);
  }
  return {added.get(), [listeners = listeners_, added](void*) {
            const std::lock_guard lock(listeners->mutex);
            std::erase(listeners->all, added);
          }};
}

void Notices::send(const std::vector<Notice>& notices) const {
  if (notices.empty()) return;
  const std::lock_guard lock(listeners_->mutex);
  for (const Notice& notice : notices) {
    for (const auto& listener : listeners_->all) (*listener)(notice);
  }
}

Result<> checkNotices(const std::vector<Notice>& notices) {
  const bool fits = notices.size() <= kMaxNotices && std::ranges::all_of(notices, [](const Notice& notice) {
                      return notice.key.size() <= kMaxNoticeKey;
                    });
  if (fits) return {};
  return fail(
      Error(ErrorCode::internal, "something went wrong on the server").withCause("too many or too long notices"));
}

}  // namespace mb::store

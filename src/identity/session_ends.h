// SessionEnds shows whether a session may have ended, without reading the store: a table of counters by session id,
// incremented by notices of the store. A notice arrives before the write that ends the session returns, so no request
// after that response relies on the session. It is separate from the project's epoch, which would reload the whole
// configuration for each logout. Private to identity/.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "store/store.h"

namespace mb::identity {

// The notice of a write that ends a session.
inline store::Notice sessionEnd(store::ProjectNo project, std::string session) {
  return {project, store::NoticeKind::sessionEnded, std::move(session)};
}

// Any thread. Sessions may share a counter: the end of one costs the others two reads.
class SessionEnds {
 public:
  explicit SessionEnds(store::Notices& notices)
      : listening_(notices.add([this](const store::Notice& notice) {
          if (notice.kind == store::NoticeKind::sessionEnded) markEnded(notice.key);
        })) {}
  SessionEnds(const SessionEnds&) = delete;
  SessionEnds& operator=(const SessionEnds&) = delete;

  store::Mark watch(std::string_view session) const { return store::Mark(counters_[slot(session)]); }

 private:
  static constexpr size_t kCounters = 4096;
  static size_t slot(std::string_view session) { return std::hash<std::string_view>()(session) % kCounters; }
  void markEnded(std::string_view session) { counters_[slot(session)].fetch_add(1, std::memory_order_release); }

  std::array<std::atomic<uint32_t>, kCounters> counters_{};
  std::shared_ptr<void> listening_;
};

}  // namespace mb::identity

// Ids: 20 characters of [0-9A-Za-z]. The first 9 encode time (milliseconds and a counter), so ids made by one server
// ascend with creation; the rest is random. Ids of everything but documents have a prefix.
#pragma once

#include <compare>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace mb {

// A typed id. Tag names its prefix: struct UserTag { static constexpr std::string_view prefix = "user_"; };
template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}
  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }
  auto operator<=>(const Id&) const = default;

 private:
  std::string text_;
};

struct ProjectTag {
  static constexpr std::string_view prefix = "proj_";
};
struct UserTag {
  static constexpr std::string_view prefix = "user_";
};
struct OrgTag {
  static constexpr std::string_view prefix = "org_";
};
struct MembershipTag {
  static constexpr std::string_view prefix = "mem_";
};
struct SessionTag {
  static constexpr std::string_view prefix = "sess_";
};
struct KeyTag {
  static constexpr std::string_view prefix = "key_";
};
struct AuditTag {
  static constexpr std::string_view prefix = "aud_";
};
using ProjectId = Id<ProjectTag>;
using UserId = Id<UserTag>;
using OrgId = Id<OrgTag>;
using MembershipId = Id<MembershipTag>;
using SessionId = Id<SessionTag>;
using KeyId = Id<KeyTag>;
using AuditId = Id<AuditTag>;

// Makes ids that ascend: each is above all earlier ones and above `floor`, even when the clock is set back. Any thread.
class IdGenerator {
 public:
  explicit IdGenerator(const Clock& clock) : clock_(clock) {}
  // No later id sorts at or below one made at `floorMs`, which the store remembers from the last run.
  void startAbove(int64_t floorMs);
  // The highest time part given so far, in milliseconds; the store persists it.
  int64_t highestMs() const;
  std::string next();
  template <class Tag>
  Id<Tag> next() {
    return Id<Tag>(std::string(Tag::prefix) + next());
  }

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  uint64_t last_ = 0;  // milliseconds * 1024 + counter
};

}  // namespace mb

template <class Tag>
struct std::hash<mb::Id<Tag>> {
  size_t operator()(const mb::Id<Tag>& id) const { return std::hash<std::string>()(id.str()); }
};

// Refresh sessions: stored and on the wire.
#pragma once

#include <string>

#include "base/id.h"
#include "document/shape.h"

namespace mb::identity {

struct SessionRecord {
  SessionId id;
  UserId userId;
  std::string tokenHash;  // sha256 of the first refresh token, hex; no token itself is stored
  Timestamp createdAt;
  Timestamp lastUsedAt;
  Timestamp expiresAt;  // 30 days after the last use
  std::string userAgent;
  std::string ip;
  // Where refresh tokens rotate: how many were issued after the first, and when the last was.
  std::optional<int64_t> generation = {};
  std::optional<Timestamp> rotatedAt = {};
  // true: the refresh token is in a browser's cookie. Absent for others.
  std::optional<bool> inCookie = {};
  // When its user last ended all others: it is valid although it began before UserRecord::signedOutAt.
  std::optional<Timestamp> keptAt = {};
  static constexpr auto shape() {
    return doc::shape<SessionRecord>(
        "SessionRecord", doc::field("id", &SessionRecord::id), doc::field("userId", &SessionRecord::userId),
        doc::field("tokenHash", &SessionRecord::tokenHash), doc::field("createdAt", &SessionRecord::createdAt),
        doc::field("lastUsedAt", &SessionRecord::lastUsedAt), doc::field("expiresAt", &SessionRecord::expiresAt),
        doc::field("userAgent", &SessionRecord::userAgent), doc::field("ip", &SessionRecord::ip),
        doc::field("generation", &SessionRecord::generation), doc::field("rotatedAt", &SessionRecord::rotatedAt),
        doc::field("inCookie", &SessionRecord::inCookie), doc::field("keptAt", &SessionRecord::keptAt));
  }
};

struct SessionView {
  SessionId id;
  Timestamp createdAt;
  Timestamp lastUsedAt;
  Timestamp expiresAt;
  std::string userAgent;
  std::string ip;
  bool current = false;
  static constexpr auto shape() {
    return doc::shape<SessionView>(
        "Session", doc::field("id", &SessionView::id), doc::field("createdAt", &SessionView::createdAt),
        doc::field("lastUsedAt", &SessionView::lastUsedAt), doc::field("expiresAt", &SessionView::expiresAt),
        doc::field("userAgent", &SessionView::userAgent), doc::field("ip", &SessionView::ip),
        doc::field("current", &SessionView::current));
  }
};

}  // namespace mb::identity

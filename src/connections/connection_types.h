// Types of connections: stored records, request bodies, responses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "document/shape.h"

namespace mb::connections {

struct ConnectionTag {
  static constexpr std::string_view prefix = "conn_";
};
using ConnectionId = Id<ConnectionTag>;

// ---- stored

struct ConnectionRecord {
  ConnectionId id;
  std::string kind;
  std::string scope;  // id of its organization or project
  std::string name;
  std::string nameKey;  // connection_rules.h
  doc::Document config;
  std::vector<std::string> secretNames;  // of the secrets held
  std::string secrets;                   // {<name>: <text>} as BSON, sealed, base64; empty without secrets
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<ConnectionRecord>(
        "ConnectionRecord", doc::field("id", &ConnectionRecord::id), doc::field("kind", &ConnectionRecord::kind),
        doc::field("scope", &ConnectionRecord::scope), doc::field("name", &ConnectionRecord::name),
        doc::field("nameKey", &ConnectionRecord::nameKey), doc::field("config", &ConnectionRecord::config),
        doc::field("secretNames", &ConnectionRecord::secretNames), doc::field("secrets", &ConnectionRecord::secrets),
        doc::field("createdAt", &ConnectionRecord::createdAt), doc::field("updatedAt", &ConnectionRecord::updatedAt));
  }
};

// The number of connections of a scope; part of each commit that changes it. Its id is the scope's.
struct ScopeRecord {
  std::string id;
  int64_t connections = 0;
  static constexpr auto shape() {
    return doc::shape<ScopeRecord>("ConnectionScopeRecord", doc::field("id", &ScopeRecord::id),
                                   doc::field("connections", &ScopeRecord::connections));
  }
};

// ---- request bodies

struct NewConnection {
  std::string kind;
  std::string name;
  std::optional<doc::Document> config = {};
  std::optional<doc::Document> secrets = {};
  static constexpr auto shape() {
    return doc::shape<NewConnection>(
        "NewConnection", doc::field("kind", &NewConnection::kind), doc::field("name", &NewConnection::name),
        doc::field("config", &NewConnection::config), doc::field("secrets", &NewConnection::secrets));
  }
};

// A config replaces the stored one; secrets are replaced if named and not blank.
struct ConnectionPatch {
  std::optional<std::string> name = {};
  std::optional<doc::Document> config = {};
  std::optional<doc::Document> secrets = {};
  static constexpr auto shape() {
    return doc::shape<ConnectionPatch>("ConnectionPatch", doc::field("name", &ConnectionPatch::name),
                                       doc::field("config", &ConnectionPatch::config),
                                       doc::field("secrets", &ConnectionPatch::secrets));
  }
};

// ---- responses

struct ScopeView {
  std::string type;  // org, project
  std::optional<std::string> orgId;
  std::optional<std::string> projectId;
  static constexpr auto shape() {
    return doc::shape<ScopeView>("ConnectionScope", doc::field("type", &ScopeView::type),
                                 doc::field("orgId", &ScopeView::orgId),
                                 doc::field("projectId", &ScopeView::projectId));
  }
};

struct ConnectionView {
  ConnectionId id;
  std::string kind;
  ScopeView scope;
  std::string name;
  doc::Document config;
  doc::Document secrets;  // {<name>: {configured}} for each secret of the kind
  Timestamp createdAt;
  Timestamp updatedAt;
  static constexpr auto shape() {
    return doc::shape<ConnectionView>(
        "Connection", doc::field("id", &ConnectionView::id), doc::field("kind", &ConnectionView::kind),
        doc::field("scope", &ConnectionView::scope), doc::field("name", &ConnectionView::name),
        doc::field("config", &ConnectionView::config), doc::field("secrets", &ConnectionView::secrets),
        doc::field("createdAt", &ConnectionView::createdAt), doc::field("updatedAt", &ConnectionView::updatedAt));
  }
};

}  // namespace mb::connections

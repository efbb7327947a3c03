#include "store/mongo/server_check.h"

#include <array>

#include "base/log.h"
#include "document/fields.h"
#include "store/mongo/commands.h"

namespace mb::store::mongo {

namespace {

constexpr int64_t kWireVersion = 17;  // MongoDB 6.0

doc::Document oneCommand(std::string_view name) {
  doc::BsonWriter out;
  out.appendInt32(name, 1);
  return out.finish();
}

std::unexpected<Error> missing(std::string message) {
  return fail(ErrorCode::validation, std::move(message));
}

Result<> checkHello(doc::DocumentView hello) {
  if (hello.stringOr("msg") == "isdbgrid") return missing("sharded clusters are not supported: name a replica set");
  if (hello.stringOr("setName").empty()) return missing("a replica set is needed, this is a standalone server");
  const bool primary = doc::boolOr(hello, "isWritablePrimary") || doc::boolOr(hello, "ismaster");
  if (!primary) return missing("the primary of the replica set is needed: name its members without directConnection");
  if (doc::integerOr(hello, "maxWireVersion") < kWireVersion) return missing("MongoDB 6.0 or later is needed");
  if (doc::boolOr(hello, "arbiterOnly")) return missing("an arbiter holds no data");
  if (doc::containerOr(hello, "arbiters").count() > 0) {
    logWarn("the replica set has an arbiter: writes stop while one of its other members is away", {});
  }
  return {};
}

// A server without these commands, or a user without the privilege, is not refused.
Result<> checkConfiguration(Connection& connection) {
  doc::BsonWriter version;
  version.appendInt32("getParameter", 1);
  version.appendInt32("featureCompatibilityVersion", 1);
  if (const auto reply = connection.run("admin", version.finish())) {
    const std::string text(doc::containerOr(reply->view(), "featureCompatibilityVersion").stringOr("version"));
    if (!text.empty() && std::atof(text.c_str()) < 6.0) {
      return missing("the feature compatibility version is " + text + ", 6.0 or later is needed");
    }
  }
  if (const auto reply = connection.run("admin", oneCommand("replSetGetConfig"))) {
    if (!doc::boolOr(doc::containerOr(reply->view(), "config"), "writeConcernMajorityJournalDefault", true)) {
      return missing("writeConcernMajorityJournalDefault is false: commits would not be durable on a majority");
    }
  }
  return {};
}

// Whether the databases of the prefix hold what they may.
Result<> checkContent(Connection& connection, const Names& names, Content content) {
  const std::array<std::string, 2> ids = {"layout", std::string(kIncomplete)};
  const auto reply = connection.read(names.shared(), findByIds(kMeta, ids));
  if (!reply) return fail(unavailableError(reply.error()));
  std::optional<int64_t> layout;
  bool incomplete = false;
  for (const doc::DocumentView each : batchOf(*reply).documents) {
    if (each.stringOr("_id") == kIncomplete) {
      incomplete = true;
    } else {
      layout = doc::integerOr(each, "number");
    }
  }
  if (incomplete && (content == Content::deployment || content == Content::existing)) {
    return fail(ErrorCode::conflict,
                fmt::format("a move or a restore into the database \"{}\" did not end well: run it again, or drop the "
                            "databases {} and {}_p*",
                            names.shared(), names.shared(), names.shared()));
  }
  if (incomplete) return {};
  if (content == Content::empty && layout) {
    return fail(ErrorCode::conflict, fmt::format("the database \"{}\" is not empty", names.shared()));
  }
  if (content == Content::incomplete) {
    return fail(ErrorCode::conflict, fmt::format("another process changed the database \"{}\"", names.shared()));
  }
  if (layout) {
    if (*layout <= kLayout) return {};
    return missing(
        fmt::format("the database was written by a later release (layout {}, this one knows {})", *layout, kLayout));
  }
  if (content == Content::existing) {
    return fail(ErrorCode::notFound, fmt::format("there is no store in the database \"{}\"", names.shared()));
  }
  doc::BsonWriter list;
  list.appendInt32("listCollections", 1);
  list.appendBool("nameOnly", true);
  const auto collections = connection.run(names.shared(), list.finish());
  if (!collections) return fail(unavailableError(collections.error()));
  for (const doc::DocumentView each : batchOf(*collections).documents) {
    const std::string_view name = each.stringOr("name");
    if (name.starts_with("system.")) continue;
    return missing(fmt::format("the database \"{}\" holds something else: name an empty one", names.shared()));
  }
  return {};
}

}  // namespace

Result<> checkServer(Connection& connection, const Names& names, Content content) {
  const auto hello = connection.run("admin", oneCommand("hello"));
  if (!hello) return fail(unavailableError(hello.error()));
  RETURN_IF_ERROR(checkHello(*hello));
  RETURN_IF_ERROR(checkConfiguration(connection));
  return checkContent(connection, names, content);
}

}  // namespace mb::store::mongo

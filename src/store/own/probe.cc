#include "store/own/probe.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "document/fields.h"
#include "store/own/address.h"

namespace mb::store::own {

namespace {

constexpr int64_t kWireVersion = 9;            // MongoDB 4.4
constexpr int64_t kPreImagesWireVersion = 17;  // MongoDB 6.0
constexpr int kAtlasError = 8000;              // of a login, among others
constexpr int kCommandNotFound = 59;

constexpr std::array kWarnings = {
    std::pair("no-change-streams", "changes that others make in the database are not seen"),
    std::pair("no-pre-images", "of changes that others make, the state before is not known"),
    std::pair("no-transactions", "each document is written on its own: the database has no transactions"),
    std::pair("plain-connection", "the connection to the database is not encrypted"),
    std::pair("not-reachable", "the project's database cannot be reached"),
    std::pair("read-only", "the project's database takes no writes at present"),
    std::pair("default-collation", "has a collation of its own: its indexes do not serve queries from here"),
    std::pair("collection-missing", "is missing in the database: it is 404 until it is there again"),
    std::pair("index-on-id-missing", "has no unique index on id: clients cannot choose ids until it is backfilled"),
};

doc::Document oneCommand(std::string_view name) {
  doc::BsonWriter out;
  out.appendInt32(name, 1);
  return out.finish();
}

// The driver's text may hold addresses and names, so only the code is kept.
Error errorOf(const mongo::CommandError& error) {
  switch (error.code) {
    case mongo::CommandError::kLoginFailed:
    case kAtlasError:
      return addressError(kRefusesCredentials);
    case mongo::CommandError::kUnauthorized:
      return addressError(kNoRights);
    case mongo::CommandError::kNotMongo:
    case kCommandNotFound:
      return addressError(kNotSupported);
    default:
      return Error(ErrorCode::unavailable, std::string(kNotReached)).withCause(fmt::format("code {}", error.code));
  }
}

// The built-in roles that matter, for servers that show the user's roles and not what they grant.
struct Role {
  std::string_view name;
  bool isOfAll;  // of all databases, granted in admin
  std::string_view actions;
};
constexpr std::array kRoles = {
    Role{"read", false, "find"},
    Role{"readWrite", false, "find insert update remove"},
    Role{"dbAdmin", false, "collMod"},
    Role{"dbOwner", false, "find insert update remove collMod"},
    Role{"readAnyDatabase", true, "find"},
    Role{"readWriteAnyDatabase", true, "find insert update remove"},
    Role{"dbAdminAnyDatabase", true, "collMod"},
    Role{"root", true, "find insert update remove collMod"},
};

// What the user may do with the database's collections.
class Rights {
 public:
  // `status`: the reply to connectionStatus. A connection without a user has all rights where the server checks none,
  // and its commands are refused where it does.
  Rights(doc::DocumentView status, std::string_view database) : database_(database) {
    const doc::DocumentView info = doc::containerOr(status, "authInfo");
    isUnchecked_ = doc::containerOr(info, "authenticatedUsers").empty();
    for (const doc::Element& each : doc::containerOr(info, "authenticatedUserPrivileges")) {
      if (each.value.isContainer()) addPrivilege(each.value.asDocument());
    }
    if (!doc::containerOr(info, "authenticatedUserPrivileges").empty()) return;
    for (const doc::Element& each : doc::containerOr(info, "authenticatedUserRoles")) {
      if (each.value.isContainer()) addRole(each.value.asDocument());
    }
  }
  bool may(const std::string& action) const { return isUnchecked_ || actions_.contains(action); }

 private:
  void addPrivilege(doc::DocumentView privilege) {
    const doc::DocumentView resource = doc::containerOr(privilege, "resource");
    const auto covers = [&resource](std::string_view key, std::string_view wanted) {
      const auto value = resource.find(key);
      if (!value || value->type() != doc::BsonType::string) return false;
      return value->asString().empty() || value->asString() == wanted;
    };
    if (!doc::boolOr(resource, "anyResource") && !(covers("db", database_) && covers("collection", ""))) return;
    for (const doc::Element& action : doc::containerOr(privilege, "actions")) {
      if (action.value.type() == doc::BsonType::string) actions_.emplace(action.value.asString());
    }
  }
  void addRole(doc::DocumentView granted) {
    const auto role = std::ranges::find(kRoles, granted.stringOr("role"), &Role::name);
    if (role == kRoles.end() || granted.stringOr("db") != (role->isOfAll ? "admin" : database_)) return;
    for (std::string_view rest = role->actions; !rest.empty();) {
      const size_t end = std::min(rest.find(' '), rest.size());
      actions_.emplace(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  std::string_view database_;
  bool isUnchecked_ = false;
  std::set<std::string> actions_;
};

// Whether a change stream opens; it is closed again.
bool opensChangeStream(mongo::Connection& connection, const std::string& database) {
  doc::BsonWriter open;
  open.appendInt32("aggregate", 1);
  open.beginArray("pipeline");
  open.beginDocument("0");
  open.beginDocument("$changeStream");
  open.end();
  open.end();
  open.end();
  open.beginDocument("cursor");
  open.appendInt32("batchSize", 0);
  open.end();
  const auto reply = connection.read(database, open.finish());
  if (!reply) return false;
  doc::BsonWriter close;
  close.appendString("killCursors", "$cmd.aggregate");
  close.beginArray("cursors");
  close.appendInt64("0", mongo::batchOf(*reply).cursor);
  close.end();
  // The server drops a cursor that this does not reach.
  (void)connection.run(database, close.finish());
  return true;
}

// By `listed`, an entry of listCollections.
bool hasCollation(doc::DocumentView listed) {
  const doc::DocumentView options = doc::containerOr(listed, "options");
  return doc::containerOr(options, "collation").stringOr("locale", "simple") != "simple";
}

Result<std::vector<std::string>> withoutIdIndex(mongo::Connection& connection, const std::string& database,
                                                const std::vector<std::string>& there,
                                                std::span<const std::string> used) {
  const Deadline end = std::chrono::steady_clock::now() + kIndexTime;
  std::vector<std::string> without;
  for (const std::string& each : used) {
    if (std::chrono::steady_clock::now() >= end) break;
    if (std::ranges::find(there, each) == there.end()) continue;
    const auto has = hasIdIndex(connection, database, each);
    if (!has) return fail(errorOf(has.error()));
    if (!*has) without.push_back(each);
  }
  return without;
}

}  // namespace

mongo::Outcome<bool> hasIdIndex(mongo::Connection& connection, const std::string& database,
                                const std::string& collection) {
  doc::BsonWriter out;
  out.appendString("listIndexes", collection);
  bool found = false;
  const auto done = mongo::eachDocument([&](doc::DocumentView command) { return connection.run(database, command); },
                                        collection, out.finish(),
                                        [&found](doc::DocumentView index) {
                                          const doc::DocumentView key = doc::containerOr(index, "key");
                                          const bool isOfIds = key.count() == 1 && key.find("id").has_value();
                                          found = found || (doc::boolOr(index, "unique") && isOfIds);
                                          return true;
                                        });
  if (!done) return std::unexpected(done.error());
  return found;
}

Warning warningOf(std::string_view code) {
  const auto* const found =
      std::ranges::find_if(kWarnings, [code](const auto& warning) { return warning.first == code; });
  return {found->first, found->second};
}

std::string identityOf(doc::DocumentView hello, std::string_view peer, std::string_view database) {
  const std::string_view set = hello.stringOr("setName");
  std::string server = set.empty() ? fmt::format("server {}", peer) : fmt::format("set {}", set);
  std::vector<std::string> members;
  for (const std::string_view list : {"hosts", "passives"}) {
    for (const doc::Element& host : doc::containerOr(hello, list)) {
      if (host.value.type() == doc::BsonType::string) members.push_back(lowerAscii(host.value.asString()));
    }
  }
  std::ranges::sort(members);
  if (!set.empty()) {
    for (const std::string& member : members) server += ' ' + member;
  }
  // Names that differ in case alone cannot be on one server.
  return server + '\n' + lowerAscii(database);
}

Result<Probe> probe(mongo::Connection& connection, const std::string& database, std::span<const std::string> used) {
  const auto hello = connection.run("admin", oneCommand("hello"));
  if (!hello) return fail(errorOf(hello.error()));
  const int64_t version = doc::integerOr(*hello, "maxWireVersion");
  const bool isRouter = hello->view().stringOr("msg") == "isdbgrid";
  const bool hasMembers = isRouter || !hello->view().stringOr("setName").empty();
  if (version < kWireVersion || doc::boolOr(*hello, "arbiterOnly")) return fail(addressError(kNotSupported));

  doc::BsonWriter status;
  status.appendInt32("connectionStatus", 1);
  status.appendBool("showPrivileges", true);
  const auto shown = connection.run("admin", status.finish());
  if (!shown) return fail(errorOf(shown.error()));
  const Rights rights(*shown, database);
  for (const char* action : {"find", "insert", "update", "remove"}) {
    if (!rights.may(action)) return fail(addressError(kNoRights));
  }
  Probe found;
  doc::BsonWriter list;
  list.appendInt32("listCollections", 1);
  const auto listed = mongo::eachDocument([&](doc::DocumentView command) { return connection.run(database, command); },
                                          "$cmd.listCollections", list.finish(),
                                          [&found](doc::DocumentView collection) {
                                            found.collections.emplace_back(collection.stringOr("name"));
                                            if (hasCollation(collection)) {
                                              found.collated.push_back(found.collections.back());
                                            }
                                            return found.collections.size() < kMaxListed;
                                          });
  if (!listed) return fail(errorOf(listed.error()));

  TRY(found.withoutIdIndex, withoutIdIndex(connection, database, found.collections, used));
  found.identity = identityOf(*hello, connection.peer(), database);
  found.capabilities.transactions = hasMembers;
  found.capabilities.changeStreams = hasMembers && opensChangeStream(connection, database);
  found.capabilities.preImages = version >= kPreImagesWireVersion && rights.may("collMod");
  const auto warn = [&found](std::string_view code) { found.warnings.push_back(warningOf(code)); };
  if (!found.capabilities.changeStreams) warn("no-change-streams");
  if (!found.capabilities.preImages) warn("no-pre-images");
  if (!found.capabilities.transactions) warn("no-transactions");
  if (doc::boolOr(*hello, "readOnly") || !doc::boolOr(*hello, "isWritablePrimary", true)) warn("read-only");
  return found;
}

}  // namespace mb::store::own

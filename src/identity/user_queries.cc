#include "identity/user_queries.h"

#include <algorithm>
#include <array>

#include "identity/email.h"
#include "identity/records.h"
#include "identity/user_names.h"

namespace mb::identity {

namespace {

constexpr size_t kMaxRoleText = 64;
// Above every string that begins with the text before it: no address or name holds this noncharacter.
constexpr std::string_view kAfterText = "\U0010FFFF";

// The fields to sort by, and those of the record in which the store sorts. Each has an index.
struct SortField {
  std::string_view name;
  std::string_view path;
};
constexpr std::array<SortField, 5> kSortFields{
    {{"id", "id"}, {"email", "emailKey"}, {"name", "nameKey"}, {"createdAt", "createdAt"}, {"updatedAt", "updatedAt"}}};

std::optional<store::SortKey> sortKey(doc::DocumentView key) {
  if (key.count() != 1) return std::nullopt;
  const doc::Element only = *key.begin();
  const auto* field = std::ranges::find(kSortFields, only.key, &SortField::name);
  const auto direction = only.value.isNumber() ? only.value.toInteger() : std::nullopt;
  if (field == kSortFields.end() || (direction != 1 && direction != -1)) return std::nullopt;
  return store::SortKey{std::string(field->path), static_cast<int>(*direction)};
}

std::vector<store::SortKey> sortKeys(const std::vector<doc::Document>& sort, std::vector<ErrorDetail>& problems) {
  std::vector<store::SortKey> keys;
  if (sort.size() > kSortFields.size()) {
    problems.push_back({"/sort", fmt::format("must have at most {} keys", kSortFields.size())});
    return keys;
  }
  for (size_t i = 0; i < sort.size(); ++i) {
    auto key = sortKey(sort[i]);
    std::string at = fmt::format("/sort/{}", i);
    if (!key) {
      problems.push_back({std::move(at),
                          "must be an object of one field among id, email, name, createdAt and updatedAt, with 1 "
                          "(ascending) or -1 (descending)"});
    } else if (std::ranges::find(keys, key->path, &store::SortKey::path) != keys.end()) {
      problems.push_back({std::move(at), "names a field for the second time"});
    } else {
      keys.push_back(*std::move(key));
    }
  }
  return keys;
}

void checkQuery(const UserQuery& query, std::vector<ErrorDetail>& problems) {
  if (query.text && query.text->size() > kMaxSearchText) {
    problems.push_back({"/text", fmt::format("must have at most {} bytes", kMaxSearchText)});
  }
  if (query.text && query.text->contains('\0')) problems.push_back({"/text", "must not hold the character NUL"});
  const bool known = !query.status || query.status == kStatusActive || query.status == kStatusInactive ||
                     query.status == kStatusBlocked;
  if (!known) problems.push_back({"/status", "must be active, inactive or blocked"});
  if (query.role && (query.role->empty() || query.role->size() > kMaxRoleText || query.role->contains('\0'))) {
    problems.push_back({"/role", "must be the name of a role"});
  }
  if (query.limit && *query.limit < 0) problems.push_back({"/limit", "must not be negative"});
}

void appendPrefix(doc::BsonWriter& out, size_t& branch, std::string_view path, const std::string& text) {
  out.beginDocument(doc::arrayKey(branch++));
  out.beginDocument(path);
  out.appendString("$gte", text);
  out.appendString("$lt", text + std::string(kAfterText));
  out.end();
  out.end();
}

// The beginning of the address, in each form in which it may be stored, or of the name.
void appendText(doc::BsonWriter& out, size_t& condition, std::string_view text) {
  out.beginDocument(doc::arrayKey(condition++));
  out.beginArray("$or");
  size_t branch = 0;
  for (const std::string& key : storedEmailKeys(text)) appendPrefix(out, branch, "emailKey", key);
  if (const std::string key = nameKey(text); !key.empty()) appendPrefix(out, branch, "nameKey", key);
  out.end();
  out.end();
}

// Users without a role have the default one.
void appendRole(doc::BsonWriter& out, size_t& condition, const std::string& role) {
  out.beginDocument(doc::arrayKey(condition++));
  out.beginArray("$or");
  out.beginDocument(doc::arrayKey(0));
  out.appendString("metadata.role", role);
  out.end();
  if (role == kDefaultUserRole) {
    out.beginDocument(doc::arrayKey(1));
    out.beginDocument("metadata.role");
    out.appendBool("$exists", false);
    out.end();
    out.end();
  }
  out.end();
  out.end();
}

// The filter over records; empty where the query has no condition.
doc::Document recordFilter(const UserQuery& query) {
  doc::BsonWriter out;
  size_t condition = 0;
  out.beginArray("$and");
  const std::string_view text = query.text ? trimmed(*query.text) : "";
  if (!text.empty()) appendText(out, condition, text);
  if (query.role) appendRole(out, condition, *query.role);
  if (query.status) {
    out.beginDocument(doc::arrayKey(condition++));
    out.appendString("status", *query.status);
    out.end();
  }
  if (query.emailVerified) {
    out.beginDocument(doc::arrayKey(condition++));
    out.appendBool("emailVerified", *query.emailVerified);
    out.end();
  }
  out.end();
  return condition == 0 ? doc::Document() : out.finish();
}

}  // namespace

Task<UserPage> UserQueries::run(Realm realm, UserQuery query, store::Deadline deadline) const {
  std::vector<ErrorDetail> problems;
  checkQuery(query, problems);
  std::vector<store::SortKey> sort;
  if (query.sort) sort = sortKeys(*query.sort, problems);
  if (!problems.empty()) {
    std::string message = fmt::format("{} {}", problems.front().path, problems.front().message);
    co_return fail(Error(ErrorCode::validation, std::move(message)).withDetails(std::move(problems)));
  }
  const std::optional<doc::Document> conditions = recordFilter(query);
  CO_TRY(doc::Filter filter, doc::Filter::parse(*conditions));
  store::Query asked = queryOf(collectionOf(realm.project, kUsers), filter, kDefaultUserPage, deadline);
  if (query.limit) asked.limit = std::min(static_cast<uint64_t>(*query.limit), kMaxUserPage);
  asked.sort = sort;
  asked.paged = asked.seesMore = true;
  const store::CursorQuery cursorQuery(asked.collection, conditions, sort);
  if (query.after) CO_TRY(asked.after, cursors_.open(cursorQuery, *query.after, "/after"));

  UserPage page;
  if (asked.limit > 0) {
    CO_TRY(const store::QueryResult found, co_await deps_.store.find(std::move(asked)));
    if (found.more) CO_TRY(page.next, cursors_.seal(cursorQuery, found.next));
    CO_TRY(const std::vector<UserRecord> users, fromStore<UserRecord>(found.documents));
    page.users.reserve(users.size());
    for (const UserRecord& user : users) page.users.push_back(viewOf(user));
  }
  CO_TRY(const uint64_t total,
         co_await deps_.store.count(collectionOf(realm.project, kUsers), std::move(filter), deadline));
  page.total = static_cast<int64_t>(total);
  co_return page;
}

}  // namespace mb::identity

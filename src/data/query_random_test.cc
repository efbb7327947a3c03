// Queries and counts equal a plain evaluation over all documents, for random documents, policies, callers and queries.
#include <random>
#include <set>

#include "base/testing.h"
#include "data/data_fixture.h"
#include "document/keep_fields.h"
#include "store/plain_sort.h"

namespace mb::data {
namespace {

struct QueryRuleCase {
  const char* filter;
  bool needsPlan = false;
};
constexpr QueryRuleCase kOwnRuleCases[] = {{"{}"},
                                           {R"({"ownerId":"$auth.uid"})"},
                                           {R"({"n":{"$gt":2}})"},
                                           {R"({"$or":[{"ownerId":"$auth.uid"},{"open":true}]})"},
                                           {R"({"plan":"$auth.token.plan"})", true},
                                           {R"({"v":{"$ne":null},"secret":{"$in":["s","t",null]}})"}};
constexpr const char* kOpenRuleCases[] = {"{}", R"({"open":true})", R"({"n":{"$gt":2}})"};

struct QueryFilterCase {
  const char* text;
  std::vector<std::string> paths;
};
const std::vector<QueryFilterCase>& queryFilterCases() {
  static const std::vector<QueryFilterCase> filters = {
      {R"({"n":{"$gt":1}})", {"n"}},
      {R"({"v":{"$gte":0}})", {"v"}},
      {R"({"v":{"$in":[1,"a",null]}})", {"v"}},
      {R"({"$or":[{"open":true},{"meta.a":1}]})", {"open", "meta.a"}},
      {R"({"secret":"s"})", {"secret"}},
      {R"({"l":{"$elemMatch":{"$gt":1}},"n":{"$exists":true}})", {"l", "n"}},
      {R"({"meta":{"$exists":true}})", {"meta"}},
      {R"({"id":{"$gt":"d20"}})", {"id"}},
      {"{}", {}}};
  return filters;
}

class QueryRandomTest : public DataTest {
 protected:
  size_t pick(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  bool chance(size_t percent) { return pick(100) < percent; }
  template <class T>
  const T& any(std::initializer_list<T> of) {
    return of.begin()[pick(of.size())];
  }

  std::string single() {
    return any<const char*>({"1", "2", "1.5", "9007199254740993", "9223372036854775807", "-1", "null", "true", R"("a")",
                             R"("ab")", R"("")", R"({"$date":"2026-01-01T00:00:00Z"})", R"({"$numberDecimal":"1.5"})",
                             R"({"$numberDecimal":"0.1"})", R"({"x":1})"});
  }
  std::string mixed() {
    if (!chance(30)) return single();
    std::vector<std::string> items(pick(4));
    for (std::string& each : items) each = single();
    return fmt::format("[{}]", fmt::join(items, ","));
  }
  std::string document(int i) {
    std::vector<std::string> parts = {fmt::format(R"("id":"d{:02}")", i)};
    if (chance(80)) parts.push_back(fmt::format(R"("n":{})", pick(5)));
    if (chance(80)) parts.push_back(R"("v":)" + mixed());
    if (chance(40)) parts.push_back(R"("l":)" + mixed());
    if (chance(50)) parts.push_back(R"("open":true)");
    if (chance(50)) parts.push_back(R"("secret":)" + any<std::string>({R"("s")", R"("t")", R"("u")"}));
    if (chance(50)) parts.push_back(fmt::format(R"("meta":{{"a":{},"b":{}}})", single(), pick(3)));
    if (chance(30)) parts.push_back(R"("plan":"pro")");
    if (chance(70)) parts.push_back(R"("ownerId":)" + any<std::string>({R"("user_alice")", R"("user_bob")"}));
    return fmt::format("{{{}}}", fmt::join(parts, ","));
  }

  // ---- a policy, and what it means
  struct QueryPolicyCase {
    const QueryRuleCase* own = nullptr;
    const char* open = nullptr;
    std::vector<std::string> denied;
  };
  QueryPolicyCase randomPolicy() {
    QueryPolicyCase policy;
    if (chance(85)) policy.own = &kOwnRuleCases[pick(std::size(kOwnRuleCases))];
    if (chance(40)) policy.open = kOpenRuleCases[pick(std::size(kOpenRuleCases))];
    if (policy.own && chance(60)) {
      policy.denied = any<std::vector<std::string>>({{"secret"}, {"meta.b"}, {"secret", "v"}, {"meta"}, {"l"}});
    }
    return policy;
  }
  static std::string textOf(const QueryPolicyCase& policy) {
    std::vector<std::string> rules;
    if (policy.own) {
      std::vector<std::string> quoted;
      for (const std::string& each : policy.denied) quoted.push_back('"' + each + '"');
      const std::string denied =
          quoted.empty() ? "" : fmt::format(R"(,"deniedReadFields":[{}])", fmt::join(quoted, ","));
      for (const char* operation : {"read", "list"}) {
        rules.push_back(fmt::format(R"("{}":{{"filter":{}{}}})", operation, policy.own->filter, denied));
      }
    }
    if (policy.open) rules.push_back(fmt::format(R"("public":{{"list":{{"filter":{}}}}})", policy.open));
    return fmt::format("{{{}}}", fmt::join(rules, ","));
  }

  // What a plain evaluation gives: the documents, sorted, or the code of the refusal.
  struct Expected {
    std::optional<ErrorCode> refused;
    std::vector<doc::Document> documents;
    bool countRefused = false;
  };
  static bool touches(const std::vector<std::string>& denied, std::string_view path) {
    return std::ranges::any_of(denied,
                               [&](const std::string& each) { return isBelow(path, each) || isBelow(each, path); });
  }
  static bool isBelow(std::string_view path, std::string_view parent) {
    return path == parent || (path.starts_with(parent) && path[parent.size()] == '.');
  }
  static std::string replaced(std::string text, std::string_view what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what)) text.replace(at, what.size(), by);
    return text;
  }
  Expected expected(const QueryPolicyCase& policy, const policy::Caller& caller, const DocumentQuery& query,
                    const QueryFilterCase* filter) {
    Expected result;
    const auto refuse = [&](ErrorCode code, bool counting) {
      result.refused = code;
      result.countRefused = counting;
      return result;
    };
    std::string rule = "{}";
    std::vector<std::string> denied = policy.denied;
    if (caller.bypassesPolicies()) {
      denied.clear();
    } else if (caller.kind == policy::CallerKind::anonymous) {
      if (!policy.open) return refuse(ErrorCode::unauthenticated, true);
      rule = policy.open;
    } else {
      if (!caller.may("data:notes:list")) return refuse(ErrorCode::forbidden, true);
      if (!policy.own && !policy.open) return refuse(ErrorCode::forbidden, true);
      rule = policy.own ? policy.own->filter : policy.open;
      if (policy.own && policy.own->needsPlan && caller.claims.empty()) return refuse(ErrorCode::forbidden, true);
    }
    for (const std::string& path : filter ? filter->paths : std::vector<std::string>()) {
      if (touches(denied, path)) return refuse(ErrorCode::forbidden, true);
    }
    for (const store::SortKey& key : query.read.sort) {
      if (touches(denied, key.path)) return refuse(ErrorCode::forbidden, false);
    }
    for (const std::string& path : query.fields.value_or(std::vector<std::string>())) {
      for (const std::string& each : denied) {
        if (isBelow(path, each)) return refuse(ErrorCode::forbidden, false);
      }
    }
    rule = replaced(replaced(std::move(rule), "$auth.uid", caller.id), "$auth.token.plan", "pro");
    const doc::Filter ofRule = *doc::Filter::parse(json(rule));
    const doc::Filter ofCaller = *doc::Filter::parse(json(filter ? filter->text : "{}"));
    std::vector<doc::Document> matching;
    for (const doc::Document& each : store_.all(notes_)) {
      if (ofRule.matches(each) && ofCaller.matches(each)) matching.push_back(each);
    }
    auto sorted = store::sortDocuments(query.read.sort, std::move(matching));
    if (!sorted) return refuse(sorted.error().code(), false);
    const doc::FieldSet hidden(denied);
    for (store::SortedDocument& each : *sorted) {
      doc::Document shown = hidden.strip(each.document);
      if (query.fields) {
        std::vector<std::string> kept = *query.fields;
        kept.emplace_back("id");
        shown = doc::keepFields(shown, doc::FieldSet(std::move(kept)));
      }
      result.documents.push_back(std::move(shown));
    }
    return result;
  }

  std::vector<store::SortKey> randomSort() {
    std::vector<store::SortKey> keys;
    std::set<std::string> taken;
    for (size_t i = pick(4); i > 0; --i) {
      const std::string path =
          any<std::string>({"n", "n", "v", "l", "open", "meta.a", "meta.b", "secret", "id", "none"});
      if (taken.insert(path).second) keys.push_back({path, chance(50) ? 1 : -1});
    }
    return keys;
  }

  std::mt19937_64 random_{20'261'127};
  store::CollectionRef notes_;
};

TEST_F(QueryRandomTest, EqualsAPlainEvaluation) {
  settings(R"({"tokenClaims":["plan"]})");
  collection("notes");
  policy::Caller carol = user("user_carol");
  carol.claims = json(R"({"plan":"pro","sub":"user_carol"})");
  policy::Caller reader = user("user_reader");
  reader.permissions = permissions({"data:*:read"});
  policy::Caller service = user("key_1");
  service.kind = policy::CallerKind::apiKey;
  service.role = "apikey";
  service.scopes = {std::string(policy::kServiceScope)};
  service.permissions = permissions({"data:*"});
  policy::Caller anonymous;
  anonymous.project = project_;
  anonymous.projectId = ProjectId("proj_test");
  const std::vector<policy::Caller> callers = {alice_, bob_, carol, alice_, carol, reader, service, anonymous};

  size_t answered = 0;
  size_t pages = 0;
  std::set<ErrorCode> refusals;
  QueryPolicyCase policy;
  const uint64_t cases = randomCases("MB_CASES", 3000);
  for (size_t i = 0; i < cases; ++i) {
    if (i % 100 == 0) {
      notes_ = (*snapshot()->get(data_->slot()).find("notes"))->ref;
      const Access access = asAdmin();
      for (const doc::Document& each : store_.all(notes_)) {
        expectOk(run(data_->documents().remove(access, "notes", std::string(each.view().stringOr("id")))));
      }
      for (int j = 0; j < 40; ++j) put("notes", document(j));
    }
    if (i % 20 == 0) {
      policy = randomPolicy();
      expectOk(run(data_->collections().setPolicy(managing(), "notes", json(textOf(policy)))));
      notes_ = (*snapshot()->get(data_->slot()).find("notes"))->ref;
    }
    const policy::Caller& caller = callers[pick(callers.size())];
    const QueryFilterCase* filter = chance(60) ? &queryFilterCases()[pick(queryFilterCases().size())] : nullptr;
    DocumentQuery query;
    query.read.sort = randomSort();
    query.read.limit = 1 + pick(15);
    query.total = chance(30);
    if (filter) query.read.filter = json(filter->text);
    if (chance(30)) {
      query.fields = any<std::vector<std::string>>({{"n"}, {"meta"}, {"meta.b", "v"}, {"secret"}, {"l", "none"}, {}});
    }
    const Expected plain = expected(policy, caller, query, filter);
    const std::string named =
        fmt::format("case {}: {} {} {}", i, textOf(policy), caller.id, filter ? filter->text : "");

    const Access access = as(caller);
    const auto count = run(data_->documents().count(access, "notes", query.read));
    ASSERT_EQ(count.has_value(), !plain.countRefused) << named;
    if (count && !plain.refused) ASSERT_EQ(*count, plain.documents.size()) << named;

    size_t at = 0;
    if (!plain.refused && chance(30)) {
      query.read.skip = pick(20);
      at = std::min<size_t>(query.read.skip, plain.documents.size());
    }
    while (true) {
      const auto page = run(data_->documents().query(access, "notes", query));
      if (plain.refused) {
        ASSERT_FALSE(page) << named;
        ASSERT_EQ(page.error().code(), *plain.refused) << named << " " << page.error().message();
        refusals.insert(*plain.refused);
        break;
      }
      ASSERT_TRUE(page) << named << " " << page.error().message();
      ++pages;
      const size_t end = std::min<size_t>(at + query.read.limit, plain.documents.size());
      ASSERT_EQ(page->documents.size(), end - at) << named;
      for (const doc::Document& each : page->documents) {
        ASSERT_EQ(doc::toJson(each), doc::toJson(plain.documents[at])) << named;
        ++at;
      }
      ASSERT_EQ(page->next.has_value(), at < plain.documents.size()) << named;
      ASSERT_EQ(page->total.has_value(), query.total) << named;
      if (page->total) ASSERT_EQ(*page->total, plain.documents.size()) << named;
      if (!page->next) break;
      query.after = page->next;
      query.read.skip = 0;
    }
    if (!plain.refused) ++answered;
  }
  EXPECT_GT(answered, cases / 3);
  EXPECT_GT(pages, answered);
  EXPECT_EQ(refusals, (std::set{ErrorCode::validation, ErrorCode::unauthenticated, ErrorCode::forbidden}));
}

}  // namespace
}  // namespace mb::data

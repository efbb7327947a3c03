// Trials and real requests on the same state agree, for random policies, callers and requests.
#include <chrono>
#include <random>

#include "data/data_fixture.h"

namespace mb::data {
namespace {

using policy::Operation;
using Texts = std::vector<std::string>;

const Texts kFilters = {R"({"ownerId":"$auth.uid"})",
                        R"({"team":{"$in":"$auth.sets.teams"}})",
                        R"({"team":{"$nin":"$auth.sets.editors"}})",
                        R"({"n":{"$gt":2}})",
                        R"({"$or":[{"ownerId":"$auth.uid"},{"open":true}]})",
                        R"({"plan":"$auth.token.plan"})",
                        R"({"tags":"x","n":{"$lt":8}})",
                        R"({"n":{"$exists":true},"title":{"$ne":"b"},"$nor":[{"team":"green"}]})",
                        R"({"team":{"$in":"$auth.sets.teams"},"$or":[{"n":1},{"team":{"$in":"$auth.sets.editors"}}]})",
                        R"({"createdAt":{"$gt":"2020-01-01T00:00:00Z"}})"};
const Texts kPublicFilters = {R"({"open":true})", R"({"n":{"$gt":2}})", R"({"tags":"x"})"};
const Texts kValidates = {"document.n < 5",
                          "document.team in auth.sets.teams",
                          "auth != null && document.ownerId == auth.uid",
                          "document.title != 'bad' || document.n > 3",
                          "has(document.open) && document.open",
                          "size(auth.sets.editors) > 0 && 'teams' in auth.sets == false"};
const Texts kPublicValidates = {"document.n < 5", "document.title != 'bad'", "auth == null || auth.uid != 'user_bob'"};
const Texts kFieldLists = {R"(["n"])", R"(["team","meta.a"])", R"(["n","title","open"])",
                           R"(["team","n","title","open","tags","meta","secret","plan"])", R"(["secret"])"};
const Texts kDenied = {R"(["secret"])", R"(["meta.b"])", R"(["secret","tags"])"};
const Texts kUpdates = {R"({"n":3})",
                        R"({"$inc":{"n":1}})",
                        R"({"$set":{"meta.a":2}})",
                        R"({"team":"red","open":true})",
                        R"({"$unset":{"secret":1}})",
                        R"({"$rename":{"secret":"x"}})",
                        R"({"secret":"s"})",
                        R"({"$push":{"tags":"y"}})",
                        R"({"$inc":{"secret":1}})",
                        R"({"n":99})",
                        R"({"title":"too long for it"})",
                        R"({"$foo":{"n":1}})",
                        R"({"n":1,"$set":{"n":2}})",
                        R"({})",
                        R"({"ownerId":"user_bob"})",
                        R"({"ownerId":7})",
                        R"({"$set":{"meta.b":1,"n":4},"$unset":{"open":1}})",
                        R"({"at":"2026-02-03T04:05:06Z"})",
                        R"({"at":"never"})"};
const Texts kReplacements = {R"({"n":2,"team":"red","title":"a"})",
                             R"({"team":"blue","open":true,"meta":{"a":1}})",
                             R"({"n":"x"})",
                             R"({"$set":{"n":1}})",
                             R"({"secret":"t","n":6})",
                             R"({})"};
const Texts kQueries = {R"({"n":{"$gt":1}})", R"({"secret":"s"})", R"({"$bad":1})", R"({"meta.b":1})",
                        R"({"team":"red"})"};

class PolicyTrialRandomTest : public DataTest {
 protected:
  struct Outcome {
    bool allowed = false;
    int64_t status = 0;
    std::string code;
    bool operator==(const Outcome&) const = default;
  };
  friend void PrintTo(const Outcome& outcome, std::ostream* out) {
    *out << (outcome.allowed ? "allowed " : "not allowed ") << outcome.status << " " << outcome.code;
  }

  size_t pick(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  bool chance(size_t percent) { return pick(100) < percent; }
  const std::string& any(const Texts& texts) { return texts[pick(texts.size())]; }

  // ---- policies
  std::string rule(Operation operation, bool isPublic) {
    Texts keys;
    if (chance(70)) keys.push_back(R"("filter":)" + any(isPublic ? kPublicFilters : kFilters));
    const bool writes =
        operation == Operation::create || operation == Operation::update || operation == Operation::admin;
    if (writes && chance(40)) keys.push_back(R"("validate":")" + any(isPublic ? kPublicValidates : kValidates) + '"');
    if (writes && chance(30)) keys.push_back(R"("allowedWriteFields":)" + any(kFieldLists));
    if (operation == Operation::update && chance(40)) keys.push_back(R"("immutableFields":)" + any(kFieldLists));
    if ((operation == Operation::read || operation == Operation::list) && chance(35)) {
      keys.push_back(R"("deniedReadFields":)" + any(kDenied));
    }
    return fmt::format("{{{}}}", fmt::join(keys, ","));
  }
  std::string policy() {
    using enum Operation;
    Texts rules;
    for (const Operation each : {read, list, create, update, remove, admin}) {
      if (chance(each == admin ? 25 : 85)) {
        rules.push_back(fmt::format(R"("{}":{})", operationName(each), rule(each, false)));
      }
    }
    Texts open;
    for (const Operation each : {read, list, create}) {
      if (chance(35)) open.push_back(fmt::format(R"("{}":{})", operationName(each), rule(each, true)));
    }
    if (!open.empty()) rules.push_back(fmt::format(R"("public":{{{}}})", fmt::join(open, ",")));
    return fmt::format("{{{}}}", fmt::join(rules, ","));
  }

  // ---- state
  void prepare() {
    settings(R"({"tokenClaims":["plan"]})");
    collection("memberships");
    NewIndex index;
    index.keys = json(R"({"userId":1})");
    expectOk(run(data_->collections().createIndex(managing(), "memberships", index)));
    for (const auto& [name, where] : {std::pair("teams", R"({"userId":"$auth.uid"})"),
                                      std::pair("editors", R"({"userId":"$auth.uid","role":"editor"})")}) {
      expectOk(run(data_->policySets().set(managing(), {name, "memberships", json(where), "teamId"})));
    }
    collection("items", "",
               R"({"properties":{"n":{"type":"integer","maximum":9},"title":{"type":"string","maxLength":8},
      "secret":{"type":"string"},"at":{"type":"string","x-bson":"date"}}})");

    policy::Caller carol = user("user_carol");
    carol.claims = json(R"({"plan":"pro","sub":"user_carol"})");
    policy::Caller reader = user("user_reader");
    reader.permissions = permissions({"data:*:read", "data:items:list"});
    policy::Caller viewer = owner_;
    viewer.id = "user_viewer";
    viewer.permissions = permissions({"data:*:read", "data:*:list", "data:*:update"});
    policy::Caller key = user("key_1");
    key.kind = policy::CallerKind::apiKey;
    key.role = "apikey";
    key.scopes = {"read", "write"};
    policy::Caller service = key;
    service.id = "key_2";
    service.scopes = {std::string(policy::kServiceScope)};
    service.permissions = permissions({"data:*"});
    policy::Caller anonymous;
    anonymous.project = project_;
    anonymous.projectId = ProjectId("proj_test");
    callers_ = {alice_, bob_, carol, reader, owner_, viewer, key, service, anonymous, alice_, bob_, anonymous};
  }
  void changeMemberships() {
    static constexpr std::array<const char*, 4> kWho = {"user_alice", "user_bob", "user_carol", "key_1"};
    static constexpr std::array<const char*, 3> kTeamNames = {"red", "blue", "green"};
    const std::string id = fmt::format("m{}", pick(8));
    const Access access = asAdmin();
    (void)run(data_->documents().remove(access, "memberships", id));
    if (chance(30)) return;
    put("memberships", fmt::format(R"({{"id":"{}","userId":"{}","teamId":"{}","role":"{}"}})", id, kWho[pick(4)],
                                   kTeamNames[pick(3)], chance(50) ? "editor" : "viewer"));
  }
  std::string document(const std::string& id) {
    static const Texts kParts = {R"("n":1)",
                                 R"("n":4)",
                                 R"("n":7)",
                                 R"("team":"red")",
                                 R"("team":"blue")",
                                 R"("open":true)",
                                 R"("open":1)",
                                 R"("plan":"pro")",
                                 R"("title":"bad")",
                                 R"("title":"b")",
                                 R"("tags":["x"])",
                                 R"("secret":"s")",
                                 R"("meta":{"a":1,"b":2})",
                                 R"("at":"2026-01-01T00:00:00Z")",
                                 R"("ownerId":"user_alice")",
                                 R"("ownerId":"user_bob")"};
    std::map<std::string, std::string> chosen;  // by field
    if (!id.empty()) chosen["id"] = fmt::format(R"("id":"{}")", id);
    for (size_t i = pick(6); i > 0; --i) {
      const std::string& part = any(kParts);
      chosen[part.substr(0, part.find(':'))] = part;
    }
    Texts parts;
    for (const auto& [field, part] : chosen) parts.push_back(part);
    return fmt::format("{{{}}}", fmt::join(parts, ","));
  }
  // Makes the documents d0 to d7 exist, and no others.
  void reseed() {
    const Access access = asAdmin();
    const CollectionPtr items = *snapshot()->get(data_->slot()).find("items");
    std::set<std::string> there;
    for (const doc::Document& each : store_.all(items->ref)) {
      const std::string id(each.view().stringOr("id"));
      if (id.size() == 2 && id[0] == 'd' && !chance(20)) {
        there.insert(id);
      } else {
        expectOk(run(data_->documents().remove(access, "items", id)));
      }
    }
    for (int i = 0; i < 8; ++i) {
      const std::string id = fmt::format("d{}", i);
      if (!there.contains(id)) put("items", document(id));
    }
  }
  GivenDocuments everything() {
    GivenDocuments given;
    for (const char* name : {"items", "memberships"}) {
      given[name] = store_.all((*snapshot()->get(data_->slot()).find(name))->ref);
    }
    return given;
  }

  // ---- requests
  Trial trial() {
    using enum Operation;
    static constexpr std::array kEach = {read, list, list, create, update, update, update, remove};
    Trial trial;
    trial.collection = chance(3) ? "nothing" : "items";
    trial.operation = kEach[pick(kEach.size())];
    if (trial.operation != create && (trial.operation != list || chance(60))) {
      trial.id = chance(8) ? (chance(50) ? "none" : "not an id") : fmt::format("d{}", pick(8));
    }
    if ((trial.operation == read || trial.operation == list) && chance(30)) trial.filter = json(any(kQueries));
    if (trial.operation == create) {
      trial.body = chance(10) ? json(chance(50) ? R"({"n":99})" : R"({"id":"not an id"})")
                              : json(document(chance(50)   ? ""
                                              : chance(80) ? fmt::format("c{}", pick(9))
                                                           : "d0"));
    }
    if (trial.operation == update) {
      trial.replace = chance(40);
      trial.body = json(any(trial.replace ? kReplacements : kUpdates));
    }
    return trial;
  }
  template <class T>
  static Outcome outcomeOf(const Result<T>& result, int64_t success) {
    if (result) return {true, success, ""};
    const ErrorMeaning meaning = meaningOf(result.error().code());
    return {false, meaning.status, std::string(meaning.wire)};
  }
  Outcome request(const policy::Caller& caller, const Trial& trial) {
    const Access access = as(caller);
    Documents& documents = data_->documents();
    ReadQuery query;
    query.filter = trial.filter;
    query.limit = kMaxLimit;
    switch (trial.operation) {
      case Operation::read:
        return outcomeOf(run(documents.get(access, trial.collection, *trial.id, query)), 200);
      case Operation::list: {
        const auto found = run(documents.list(access, trial.collection, query));
        Outcome outcome = outcomeOf(found, 200);
        if (!found || !trial.id) return outcome;
        outcome.allowed = std::ranges::any_of(
            found->documents, [&](const doc::Document& each) { return each.view().stringOr("id") == *trial.id; });
        return outcome;
      }
      case Operation::create:
        return outcomeOf(run(documents.create(access, trial.collection, *trial.body)), 201);
      case Operation::update:
        if (trial.replace) {
          return outcomeOf(run(documents.replace(access, trial.collection, *trial.id, *trial.body)), 204);
        }
        return outcomeOf(run(documents.update(access, trial.collection, *trial.id, *trial.body)), 204);
      default:
        return outcomeOf(run(documents.remove(access, trial.collection, *trial.id)), 204);
    }
  }
  Outcome tried(const policy::Caller& caller, const snapshot::SnapshotPtr& project, const Trial& trial,
                const GivenDocuments* given) {
    const Access access{caller, project, Authority::policies, soon()};
    const auto result = run(data_->policyTrials().run(access, trial, given));
    if (!result) return {false, -1, result.error().message()};
    steps_.clear();
    for (const doc::Document& step : result->steps) steps_ += doc::toJson(step) + "\n";
    return {result->allowed, result->status, result->code.value_or("")};
  }

  std::mt19937_64 random_{20'261'126};
  std::vector<policy::Caller> callers_;
  std::string steps_;
};

TEST_F(PolicyTrialRandomTest, AgreesWithTheRequest) {
  prepare();
  constexpr size_t kCases = 20'000;
  constexpr size_t kCasesOfPolicy = 40;
  std::map<std::string, size_t> seen;
  size_t cases = 0;
  while (cases < kCases) {
    const std::string source = policy();
    PolicyDrafts drafts;
    drafts.collections.push_back({"items", {}, {doc::Patch<doc::Document>::State::value, json(source)}});
    const auto drafted = run(data_->policyTrials().withDrafts(snapshot(), drafts));
    const auto saved = run(data_->collections().setPolicy(managing(), "items", json(source)));
    ASSERT_EQ(drafted.has_value(), saved.has_value()) << source;
    if (!saved) continue;
    for (size_t i = 0; i < kCasesOfPolicy; ++i, ++cases) {
      if (i % 8 == 0) reseed();
      if (chance(10)) changeMemberships();
      const policy::Caller& caller = callers_[pick(callers_.size())];
      const Trial each = trial();
      const Outcome outcome = tried(caller, chance(50) ? *drafted : snapshot(), each, nullptr);
      const std::string steps = steps_;
      if (chance(10)) {
        const GivenDocuments given = everything();
        ASSERT_EQ(tried(caller, snapshot(), each, &given), outcome) << "of given documents: " << source << "\n"
                                                                    << steps;
      }
      const Outcome real = request(caller, each);
      ASSERT_EQ(outcome, real) << "case " << cases << ": " << source << "\n"
                               << caller.id << " " << operationName(each.operation) << " " << each.id.value_or("")
                               << " " << (each.body ? doc::toJson(*each.body) : "") << " "
                               << (each.filter ? doc::toJson(*each.filter) : "") << "\n"
                               << steps;
      ++seen[fmt::format("{} {}", operationName(each.operation), real.status)];
    }
  }
  for (const char* outcome :
       {"read 200",   "read 401",   "read 403",   "read 404",   "read 400",   "list 200",   "list 401",   "list 403",
        "create 201", "create 400", "create 401", "create 403", "create 409", "update 204", "update 400", "update 401",
        "update 403", "update 404", "delete 204", "delete 401", "delete 403", "delete 404"}) {
    EXPECT_GT(seen[outcome], 20U) << outcome;
  }
}

}  // namespace
}  // namespace mb::data

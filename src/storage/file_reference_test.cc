// Random rules of a bucket with sets, random files, memberships and callers: each operation on a file compared with a
// plain evaluation over all files.
#include <set>

#include "policy/random_rules_fixture.h"
#include "storage/storage_fixture.h"

namespace mb::storage {
namespace {

using policy::Membership;
using policy::RandomFilter;
using policy::RuleFields;

constexpr int kDecisions = 100'000;
constexpr policy::RuleFieldNames kNames{"ownerId", "metadata.teams", "size", "metadata.role"};
constexpr std::array kPaths = {"a/1", "a/2", "a/b/1", "a/b/2", "ab/1", "b/1", "b/2", "c", "d", "e/1"};
constexpr std::array kPrefixes = {"", "", "", "a", "a/", "a/b", "b/", "c", "none/", "e/1"};

// What rules know of a file, of the caller, and of the file before.
struct Facts {
  const std::string& path;
  const RuleFields& file;
  const RuleFields* previous;  // null: a new file
  const policy::CallerValues& caller;
};

// An expression: true, false, or an error, which is not true.
struct Expression {
  std::string text;
  std::function<std::optional<bool>(const Facts&)> value;

  static Expression random(policy::RandomChoice& choice, int depth = 1) {
    if (depth > 0 && choice.oneIn(3)) return joined(choice, random(choice, 0), random(choice, 0));
    const int n = choice.below(7);
    const size_t set = static_cast<size_t>(choice.below(policy::kRandomSets));
    switch (choice.below(8)) {
      case 0:
        return {fmt::format("file.metadata.teams in auth.sets.s{}", set),
                [set](const Facts& facts) -> std::optional<bool> {
                  if (!facts.file.teams) return std::nullopt;
                  return facts.file.teams->size() == 1 && facts.caller.sets[set].contains(facts.file.teams->front());
                }};
      case 1:
        return {fmt::format("file.metadata.teams.exists(team, team in auth.sets.s{})", set),
                [set](const Facts& facts) -> std::optional<bool> {
                  if (!facts.file.teams || facts.file.teams->size() == 1) return std::nullopt;
                  return std::ranges::any_of(*facts.file.teams,
                                             [&](const auto& team) { return facts.caller.sets[set].contains(team); });
                }};
      case 2:
        return {"file.ownerId == auth.uid", [](const Facts& facts) { return facts.file.owner == facts.caller.id; }};
      case 3:
        return {fmt::format("file.size > {}", n), [n](const Facts& facts) { return *facts.file.number > n; }};
      case 4:
        return {"file.path.startsWith('a/')", [](const Facts& facts) { return facts.path.starts_with("a/"); }};
      case 5:
        return {"previous.size <= file.size", [](const Facts& facts) -> std::optional<bool> {
                  if (facts.previous == nullptr) return std::nullopt;
                  return *facts.previous->number <= *facts.file.number;
                }};
      case 6:
        return {"has(file.metadata.role) && file.metadata.role == auth.role",
                [](const Facts& facts) { return facts.file.role == facts.caller.role; }};
      default:
        return {"auth.role == 'user'", [](const Facts& facts) { return facts.caller.role == "user"; }};
    }
  }

 private:
  static Expression joined(policy::RandomChoice& choice, Expression one, Expression other) {
    switch (choice.below(3)) {
      case 0:
        return {fmt::format("({}) && ({})", one.text, other.text),
                [one = one.value, other = other.value](const Facts& facts) -> std::optional<bool> {
                  const auto left = one(facts);
                  const auto right = other(facts);
                  if (left == false || right == false) return false;
                  return left && right ? std::optional(true) : std::nullopt;
                }};
      case 1:
        return {fmt::format("({}) || ({})", one.text, other.text),
                [one = one.value, other = other.value](const Facts& facts) -> std::optional<bool> {
                  const auto left = one(facts);
                  const auto right = other(facts);
                  if (left == true || right == true) return true;
                  return left && right ? std::optional(false) : std::nullopt;
                }};
      default:
        return {fmt::format("!({})", one.text), [one = one.value](const Facts& facts) -> std::optional<bool> {
                  const auto value = one(facts);
                  return value ? std::optional(!*value) : std::nullopt;
                }};
    }
  }
};

struct FileRule {
  std::optional<RandomFilter> filter;
  std::optional<Expression> validate;

  std::string json() const {
    std::vector<std::string> parts;
    if (filter) parts.push_back("\"filter\":" + filter->json(kNames));
    if (validate) parts.push_back(fmt::format("\"validate\":\"{}\"", validate->text));
    return fmt::format("{{{}}}", fmt::join(parts, ","));
  }
};

struct Person {
  policy::Caller caller;
  policy::CallerValues values;
  bool rulesHold = true;
};

// An upload whose length the client declares.
class DeclaredUpload final : public Upload {
 public:
  explicit DeclaredUpload(std::string text) : text_(std::move(text)) {}
  Task<std::string_view> read() override { co_return std::exchange(rest_, {}); }
  void setLimit(uint64_t) override {}
  std::optional<uint64_t> size() const override { return text_.size(); }

 private:
  const std::string text_;
  std::string_view rest_ = text_;
};

constexpr std::string_view kForbidden = "FORBIDDEN";
constexpr std::string_view kHidden = "NOT_FOUND";
constexpr std::string_view kNeedsToken = "UNAUTHENTICATED";

class FileReferenceTest : public StorageFixture {
 protected:
  using Operation = policy::Operation;

  // ---- the plain evaluation: the code of the refusal, "" for none

  std::string_view expected(const Person& person, Operation operation, const std::string& path,
                            const RuleFields* before, const RuleFields* after) const {
    const bool reads = operation == Operation::read || operation == Operation::list;
    if (operation == Operation::read && isPublic_) return before ? "" : kHidden;
    if (isAnonymous(person)) return operation == Operation::read ? kHidden : kNeedsToken;
    if (!(reads ? mayRead(person) : mayWrite(person))) return kForbidden;
    if (rules_.empty() || !person.rulesHold) return expectedByOwner(person, operation, before);
    const auto rule = rules_.find(operation);
    if (rule == rules_.end()) return kForbidden;
    if (operation != Operation::create && before == nullptr) return kHidden;
    const RuleFields& filtered = before ? *before : *after;
    if (rule->second.filter && !rule->second.filter->matches(filtered, person.values)) {
      return before ? kHidden : kForbidden;
    }
    const bool valid =
        !rule->second.validate || rule->second.validate->value({path, *after, before, person.values}).value_or(false);
    return valid ? "" : kForbidden;
  }
  // Without rules for the caller: end users of the role `user` reach their own files, all others each file.
  std::string_view expectedByOwner(const Person& person, Operation operation, const RuleFields* before) const {
    if (operation != Operation::create && before == nullptr) return kHidden;
    const bool ownOnly = person.caller.kind == policy::CallerKind::endUser && person.caller.role == "user";
    if (before == nullptr || !ownOnly || before->owner == person.caller.id) return "";
    const bool isKnown = operation == Operation::update || (operation == Operation::remove && isPublic_);
    return isKnown ? kForbidden : kHidden;
  }
  static bool isAnonymous(const Person& person) { return person.caller.kind == policy::CallerKind::anonymous; }
  static bool mayRead(const Person& person) { return person.caller.may("storage:read"); }
  static bool mayWrite(const Person& person) { return person.caller.may("storage:write"); }
  const RuleFields* find(const std::string& path) const {
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : &found->second;
  }

  // ---- the operations

  Access as(const Person& person) { return {{person.caller, now_, soon()}}; }

  void read(const Person& person, const std::string& path) {
    const RuleFields* file = find(path);
    const auto want = expected(person, Operation::read, path, file, file);
    const auto opened = run(storage_->files().open(as(person), "docs", path, std::nullopt));
    check(person, "read", path, want, codeOf(opened));
    if (opened && file) EXPECT_EQ(opened->record.size, *file->number);
    if (!choice_.oneIn(8) || person.caller.kind != policy::CallerKind::endUser) return;
    check(person, "sign", path, want, codeOf(run(storage_->files().sign(as(person), "docs", path, 60))));
  }
  void list(const Person& person) {
    const std::string prefix = choice_.of(kPrefixes);
    const bool whole = choice_.oneIn(2);
    const FilePage page{prefix, whole ? 100u : static_cast<uint64_t>(choice_.below(6)),
                        whole ? 0u : static_cast<uint64_t>(choice_.below(4))};
    std::vector<std::string> visible;
    for (const auto& [path, file] : files_) {
      if (path.starts_with(prefix) && expected(person, Operation::list, path, &file, &file).empty()) {
        visible.push_back(path);
      }
    }
    const size_t skipped = std::min<size_t>(page.skip, visible.size());
    visible.erase(visible.begin(), visible.begin() + static_cast<ptrdiff_t>(skipped));
    if (visible.size() > page.limit) visible.resize(page.limit);
    const bool refused = !mayRead(person) || (!rules_.empty() && person.rulesHold && !rules_.contains(Operation::list));
    const auto found = run(storage_->files().list(as(person), "docs", page));
    check(person, "list", prefix, refused ? (isAnonymous(person) ? kNeedsToken : kForbidden) : "", codeOf(found));
    std::vector<std::string> listed;
    if (found) {
      for (const FileView& each : found->files) listed.push_back(each.path);
      decisions_ += static_cast<int>(files_.size()) - 1;
    }
    EXPECT_EQ(listed, visible) << describe(person) << " prefix " << prefix << ", " << page.limit << " after "
                               << page.skip;
  }
  void write(const Person& person) {
    const std::string path = choice_.of(kPaths);
    const RuleFields* before = find(path);
    const int kind = choice_.below(8);
    if (kind == 0) return remove(person, path, before);
    if (kind < 4) return tag(person, path, before);
    RuleFields after = randomFile(person);
    const bool inherits = before != nullptr && choice_.oneIn(3);
    if (before != nullptr && !rules_.empty()) after.owner = before->owner;
    if (inherits) {
      after.teams = before->teams;
      after.role = before->role;
    }
    const Operation operation = before ? Operation::update : Operation::create;
    const auto want = expected(person, operation, path, before, &after);
    const std::string code = upload(person, path, after, inherits, kind);
    check(person, before ? "overwrite" : "create", path, want, code);
    if (code.empty()) files_[path] = after;
  }
  std::string upload(const Person& person, const std::string& path, const RuleFields& after, bool inherits, int kind) {
    NewFile file{"text/plain"};
    if (!inherits) file.metadata = json(metadataOf(after));
    std::string text(static_cast<size_t>(*after.number), 'x');
    TextUpload body(text);
    if (kind == 4) {
      const auto made = run(storage_->uploads().create(as(person), "docs", path, {*after.number, std::move(file), ""}));
      if (!made || made->done) return codeOf(made);
      return codeOf(run(storage_->uploads().append(as(person), "docs", path, made->id, 0, body)));
    }
    if (kind == 5) return codeOf(run(storage_->files().put(as(person), "docs", path, std::move(file), body)));
    DeclaredUpload declared(std::move(text));
    return codeOf(run(storage_->files().put(as(person), "docs", path, std::move(file), declared)));
  }
  void tag(const Person& person, const std::string& path, const RuleFields* before) {
    RuleFields after = randomFile(person);
    if (before != nullptr) {
      after.owner = before->owner;
      after.number = before->number;
    }
    const auto want = expected(person, Operation::update, path, before, &after);
    const std::string code =
        codeOf(run(storage_->files().setMetadata(as(person), "docs", path, json(metadataOf(after)))));
    check(person, "metadata", path, want, code);
    if (code.empty()) files_[path] = after;
  }
  void remove(const Person& person, const std::string& path, const RuleFields* before) {
    const auto want = expected(person, Operation::remove, path, before, before);
    const std::string code = codeOf(run(storage_->files().remove(as(person), "docs", path)));
    check(person, "delete", path, want, code);
    if (code.empty()) files_.erase(path);
  }
  void check(const Person& person, std::string_view operation, const std::string& path, std::string_view want,
             const std::string& got) {
    ++decisions_;
    ++outcomes_[fmt::format("{} {}", operation, want)];
    EXPECT_EQ(got, want) << operation << " " << path << " by " << describe(person);
  }
  std::string describe(const Person& person) const {
    const RuleFields* file = nullptr;
    std::string text = fmt::format("{} ({}); {} {}", person.values.id, person.values.role,
                                   isPublic_ ? "public" : "private", rulesJson());
    for (const char* each : kPaths) {
      if ((file = find(each)) != nullptr) {
        text += fmt::format("\n  {} {} {} {}", each, file->owner, *file->number, metadataOf(*file));
      }
    }
    return text;
  }

  // ---- what is random

  RuleFields randomFile(const Person& person) {
    RuleFields made;
    made.owner = person.values.id;
    made.number = choice_.below(7);
    if (!choice_.oneIn(6)) {
      made.teams.emplace(1, policy::randomTeam(choice_));
      if (choice_.oneIn(3)) made.teams->push_back(policy::randomTeam(choice_));
    }
    if (!choice_.oneIn(3)) made.role = choice_.of(policy::kRandomRoles);
    return made;
  }
  static std::string metadataOf(const RuleFields& file) {
    std::vector<std::string> parts;
    if (file.teams) parts.push_back("\"teams\":" + policy::jsonOf(*file.teams));
    if (file.role) parts.push_back(fmt::format("\"role\":\"{}\"", *file.role));
    return fmt::format("{{{}}}", fmt::join(parts, ","));
  }
  std::string rulesJson() const {
    std::vector<std::string> parts;
    for (const auto& [operation, rule] : rules_) {
      parts.push_back(fmt::format("\"{}\":{}", policy::operationName(operation), rule.json()));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ","));
  }
  void changeRules() {
    isPublic_ = choice_.oneIn(5);
    rules_.clear();
    for (const Operation operation :
         {Operation::read, Operation::list, Operation::create, Operation::update, Operation::remove}) {
      if (choice_.oneIn(6) || (operation == Operation::read && isPublic_)) continue;
      FileRule& rule = rules_[operation];
      if (!choice_.oneIn(4)) rule.filter = RandomFilter::random(choice_, false);
      if (choice_.oneIn(2)) rule.validate = Expression::random(choice_);
    }
    if (choice_.oneIn(12)) rules_.clear();
    BucketPatch patch{isPublic_ ? "public" : "private", {doc::Patch<doc::Document>::State::value, json(rulesJson())}};
    const auto changed = run(storage_->buckets().change(access(), "docs", std::move(patch)));
    EXPECT_TRUE(changed) << rulesJson() << ": " << changed.error().message();
    now_ = snapshot(shop_);
  }
  void changeMembership() {
    const int i = choice_.below(static_cast<int>(memberships_.size()));
    const std::string id = fmt::format("m{}", i);
    Membership& changed = memberships_[static_cast<size_t>(i)];
    changed = Membership::random(choice_);
    const policy::Caller caller = admin();
    const data::Access manager{caller, now_, data::Authority::admin, soon()};
    EXPECT_TRUE(run(data_->documents().replace(manager, "members", id, json(changed.json(id)))));
    readSets();
  }
  void readSets() {
    for (Person& each : people_) each.values.readSets(memberships_);
  }

  // ---- the project

  void addPerson(policy::CallerKind kind, std::string id, std::string role, std::vector<std::string> permissions,
                 std::vector<std::string> scopes = {}, bool rulesHold = true) {
    policy::Caller caller = endUser(std::move(id), std::move(role));
    caller.kind = kind;
    caller.scopes = std::move(scopes);
    caller.permissions = std::make_shared<const policy::PermissionSet>(std::move(permissions));
    const policy::CallerValues values{caller.id, caller.role, {}};
    people_.push_back({std::move(caller), values, rulesHold});
  }
  void prepare() {
    using Kind = policy::CallerKind;
    const std::vector<std::string> both = {"storage:read", "storage:write"};
    addPerson(Kind::endUser, policy::userId(0), "user", both);
    addPerson(Kind::endUser, policy::userId(1), "editor", both);
    addPerson(Kind::endUser, policy::userId(2), "user", {"storage:read"});
    addPerson(Kind::member, policy::userId(3), "Editor", both);
    addPerson(Kind::apiKey, "key_1", "apikey", both, {"storage"});
    addPerson(Kind::apiKey, "key_2", "apikey", both, {"admin"}, false);
    addPerson(Kind::apiKey, "key_3", "apikey", both, {"service"}, false);
    addPerson(Kind::member, "user_manager", "Owner", {"storage:manage", "storage:write"}, {}, false);
    addPerson(Kind::anonymous, "", "", {});
    const policy::Caller caller = admin();
    EXPECT_TRUE(run(data_->collections().create({caller, snapshot(shop_)}, "members")));
    data::NewIndex index;
    index.keys = json(R"({"userId":1})");
    EXPECT_TRUE(run(data_->collections().createIndex({caller, snapshot(shop_)}, "members", index)));
    for (size_t i = 0; i < policy::kRandomSetsWhere.size(); ++i) {
      data::PolicySet set{fmt::format("s{}", i), "members", json(policy::kRandomSetsWhere[i]), "teamId"};
      EXPECT_TRUE(run(data_->policySets().set({caller, snapshot(shop_)}, std::move(set))));
    }
    const data::Access manager{caller, snapshot(shop_), data::Authority::admin, soon()};
    for (int i = 0; i < policy::kRandomUsers * 2; ++i) {
      memberships_.push_back(Membership::random(choice_));
      const std::string made = memberships_.back().json(fmt::format("m{}", i));
      EXPECT_TRUE(run(data_->documents().create(manager, "members", json(made))));
    }
    readSets();
    bucket("docs");
  }
  // Files whose owners are any of the people.
  void refill() {
    rules_.clear();
    isPublic_ = false;
    EXPECT_TRUE(
        run(storage_->buckets().change(access(), "docs", {"private", {doc::Patch<doc::Document>::State::null, {}}})));
    now_ = snapshot(shop_);
    for (const char* path : kPaths) {
      if (choice_.oneIn(3)) continue;
      const Person& owner = people_[static_cast<size_t>(choice_.below(5))];
      if (find(path) != nullptr || !mayWrite(owner)) continue;
      RuleFields made = randomFile(owner);
      EXPECT_EQ(upload(owner, path, made, false, 5), "");
      files_[path] = made;
    }
  }

  policy::RandomChoice choice_{20'261'126};
  std::vector<Membership> memberships_;
  std::vector<Person> people_;
  std::map<Operation, FileRule> rules_;
  bool isPublic_ = false;
  std::map<std::string, RuleFields> files_;
  snapshot::SnapshotPtr now_;
  int decisions_ = 0;
  std::map<std::string, int> outcomes_;  // by operation and result
};

TEST_F(FileReferenceTest, EveryDecisionIsThatOfThePlainEvaluation) {
  prepare();
  while (decisions_ < kDecisions && !HasFailure()) {
    refill();
    changeRules();
    for (int step = 0; step < 4 && !HasFailure(); ++step) {
      if (step > 0) changeMembership();
      for (const Person& person : people_) {
        for (const char* path : kPaths) read(person, path);
        list(person);
        list(person);
        write(person);
      }
    }
  }
  for (const char* operation : {"read", "sign", "create", "overwrite", "metadata", "delete"}) {
    for (const char* outcome : {"", "FORBIDDEN", "NOT_FOUND"}) {
      const std::string both = fmt::format("{} {}", operation, outcome);
      if (both != "create NOT_FOUND") EXPECT_GT(outcomes_[both], 20) << both;
    }
  }
}

}  // namespace
}  // namespace mb::storage

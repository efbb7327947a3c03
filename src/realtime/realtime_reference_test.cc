// Random policies with sets and public rules, random documents, memberships and subscriptions: the messages of each
// subscription compared with a plain evaluation of each change for it.
#include <set>

#include "realtime/plain_evaluation_fixture.h"
#include "realtime/realtime_fixture.h"

namespace mb::realtime {
namespace {

using policy::Membership;
using policy::RandomFilter;

constexpr int kDecisions = 100'000;  // subscriptions of readers, times changes
constexpr size_t kSubscriptions = 14;
constexpr int kDocuments = 12;

// A message that a subscription must get; a reset may come several times, or may be missing, where that is allowed.
struct Expected {
  std::string type;  // of the event; "reset"; "FORBIDDEN": the subscription ends
  std::string id;    // of the document
  Fields fields;
  int resets = 0;         // at most
  bool required = false;  // a reset that was not sent yet
};

struct Followed {
  std::string id;
  ClientFilter filter;
  std::vector<std::string> fields;
  std::set<std::string> events;
  bool leave = false;
  bool answered = false;  // the subscribe message was
  bool live = false;      // subscribed, and not ended
  std::deque<Expected> expected;
  // While something of the reader has changed since the last event:
  int changes = 0;
  bool readerChanged = false;
  std::set<std::string> saw;  // the ids of what it saw before the first change
};

class RealtimeReferenceTest : public RealtimeTest {
 protected:
  // Sockets of one person share what the server knows of them.
  struct Person {
    enum class Kind { user, anonymous, service } kind = Kind::user;
    policy::CallerValues values;
    bool mayRead = true;
  };
  struct Reader {
    Person* person;
    Client* client;
    std::vector<std::unique_ptr<Followed>> all;
  };

  // ---- what must be sent

  bool isAnonymous(const Reader& reader) const { return reader.person->kind == Person::Kind::anonymous; }
  bool mayFollow(const Reader& reader) const {
    if (reader.person->kind == Person::Kind::service) return true;
    return reader.person->mayRead && policy_.ruleFor("read", isAnonymous(reader)) != nullptr;
  }
  std::vector<std::string> deniedTo(const Reader& reader) const {
    if (reader.person->kind == Person::Kind::service) return {};
    return policy_.denied(isAnonymous(reader));
  }
  bool mayFilter(const Reader& reader, const Followed& followed) const {
    const std::vector<std::string> denied = deniedTo(reader);
    return std::ranges::none_of(followed.filter.paths, [&](const std::string& path) {
      return std::ranges::any_of(denied,
                                 [&](const auto& each) { return isWithin(path, each) || isWithin(each, path); });
    });
  }
  bool sees(const Reader& reader, const Followed& followed, const TestDocument& document) const {
    if (!mayFollow(reader) || !followed.filter.matches(document)) return false;
    if (reader.person->kind == Person::Kind::service) return true;
    const ReadRule& rule = *policy_.ruleFor("read", isAnonymous(reader));
    return !rule.filter || rule.filter->matches(document.rule, reader.person->values);
  }
  std::set<std::string> seenBy(const Reader& reader, const Followed& followed) const {
    std::set<std::string> ids;
    for (const auto& [id, document] : documents_) {
      if (sees(reader, followed, document)) ids.insert(id);
    }
    return ids;
  }
  // Called before what readers see changes other than by a document.
  void noteChange(Reader& reader, bool ofReader = false) {
    for (const auto& followed : reader.all) {
      if (followed->live && followed->changes++ == 0) followed->saw = seenBy(reader, *followed);
      followed->readerChanged = followed->readerChanged || ofReader;
    }
  }
  void noteChanges() {
    for (Reader& reader : readers_) noteChange(reader);
  }
  // What such changes cause before the next event.
  void expectChanges(const Reader& reader, Followed& followed) {
    const int changes = std::exchange(followed.changes, 0);
    const bool ofReader = std::exchange(followed.readerChanged, false);
    if (changes == 0) return;
    const bool ends = mayFollow(reader) && !mayFilter(reader, followed);
    if (followed.leave) {
      const bool required = !ends && (ofReader || seenBy(reader, followed) != followed.saw);
      if (followed.expected.empty() || followed.expected.back().type != "reset") {
        followed.expected.push_back({.type = "reset", .id = {}, .fields = {}});
      }
      Expected& reset = followed.expected.back();
      reset.resets += changes;
      reset.required = reset.required || required;
    }
    if (!ends) return;
    followed.expected.push_back({.type = "FORBIDDEN", .id = {}, .fields = {}});
    followed.live = false;
    ++ended_;
  }
  void expectEvent(const Reader& reader, Followed& followed, const std::string& type, const TestDocument* before,
                   const TestDocument* after) {
    ++decisions_;
    const TestDocument& decisive = after ? *after : *before;
    const bool wanted = followed.events.contains(type);
    if (sees(reader, followed, decisive)) {
      if (!wanted) return;
      ++events_;
      followed.expected.push_back(
          {type, decisive.id, after ? after->shown(deniedTo(reader), followed.fields) : Fields(), 0, false});
    } else if (followed.leave && before && after && sees(reader, followed, *before)) {
      ++leaves_;
      followed.expected.push_back({"leave", decisive.id, {}, 0, false});
    }
  }

  // ---- what is sent

  void receive(Followed& followed, const Expected& got, const std::string& text) {
    while (!followed.expected.empty()) {
      Expected& next = followed.expected.front();
      if (next.type == "reset" && got.type == "reset") {
        next.required = false;
        if (--next.resets == 0) followed.expected.pop_front();
        ++resets_;
        return;
      }
      if (next.type != "reset") {
        EXPECT_EQ(got.type, next.type) << next.id << "; " << text;
        EXPECT_EQ(got.id, next.id) << text;
        EXPECT_EQ(got.fields, next.fields) << text;
        followed.expected.pop_front();
        return;
      }
      EXPECT_FALSE(next.required) << "no reset before " << text;
      followed.expected.pop_front();
    }
    ADD_FAILURE() << "unexpected: " << text << "; filter " << followed.filter.json;
  }
  void receive(Reader& reader, const std::string& text) {
    const doc::Document message = data::json(text);
    const std::string type(message.view().stringOr("type"));
    const std::string id(message.view().stringOr(type == "event" ? "subscription" : "id"));
    const auto found = std::ranges::find(reader.all, id, [](const auto& each) { return each->id; });
    ASSERT_NE(found, reader.all.end()) << text;
    Followed& followed = **found;
    if (type == "subscribed") {
      followed.live = true;
    } else if (type == "event") {
      const doc::DocumentView event = message.view().find("event")->asDocument();
      EXPECT_EQ(event.stringOr("collection"), "docs");
      Expected got{std::string(event.stringOr("type")), std::string(event.stringOr("documentId")), {}};
      if (const auto document = event.find("document")) addFields(got.fields, "", document->asDocument());
      receive(followed, got, text);
    } else if (type == "error" && !followed.answered) {
      EXPECT_EQ(code(text), "FORBIDDEN");
    } else if (type != "unsubscribed") {
      receive(followed, {.type = type == "error" ? code(text) : type, .id = {}, .fields = {}}, text);
    }
  }
  void drain() {
    for (Reader& reader : readers_) {
      std::vector<std::string> texts;
      onCore([&] {
        const auto& all = reader.client->socket.texts;
        texts.assign(all.begin() + static_cast<std::ptrdiff_t>(reader.client->read), all.end());
        reader.client->read = all.size();
      });
      for (const std::string& text : texts) receive(reader, text);
    }
  }
  bool isOutstanding() const {
    for (const Reader& reader : readers_) {
      for (const auto& followed : reader.all) {
        for (const Expected& each : followed->expected) {
          if (each.type != "reset" || each.required) return true;
        }
      }
    }
    return false;
  }
  void awaitAll() {
    for (int i = 0; i < 10'000 && !HasFailure(); ++i) {
      drain();
      if (!isOutstanding()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(isOutstanding()) << policy_.json();
  }

  // Lets replays, which nothing reports where they send nothing, run to their end: each of their steps is queued on the
  // core, and each turn here comes after those that were queued before it.
  void finishReplays() {
    settle();
    for (int i = 0; i < 300; ++i) onCore([] {});
  }

  // ---- changes

  void write(const std::string& type, const TestDocument& document) {
    for (Reader& reader : readers_) {
      for (const auto& followed : reader.all) {
        if (followed->live) expectChanges(reader, *followed);
      }
    }
    const auto stored = documents_.find(document.id);
    const std::optional<TestDocument> before =
        stored == documents_.end() ? std::nullopt : std::optional(stored->second);
    const bool removes = type == "delete";
    if (type == "insert") {
      put("docs", document.json());
    } else if (type == "update") {
      expectOk(run(data_->documents().update(asAdmin(), "docs", document.id, data::json(document.update()))));
    } else if (type == "replace") {
      expectOk(run(data_->documents().replace(asAdmin(), "docs", document.id, data::json(document.json()))));
    } else {
      expectOk(run(data_->documents().remove(asAdmin(), "docs", document.id)));
    }
    for (Reader& reader : readers_) {
      for (const auto& followed : reader.all) {
        if (!followed->live) continue;
        expectEvent(reader, *followed, type, before ? &*before : nullptr, removes ? nullptr : &document);
      }
    }
    documents_.erase(document.id);
    if (!removes) documents_.emplace(document.id, document);
  }
  void writeRandomly() {
    TestDocument made;
    made.id = fmt::format("d{}", choice_.below(kDocuments));
    made.rule.owner = policy::userId(choice_.below(policy::kRandomUsers));
    if (!choice_.oneIn(8)) {
      made.rule.teams.emplace(1, policy::randomTeam(choice_));
      if (choice_.oneIn(3)) made.rule.teams->push_back(policy::randomTeam(choice_));
    }
    if (!choice_.oneIn(5)) made.rule.number = choice_.below(6);
    if (!choice_.oneIn(3)) made.rule.role = choice_.of(policy::kRandomRoles);
    made.tags = {choice_.of(ClientFilter::kTags)};
    made.depth = choice_.below(6);
    made.secret = choice_.below(5);
    made.revision = ++revision_;
    static constexpr std::array kinds = {"update", "update", "replace", "delete"};
    write(documents_.contains(made.id) ? choice_.of(kinds) : "insert", made);
  }
  void changeMembership() {
    const int i = choice_.below(static_cast<int>(memberships_.size()));
    const std::string id = fmt::format("m{}", i);
    Membership& changed = memberships_[static_cast<size_t>(i)];
    const Membership before = std::exchange(changed, Membership::random(choice_));
    for (Reader& reader : readers_) {
      const std::string& user = reader.person->values.id;
      if (user == before.user || user == changed.user) noteChange(reader);
    }
    expectOk(run(data_->documents().replace(asAdmin(), "memberships", id, data::json(changed.json(id)))));
    for (Person& each : people_) each.values.readSets(memberships_);
  }
  void setPolicy(TestPolicy policy) {
    noteChanges();
    policy_ = std::move(policy);
    expectOk(run(data_->collections().setPolicy(managing(), "docs", data::json(policy_.json()))));
  }
  static TestPolicy openPolicy() {
    TestPolicy made;
    made.rules.emplace("read", ReadRule());
    made.rules.emplace("public.read", ReadRule());
    return made;
  }
  TestPolicy randomPolicy() {
    static const std::vector<std::string> denied = {"secret", "deep", "deep.y", "n", "tags", "teams"};
    TestPolicy made;
    for (const char* name : {"read", "list", "public.read", "public.list"}) {
      if (choice_.oneIn(4)) continue;
      ReadRule rule;
      if (!choice_.oneIn(10)) {
        rule.filter = RandomFilter::random(choice_, std::string_view(name).starts_with("public"));
      }
      if (choice_.oneIn(4)) rule.denied.push_back(choice_.of(denied));
      made.rules.emplace(name, std::move(rule));
    }
    return made;
  }
  // A person's role and permission.
  void changePerson(Person& person, std::string role, bool mayRead) {
    for (Reader& reader : readers_) {
      if (reader.person == &person) noteChange(reader, role != person.values.role);
    }
    person.values.role = std::move(role);
    person.mayRead = mayRead;
    addToken(person);
  }
  // Every subscription sees this document: once it was sent, all that came before it was.
  void barrier() {
    setPolicy(openPolicy());
    for (Person& each : people_) {
      if (!each.mayRead) changePerson(each, each.values.role, true);
    }
    TestDocument all;
    all.id = "all";
    all.rule.teams.emplace();
    for (int i = 0; i < policy::kRandomTeams; ++i) all.rule.teams->push_back(fmt::format("t{}", i));
    all.rule.number = all.depth = all.secret = 100;
    all.tags.assign(ClientFilter::kTags.begin(), ClientFilter::kTags.end());
    for (const char* type : {"insert", "update", "replace", "delete"}) {
      all.revision = ++revision_;
      write(type, all);
    }
    awaitAll();
    finishReplays();
  }

  // ---- readers

  void addToken(const Person& person) {
    policy::Caller caller = user(person.values.id);
    caller.role = person.values.role;
    if (!person.mayRead) caller.permissions = permissions({"data:*:list"});
    if (person.kind == Person::Kind::service) {
      caller.kind = policy::CallerKind::apiKey;
      caller.scopes = {"service"};
    }
    auth_.add(person.values.id, caller, kStart + kHour);
  }
  void connectReader(Person& person) {
    Client& client = connect();
    if (person.kind == Person::Kind::anonymous) {
      say(client, R"({"type":"auth","anonymous":true})");
    } else {
      say(client, fmt::format(R"({{"type":"auth","token":"{}"}})", person.values.id));
    }
    EXPECT_EQ(next(client), R"({"type":"auth_ok"})");
    readers_.push_back({&person, &client, {}});
  }
  void subscribe(Reader& reader) {
    static const std::vector<std::string> paths = {"n", "teams", "tags", "deep", "deep.x", "secret", "ownerId", "rev"};
    Followed& made = *reader.all.emplace_back(std::make_unique<Followed>());
    made.id = fmt::format("s{}", ++subscriptions_);
    std::string more;
    if (!choice_.oneIn(3)) {
      made.filter = ClientFilter::random(choice_);
      more += ",\"filter\":" + made.filter.json;
    }
    if (choice_.oneIn(3)) {
      for (int i = 1 + choice_.below(3); i > 0; --i) made.fields.push_back(choice_.of(paths));
      more += fmt::format(R"(,"fields":["{}"])", fmt::join(made.fields, "\",\""));
    }
    for (const char* type : {"insert", "update", "replace", "delete"}) {
      if (!choice_.oneIn(6)) made.events.insert(type);
    }
    if (made.events.empty()) made.events = {"insert"};
    more += fmt::format(R"(,"events":["{}"])", fmt::join(made.events, "\",\""));
    made.leave = choice_.oneIn(2);
    if (made.leave) more += ",\"leave\":true";
    say(*reader.client, fmt::format(R"({{"type":"subscribe","id":"{}","collection":"docs"{}}})", made.id, more));
    drain();
    made.answered = true;
    EXPECT_EQ(made.live, mayFollow(reader) && mayFilter(reader, made)) << policy_.json() << more;
    if (!made.live) reader.all.pop_back();
  }
  // Replaces those that have ended, and one more of each reader.
  void renewSubscriptions() {
    for (Reader& reader : readers_) {
      std::erase_if(reader.all, [](const auto& each) { return !each->live; });
      while (reader.all.size() >= kSubscriptions) {
        const auto ends = reader.all.begin() + choice_.below(static_cast<int>(reader.all.size()));
        say(*reader.client, fmt::format(R"({{"type":"unsubscribe","id":"{}"}})", (*ends)->id));
        drain();
        reader.all.erase(ends);
      }
      while (reader.all.size() < kSubscriptions) subscribe(reader);
    }
  }

  void prepare() {
    collection("memberships");
    data::NewIndex index;
    index.keys = data::json(R"({"userId":1})");
    expectOk(run(data_->collections().createIndex(managing(), "memberships", index)));
    for (size_t i = 0; i < policy::kRandomSetsWhere.size(); ++i) {
      const data::PolicySet set{fmt::format("s{}", i), "memberships", data::json(policy::kRandomSetsWhere[i]),
                                "teamId"};
      expectOk(run(data_->policySets().set(managing(), set)));
    }
    for (int i = 0; i < policy::kRandomUsers * 2; ++i) {
      memberships_.push_back(Membership::random(choice_));
      put("memberships", memberships_.back().json(fmt::format("m{}", i)));
    }
    collection("docs");
    for (int i = 0; i < policy::kRandomUsers; ++i) {
      people_.push_back({Person::Kind::user, {policy::userId(i), policy::kRandomRoles[0], {}}});
    }
    people_.push_back({Person::Kind::service, {"key_1", "apikey", {}}});
    people_.push_back({Person::Kind::anonymous, {}});
    setPolicy(openPolicy());
    for (Person& each : people_) {
      each.values.readSets(memberships_);
      if (each.kind != Person::Kind::anonymous) addToken(each);
      connectReader(each);
    }
    connectReader(people_.front());
    connectReader(people_.back());
  }

  policy::RandomChoice choice_{20'261'126};
  std::vector<Membership> memberships_;
  std::map<std::string, TestDocument> documents_;
  std::deque<Person> people_;
  std::vector<Reader> readers_;
  TestPolicy policy_;
  int revision_ = 0;
  int subscriptions_ = 0;
  int decisions_ = 0;
  int events_ = 0;
  int leaves_ = 0;
  int resets_ = 0;
  int ended_ = 0;
};

TEST_F(RealtimeReferenceTest, EveryMessageIsThatOfThePlainEvaluation) {
  prepare();
  barrier();
  while (decisions_ < kDecisions && !HasFailure()) {
    renewSubscriptions();
    if (choice_.oneIn(2)) {
      Person& changed = people_[static_cast<size_t>(choice_.below(policy::kRandomUsers))];
      changePerson(changed, choice_.of(policy::kRandomRoles), !choice_.oneIn(3));
    }
    setPolicy(randomPolicy());
    for (int i = 0; i < 5; ++i) writeRandomly();
    awaitAll();
    finishReplays();
    for (Reader& reader : readers_) {
      if (choice_.oneIn(3)) subscribe(reader);
    }
    // The events that follow are evaluated with the new sets: nothing of a team that was lost is sent.
    for (int i = 1 + choice_.below(3); i > 0; --i) changeMembership();
    for (int i = 0; i < 5; ++i) writeRandomly();
    awaitAll();
    finishReplays();
    barrier();
  }
  EXPECT_GT(events_, kDecisions / 10);
  EXPECT_GT(leaves_, kDecisions / 100);
  EXPECT_GT(resets_, 1000);
  EXPECT_GT(ended_, 50);
}

}  // namespace
}  // namespace mb::realtime

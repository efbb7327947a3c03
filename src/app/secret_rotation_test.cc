#include "app/secret_rotation.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/application.h"
#include "app/data_directory.h"
#include "base/files.h"
#include "integrations/integration_service.h"
#include "projects/project_types.h"
#include "store/testing/memory_store.h"
#include "store/testing/running.h"

namespace mb::app {
namespace {

constexpr store::CollectionNo kJobsCollection = 70;
constexpr store::CollectionNo kProjectsCollection = 31;
constexpr store::ProjectNo kShop = 2;
constexpr store::ProjectNo kGone = 3;

std::string secretOf(char c) {
  std::string bytes(32, c);
  for (int i = 0; i < 16; ++i) bytes[static_cast<size_t>(i)] = static_cast<char>(i);
  return toBase64(bytes);
}

struct Crash {};

// Ends the work at its nth step, as a crash would.
class UntilStep final : public Progress {
 public:
  explicit UntilStep(int steps) : left_(steps) {}
  void at(std::string_view, uint64_t, uint64_t) override {
    if (left_-- == 0) throw Crash();
  }

 private:
  int left_;
};

class SecretRotationTest : public ::testing::Test {
 protected:
  SecretRotationTest() {
    initCrypto();
    configureLog(LogLevel::error, LogFormat::text);
    std::string pattern = (std::filesystem::temp_directory_path() / "manybase-secret-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    cores_.start();
    EXPECT_TRUE(writeDurably(directory_ / kSecretFile, old_ + "\n"));
    projects::ProjectRecord shop;
    shop.id = ProjectId("proj_shop");
    shop.number = kShop;
    shop.slug = "shop";
    shop.status = "active";
    projects::ProjectRecord gone;
    gone.id = ProjectId("proj_gone");
    gone.number = kGone;
    gone.slug = "gone";
    gone.status = "deleted";
    for (const auto& project : {shop, gone}) {
      put({store::kControlProject, kProjectsCollection, 0}, doc::encode(project));
    }
    identity::Tokens tokens("", clock_);
    const MasterSecret master = masterOf(old_);
    identity::SigningKeys keys({store_, clock_, auditor_, master}, tokens);
    EXPECT_TRUE(store::testing::runOn(cores_, 0, keys.load()));
    for (int i = 0; i < 250; ++i) add(kShop, "__second_factors", fmt::format("user_{:04}", i), "secret", "");
    add(kGone, "__second_factors", "user_1", "secret", "");
    add(store::kControlProject, "__second_factors", "user_9", "secret", "");
    add(store::kControlProject, "__challenges", "totp:user_8", "secret", "user_8");
    add(kShop, "__oauth_config", "google", "secret", "");
    add(store::kControlProject, "__connections", "conn_1", "secrets", "");
    add(kShop, "__variables", "TOKEN", "sealed", "");
    addJob("job_1");
  }
  ~SecretRotationTest() override {
    cores_.stop();
    cores_.join();
    std::filesystem::remove_all(directory_);
  }

  static MasterSecret masterOf(const std::string& base64) { return *parseMasterSecret(base64); }
  static store::CollectionNo numberOf(std::string_view name) {
    for (const auto& collection : systemCollections()) {
      if (collection.name == name) return collection.number;
    }
    return 0;
  }
  void put(store::CollectionRef collection, doc::Document document) {
    const std::string id(document.view().stringOr("id"));
    write(collection, id, store::Change::put(std::move(document)));
  }
  void remove(store::CollectionRef collection, const std::string& id) {
    write(collection, id, store::Change::remove());
  }
  void write(store::CollectionRef collection, const std::string& id, const store::Change& change) {
    store::Write write(
        {.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30), .actor = {}, .bumpEpochs = {}});
    const store::Target target = write.change(collection, id);
    const auto setIt = [target, change](const store::PreImages&, store::Changes& changes) -> Result<> {
      changes.set(target, change);
      return {};
    };
    EXPECT_TRUE(store::testing::runOn(cores_, 0, store_.write(std::move(write), setIt)));
  }
  const store::SealedField& fieldOf(store::CollectionNo number) const {
    return *std::ranges::find(fields_, number, &store::SealedField::collection);
  }
  static std::string projectOf(store::ProjectNo project) {
    return project == kShop ? "proj_shop" : project == kGone ? "proj_gone" : "";
  }
  void add(store::ProjectNo project, std::string_view collection, const std::string& id, std::string_view field,
           std::string_view user) {
    doc::BsonWriter out;
    out.appendString("id", id);
    if (!user.empty()) out.appendString("userId", user);
    const store::CollectionNo number = numberOf(collection);
    const doc::Document bare = out.finish();
    const std::string context = fieldOf(number).context(projectOf(project), bare);
    doc::BsonWriter whole;
    whole.appendAll(bare);
    whole.appendString(field, toBase64(masterOf(old_).seal("plain " + id, context)));
    whole.appendInt32("other", 7);
    put({project, number, 0}, whole.finish());
  }
  void addJob(const std::string& id) {
    doc::BsonWriter out;
    out.appendString("id", id);
    out.appendString("place", "r" + id);
    out.appendBinary("sealed", masterOf(old_).seal("plain " + id, "job:" + id));
    put({store::kControlProject, kJobsCollection, 0}, out.finish());
  }

  // The number of values that open under `master`; each must have its original content.
  size_t readable(const MasterSecret& master) const {
    size_t count = 0;
    for (const store::SealedField& field : fields_) {
      for (const store::ProjectNo project : {store::kControlProject, kShop, kGone}) {
        for (const doc::Document& document : store_.all({project, field.collection, 0})) {
          const auto value = document.view().find(field.field);
          if (!value) continue;
          const std::string sealed = field.form == store::SealedField::Form::bytes ? std::string(value->asBinary())
                                                                                   : *fromBase64(value->asString());
          const auto plain = master.unseal(sealed, field.context(projectOf(project), document));
          if (!plain) continue;
          ++count;
          if (field.collection == numberOf("__signing_keys")) continue;
          EXPECT_EQ(plain->reveal(), "plain " + std::string(document.view().stringOr("id")));
        }
      }
    }
    return count;
  }
  bool hasLeftovers() const {
    for (const auto& document : store_.all({kShop, numberOf("__second_factors"), 0})) {
      if (document.view().find("resealed")) return true;
    }
    return false;
  }
  // The steps of the command, until the nth one.
  bool changeUntil(int step) {
    UntilStep progress(step);
    SecretRotation change(store_, cores_, sealedFields(), progress);
    try {
      const MasterSecret from = masterOf(old_);
      const MasterSecret to = masterOf(new_);
      const auto count = change.prepare(from, to);
      EXPECT_TRUE(count);
      EXPECT_EQ(count->values, kValues);
      EXPECT_TRUE(writeDurably(directory_ / kNextSecretFile, new_ + "\n"));
      progress.at("written", 0, 0);
      EXPECT_TRUE(change.decide(to, clock_.now(), {}));
      progress.at("decided", 0, 0);
      EXPECT_TRUE(promoteNextSecret(directory_));
      progress.at("adopted", 0, 0);
      EXPECT_TRUE(change.promote());
    } catch (const Crash&) {
      return false;
    }
    return true;
  }
  Result<MasterSecret> start(const std::optional<std::string>& given = std::nullopt) {
    std::optional<Secret> secret;
    if (given) secret.emplace(*given);
    return rightSecret(store_, cores_, secret, directory_);
  }
  std::string inFile() const {
    std::ifstream file(directory_ / kSecretFile);
    std::string text;
    std::getline(file, text);
    return text;
  }

  static constexpr size_t kValues = 250 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1;  // one is the signing key
  const std::string old_ = secretOf('a');
  const std::string new_ = secretOf('b');
  ManualClock clock_{1'800'000'000'000};
  Cores cores_{1};
  store::testing::MemoryStore store_{systemCollections()};
  IdGenerator ids_{clock_};
  audit::Auditor auditor_{false, ids_, clock_};
  const std::vector<store::SealedField> fields_ = sealedFields();
  std::filesystem::path directory_;
};

TEST_F(SecretRotationTest, EverythingIsSealedAnew) {
  ASSERT_EQ(readable(masterOf(old_)), kValues);
  ASSERT_TRUE(changeUntil(-1));
  EXPECT_EQ(readable(masterOf(new_)), kValues);
  EXPECT_EQ(readable(masterOf(old_)), 0U);
  EXPECT_FALSE(hasLeftovers());
  EXPECT_EQ(inFile(), new_);
  EXPECT_TRUE(start());
  for (const auto& document : store_.all({kShop, numberOf("__second_factors"), 0})) {
    EXPECT_EQ(document.view().find("other")->asInt32(), 7);
  }
}

// After a stop at any step, the next start finds one secret in the directory, and all values open under it.
TEST_F(SecretRotationTest, ACrashLeavesOneOfTheTwo) {
  size_t before = 0;
  size_t after = 0;
  for (int step = 0;; ++step) {
    const bool whole = changeUntil(step);
    const auto master = start();
    ASSERT_TRUE(master) << step << ": " << master.error().message();
    EXPECT_EQ(readable(*master), kValues) << step;
    EXPECT_TRUE(start()) << "a second time";
    EXPECT_FALSE(std::filesystem::exists(directory_ / kNextSecretFile)) << step;
    if (inFile() == old_) {
      ++before;
      continue;
    }
    EXPECT_EQ(inFile(), new_);
    EXPECT_FALSE(hasLeftovers());
    ++after;
    if (whole) break;
    // Restores the initial state for the next step.
    UntilStep never(-1);
    SecretRotation back(store_, cores_, sealedFields(), never);
    ASSERT_TRUE(back.prepare(masterOf(new_), masterOf(old_)));
    ASSERT_TRUE(back.decide(masterOf(old_), clock_.now(), {}));
    ASSERT_TRUE(back.promote());
    ASSERT_TRUE(writeDurably(directory_ / kSecretFile, old_ + "\n"));
  }
  EXPECT_GT(before, 10U);
  EXPECT_GT(after, 10U);
}

TEST_F(SecretRotationTest, WithTheSecretOutsideTheDirectory) {
  std::filesystem::remove(directory_ / kSecretFile);
  UntilStep progress(-1);
  SecretRotation change(store_, cores_, sealedFields(), progress);
  ASSERT_TRUE(change.prepare(masterOf(old_), masterOf(new_)));
  EXPECT_FALSE(start(new_));
  EXPECT_TRUE(start(old_));
  ASSERT_TRUE(change.prepare(masterOf(old_), masterOf(new_)));
  ASSERT_TRUE(change.decide(masterOf(new_), clock_.now(), {}));
  const auto refused = start(old_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("was changed"), std::string::npos);
  EXPECT_FALSE(start(secretOf('c')));
  EXPECT_FALSE(start());
  EXPECT_EQ(readable(masterOf(old_)), kValues);  // unchanged
  EXPECT_TRUE(start(new_));
  EXPECT_EQ(readable(masterOf(new_)), kValues);
}

// Earlier versions stored the mark in the collection that functions have now.
TEST_F(SecretRotationTest, AChangeThatAnEarlierVersionBeganIsBroughtToItsEnd) {
  UntilStep progress(-1);
  SecretRotation change(store_, cores_, sealedFields(), progress);
  ASSERT_TRUE(change.prepare(masterOf(old_), masterOf(new_)));
  ASSERT_TRUE(writeDurably(directory_ / kNextSecretFile, new_ + "\n"));
  ASSERT_TRUE(change.decide(masterOf(new_), clock_.now(), {}));
  const store::CollectionRef now{store::kControlProject, numberOf("__secret_change"), 0};
  const store::CollectionRef earlier{store::kControlProject, 90, 0};
  put(earlier, store_.all(now).front());
  remove(now, "change");
  const auto master = start();
  ASSERT_TRUE(master) << master.error().message();
  EXPECT_EQ(inFile(), new_);
  EXPECT_EQ(readable(*master), kValues);
  EXPECT_FALSE(hasLeftovers());
  EXPECT_TRUE(store_.all(earlier).empty());
  EXPECT_TRUE(start());
}

TEST_F(SecretRotationTest, AWrongSecretChangesNothing) {
  for (const auto& given : {std::optional(secretOf('c')), std::optional<std::string>()}) {
    if (!given) std::filesystem::remove(directory_ / kSecretFile);
    const auto refused = start(given);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("SERVICE_SECRET"), std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  EXPECT_EQ(readable(masterOf(old_)), kValues);
}

TEST_F(SecretRotationTest, ValuesOfYetAnotherSecretStayAsTheyAre) {
  doc::BsonWriter out;
  out.appendString("id", "foreign");
  out.appendString("secret", toBase64(masterOf(secretOf('z')).seal("x", "foreign")));
  put({kShop, numberOf("__second_factors"), 0}, out.finish());
  UntilStep progress(-1);
  SecretRotation change(store_, cores_, sealedFields(), progress);
  const auto count = change.prepare(masterOf(old_), masterOf(new_));
  EXPECT_EQ(count->values, kValues);
  EXPECT_EQ(count->unreadable, 1U);
  ASSERT_TRUE(change.decide(masterOf(new_), clock_.now(), {}));
  ASSERT_TRUE(change.promote());
  EXPECT_EQ(readable(masterOf(new_)), kValues);
}

TEST_F(SecretRotationTest, AStopBeforeTheDecisionLeavesTheOldOne) {
  UntilStep progress(-1);
  progress.stop();
  SecretRotation change(store_, cores_, sealedFields(), progress);
  EXPECT_FALSE(change.prepare(masterOf(old_), masterOf(new_)));
  EXPECT_TRUE(start());
  EXPECT_EQ(readable(masterOf(old_)), kValues);
}

// A sealed field of a system collection that is not declared here becomes unreadable with the next rotation.
TEST_F(SecretRotationTest, DeclaredFieldsAreOfSystemCollections) {
  const auto collections = systemCollections();
  for (const store::SealedField& field : fields_) {
    EXPECT_TRUE(std::ranges::any_of(collections, [&](const auto& each) { return each.number == field.collection; }))
        << field.collection;
    EXPECT_FALSE(field.field.empty());
  }
}

TEST(SystemCollections, HaveNumbersOfTheirOwn) {
  std::vector<store::CollectionNo> numbers;
  for (const auto& collection : systemCollections()) numbers.push_back(collection.number);
  std::ranges::sort(numbers);
  EXPECT_TRUE(std::ranges::adjacent_find(numbers) == numbers.end());
}

TEST_F(SecretRotationTest, ADocumentIsSealedForAnotherDeploymentAndProject) {
  const std::vector<store::SealedField> fields = sealedFields();
  const auto field = std::ranges::find(fields, integrations::kIntegrations, &store::SealedField::collection);
  ASSERT_NE(field, fields.end());
  const MasterSecret from = masterOf(old_);
  const MasterSecret to = masterOf(secretOf('t'));
  doc::BsonWriter bare;
  bare.appendString("integrationId", "int_1");
  const doc::Document named = bare.finish();
  doc::BsonWriter out;
  out.appendString("integrationId", "int_1");
  out.appendString(field->field, toBase64(from.seal("hidden", field->context("proj_a", named))));
  const doc::Document document = out.finish();

  const ResealedDocument resealed =
      resealedAs(integrations::kIntegrations, {from, "proj_a", document}, {to, "proj_b", document});
  EXPECT_EQ(resealed.unreadable, 0U);
  const auto sealed = fromBase64(resealed.document.view().stringOr(field->field));
  ASSERT_TRUE(sealed);
  EXPECT_EQ(to.unseal(*sealed, field->context("proj_b", named))->reveal(), "hidden");
  EXPECT_FALSE(to.unseal(*sealed, field->context("proj_a", named)));

  const ResealedDocument unread =
      resealedAs(integrations::kIntegrations, {to, "proj_a", document}, {from, "proj_b", document});
  EXPECT_EQ(unread.unreadable, 1U);
  EXPECT_EQ(unread.document.view().bytes(), document.view().bytes());
}

}  // namespace
}  // namespace mb::app

#include "connections/connections.h"

#include "document/json.h"
#include "projects/projects_fixture.h"

namespace mb::connections {
namespace {

constexpr store::CollectionNo kConnectionsNumber = 80;
constexpr store::CollectionNo kScopesNumber = 81;

class ConnectionsTest : public projects::ProjectsFixture {
 protected:
  ConnectionsTest() : ProjectsFixture(false, 1, systemCollections()) {}

  static NewConnection named(std::string name, std::string secret = "") {
    NewConnection input{"github", std::move(name), *doc::parseJson(R"({"owner": "acme"})"), {}};
    if (!secret.empty()) input.secrets = secretsOf(secret);
    return input;
  }
  static doc::Document secretsOf(const std::string& text) {
    doc::BsonWriter out;
    out.appendString("installationId", text);
    return out.finish();
  }
  static bool configured(const ConnectionView& view) {
    return view.secrets.view().findPath("installationId.configured")->asBool();
  }
  static std::vector<std::string> namesOf(const Result<std::vector<ConnectionView>>& views) {
    std::vector<std::string> names;
    if (!views) return {codeOf(views)};
    for (const auto& view : *views) names.push_back(view.scope.type + ":" + view.name);
    return names;
  }
  std::vector<doc::Document> stored(store::CollectionNo number) const {
    return store_.all({store::kControlProject, number, 0});
  }
  // The stored secret, opened as a rotation of the deployment's secret opens it.
  std::string heldSecret(const ConnectionId& id) const {
    for (const auto& document : stored(kConnectionsNumber)) {
      if (document.view().stringOr("id") != id.str()) continue;
      const store::SealedField field = sealedFields().front();
      const std::string sealed(document.view().stringOr(field.field));
      if (sealed.empty()) return "";
      const auto plain = master_.unseal(*fromBase64(sealed), field.context("", document));
      if (!plain) return "unreadable";
      return std::string(doc::Document::fromUntrusted(std::string(plain->reveal()))->view().stringOr("installationId"));
    }
    return "no such connection";
  }
  ConnectionView madeOf(const policy::Caller& who, const projects::ProjectView& project, NewConnection input) {
    auto made = run(connections_.createOf(by(who), project.id.str(), std::move(input)));
    EXPECT_TRUE(made) << made.error().message();
    return made ? *made : ConnectionView{};
  }

  Connections connections_{*deps_, master_};
};

TEST_F(ConnectionsTest, SecretsGoInAndDoNotComeOut) {
  const auto owner = person("ann@example.com");
  const auto project = made(owner);
  const auto view = madeOf(owner, project, named(" Ours ", "4711"));
  EXPECT_EQ(view.name, "Ours");
  EXPECT_EQ(view.scope.projectId, project.id.str());
  EXPECT_FALSE(view.scope.orgId);
  EXPECT_TRUE(configured(view));
  EXPECT_EQ(doc::encode(view).bytes().find("4711"), std::string::npos);
  EXPECT_EQ(heldSecret(view.id), "4711");
  for (const auto& document : stored(kConnectionsNumber)) {
    EXPECT_EQ(document.bytes().find("4711"), std::string::npos);
  }
  for (const auto& entry : store_.all({numberOf(project), audit::kAuditCollection, 0})) {
    EXPECT_EQ(entry.bytes().find("4711"), std::string::npos);
  }
  const auto bare = madeOf(owner, project, {"github", "Bare", {}, {}});
  EXPECT_FALSE(configured(bare));
  EXPECT_TRUE(bare.config.empty());
}

TEST_F(ConnectionsTest, AnUpdateKeepsWhatItLeavesOut) {
  const auto owner = person("ann@example.com");
  const auto view = madeOf(owner, made(owner), named("One", "4711"));
  const auto change = [&](ConnectionPatch patch) { return run(connections_.change(by(owner), view.id.str(), patch)); };
  EXPECT_TRUE(change({.name = "Two"}));
  EXPECT_TRUE(change({.secrets = secretsOf("  ")}));
  EXPECT_TRUE(change({.secrets = doc::Document()}));
  EXPECT_EQ(heldSecret(view.id), "4711");
  EXPECT_TRUE(change({.config = doc::Document()}));
  EXPECT_TRUE(change({.secrets = secretsOf("4712")}));
  EXPECT_EQ(heldSecret(view.id), "4712");
  const auto views = run(connections_.listOf(by(owner), *view.scope.projectId));
  ASSERT_EQ(views->size(), 1u);
  EXPECT_EQ(views->front().name, "Two");
  EXPECT_TRUE(views->front().config.empty());
  EXPECT_TRUE(configured(views->front()));
  EXPECT_EQ(codeOf(change({.config = *doc::parseJson(R"({"url": "x"})")})), "VALIDATION");
}

TEST_F(ConnectionsTest, WhatCannotBeOpenedCanBeEnteredAnew) {
  const auto owner = person("ann@example.com");
  const auto view = madeOf(owner, made(owner), named("One", "4711"));
  const MasterSecret other(Secret(std::string(32, 'x')));
  Connections later(*deps_, other);
  EXPECT_TRUE(run(later.change(by(owner), view.id.str(), {.secrets = secretsOf("4712")})));
  EXPECT_EQ(heldSecret(view.id), "unreadable");
}

TEST_F(ConnectionsTest, NamesAreUniqueInTheirScope) {
  const auto owner = person("ann@example.com");
  const auto shop = made(owner, "Shop");
  const auto blog = made(owner, "Blog");
  const auto first = madeOf(owner, shop, named("Main"));
  EXPECT_EQ(codeOf(run(connections_.createOf(by(owner), shop.id.str(), named(" mAIN ")))), "CONFLICT");
  madeOf(owner, blog, named("Main"));
  EXPECT_TRUE(run(connections_.createOwn(by(owner), named("Main"))));
  EXPECT_EQ(codeOf(run(connections_.createOwn(by(owner), named("main")))), "CONFLICT");
  const auto second = madeOf(owner, shop, named("Second"));
  EXPECT_EQ(codeOf(run(connections_.change(by(owner), second.id.str(), {.name = "MAIN"}))), "CONFLICT");
  EXPECT_TRUE(run(connections_.change(by(owner), first.id.str(), {.name = "MAIN"})));
  EXPECT_TRUE(run(connections_.remove(by(owner), first.id.str())));
  EXPECT_TRUE(run(connections_.change(by(owner), second.id.str(), {.name = "Main"})));
}

TEST_F(ConnectionsTest, WhoMaySeeAndChange) {
  const auto owner = person("ann@example.com");
  const auto project = made(owner);
  const auto view = madeOf(owner, project, named("Ours"));
  auto own = run(connections_.createOwn(by(owner), named("Mine")));
  const struct {
    const char* role;  // "" for a non-member
    bool sees;
    bool changes;
  } cases[] = {{"Admin", true, true}, {"Editor", true, false}, {"Viewer", true, false}, {"", false, false}};
  int people = 0;
  for (const auto& each : cases) {
    const auto other = person(fmt::format("p{}@example.com", ++people));
    if (*each.role != '\0') join(owner, project, other, each.role);
    const std::string code = each.changes ? "" : "NOT_FOUND";
    // Project rows first, then those of its organization.
    const std::vector<std::string> seen{"project:Ours", "org:Mine"};
    EXPECT_EQ(namesOf(run(connections_.listOf(by(other), project.id.str()))),
              each.sees ? seen : std::vector<std::string>{"NOT_FOUND"});
    auto made = run(connections_.createOf(by(other), project.id.str(), named("Theirs")));
    EXPECT_EQ(codeOf(made), code) << each.role;
    EXPECT_EQ(codeOf(run(connections_.change(by(other), view.id.str(), {.name = "Ours"}))), code) << each.role;
    if (made) EXPECT_TRUE(run(connections_.remove(by(other), made->id.str())));
    // Only the owner can change an organization's connections.
    EXPECT_EQ(codeOf(run(connections_.change(by(other), own->id.str(), {.name = "X"}))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(connections_.remove(by(other), own->id.str()))), "NOT_FOUND");
    EXPECT_TRUE(namesOf(run(connections_.listOwn(by(other)))).empty());
  }
  for (const std::string id : {"conn_none", "", "proj_x", "x"}) {
    EXPECT_EQ(codeOf(run(connections_.change(by(owner), id, {.name = "X"}))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(connections_.remove(by(owner), id))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(connections_.createOf(by(owner), id, named("X")))), "NOT_FOUND");
    EXPECT_EQ(codeOf(run(connections_.listOf(by(owner), id))), "NOT_FOUND");
  }
}

TEST_F(ConnectionsTest, AuthorityIsCheckedAsItIsNow) {
  const auto owner = person("ann@example.com");
  const auto project = made(owner);
  const auto admin = person("bob@example.com");
  join(owner, project, admin, "Admin");
  const auto view = madeOf(admin, project, named("Ours"));
  ASSERT_TRUE(run(members_->changeRole(by(owner), project.id.str(), admin.id, "Editor")));
  EXPECT_EQ(codeOf(run(connections_.remove(by(admin), view.id.str()))), "NOT_FOUND");
  ASSERT_TRUE(run(projects_->remove(by(owner), project.id.str())));
  EXPECT_EQ(codeOf(run(connections_.remove(by(owner), view.id.str()))), "NOT_FOUND");
  EXPECT_EQ(codeOf(run(connections_.listOf(by(owner), project.id.str()))), "NOT_FOUND");
}

TEST_F(ConnectionsTest, AScopeHoldsSoMany) {
  const auto owner = person("ann@example.com");
  const auto project = made(owner);
  ConnectionView last;
  for (int64_t i = 0; i < kMaxConnections; ++i) last = madeOf(owner, project, named(fmt::format("c{}", i)));
  EXPECT_EQ(codeOf(run(connections_.createOf(by(owner), project.id.str(), named("more")))), "CONFLICT");
  EXPECT_EQ(run(connections_.listOf(by(owner), project.id.str()))->size(), static_cast<size_t>(kMaxConnections));
  EXPECT_TRUE(run(connections_.remove(by(owner), last.id.str())));
  EXPECT_EQ(codeOf(run(connections_.remove(by(owner), last.id.str()))), "NOT_FOUND");
  madeOf(owner, project, named("more"));
}

TEST_F(ConnectionsTest, ChangesAreRecorded) {
  const auto owner = person("ann@example.com");
  const auto project = made(owner);
  const auto view = madeOf(owner, project, named("Ours", "4711"));
  EXPECT_TRUE(run(connections_.change(by(owner), view.id.str(), {.name = "Own"})));
  EXPECT_TRUE(run(connections_.remove(by(owner), view.id.str())));
  EXPECT_EQ(auditActions(numberOf(project)), (std::vector<std::string>{"project.created", "connection.created",
                                                                       "connection.changed", "connection.removed"}));
  EXPECT_TRUE(run(connections_.createOwn(by(owner), named("Mine"))));
  EXPECT_EQ(auditActions(store::kControlProject).back(), "connection.created");
}

TEST_F(ConnectionsTest, GoWithThePurgeOfTheirProject) {
  const auto owner = person("ann@example.com");
  const auto gone = made(owner, "Gone");
  const auto stays = made(owner, "Stays");
  madeOf(owner, gone, named("A", "1"));
  madeOf(owner, gone, named("B"));
  madeOf(owner, stays, named("A"));
  ASSERT_TRUE(run(connections_.createOwn(by(owner), named("A"))));
  ASSERT_TRUE(run(projects_->remove(by(owner), gone.id.str())));
  clock_.advance(31LL * 24 * 3600 * 1000);
  audit::Retention retention(store_, ids_, clock_, 0);
  auto collections = projects::systemCollections();
  for (auto& own : systemCollections()) collections.push_back(std::move(own));
  projects::Purge purge(*deps_, retention, std::move(collections));
  EXPECT_EQ(*run(purge.pass()), 1u);
  EXPECT_EQ(stored(kConnectionsNumber).size(), 2u);
  EXPECT_EQ(stored(kScopesNumber).size(), 2u);
  EXPECT_EQ(namesOf(run(connections_.listOf(by(owner), stays.id.str()))),
            (std::vector<std::string>{"project:A", "org:A"}));
}

TEST_F(ConnectionsTest, ThoseOfAnOrganizationNeedItsOwnerAsAnOwner) {
  const auto ann = person("ann@example.com");
  const auto bob = person("bob@example.com");
  const auto project = made(ann);
  const auto staging = environment(ann, project, "staging");
  join(ann, project, bob, "Owner");
  madeOf(ann, project, named("Ours"));
  ASSERT_TRUE(run(connections_.createOwn(by(ann), named("Of Ann"))));
  ASSERT_TRUE(run(connections_.createOwn(by(bob), named("Of Bob"))));
  const auto seen = [&](const policy::Caller& who, const projects::ProjectView& of) {
    return namesOf(run(connections_.listOf(by(who), of.id.str())));
  };
  EXPECT_EQ(seen(bob, project), (std::vector<std::string>{"project:Ours", "org:Of Ann"}));
  EXPECT_EQ(seen(ann, staging), std::vector<std::string>{"org:Of Ann"});
  ASSERT_TRUE(run(members_->changeRole(by(bob), project.id.str(), ann.id, "Admin")));
  EXPECT_EQ(seen(bob, project), std::vector<std::string>{"project:Ours"});
  EXPECT_EQ(seen(ann, project), std::vector<std::string>{"project:Ours"});
  EXPECT_TRUE(seen(ann, staging).empty());
  ASSERT_TRUE(run(transfers_->offer(by(bob), project.id.str(), {bob.id})));
  EXPECT_EQ(seen(ann, project), (std::vector<std::string>{"project:Ours", "org:Of Bob"}));
  EXPECT_EQ(seen(ann, staging), std::vector<std::string>{"org:Of Bob"});
}

}  // namespace
}  // namespace mb::connections

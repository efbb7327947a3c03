"""Policies at the dashboard: their editor, trials, who can see a document, stored tests, sets and the default policy."""

import json

import pytest
from playwright.sync_api import expect

from support.client import ok

OWN = {"filter": {"ownerId": "$auth.uid"}}
TEAM = {"filter": {"teamId": {"$in": "$auth.sets.teams"}}}
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def at_policy(person, developer, project):
    """Opens the policy of a collection as its Owner."""

    def at(collection: str, search: str = ""):
        path = f"/p/{project.slug}/data/{collection}/policy{search}"
        if person.page.url == "about:blank":
            person.sign_in(developer, path)
        else:
            person.go(path)
        person.page.get_by_role("heading", name="Policy", exact=True).wait_for()
        return person

    return at


def policy_of(project, collection: str) -> dict:
    return ok(project.admin.get(f"/admin/collections/{collection}/policy"))


def add(project, collection: str, **document) -> dict:
    return ok(project.admin.post(f"/admin/collections/{collection}/documents", document), 201)["document"]


def open_rule(person, name: str, group: str = "Signed-in users") -> None:
    person.page.get_by_role("list", name=group).get_by_role("button", name=name).click()


def rule_of(person, name: str):
    """The part of the page with one rule."""
    return person.page.get_by_role("region", name=name, exact=True)


def trial_of(person):
    return person.page.get_by_role("region", name="Try it")


def steps_of(person):
    return trial_of(person).get_by_role("list", name="Steps").get_by_role("listitem")


@pytest.mark.long(run="journeys")
def test_members_of_the_team_may_read(at_policy, project):
    project.collection("memberships", policy=None)
    project.collection("tasks", policy=None)
    member, stranger = project.end_user(), project.end_user()
    add(project, "memberships", userId=member.id, teamId="red", role="viewer")
    task = add(project, "tasks", title="Tea", teamId="red")["id"]
    person = at_policy("tasks")
    expect(person.page.get_by_text("Nobody reaches this collection through the API")).to_be_visible()
    person.look()

    person.press("Choose who may use it")
    dialog = person.page.get_by_role("dialog", name="Who may use tasks?")
    dialog.get_by_label("Members of the team").check()
    expect(dialog.get_by_label("Field of a document with the id of its team")).to_have_value("teamId")
    dialog.get_by_label("Who may write").select_option(label="Only members with a role…")
    person.look()
    person.press("Fill in")
    expect(dialog).to_have_count(0)
    expect(rule_of(person, "read")).to_contain_text("A signed-in user may read a document if teamId is one of the caller's teams.")
    sets = {one["name"]: one for one in ok(project.admin.get("/admin/policies/sets"))["sets"]}
    assert sets["teams"] == {"name": "teams", "collection": "memberships", "where": {"userId": "$auth.uid"}, "value": "teamId"}
    assert sets["editedTeams"]["where"]["role"] == {"$in": ["owner", "editor"]}
    person.look()

    person.press("Review 5 changes")
    person.page.get_by_role("group", name="the policy as it is saved").wait_for()
    person.look()
    person.press("Close")
    person.press("Save policy")
    expect(person.page.get_by_text("The policy is saved.")).to_be_visible()
    expect(person.page.get_by_text("own policy", exact=True)).to_be_visible()
    saved = policy_of(project, "tasks")
    assert saved["source"] == "own" and saved["policy"]["read"] == TEAM
    assert saved["policy"]["update"]["immutableFields"] == ["teamId"]

    box = trial_of(person)
    box.get_by_label("Act as").select_option(label="a user")
    box.get_by_label("Find a user").fill(member.email)
    box.get_by_label("User", exact=True).select_option(label=member.email)
    box.get_by_label("Id of the document").fill(task)
    box.get_by_role("button", name="Try it").click()
    expect(box.get_by_text("Allowed, 200")).to_be_visible()
    expect(steps_of(person).filter(has_text="Values of the caller")).to_contain_text('$auth.sets.teams is ["red"]')
    expect(steps_of(person).filter(has_text="Document")).to_contain_text("teamId is as it must be: red")
    person.look()

    person.press("Keep as a test")
    kept = person.page.get_by_role("dialog", name="New test")
    kept.get_by_label("Test", exact=True).fill("members read")
    given = {"memberships": [{"userId": member.id, "teamId": "red"}]}
    kept.get_by_label("Documents that are there").fill(json.dumps(given))
    person.press("Save test")
    expect(kept).to_have_count(0)
    person.press("Run the tests")
    expect(person.page.get_by_text("1 passed, 0 failed")).to_be_visible()

    person.page.get_by_role("tab", name="Rules").click()
    box.get_by_label("Find a user").fill(stranger.email)
    box.get_by_label("User", exact=True).select_option(label=stranger.email)
    expect(box.get_by_text("The form has changed since.")).to_be_visible()
    box.get_by_role("button", name="Try it").click()
    expect(box.get_by_text("Hidden, 404")).to_be_visible()
    expect(steps_of(person).last).to_contain_text("stopped here")


def test_rules_as_form_and_json_in_step(at_policy, project):
    properties = {"title": {"type": "string"}, "price": {"type": "number"}, "published": {"type": "boolean"}}
    schema = {"type": "object", "additionalProperties": False, "properties": properties}
    project.collection("books", policy={"read": OWN, "update": OWN}, schema=schema)
    project.enduser_role("data:*:read", name="reader")
    person = at_policy("books", "?rule=update")
    person.expect_refusals(400)
    pane = rule_of(person, "update")
    text = pane.get_by_role("textbox", name="JSON of the rule update")
    expect(text).to_contain_text('{"filter": {"ownerId": "$auth.uid"}}')

    pane.get_by_role("group", name="Only users with one of these roles").get_by_label("user", exact=True).check()
    expect(pane.get_by_text("lacks data:books:update")).to_be_visible()
    pane.get_by_label("Fields that may be written").fill("title, pric")
    cel = pane.get_by_role("textbox", name="CEL condition of the rule update")
    expect(cel).to_contain_text("auth.role == 'user'")
    cel.fill("auth.role == 'user' &&\n  document.pryce > 1.0")
    expect(text).to_contain_text('"allowedWriteFields": ["title", "pric"]')
    person.press("Save policy")
    expect(person.page.get_by_text("The server refuses this policy. Look at: update.")).to_be_visible()
    expect(pane.get_by_role("button", name="pryce")).to_contain_text("2")
    expect(pane.get_by_role("alert")).to_contain_text("allowedWriteFields")
    person.look()
    cel.fill("auth.role == 'user' &&\n  document.price > 1.0")
    pane.get_by_label("Fields that may be written").fill("title, price")
    expect(pane).to_contain_text("A signed-in user with the role user may change a document if ownerId is the caller's id.")
    expect(pane).to_contain_text("It must also hold that document.price > 1.0.")

    text.fill('{"filter": ')
    expect(person.page.get_by_text("The JSON is not valid yet: update.")).to_be_visible()
    expect(person.page.get_by_role("button", name="Save policy")).to_be_disabled()
    open_rule(person, "read")
    rule_of(person, "read").get_by_role("button", name="Add an alternative to condition 1").click()
    row = rule_of(person, "read").get_by_role("group", name="Condition 2")
    row.get_by_label("Field").fill("published")
    row.get_by_label("Kind of value").select_option(label="yes or no")
    expect(rule_of(person, "read")).to_contain_text("if ownerId is the caller's id or published is true.")
    open_rule(person, "update")
    expect(text).to_contain_text('{"filter": ')
    text.fill('{"filter": {"price": {"$gt": 9007199254740993}}, "validate": "true"}')
    expect(pane).to_contain_text("if price is more than 9007199254740993.")
    open_rule(person, "list", "Without signing in")
    rule_of(person, "list, without signing in").get_by_label("Everyone, without signing in").check()

    person.follow("Documents")
    person.page.get_by_role("dialog", name="Leave this screen?").wait_for()
    person.look()
    person.press("Go back to it")
    person.press("Save policy")
    expect(person.page.get_by_text("The policy is saved.")).to_be_visible()
    assert policy_of(project, "books")["policy"] == {
        "read": {"filter": {"$or": [{"ownerId": "$auth.uid"}, {"published": True}]}},
        "update": {"filter": {"price": {"$gt": 9007199254740993}}, "validate": "true"},
        "public": {"list": {}},
    }
    open_rule(person, "Whole policy", "Whole policy")
    expect(person.page.get_by_role("textbox", name="JSON of the whole policy")).to_contain_text("9007199254740993")


def test_each_kind_of_refusal_is_explained(at_policy, project):
    schema = {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}
    create = {"validate": "document.title != 'no'", "allowedWriteFields": ["title"]}
    policy = {"read": OWN, "create": create, "update": {**OWN, "immutableFields": ["kind"]}}
    project.collection("notes", policy=policy, schema=schema)
    limited = project.enduser_role("data:*:list", name="limited")
    key = project.api_key("read")
    person = at_policy("notes")
    box = trial_of(person)

    def attempt(outcome: str, last: str) -> None:
        box.get_by_role("button", name="Try it").click()
        expect(box.get_by_role("status").filter(has_text=outcome)).to_be_visible()
        expect(steps_of(person).last).to_contain_text(last)

    box.get_by_label("Document", exact=True).select_option(label="one that I type in")
    box.get_by_label("The document, as JSON").fill("{")
    box.get_by_role("button", name="Try it").click()
    expect(box.get_by_label("The document, as JSON")).to_have_attribute("aria-invalid", "true")
    box.get_by_label("The document, as JSON").fill('{"id": "n1", "ownerId": "ada", "title": "t", "kind": "a"}')
    attempt("Hidden, 404", "ownerId is ada, but must match")
    box.get_by_label("Id of the user").fill("ada")
    attempt("Allowed, 200", "ownerId is as it must be: ada")
    box.get_by_label("Role", exact=True).select_option(label=limited)
    attempt("Refused, 403", "The caller lacks data:notes:read")
    box.get_by_label("Role", exact=True).select_option(label="user")
    box.get_by_label("Operation").select_option("delete")
    attempt("Refused, 403", "no rule for this operation")
    box.get_by_label("Operation").select_option("update")
    box.get_by_label("The change, as JSON").fill('{"kind": "b"}')
    attempt("Refused, 403", "Fields that never change are changed: kind")
    expect(box.get_by_text("Not looked at:")).to_be_visible()
    person.look()
    box.get_by_label("Operation").select_option("create")
    box.get_by_label("The new document, as JSON").fill('{"title": "no"}')
    attempt("Refused, 403", "document.title != 'no' is false")
    box.get_by_label("The new document, as JSON").fill('{"title": 5}')
    attempt("Refused, 400", "/title")
    box.get_by_label("Act as").select_option(label="nobody, without a token")
    attempt("Refused, 401", "stopped here")
    box.get_by_label("Act as").select_option(label="an API key")
    box.get_by_label("API key", exact=True).select_option(key.id)
    attempt("Refused, 403", "scope:write")

    box.get_by_label("Operation").select_option("list")
    box.get_by_label("Document", exact=True).select_option(label="any: may they list at all")
    box.get_by_label("Act as").select_option(label="a role")
    open_rule(person, "list")
    rule_of(person, "list").get_by_label("Every signed-in user").check()
    attempt("Allowed, 200", "The collection's own rule")
    box.get_by_label("Against").select_option(label="the saved policy")
    attempt("Refused, 403", "no rule for this operation")
    assert set(policy_of(project, "notes")["policy"]) == {"read", "create", "update"}


def test_who_can_see_a_document(at_policy, project):
    project.collection("notes", policy={"read": OWN, "create": {}, "public": {"read": {"filter": {"published": True}}}})
    owner = project.end_user()
    note = owner.create("notes", {"title": HOSTILE, "published": False})["id"]
    person = at_policy("notes", f"?document={note}")
    seen = person.page.get_by_role("region", name=f"Who can see {note}", exact=True)
    expect(seen.get_by_role("row", name="Its owner")).to_contain_text("sees it")
    expect(seen.get_by_role("row", name="Without a token")).to_contain_text("published is false, but must match true")
    expect(seen.get_by_role("row", name="Any user with the role user")).to_contain_text("does not")
    person.look()
    person.press("Steps for: Without a token")
    expect(trial_of(person).get_by_label("Act as")).to_have_value("anonymous")
    trial_of(person).get_by_role("button", name="Try it").click()
    expect(trial_of(person).get_by_text("Hidden, 404")).to_be_visible()
    seen.get_by_role("button", name="Close").click()
    expect(seen).to_have_count(0)
    assert person.path().endswith("/data/notes/policy")
    person.expect_refusals(404)
    at_policy("notes", "?document=missing")
    expect(person.page.get_by_role("region", name="Who can see missing").get_by_role("alert")).to_be_visible()


def test_a_policy_of_its_own_in_place_of_the_default(at_policy, project):
    project.collection("lists", policy=None)
    person = at_policy("lists")
    person.follow("Policies")
    person.heading("There is no default policy")
    person.look()
    person.press("Choose who may use it")
    person.page.get_by_role("dialog").get_by_label("Signed-in users read, nobody writes").check()
    assert person.page.get_by_role("dialog").get_by_label("Everyone reads").count() == 0
    person.press("Fill in")
    person.press("Save policy")
    expect(person.page.get_by_text("The policy is saved.")).to_be_visible()
    assert policy_of(project, "*")["policy"] == {"read": {}, "list": {}}
    person.look()

    at_policy("lists")
    expect(person.page.get_by_text("default policy of the project", exact=True)).to_be_visible()
    assert person.page.get_by_role("button", name="Save policy").count() == 0
    person.look()
    person.press("Give it its own policy")
    open_rule(person, "list")
    rule_of(person, "list").get_by_label("Nobody").check()
    person.press("Save policy")
    expect(person.page.get_by_text("own policy", exact=True)).to_be_visible()
    assert policy_of(project, "lists") == {"policy": {"read": {}}, "source": "own"}
    person.press("Remove this policy")
    person.page.get_by_role("dialog").get_by_role("button", name="Remove this policy").click()
    expect(person.page.get_by_role("heading", name="This collection follows the default policy")).to_be_visible()
    assert policy_of(project, "lists")["source"] == "inherited"


def test_sets_and_stored_tests(at_policy, project):
    project.collection("memberships", policy=None)
    project.collection("tasks", policy={"read": {}})
    person = at_policy("tasks", "?view=sets")
    person.expect_refusals(400, 409)
    expect(person.page.get_by_text("A set says which teams a caller is in")).to_be_visible()
    person.look()
    person.press("New set")
    dialog = person.page.get_by_role("dialog", name="New set")
    dialog.get_by_label("Name of the set").fill("no name!")
    dialog.get_by_label("Collection of memberships").select_option("memberships")
    dialog.get_by_role("button", name="Condition").click()
    row = dialog.get_by_role("group", name="Condition 1")
    row.get_by_label("Field").fill("role")
    row.get_by_label("Comparison").select_option(label="is one of")
    row.get_by_label("Value", exact=True).fill(f"owner\n{HOSTILE}")
    expect(dialog.get_by_label("Create the index that it needs")).to_be_checked()
    person.press("Save set")
    expect(dialog.get_by_label("Name of the set")).to_have_attribute("aria-invalid", "true")
    person.look()
    dialog.get_by_label("Name of the set").fill("owned")
    person.press("Save set")
    expect(dialog).to_have_count(0)
    (stored,) = ok(project.admin.get("/admin/policies/sets"))["sets"]
    assert stored["where"] == {"userId": "$auth.uid", "role": {"$in": ["owner", HOSTILE]}}
    expect(person.page.get_by_role("row", name="owned")).to_contain_text("<img src=x")
    person.look()
    ok(project.admin.put("/admin/collections/tasks/policy", {"read": {"filter": {"teamId": {"$in": "$auth.sets.owned"}}}}), 204)
    person.press("Delete the set owned")
    person.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(person.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("tasks")
    person.press("Cancel")
    ok(project.admin.put("/admin/collections/tasks/policy", {"read": {"filter": {"teamId": "blue"}}}), 204)
    person.press("Delete the set owned")
    person.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(person.dialogs()).to_have_count(0)
    expect(person.page.get_by_role("row", name="owned")).to_have_count(0)

    person.page.get_by_role("tab", name="Tests").click()
    expect(person.page.get_by_text("A test keeps a rule from breaking unseen")).to_be_visible()
    person.press("New test")
    dialog = person.page.get_by_role("dialog", name="New test")
    dialog.get_by_label("Test", exact=True).fill(HOSTILE)
    dialog.get_by_label("The document, as JSON").fill('{"id": "t1", "teamId": "red"}')
    person.press("Save test")
    expect(dialog).to_have_count(0)
    person.press("Run the tests")
    expect(person.page.get_by_text("0 passed, 1 failed")).to_be_visible()
    expect(person.page.get_by_text("failed: hidden")).to_be_visible()
    person.page.get_by_text("Steps of").click()
    expect(person.page.get_by_text("but must match")).to_be_visible()
    person.look()
    person.press(f"Edit the test {HOSTILE}")
    person.page.get_by_role("dialog").get_by_label("Expected").select_option(label="hidden")
    person.press("Save test")
    expect(person.dialogs()).to_have_count(0)
    person.follow("Policies")
    person.page.get_by_role("tab", name="All tests").click()
    person.press("Run the tests of all collections")
    expect(person.page.get_by_text("1 passed, 0 failed")).to_be_visible()
    person.look()
    person.follow("tasks")
    person.press(f"Delete the test {HOSTILE}")
    person.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(person.page.get_by_text("A test keeps a rule from breaking unseen")).to_be_visible()
    assert ok(project.admin.get("/admin/collections/tasks/policy-tests"))["tests"] == []


def test_by_keyboard_alone(at_policy, project):
    project.collection("notes", policy=None)
    person = at_policy("notes")
    person.tab_to("Choose who may use it", 60)
    person.key("Enter")
    person.dialogs().wait_for()
    person.key("ArrowDown")
    person.tab_to("Fill in")
    person.key("Enter")
    expect(person.dialogs()).to_have_count(0)
    expect(rule_of(person, "read")).to_contain_text("A signed-in user may read a document.")
    person.tab_to("Save policy", 60)
    person.key("Enter")
    expect(person.page.get_by_text("The policy is saved.")).to_be_visible()
    assert policy_of(project, "notes")["policy"] == {"read": {}, "list": {}, "create": {}, "update": OWN, "delete": OWN}


def test_who_may_not_change_policies_is_offered_nothing_that_would_be_refused(viewer_at, project):
    project.collection("notes", policy={"read": {"filter": {HOSTILE: "$auth.uid"}}})
    add(project, "notes", id="n1", ownerId="ada")
    person = viewer_at(project, "/data/notes/policy?document=n1")
    expect(rule_of(person, "read")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(person.page.get_by_role("row", name="Without a token")).to_contain_text("does not")
    for action in ("Save policy", "Start from…", "Remove this policy", "Keep as a test"):
        assert person.page.get_by_role("button", name=action).count() == 0
    trial_of(person).get_by_role("button", name="Try it").click()
    expect(trial_of(person).get_by_text("Hidden, 404")).to_be_visible()
    person.look()
    for tab, create in (("Tests", "New test"), ("Sets", "New set")):
        person.page.get_by_role("tab", name=tab).click()
        assert person.page.get_by_role("button", name=create).count() == 0
    person.go(f"/p/{project.slug}/policies")
    person.heading("There is no default policy")
    assert person.page.get_by_role("main").get_by_role("button", name="Choose who may use it").count() == 0


def test_the_calls_behind_the_page(at_policy, project):
    project.collection("notes", policy={"read": {}})
    person = at_policy("notes")
    person.press("Show the call")
    dialog = person.page.get_by_role("dialog", name="The calls of this page")
    expect(dialog.locator("pre").nth(1)).to_contain_text('await admin.setPolicy("notes"')
    person.look()

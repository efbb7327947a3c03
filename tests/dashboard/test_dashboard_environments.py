"""The environments of a project, promotions between them, and the configuration as a document."""

import json

import pytest
from playwright.sync_api import expect

from support.client import Project, ok

HOSTILE = "</script><img src=x onerror=alert(1)>\u202egnihsilbup"
BIG = 9007199254740993  # 2^53 + 1, which a double rounds


def environment(developer, project, label: str) -> Project:
    return Project(developer, ok(developer.post(f"/control/projects/{project.id}/environments", {"environment": label}), 201)["project"])


def test_environments_by_keyboard(person, developer):
    person.expect_refusals(400)
    page = person.page
    project = developer.create_project("Bookshop")
    ok(project.admin.put("/admin/variables/STOCK_URL", {"value": "https://stock.example.com"}), 204)
    person.sign_in(developer, f"/p/{project.slug}/environments")
    person.heading("Environments")
    expect(page.get_by_text("A copy of this project's configuration, without its data, to try changes in.")).to_be_visible()
    person.look()
    person.tab_to("Create an environment", most=60)
    person.key("Enter")
    page.get_by_role("dialog", name="New environment").wait_for()
    assert person.path().endswith("/environments?new=true")
    person.has_focus("Label")
    person.type("production")
    person.key("Enter")
    assert "reserved" in person.error_of("environment")
    person.look()
    page.locator("input[name=environment]").fill("")
    person.type("staging")
    person.key("Tab")
    person.key("ArrowRight")
    person.key("Enter")
    # What was not copied is listed.
    dialog = page.get_by_role("dialog", name="staging is created, but not all of it")
    expect(dialog.get_by_role("listitem")).to_contain_text("STOCK_URL")
    person.look()
    person.key("Enter")
    cards = page.get_by_role("main").get_by_role("listitem")
    expect(cards).to_have_count(2)
    expect(cards.filter(has_text="staging")).to_contain_text("the same configuration")
    person.look()

    # The switch of the top bar stays on the screen.
    person.tab_to("Environment production: switch", most=60)
    person.key("Enter")
    page.get_by_role("menuitem", name="staging").wait_for()
    # Not by look(): small screens have the switch of projects alone.
    assert person.accessibility() == []
    person.type("s")
    person.key("Enter")
    expect(page.get_by_role("banner").get_by_role("button", name="Environment staging: switch")).to_be_visible()
    assert person.path() == f"/p/{project.slug}-staging/environments"
    person.press("Suspend Bookshop (staging)")
    page.get_by_role("dialog").get_by_role("button", name="Suspend").click()
    expect(page.get_by_text("Bookshop (staging) is suspended.")).to_be_visible()
    expect(cards.filter(has_text="staging")).to_contain_text("suspended")
    person.press("Resume Bookshop (staging)")
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Bookshop (staging) is resumed.")).to_be_visible()
    expect(cards.filter(has_text="staging")).not_to_contain_text("suspended")


def test_a_promotion(person, developer):
    person.expect_refusals(400, 409)
    page = person.page
    project = developer.create_project(HOSTILE)
    books = project.collection("books", policy={"read": {}})
    staging = environment(developer, project, "staging")
    ok(staging.admin.put(f"/admin/collections/{books}/policy", {"read": {}, "list": {"filter": {"pages": BIG}}}), 204)
    staging.role("data:*:read", name="Writer")
    project.role("data:*:read", name="Only-here")
    ok(staging.admin.put("/admin/variables/GREETING", {"value": "hello"}), 204)
    hook = {"name": "orders", "collection": books, "events": ["insert"], "url": "https://example.com/${GREETING}"}
    ok(staging.admin.post("/admin/webhooks", hook), 201)
    person.sign_in(developer, f"/p/{project.slug}/environments")
    expect(page.get_by_role("main").get_by_role("listitem").filter(has_text="staging")).to_contain_text("4 differences")
    page.get_by_role("link", name=f"Compare {staging.wire['name']} with production").click()
    person.heading("Promote")
    assert person.path() == f"/p/{project.slug}/environments/promote?from={staging.id}&to={project.id}"
    # A variable without a value in production is a problem, unless it is accepted.
    expect(page.get_by_role("region", name="1 problem: nothing can be applied", exact=True)).to_contain_text("GREETING")
    person.look()
    page.get_by_label("Variables without a value").check()
    plan = page.get_by_role("region", name="Plan", exact=True)
    expect(plan).to_contain_text("3 new")
    expect(plan).to_contain_text("1 changed")
    expect(plan).to_contain_text("Nothing is deleted")
    expect(plan.get_by_role("region", name="Roles").locator("summary")).to_have_text(["new Writer"])
    policy = plan.get_by_role("region", name="Collections")
    policy.locator("summary").filter(has_text="books").click()
    # Exactly this number: a double would show …992.
    expect(policy.get_by_role("group", name="Collections: books")).to_contain_text(str(BIG))
    person.look()

    page.get_by_label("Type production to confirm").fill("staging")
    person.press("Apply")
    assert "not the label" in person.error_of("label")
    # The plan that is shown is applied, or none.
    project.role("data:*:list", name="Late")
    staging.role("data:*:list", name="Writer2")
    page.get_by_label("Type production to confirm").fill("production")
    person.press("Apply")
    expect(page.get_by_role("form", name="Apply the plan").get_by_role("alert")).to_be_visible()
    assert {one["name"] for one in ok(project.admin.get("/admin/roles"))["roles"]} >= {"Late", "Only-here"}
    assert "Writer" not in {one["name"] for one in ok(project.admin.get("/admin/roles"))["roles"]}
    person.press("Plan again")
    expect(plan).to_contain_text("4 new")
    page.get_by_label("Type production to confirm").fill("production")
    person.press("Apply")
    expect(page.get_by_text("The configuration of production is up to date.")).to_be_visible()
    expect(plan).to_contain_text("nothing to apply")
    roles = {one["name"] for one in ok(project.admin.get("/admin/roles"))["roles"]}
    assert roles >= {"Writer", "Writer2", "Late", "Only-here"}
    assert ok(project.admin.get("/admin/collections/books/policy"))["policy"]["list"] == {"filter": {"pages": BIG}}
    # The other way round.
    person.press("Swap")
    expect(plan).to_contain_text("2 new")
    assert person.path().endswith(f"?from={project.id}&to={staging.id}")


@pytest.fixture
def at_configuration(person, developer):
    project = developer.create_project("Configured")
    project.collection("books", policy={"read": {}}, schema={"type": "object", "properties": {"n": {"type": "integer", "default": BIG}}})
    person.sign_in(developer, f"/p/{project.slug}/configuration")
    person.heading("Configuration")
    person.project = project
    return person


def plan_of(person, text: str) -> None:
    person.page.get_by_role("textbox", name="Document").fill(text)
    person.press("Plan the import")


def test_export_and_import(at_configuration, tmp_path):
    person, project, page = at_configuration, at_configuration.project, at_configuration.page
    person.expect_refusals(400, 409)
    expect(page.get_by_role("textbox", name="The configuration as JSON")).to_contain_text("formatVersion")
    person.look()
    with page.expect_download() as started:
        person.press("Download")
    assert started.value.suggested_filename.startswith(f"{project.slug}-configuration-")
    file = tmp_path / "exported.json"
    started.value.save_as(file)
    exported = json.loads(file.read_text())
    assert exported["collections"][0]["schema"]["properties"]["n"]["default"] == BIG

    page.get_by_role("tab", name="Import").click()
    assert person.path().endswith("?tab=import")
    page.reload()
    expect(page.get_by_text("Nothing is deleted by an import")).to_be_visible()
    plan_of(person, '{"formatVersion": 1,')
    expect(page.get_by_role("button", name="Line 1: This is not JSON")).to_be_visible()
    plan_of(person, "[]")
    expect(page.get_by_role("button", name="Line 1: A configuration is an object")).to_be_visible()
    # All problems of the document at once, each at its line.
    wrong = {
        "formatVersion": 1,
        "collections": [{"name": "books", "schema": {"type": "nothing"}}, {"name": "a b"}],
        "roles": [{"name": HOSTILE, "permissions": ["x"]}],
    }
    plan_of(person, json.dumps(wrong, indent=1))
    problems = page.get_by_role("region", name="3 problems: nothing can be applied", exact=True)
    expect(problems).to_contain_text("/collections/0/schema/type")
    expect(problems).to_contain_text("/collections/1/name")
    expect(problems).to_contain_text("/roles/0")
    expect(page.get_by_role("button", name="Line 7: /collections/0/schema/type")).to_be_visible()
    person.look()

    # The same document changes nothing.
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("textbox", name="Document")).to_contain_text("formatVersion")
    person.press("Plan the import")
    plan = page.get_by_role("region", name="Plan", exact=True)
    expect(plan).to_contain_text("nothing to apply")
    expect(page.get_by_role("button", name="Apply the plan")).to_have_count(0)
    plan.get_by_label("Show what is unchanged").check()
    expect(plan.locator("summary")).to_have_text(["unchanged books"])

    exported["collections"][0]["schema"]["properties"]["n"]["default"] = BIG + 1
    exported["collections"].append({"name": "tags"})
    plan_of(person, json.dumps(exported))
    expect(plan).to_contain_text("1 new")
    expect(plan).to_contain_text("1 changed")
    person.look()
    # Leaving would lose the document.
    person.follow("Members")
    page.get_by_role("dialog", name="Leave this screen?").get_by_role("button", name="Go back to it").click()
    person.press("Apply the plan")
    expect(page.get_by_text("The configuration is imported.")).to_be_visible()
    assert ok(project.admin.get("/admin/collections"))["collections"] == ["books", "tags"]
    assert ok(project.admin.get("/admin/collections/books/schema"))["schema"]["properties"]["n"]["default"] == BIG + 1
    person.follow("Members")
    person.heading("Members")


def test_what_is_not_a_configuration(at_configuration, tmp_path):
    person, page = at_configuration, at_configuration.page
    page.get_by_role("tab", name="Import").click()
    page.get_by_role("textbox", name="Document").wait_for()
    binary, large = tmp_path / "binary.json", tmp_path / "large.json"
    binary.write_bytes(b"\xff\xfe\x00")
    with large.open("wb") as made:
        made.truncate(16 * 1024 * 1024 + 1)
    for file, text in ((binary, "The file is not a text."), (large, "The file is larger than 16 MiB.")):
        page.locator("input[type=file]").set_input_files(file)
        expect(page.get_by_text(text)).to_be_visible()
    # A file can be dropped.
    transfer = page.evaluate_handle(
        "() => { const given = new DataTransfer(); given.items.add(new File(['{\"formatVersion\": 1}'], 'a.json')); return given; }"
    )
    page.get_by_role("textbox", name="Document").dispatch_event("drop", {"dataTransfer": transfer})
    expect(page.get_by_role("textbox", name="Document")).to_contain_text('{"formatVersion": 1}')
    person.look()

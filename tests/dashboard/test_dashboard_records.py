"""What a project records: its audit log, and its usage."""

import re

import pytest
from playwright.sync_api import expect

from support.billing import BILLED, OPERATOR, Payer
from support.bucket import Bucket
from support.client import PlatformUser, ok
from support.waiting import wait_until

HOSTILE = "<img src=x onerror=alert(1)>\u202egnihsilbup@example.com"


@pytest.fixture(scope="module")
def server_settings():
    """With billing, and without mails: addresses are members as they register."""
    return {**BILLED, "SERVICE_AUTH_RATE_LIMIT": "1000/60"}


@pytest.fixture(scope="module")
def owner(server) -> PlatformUser:
    """The operator."""
    return PlatformUser(server, OPERATOR)


def test_the_audit_log(person, developer):
    page = person.page
    project = developer.create_project("Recorded")
    project.role("data:*:read", name="Writer")
    project.admin.post("/auth/login", {"email": HOSTILE, "password": "wrong wrong"}, project=project.id, token=None)
    person.sign_in(developer, f"/p/{project.slug}/audit")
    person.heading("Audit")
    rows = page.get_by_role("row")
    expect(rows.filter(has_text="role.created")).to_contain_text("Writer")
    expect(rows.filter(has_text="login.failed")).to_be_visible()
    person.look()

    # By keyboard: an entry opens, and closing gives the focus back.
    person.tab_to("login.failed", most=120)
    person.key("Enter")
    details = page.get_by_role("complementary", name="login.failed")
    expect(details).to_contain_text(HOSTILE.split("\u202e")[0])
    assert re.search(r"entry=\w+", person.path())
    person.look()
    page.reload()
    expect(details).to_be_visible()
    person.key("Escape")
    expect(details).to_have_count(0)
    assert person.path() == f"/p/{project.slug}/audit"

    page.get_by_label("Action").fill("role.*")
    person.key("Enter")
    expect(rows).to_have_count(2)
    assert person.path() == f"/p/{project.slug}/audit?action=role.*"
    page.get_by_role("button", name="role.created").click()
    person.press("All of this actor")
    assert "actor=" in person.path() and "action" not in person.path()
    expect(rows.filter(has_text="project.created")).to_be_visible()
    page.get_by_label("Action").fill("user.*")
    person.press("Filter")
    expect(page.get_by_role("heading", name="No such action in the kept time")).to_be_visible()
    person.look()
    person.press("Clear the filter")
    expect(rows.filter(has_text="login.failed")).to_be_visible()


def test_older_entries(person, developer):
    person.expect_refusals(400)
    page = person.page
    project = developer.create_project("Busy")
    for n in range(51):
        ok(project.admin.put(f"/admin/variables/V{n}", {"value": "x"}), 204)
    person.sign_in(developer, f"/p/{project.slug}/audit?action=variable.set")
    person.heading("Audit")
    rows = page.get_by_role("row")
    expect(rows).to_have_count(51)
    ok(project.admin.put("/admin/variables/V0", {"value": "y"}), 204)
    person.press("Older entries")
    # The one that moved on by the new entry is shown once.
    expect(rows).to_have_count(52)
    expect(page.get_by_role("button", name="Older entries")).to_have_count(0)
    page.get_by_label("Action").fill(".*")
    person.press("Filter")
    person.alert("must name something")
    person.look()


def test_the_usage_of_a_plan(person, owner):
    payer = Payer(owner, functionRunsPerMonth=100, storageBytes=10, vectors=None)
    project = payer.create_project("Billed")
    ok(Bucket(project).put("a.txt", b"ten bytes!"), 201)
    page = person.page
    person.sign_in(payer, f"/p/{project.slug}/usage")
    person.heading("Usage")
    plan = page.get_by_role("region", name="Plan", exact=True)
    expect(plan).to_contain_text("The plan in force is free.")
    items = plan.get_by_role("listitem")
    expect(items.filter(has_text="Files")).to_contain_text("10 bytes of 10 bytes")
    expect(items.filter(has_text="Files")).to_contain_text("reached")
    expect(items.filter(has_text="Function runs")).to_contain_text("0 of 100")
    expect(items.filter(has_text="Vectors")).to_contain_text("0, unlimited")
    expect(plan.get_by_role("progressbar")).to_have_count(5)
    person.look()

    planes = page.get_by_role("region", name="Requests by plane", exact=True)
    wait_for_counts(person, planes)
    expect(page.get_by_role("img", name=re.compile("^Requests: [1-9][0-9]* in all, in 60 steps"))).to_be_visible()
    page.get_by_text("The same as a table").first.click()
    expect(page.get_by_role("region", name="Requests, as a table").get_by_role("row")).to_have_count(61)
    person.look()
    page.get_by_role("tab", name="Last 7 days").click()
    assert person.path().endswith("/usage?window=7d")
    expect(page.get_by_role("img", name=re.compile("in 168 steps"))).to_have_count(3)
    expect(page.get_by_text("Grey steps have no counts")).to_be_visible()
    person.look()


def test_what_follows_from_a_deletion(person, developer):
    """A unique index does not take two documents without their reference."""
    project = developer.create_project("Referring")
    posts = project.collection("posts")
    notes = project.collection("notes", indexes=[{"keys": {"post": 1, "n": 1}, "unique": True}])
    schema = {"type": "object", "properties": {"post": {"type": "string", "x-ref": {"collection": posts, "onDelete": "unset"}}}}
    ok(project.admin.put(f"/admin/collections/{notes}/schema", schema), 204)
    ok(project.admin.post(f"/admin/collections/{posts}/documents", {"id": "b1"}), 201)
    for document in ({"id": "a", "post": "b1", "n": 1}, {"id": "blocks", "n": 1}):
        ok(project.admin.post(f"/admin/collections/{notes}/documents", document), 201)
    ok(project.admin.delete(f"/admin/collections/{posts}/documents/b1"), 204)
    wait_until(lambda: any("error" in job for job in ok(project.admin.get("/admin/jobs"))["jobs"]))
    person.sign_in(developer, f"/p/{project.slug}/usage")
    row = person.page.get_by_role("region", name="What follows from deletions", exact=True).get_by_role("row").nth(1)
    expect(row).to_contain_text("posts/b1")
    expect(row).to_contain_text("remove references to it")
    expect(row).to_contain_text("post_1_n_1")
    person.look()
    ok(project.admin.delete(f"/admin/collections/{notes}/documents/blocks"), 204)


def wait_for_counts(person, planes) -> None:
    """Reads again until the project's requests are counted, which they are every ten seconds."""
    for _ in range(20):
        if planes.get_by_role("row").filter(has_text="storage").count():
            return
        person.press("Read again")
        person.page.wait_for_timeout(1000)
    raise AssertionError("no request is counted")


def test_a_server_without_audit_and_billing(make_server, opened):
    server = make_server({"SERVICE_AUDIT": "off"}).start()
    developer = PlatformUser(server)
    project = developer.create_project("Plain")
    person = opened(server)
    person.expect_refusals(404)
    person.sign_in(developer, f"/p/{project.slug}/audit")
    person.page.get_by_role("heading", name="There is no audit log").wait_for()
    expect(person.page.get_by_text("SERVICE_AUDIT is off")).to_be_visible()
    person.look()
    person.follow("Usage")
    person.page.get_by_role("heading", name="Nothing is limited").wait_for()
    person.look()

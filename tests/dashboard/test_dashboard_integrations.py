"""The integrations of a project: other services that its functions call."""

import json
import re

import pytest
from playwright.sync_api import expect

from support.client import ok
from support.integration import Integration
from support.waiting import wait_until

SECRET = "Bearer very-secret"
SEND = "Send the call Ctrl Enter"
CHECK = "Check the call Ctrl Enter"


@pytest.fixture(scope="module")
def server_settings(server_settings):
    """The other service is on this machine."""
    return {**server_settings, "SERVICE_OUTBOUND_ALLOW": "127.0.0.1/32"}


@pytest.fixture
def shop(developer):
    return developer.create_project("Bookshop")


@pytest.fixture
def billing(shop, upstream):
    """An integration with secrets, in place of which another service responds."""
    upstream.answers["/v1/health"] = (200, {}, {"fine": True, "big": 2**53 + 1})
    config = {"baseUrl": f"{upstream.url}/v1", "allowPrivate": True}
    secrets = {"authorization": SECRET, "headers": {"x-key": "key-1", "x-old": "old-1"}}
    return Integration(shop.admin, "http", config, secrets, name="billing")


def arguments(person):
    return person.page.get_by_role("textbox", name="The arguments as JSON")


def result(person):
    return person.page.get_by_role("textbox", name="The result as JSON")


def test_from_the_catalogue_to_a_live_call_and_its_test(person, developer, shop, upstream):
    upstream.answers["/v1/invoices"] = (201, {}, {"id": 7})
    page = person.page
    person.expect_refusals(400)
    person.sign_in(developer, f"/p/{shop.slug}/integrations")
    page.get_by_text("An integration lets the functions").wait_for()
    expect(page.get_by_role("region", name="Providers").get_by_role("listitem")).to_have_count(3)
    person.look()
    person.press("New integration")
    page.get_by_role("menuitem", name="HTTP").click()
    dialog = page.get_by_role("dialog", name="New integration: HTTP")
    assert person.path().endswith("?new=http")

    # Mistakes are shown where they were made: those of the form first, then those that the server finds.
    person.fill(name="Not a name")
    dialog.get_by_label("Time limit in milliseconds").fill("soon")
    person.press("Create integration")
    expect(dialog.get_by_text("“soon” is not a whole number")).to_be_visible()
    dialog.get_by_label("Time limit in milliseconds").fill("1")
    dialog.get_by_label("Headers", exact=True).fill("x team: red\nhost: elsewhere")
    person.press("Add a secret header")
    dialog.get_by_label("Value", exact=True).fill("v-1")
    person.press("Create integration")
    expect(dialog.get_by_text("The name of the header is missing.")).to_be_visible()
    dialog.get_by_role("textbox", name="Header", exact=True).fill("Host")
    person.press("Create integration")
    assert person.error_of("name")
    assert person.error_of('"config/baseUrl"') and person.error_of('"config/timeoutMs"')
    expect(dialog.get_by_role("group", name="Further secret headers")).to_have_accessible_description(re.compile("Host: is set by the server"))
    person.look()
    person.key("Escape")
    person.press("Go back to it")

    person.fill(name="billing")
    dialog.get_by_label("Base address").fill(f"{upstream.url}/v1")
    dialog.get_by_label("Time limit in milliseconds").fill("2000")
    person.press("Create integration")
    expect(dialog.get_by_label("Headers", exact=True)).to_have_accessible_description(re.compile("x team: is not a valid header name"))
    dialog.get_by_label("Headers", exact=True).fill("x-team: red")
    dialog.get_by_label("Private addresses").select_option("yes")
    dialog.get_by_label("Authorization").fill(SECRET)
    dialog.get_by_role("textbox", name="Header", exact=True).fill("X-Key")
    person.press("Create integration")
    person.heading("billing")
    made = ok(shop.admin.get("/admin/integrations/billing"))["integration"]
    assert made["config"] == {"baseUrl": f"{upstream.url}/v1", "headers": {"x-team": "red"}, "timeoutMs": 2000, "allowPrivate": True}
    assert made["secrets"] == {"authorization": {"configured": True}, "headers": {"configured": True, "names": ["x-key"]}}

    # A dry call is checked alone, mistakes at their line; a live one is sent.
    page.get_by_label("Operation").select_option("post")
    arguments(person).wait_for()
    person.write(arguments(person), '{\n  "path": "//elsewhere.example"\n}')
    person.press(CHECK)
    person.alert("/args/path")
    page.get_by_role("button", name="Line 2").wait_for()
    person.look()
    person.write(arguments(person), '{"path": ')
    person.press(CHECK)
    page.get_by_role("button", name="Line 1: the text ends too early").wait_for()
    person.write(arguments(person), '{"path": "/invoices", "body": {"total": 9007199254740993}}')
    page.get_by_text("The result to assume, as JSON").click()
    person.write(page.get_by_role("textbox", name="The result to assume, as JSON"), '{"status": 202}')
    person.press(CHECK)
    expect(result(person)).to_contain_text('"status": 202')
    assert upstream.at("/v1/invoices") == []
    page.get_by_label("Mode").select_option("live")
    person.alert(f"The call is sent to {upstream.url} with the stored secrets")
    person.press(SEND)
    expect(result(person)).to_contain_text('"id": 7')
    [sent] = upstream.at("/v1/invoices")
    assert sent.body == {"total": 2**53 + 1}
    assert [sent.headers[name] for name in ("authorization", "x-key", "x-team")] == [SECRET, "v-1", "red"]
    expect(page.get_by_role("region", name="In a function: JavaScript")).to_contain_text('ctx.integrations.call("billing", "post", {')
    assert "op=post" in person.path() and "mode=live" in person.path()
    person.look()

    # Kept as a test, which runs live again; another one fails, and says how.
    person.press("Keep as a test…")
    box = page.get_by_role("dialog", name="New test").get_by_role("textbox", name="The test as JSON")
    expect(box).to_contain_text('"status": 201')
    person.look()
    person.press("Save test")
    expect(person.dialogs()).to_have_count(0)
    page.get_by_role("tab", name="Tests").click()
    person.press("New test")
    case = {"name": "<b>fails</b>", "op": "put", "args": {"path": "/n"}, "stub": {"status": 500}, "expect": {"status": 200}}
    person.write(box, json.dumps({**case, "op": "fly"}))
    person.press("Save test")
    person.alert("/tests/1/op")
    person.write(box, json.dumps(case))
    person.press("Save test")
    expect(person.dialogs()).to_have_count(0)
    person.press("Run all")
    expect(page.get_by_text("1 of 2 tests failed")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="<b>fails</b>")).to_contain_text("500")
    assert len(upstream.at("/v1/invoices")) == 2
    person.look()
    person.press("Delete <b>fails</b>")
    person.press("Delete test")
    expect(page.get_by_text("The test is deleted.")).to_be_visible()
    person.press("Run all")
    expect(page.get_by_text("1 test passed")).to_be_visible()
    assert SECRET not in page.content()


def test_a_secret_is_kept_until_its_destination_changes(person, developer, shop, upstream, billing):
    page = person.page
    person.expect_refusals(400)
    person.sign_in(developer, f"/p/{shop.slug}/integrations/billing?tab=settings")
    main = page.get_by_role("main")
    expect(main).to_contain_text("x-key, x-old")
    person.look()

    # Another path of the same service: every secret is kept.
    person.press("Edit")
    dialog = page.get_by_role("dialog", name="Settings of billing")
    secret = dialog.get_by_label("Authorization", exact=True)
    expect(secret).to_have_value("")
    expect(secret).to_have_accessible_description(re.compile("One is stored. It is kept"))
    dialog.get_by_label("Base address").fill(f"{upstream.url}/v2")
    expect(dialog.get_by_role("alert")).to_have_count(0)
    dialog.get_by_label("Remove the stored one: x-old").check()
    person.look()
    person.press("Save")
    expect(page.get_by_text("The settings of billing are saved.")).to_be_visible()
    assert billing.read()["secrets"]["headers"]["names"] == ["x-key"]
    upstream.answers["/v2/n"] = (200, {}, {})
    billing.result("get", path="/n")
    assert upstream.at("/v2/n")[0].headers["authorization"] == SECRET

    # Another service gets none of them: they are typed again or removed, and the reason is there before the save.
    person.press("Edit")
    dialog.get_by_label("Base address").fill("https://elsewhere.example/v1")
    person.alert(f"The stored secrets were entered for {upstream.url}")
    person.look()
    person.press("Save")
    assert person.error_of('"secrets/authorization"') and person.error_of('"secrets/headers/x-key"')
    expect(dialog.get_by_label("Base address")).to_have_value("https://elsewhere.example/v1")
    secret.fill("Bearer other")
    dialog.get_by_label("Remove the stored one: x-key").check()
    person.press("Save")
    expect(person.dialogs()).to_have_count(0)
    found = billing.read()
    assert found["config"]["baseUrl"] == "https://elsewhere.example/v1"
    assert found["secrets"] == {"authorization": {"configured": True}, "headers": {"configured": False, "names": []}}

    person.press("Show the call")
    expect(page.get_by_role("dialog").locator("pre").nth(1)).to_contain_text('admin.tryIntegration("billing", {"op":"get"')
    person.key("Escape")
    person.press("Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("An integration lets the functions").wait_for()
    assert shop.admin.get(billing.route).status_code == 404
    person.expect_refusals(404)
    person.go(f"/p/{shop.slug}/integrations/billing")
    page.get_by_text("There is no integration of this name").wait_for()
    person.look()


def test_by_keyboard_alone(person, developer, shop, upstream, billing):
    person.sign_in(developer, f"/p/{shop.slug}/integrations")
    person.page.get_by_role("switch").wait_for()
    person.look()
    person.tab_to("Calls of billing by functions", 60)
    person.key("Space")
    expect(person.page.get_by_role("switch")).to_have_attribute("aria-checked", "false")
    wait_until(lambda: billing.read()["enabled"] is False, 10)
    person.tab_to("Set up: Messaging bot", 60)
    person.key("Enter")
    person.has_focus("Name")
    person.type("ops")
    person.tab_to("Platform")
    person.type("slack")
    person.tab_to("Token of the bot")
    person.type("xoxb-1")
    person.key("Enter")
    person.heading("ops")
    assert ok(shop.admin.get("/admin/integrations/ops"))["integration"]["config"] == {"platform": "slack"}
    person.go(f"/p/{shop.slug}/integrations/billing?mode=live")
    arguments(person).wait_for()
    person.tab_to("The arguments as JSON", 60)
    person.retype('{"path": "/health"}')
    person.key("Control+Enter")
    expect(result(person)).to_contain_text("9007199254740993")
    assert upstream.at("/v1/health")[0].headers["authorization"] == SECRET


def test_a_viewer_reads_hostile_texts(viewer_at, shop, upstream):
    hostile = "<img src=x onerror=alert(1)>"
    mails = {"from": "Shop\u202e <a@example.com>", "host": "mail.example.com"}
    for name in ("h0", "h1", "h2", "h4", "h5"):
        Integration(shop.admin, "email", mails, {"username": "u", "password": "p-very-secret"}, name=name)
    one = Integration(shop.admin, "http", {"baseUrl": upstream.url, "headers": {"x-evil": hostile}}, {"authorization": SECRET}, name="h3")
    tests = [{"name": f"{hostile}\u202e", "op": "get", "args": {"path": "/"}, "stub": None, "expect": None}]
    ok(shop.admin.patch(f"{one.route}/tests", {"tests": tests}), 204)
    person = viewer_at(shop, "/integrations?find=h3&new=http")
    main = person.page.get_by_role("main")
    expect(person.page.get_by_text("1 integration", exact=True)).to_be_visible()
    assert main.get_by_role("switch").count() == 0
    person.page.get_by_label("Filter integrations").fill("nothing of it")
    person.page.get_by_text("No integration has this text.").wait_for()
    person.press("Clear")
    expect(main.get_by_role("link")).to_have_count(6)
    assert [main.get_by_role("button", name=name).count() for name in ("New integration", "Set up")] == [0, 0]
    assert person.dialogs().count() == 0
    person.look()
    person.follow("h0")
    expect(main).to_contain_text("Shop\u202e <a@example.com>")
    person.page.go_back()
    person.follow("h3")
    expect(main).to_contain_text(f"x-evil: {hostile}")
    person.look()
    assert "very-secret" not in person.page.content()
    person.page.get_by_role("tab", name="Tests").click()
    expect(main).to_contain_text(f"{hostile}\u202e")
    offered = ("Edit", "Delete", "Run all", "New test", CHECK)
    assert [main.get_by_role("button", name=name, exact=True).count() for name in offered] == [0] * len(offered)
    assert person.page.evaluate("document.querySelectorAll('main img').length") == 0

"""The palette, and the keys that work on every screen."""

import re

import pytest
from playwright.sync_api import expect

from support.bucket import Bucket
from support.client import PASSWORD, ok
from support.function import Function

HOSTILE = "<img src=x onerror=alert(1)>\u202egnp"


@pytest.fixture
def shop(developer):
    project = developer.create_project("Bookshop")
    project.collection("books")
    project.collection("people")
    return project


def search(person):
    return person.page.get_by_role("combobox", name="Search or jump to")


def found(person, text: str):
    """Types a text into the open palette; returns the entry that is chosen."""
    search(person).fill(text)
    return person.page.get_by_role("option", selected=True)


def open_palette(person) -> None:
    person.key("Control+k")
    person.page.get_by_role("dialog", name="Search or jump to").wait_for()


def test_the_palette_by_keyboard_alone(person, developer, shop):
    page = person.page
    Function(shop, "return 1;", {"type": "http", "method": "GET", "path": "/sum"}, name="sum-up")
    bucket = Bucket(shop)
    ok(shop.admin.post("/admin/users", {"email": "ada@example.com", "password": PASSWORD, "name": HOSTILE}), 201)
    ok(shop.admin.post("/admin/api-keys", {"name": HOSTILE, "scopes": ["read"]}), 201)
    ok(shop.admin.post("/admin/collections/books/documents", {"id": "b-100", "title": "Fjords"}), 201)
    other = developer.create_project(HOSTILE)
    person.sign_in(developer, f"/p/{shop.slug}")
    person.heading("Bookshop")

    open_palette(person)
    person.has_focus("Search or jump to")
    expect(page.get_by_role("group", name="Screens").get_by_role("option", name="Webhooks")).to_be_visible()
    person.look()
    for text, label, path in (
        ("webh", "Webhooks", f"/p/{shop.slug}/webhooks"),
        ("sum", "sum-up", f"/p/{shop.slug}/functions/sum-up"),
        (bucket.name, bucket.name, f"/p/{shop.slug}/files/{bucket.name}"),
        ("ADA@ex", re.compile("^ada@example.com"), re.compile(f"/p/{shop.slug}/users/[^/]+")),
        ("<img sr", re.compile(r"^<img src=x"), f"/p/{shop.slug}/keys?find="),
        ("key api new", "New API key", f"/p/{shop.slug}/keys?new=true"),
        ("boo", "books", f"/p/{shop.slug}/data/books"),
    ):
        if search(person).count() == 0:
            open_palette(person)
        expect(found(person, text)).to_have_accessible_name(label)
        person.key("Enter")
        page.wait_for_url(re.compile(re.escape(f"{person.url}/dashboard") + (path.pattern if isinstance(path, re.Pattern) else re.escape(path))))
        expect(search(person)).to_have_count(0)
        if label == "New API key":
            # It does not open above a dialog, in which text may be typed.
            dialog = page.get_by_role("dialog", name="New API key")
            dialog.get_by_label("Name").fill("typed")
            person.key("Control+k")
            expect(page.get_by_role("dialog")).to_have_count(1)
            dialog.get_by_role("button", name="Cancel").click()
            page.get_by_role("alertdialog").get_by_role("button", name="Go back to it").click()
            expect(dialog.get_by_label("Name")).to_have_value("typed")
            dialog.get_by_role("button", name="Cancel").click()
            person.press("Discard")
            expect(dialog).to_have_count(0)

    # Of the open collection its documents, by the beginning of the id, and its parts.
    open_palette(person)
    expect(found(person, "b-1")).to_have_accessible_name("b-100")
    expect(page.get_by_role("group", name="Documents of books")).to_be_visible()
    person.look()
    person.key("Enter")
    expect(page.get_by_role("complementary", name="b-100")).to_be_visible()
    open_palette(person)
    expect(found(person, "policy books")).to_have_accessible_name("Policy of books")
    person.key("Escape")
    expect(search(person)).to_have_count(0)

    # Arrows go around; names of other people are text.
    open_palette(person)
    search(person).fill("img src")
    expect(page.get_by_role("option")).to_have_count(2)
    person.key("ArrowUp")
    expect(page.get_by_role("option", selected=True)).to_contain_text(other.slug)
    person.look()
    assert page.evaluate("document.querySelectorAll('[role=dialog] img').length") == 0
    person.key("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)

    # What cannot be read says so, and the rest works.
    page.route("**/api/v1/admin/users/query", lambda route: route.fulfill(
        status=500, body='{"error": {"code": "INTERNAL", "message": "the disk is on fire"}}', content_type="application/json"
    ))  # fmt: skip
    person.tolerated.append(re.compile("status of 500"))
    person.press("Search or jump to…")
    search(person).fill("zz")
    person.alert("the disk is on fire")
    expect(page.get_by_text("Nothing has this text in its name.")).to_be_visible()
    expect(found(person, "your acc")).to_have_accessible_name("Your account")
    page.get_by_role("option", name="Your account").click()
    person.heading("Your account")


def test_keys_of_all_screens(person, developer, shop):
    page = person.page
    for n in range(9):
        ok(shop.admin.post("/admin/api-keys", {"name": f"key {n}", "scopes": ["read"]}), 201)
    person.sign_in(developer, f"/p/{shop.slug}")
    person.heading("Bookshop")
    person.type("gk")
    person.heading("API keys")
    page.get_by_role("row", name="key 8").wait_for()
    person.type("/")
    person.has_focus("Filter keys")
    # Text is typed here: it is text.
    person.type("gf?/")
    expect(page.get_by_label("Filter keys")).to_have_value("gf?/")
    assert person.focused() == "Filter keys"
    page.get_by_role("heading", level=1).click()
    person.type("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog.get_by_role("row", name="g then f Functions")).to_be_visible()
    person.look()
    person.type("gf")
    expect(dialog).to_be_visible()
    person.key("Escape")
    expect(dialog).to_have_count(0)
    person.type("gd")
    page.wait_for_url(f"**/p/{shop.slug}/data")

    # Single letters can be switched off (WCAG 2.1.4).
    person.go("/account")
    person.heading("Your account")
    page.get_by_label("Letters and signs alone are shortcuts").uncheck()
    person.look()
    person.go(f"/p/{shop.slug}")
    person.heading("Bookshop")
    person.type("?gf/")
    open_palette(person)
    expect(found(person, "list of the")).to_have_accessible_name("List of the keys")
    person.key("Enter")
    expect(dialog).to_contain_text("switched off in your account")
    assert dialog.get_by_role("row", name="g then f Functions").count() == 0
    assert person.path() == f"/p/{shop.slug}"


def test_a_viewer_finds_what_a_viewer_may_do(viewer_at, shop):
    ok(shop.admin.post("/admin/users", {"email": "ada@example.com", "password": PASSWORD}), 201)
    person = viewer_at(shop, "/data/books")
    person.page.get_by_role("heading", name="No document yet.").wait_for()
    person.type("gc")
    open_palette(person)
    actions = person.page.get_by_role("group", name="Actions").get_by_role("option")
    assert set(actions.all_inner_texts()) == {"New project", "List of the keys", "Sign out"}
    assert person.page.get_by_role("option", name="Configuration").count() == 0
    found(person, "ada@")
    person.page.wait_for_load_state("networkidle")
    expect(found(person, "peop")).to_have_accessible_name("people")
    person.look()
    person.key("Enter")
    person.page.wait_for_url(f"**/p/{shop.slug}/data/people")

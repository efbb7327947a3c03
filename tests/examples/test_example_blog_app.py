"""The web app of examples/blog: its readers, without an account."""

import re

import pytest

from support.browser import visiting
from support.client import EndUser, ok
from support.example_app import inspect

EXAMPLE = "blog"
LONG = "Averylongwordwithoutaplacetobreak" * 4
XSS = "<img src=x onerror=\"document.title='taken'\">"


@pytest.fixture(scope="module")
def server_settings() -> dict:
    return {"SERVICE_PUBLIC_RATE_LIMIT": "100000/60"}  # all readers have one address


@pytest.fixture(scope="module")
def author(app, project):
    author = EndUser(project, "author")
    ok(project.admin.patch(f"/admin/users/{author.id}", {"name": "Ada"}), 204)
    return author


def write(author, number: int, **fields) -> str:
    at = f"2026-01-{number:02}T09:30:00Z"
    body = {"title": f"Post {number}", "slug": f"post-{number}", "author": author.id, "publishedAt": at}
    return author.create("posts", {**body, "published": True, **fields})["id"]


@pytest.fixture
def reader(chromium, app):
    with visiting(chromium) as visitor:
        visitor.tolerated = []
        yield visitor


def titles(page) -> list[str]:
    page.wait_for_selector("main:not([aria-busy]) h1")
    return page.locator("main h2 a").all_inner_texts()


def approve(author, project, name: str) -> None:
    """The author approves the newest comment of this name."""
    (found,) = author.list("comments", {"name": name})
    ok(author.patch(f"/comments/{found['id']}", {"approved": True}), 204)


def test_a_blog_without_posts(reader, app):
    reader.open(app.url)
    reader.heading("Newest posts")
    assert reader.page.get_by_text("Nothing is published yet.").is_visible()
    inspect(reader)


def test_a_reader(reader, app, author, project):
    for number in range(1, 13):
        write(author, number)
    draft = write(author, 20, published=False)
    shown = write(author, 13, title=f"{XSS} {LONG}", slug="long", body=f"First.\n\n{XSS}\n{LONG}")
    page = reader.page

    # Lists, by pages of the cursor, with the browser's own way back.
    reader.open(app.url)
    reader.heading("Newest posts")
    assert titles(page) == [f"{XSS} {LONG}", "Post 12", "Post 11", "Post 10", "Post 9"]
    assert page.get_by_text("Ada · Jan 12, 2026").is_visible()
    inspect(reader)
    reader.follow("Older posts")
    reader.heading("Older posts")
    assert titles(page) == [f"Post {number}" for number in (8, 7, 6, 5, 4)]
    # A new post moves nothing on the pages after it.
    write(author, 14)
    reader.follow("Older posts")
    page.get_by_role("link", name="Post 3").wait_for()
    assert titles(page) == ["Post 3", "Post 2", "Post 1"]
    assert page.get_by_role("link", name="Older posts").count() == 0
    page.go_back()
    page.get_by_role("link", name="Post 8").wait_for()
    inspect(reader)
    reader.follow("Newest posts")
    page.get_by_role("link", name="Post 14").wait_for()

    # An article with what others wrote: as text.
    page.get_by_role("link", name=LONG).click()
    page.get_by_role("heading", level=1, name=LONG).wait_for()
    assert page.locator("article p.text").all_inner_texts() == ["First.", f"{XSS}\n{LONG}"]
    assert page.locator("main img").count() == 0 and page.title().startswith(XSS)
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.get_by_text("No comments yet.").wait_for()

    # A comment waits for the author, then comes by itself, also to another reader.
    reader.page.get_by_label("Name").fill("Vic")
    page.get_by_role("textbox", name="Comment").fill(f"Welcome! {XSS}")
    reader.press("Send")
    page.get_by_text("shown once the author has approved it").wait_for()
    assert page.get_by_text("Welcome!").count() == 0
    approve(author, project, "Vic")
    page.get_by_role("listitem").filter(has_text=f"Welcome! {XSS}").wait_for()
    inspect(reader)
    ok(author.delete(f"/posts/{shown}"), 204)
    page.get_by_text("No comments yet.").wait_for()

    # Drafts and what is gone.
    for slug in ("post-20", "none"):
        reader.open(f"{app.url}/#/posts/{slug}")
        reader.heading("Not found")
    inspect(reader)
    ok(author.patch(f"/posts/{draft}", {"published": True}), 204)
    reader.follow("Newest posts")
    page.get_by_role("link", name="Post 20").click()
    reader.heading("Post 20")


def test_an_image(reader, app, author):
    data = b"<svg xmlns='http://www.w3.org/2000/svg' width='900' height='40'/>"
    headers = {"content-type": "image/svg+xml", "authorization": f"Bearer {author.token}"}
    ok(author.server.http.put("/api/v1/storage/images/wide.svg", content=data, headers=headers), 201)
    write(author, 25, image="wide.svg")
    reader.open(f"{app.url}/#/posts/post-25")
    reader.heading("Post 25")
    reader.page.wait_for_function("document.querySelector('main img').naturalWidth === 900")
    inspect(reader)


def test_errors_are_told(chromium, app):
    with visiting(chromium) as reader:
        reader.tolerated.append(re.compile("Failed to load resource"))
        reader.open(f"{app.url}/#/after/nonsense")
        reader.heading("Something went wrong")
        reader.alert("does not exist any more")
        inspect(reader)
        reader.page.route("**/posts/query", lambda route: route.abort())
        reader.follow("Newest posts")
        reader.alert("The server cannot be reached.")
        reader.page.unroute("**/posts/query")
        reader.press("Try again")
        reader.heading("Newest posts")


def test_by_keyboard(reader, app, author):
    write(author, 26)
    reader.open(app.url)
    reader.page.get_by_role("link", name="Post 26").wait_for()
    page = reader.page
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Post 26":
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    reader.heading("Post 26")

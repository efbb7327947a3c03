"""examples/blog: its README word for word, and what is pushed is what is pulled."""

import pytest

from support.client import EndUser, ok, refused
from support.commands import done
from support.realtime import Live

EXAMPLE = "blog"


def test_its_walk_through(make_server, walk):
    server = make_server({"SERVICE_TRUSTED_PROXIES": None}).start()  # as ./run does
    output = {block.commands.partition("\n")[0]: block.output for block in walk(server, EXAMPLE)}
    published = next(text for line, text in output.items() if '"published": true' in line)
    assert '"name":"Ann"' in published and "ann@example.com" not in published
    assert '"posts":[{"title":"Hello"' in published


@pytest.fixture(scope="module")
def pushed(folder):
    done(folder.run("push", "--yes"))
    return folder


def test_what_is_pushed_is_what_is_pulled(pushed):
    before = pushed.files()
    done(pushed.run("pull"))
    assert pushed.files() == before


@pytest.fixture(scope="module")
def author(pushed, project):
    return EndUser(project, "author")


def write(author, published: bool, slug: str) -> str:
    body = {"title": "A post", "slug": slug, "author": author.id, "published": published}
    return author.create("posts", body)["id"]


def test_a_visitor_gets_approved_comments_as_they_come(author, project, server):
    post = write(author, True, "live")
    visitor = project.public()
    with Live(server, query=f"?project={project.slug}") as live:
        assert live.ask({"type": "auth", "anonymous": True}) == {"type": "auth_ok"}
        live.follow("comments", filter={"post": post})
        made = [
            ok(visitor.post("/comments", {"post": post, "name": "Vic", "text": text}), 201)["document"]["id"]
            for text in ("spam", "welcome")
        ]
        ok(author.patch(f"/comments/{made[1]}", {"approved": True}), 204)
        event = live.event()
        assert (event["type"], event["documentId"]) == ("update", made[1])


def test_a_draft_is_its_authors(author, project):
    post = write(author, False, "draft")
    other, reader, visitor = EndUser(project, "author"), project.end_user(), project.public()
    for caller in (other, reader, visitor):
        refused(caller.get(f"/posts/{post}"), 404)
        assert post not in [each["id"] for each in ok(caller.get("/posts"))["documents"]]
        refused(caller.post("/comments", {"post": post, "name": "x", "text": "x"}), 400, "VALIDATION", "/post")
    for caller in (other, reader):
        refused(caller.patch(f"/posts/{post}", {"title": "Mine"}), 404)
        refused(caller.delete(f"/posts/{post}"), 404)
    refused(author.patch(f"/posts/{post}", {"author": other.id}), 403)
    refused(visitor.delete(f"/posts/{post}"), 401)


def test_an_author_moderates_the_comments_on_their_own_posts(author, project):
    other = EndUser(project, "author")
    post = write(author, True, "mine")
    comment = ok(project.public().post("/comments", {"post": post, "name": "x", "text": "x"}), 201)["document"]["id"]
    for caller in (other, project.end_user()):
        refused(caller.get(f"/comments/{comment}"), 404)
        refused(caller.patch(f"/comments/{comment}", {"approved": True}), 404)
        refused(caller.delete(f"/comments/{comment}"), 404)
    refused(author.patch(f"/comments/{comment}", {"text": "better"}), 403)
    ok(author.patch(f"/comments/{comment}", {"approved": True}), 204)
    ok(other.get(f"/comments/{comment}"))
    ok(author.delete(f"/comments/{comment}"), 204)


def test_an_author_no_more(author, project, admin):
    post = write(author, True, "last")
    ok(admin.patch(f"/admin/users/{author.id}", {"metadata": {}}), 204)
    refused(author.patch(f"/posts/{post}", {"title": "x"}), 403)
    refused(author.post("/posts", {"title": "x", "slug": "x", "author": author.id}), 403)
    image = {"content": b"x", "headers": {"content-type": "image/png"}}
    refused(author.put("/storage/images/a.png", **image), 403)

"""Sockets without a token: what public rules show, whose project it is, and how many there may be."""

import pytest

from support.client import OPEN_POLICY, PlatformUser, ok
from support.realtime import Live, is_error

ANONYMOUS = {"type": "auth", "anonymous": True}
PUBLIC = {
    "read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["draft"]},
    "public": {"read": {"filter": {"published": True}, "deniedReadFields": ["views"]}, "list": {}},
}


@pytest.fixture(scope="module")
def posts(project):
    return project.collection(policy=PUBLIC)


@pytest.fixture
def nobody(server, project, posts):
    with Live(server, query=f"?project={project.id}") as live:
        assert live.ask(ANONYMOUS) == {"type": "auth_ok"}
        yield live


def document(admin, collection: str, body: dict) -> str:
    return ok(admin.post(f"/admin/collections/{collection}/documents", body), 201)["document"]["id"]


def test_public_rules_alone(nobody, project, admin, posts):
    closed = project.collection()
    for collection in (closed, "nothing"):
        answer = nobody.ask({"type": "subscribe", "id": "s", "collection": collection})
        is_error(answer, "FORBIDDEN", "s")
    for denied in ("draft", "views"):
        answer = nobody.ask({"type": "subscribe", "id": "s", "collection": posts, "filter": {denied: 1}})
        is_error(answer, "FORBIDDEN", "s")
    nobody.follow(posts)
    document(admin, posts, {"published": False})
    made = document(admin, posts, {"published": True, "views": 3, "draft": "d", "title": "t"})
    event = nobody.event()
    assert event["documentId"] == made
    assert set(event["document"]) == {"id", "published", "title", "ownerId", "createdAt", "updatedAt"}


def test_what_is_not_public_any_more_stops(server, owner):
    project = owner.create_project()
    posts = project.collection(policy=PUBLIC)
    with Live(server, query=f"?project={project.id}") as live, Live(server) as watching:
        assert live.ask(ANONYMOUS) == {"type": "auth_ok"}
        live.follow(posts)
        watching.auth(project.admin.token)
        watching.follow(posts)
        first = document(project.admin, posts, {"published": True})
        assert live.event()["documentId"] == watching.event()["documentId"] == first
        ok(project.admin.put(f"/admin/collections/{posts}/policy", OPEN_POLICY), 204)
        hidden = document(project.admin, posts, {"published": True})
        # The policy that holds when a change is sent decides, so the next one must not hold before.
        assert watching.event()["documentId"] == hidden
        ok(project.admin.put(f"/admin/collections/{posts}/policy", PUBLIC), 204)
        last = document(project.admin, posts, {"published": True})
        assert live.event()["documentId"] == last
        ok(owner.delete(f"/control/projects/{project.id}"), 204)
        live.error("FORBIDDEN")
        assert live.closed() == 1008


def test_projects_that_show_nothing_are_one_answer(server, owner, posts, project):
    closed, suspended, deleted = (owner.create_project() for _ in range(3))
    closed.collection(policy={"read": {}, "public": {"list": {}}})
    for one in (suspended, deleted):
        one.collection(policy=PUBLIC)
    ok(owner.post(f"/control/projects/{suspended.id}/suspend"), 204)
    ok(owner.delete(f"/control/projects/{deleted.id}"), 204)
    answers = []
    for name in (closed.id, suspended.id, deleted.id, "nothing", "no%20name"):
        with Live(server, query=f"?project={name}") as live:
            answers.append(is_error(live.ask(ANONYMOUS), "AUTH_FAILED"))
            is_error(live.ask({"type": "subscribe", "id": "s", "collection": posts}), "UNAUTHENTICATED", "s")
            live.auth(project.admin.token)  # the socket is as it was
    assert all(answer == answers[0] for answer in answers)


def test_the_project_by_slug_or_header_or_default(server, project, posts, make_server):
    for place in (
        {"query": f"?project={project.slug}"},
        {"additional_headers": {"x-service-project": project.id}},
    ):
        with Live(server, **place) as live:
            assert live.ask(ANONYMOUS) == {"type": "auth_ok"}
    alone = make_server().start()
    only = PlatformUser(alone).create_project()
    only.collection(policy=PUBLIC)
    with Live(alone) as live:
        assert live.ask(ANONYMOUS) == {"type": "auth_ok"}


def test_a_token_of_the_project_replaces_the_caller(nobody, server, owner, project, admin, alice, posts):
    nobody.follow(posts)
    other = owner.create_project()
    for token in (other.admin.token, "nonsense"):
        is_error(nobody.ask({"type": "auth", "token": token}), "AUTH_FAILED")
    made = document(admin, posts, {"published": True, "views": 1})
    assert "views" not in nobody.event()["document"]
    nobody.auth(alice.token)
    document(admin, posts, {"published": True})
    mine = document(admin, posts, {"ownerId": alice.id, "views": 1})
    event = nobody.event()
    assert event["documentId"] == mine and event["document"]["views"] == 1
    assert nobody.ask(ANONYMOUS) == {"type": "auth_ok"}
    document(admin, posts, {"ownerId": alice.id})
    ok(admin.patch(f"/admin/collections/{posts}/documents/{made}", {"views": 2}))
    assert nobody.event()["documentId"] == made


@pytest.mark.parametrize(
    "message", [{"anonymous": False}, {"anonymous": 1}, {"anonymous": True, "token": "t"}, {"anonymous": True, "id": "s"}]
)
def test_messages_that_are_refused(server, message):
    with Live(server) as live:
        is_error(live.ask({"type": "auth", **message}), "INVALID_MESSAGE", message.get("id"))


def test_limits(make_server):
    server = make_server({"SERVICE_REALTIME_MAX_CONNECTIONS": "10"}).start()
    project = PlatformUser(server).create_project()
    project.collection(policy=PUBLIC)
    opened = []
    try:
        for _ in range(5):
            opened.append(Live(server))
            assert opened[-1].ask(ANONYMOUS) == {"type": "auth_ok"}
        with Live(server) as sixth:
            is_error(sixth.ask(ANONYMOUS), "CONNECTION_LIMIT")
            assert sixth.closed() == 1008
        opened[0].auth(project.admin.token)
        opened.append(Live(server))
        assert opened[-1].ask(ANONYMOUS) == {"type": "auth_ok"}
    finally:
        for live in opened:
            live.close()


def test_so_many_an_address(make_server):
    server = make_server().start()
    first, second = (PlatformUser(server).create_project() for _ in range(2))
    for project in (first, second):
        project.collection(policy=PUBLIC)
    opened = []
    try:
        for number in range(20):
            opened.append(Live(server, query=f"?project={(first, second)[number % 2].id}"))
            assert opened[-1].ask(ANONYMOUS) == {"type": "auth_ok"}
        with Live(server, query=f"?project={first.id}") as more:
            is_error(more.ask(ANONYMOUS), "CONNECTION_LIMIT")
        with Live(server, first.admin.token):
            pass
    finally:
        for live in opened:
            live.close()

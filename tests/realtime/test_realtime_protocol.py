"""The realtime socket's messages, states and codes."""

import json
import re

import httpx
import pytest

from support.client import Api, PlatformUser, ok
from support.realtime import Live, is_error

SUBSCRIBE = {"type": "subscribe", "id": "s", "collection": "posts"}


@pytest.fixture
def live(server, project):
    with Live(server, project.end_user().token) as one:
        yield one


# ---- the upgrade


def test_a_plain_request_gets_upgrade_required(server):
    answer = httpx.get(f"{server.url}/api/v1/realtime")
    assert answer.status_code == 426
    assert answer.json()["error"]["code"] == "UPGRADE_REQUIRED"
    assert answer.json()["error"]["message"] == "WebSocket upgrade required"


def test_other_methods_and_paths_below(server):
    assert httpx.post(f"{server.url}/api/v1/realtime", json={}).status_code == 405
    assert httpx.get(f"{server.url}/api/v1/realtime/more").status_code == 404


# ---- before auth


@pytest.mark.parametrize(
    "message, code, id",
    [
        (SUBSCRIBE, "UNAUTHENTICATED", "s"),
        ({"type": "unsubscribe", "id": "s"}, "UNAUTHENTICATED", "s"),
        ({"type": "subscribe"}, "UNAUTHENTICATED", None),
        ({"type": "hello"}, "UNAUTHENTICATED", None),
        ("{", "INVALID_MESSAGE", None),
        ("", "INVALID_MESSAGE", None),
        ("[]", "INVALID_MESSAGE", None),
        ("null", "INVALID_MESSAGE", None),
        ({}, "INVALID_MESSAGE", None),
        ({"type": "auth"}, "INVALID_MESSAGE", None),
        ({"type": "auth", "token": 5}, "INVALID_MESSAGE", None),
        ({"type": "auth", "token": "nonsense"}, "AUTH_FAILED", None),
        ({"type": "auth", "token": "a.b.c"}, "AUTH_FAILED", None),
    ],
)
def test_before_auth_the_socket_stays_open(server, project, message, code, id):
    with Live(server) as live:
        is_error(live.ask(message), code, id)
        live.auth(project.admin.token)


def test_who_may_come_in(server, owner, project):
    posts = project.collection()
    for token in (project.end_user().token, project.admin.token, project.api_key("read").token):
        with Live(server, token) as live:
            live.follow(posts)
    with Live(server) as live:
        is_error(live.ask({"type": "auth", "token": owner.token}), "AUTH_FAILED")  # a token of the control plane
    with Live(server, project.api_key("write").token) as live:
        is_error(live.ask({**SUBSCRIBE, "collection": posts}), "FORBIDDEN", "s")


# ---- messages


@pytest.mark.parametrize(
    "message, id",
    [
        ("not json", None),
        ('{"type":"subscribe","id":"s","id":"s","collection":"posts"}', None),
        ({"type": "publish", "id": "s"}, "s"),
        ({"type": "subscribe", "id": "s"}, "s"),
        ({"type": "subscribe", "collection": "posts"}, None),
        ({**SUBSCRIBE, "id": ""}, None),
        ({**SUBSCRIBE, "id": "x" * 65}, None),
        ({**SUBSCRIBE, "id": 5}, None),
        ({**SUBSCRIBE, "collection": 5}, "s"),
        ({**SUBSCRIBE, "events": []}, "s"),
        ({**SUBSCRIBE, "events": ["insert", "upsert"]}, "s"),
        ({**SUBSCRIBE, "events": "insert"}, "s"),
        ({**SUBSCRIBE, "filter": []}, "s"),
        ({**SUBSCRIBE, "after": 5}, "s"),
        ({"type": "unsubscribe"}, None),
        ({"type": "unsubscribe", "id": "s", "more": 1}, "s"),
    ],
)
def test_messages_that_are_none(live, message, id):
    is_error(live.ask(message), "INVALID_MESSAGE", id)


def test_subscriptions(live, project):
    posts = project.collection()
    live.follow(posts)
    is_error(live.ask({**SUBSCRIBE, "collection": posts}), "DUPLICATE_ID", "s")
    for name in ("users", "realtime", "__mine", "system.x", "auth"):
        is_error(live.ask({**SUBSCRIBE, "id": "r", "collection": name}), "NOT_FOUND", "r")
    is_error(live.ask({**SUBSCRIBE, "id": "r", "collection": "nothing"}), "FORBIDDEN", "r")
    closed = project.collection(policy=None)
    is_error(live.ask({**SUBSCRIBE, "id": "r", "collection": closed}), "FORBIDDEN", "r")
    unread = project.collection(policy={"list": {}, "create": {}})
    is_error(live.ask({**SUBSCRIBE, "id": "r", "collection": unread}), "FORBIDDEN", "r")
    is_error(live.ask({"type": "unsubscribe", "id": "r"}), "UNKNOWN_SUBSCRIPTION", "r")
    assert live.ask({"type": "unsubscribe", "id": "s"}) == {"type": "unsubscribed", "id": "s"}
    is_error(live.ask({"type": "unsubscribe", "id": "s"}), "UNKNOWN_SUBSCRIPTION", "s")
    live.follow(posts)


def test_an_id_of_64_characters(live, project):
    live.follow(project.collection(), id="ä" * 64)


def test_a_hundred_subscriptions(live, project):
    posts = project.collection()
    for i in range(100):
        live.follow(posts, id=f"s{i}")
    is_error(live.ask({**SUBSCRIBE, "id": "more", "collection": posts}), "FORBIDDEN", "more")
    live.say({"type": "unsubscribe", "id": "s7"})
    assert live.next() == {"type": "unsubscribed", "id": "s7"}
    live.follow(posts, id="more")


# ---- events


def test_events_to_the_letter(live, project, admin):
    posts = project.collection()
    live.follow(posts)
    path = f"/admin/collections/{posts}/documents"
    made = ok(admin.post(path, {"title": "One", "n": 1}), 201)["document"]
    message = live.next()
    position = message.pop("position")
    assert re.fullmatch(r"[A-Za-z0-9_-]{10,64}", position)
    inserted = {"type": "insert", "collection": posts, "documentId": made["id"], "document": made}
    assert message == {"type": "event", "subscription": "s", "event": inserted}

    changed = ok(admin.patch(f"{path}/{made['id']}", {"n": 2}))["document"]
    event = live.event()
    assert event.pop("position") != position
    assert event == {"type": "update", "collection": posts, "documentId": made["id"], "document": changed}
    replaced = ok(admin.put(f"{path}/{made['id']}", {"title": "Two"}))["document"]
    event = live.event()
    event.pop("position")
    assert event == {"type": "replace", "collection": posts, "documentId": made["id"], "document": replaced}
    ok(admin.delete(f"{path}/{made['id']}"), 204)
    event = live.event()
    event.pop("position")
    assert event == {"type": "delete", "collection": posts, "documentId": made["id"]}


def test_only_the_events_asked_for(live, project, admin):
    posts = project.collection()
    live.follow(posts, events=["delete"])
    path = f"/admin/collections/{posts}/documents"
    made = ok(admin.post(path, {}), 201)["document"]
    ok(admin.patch(f"{path}/{made['id']}", {"n": 2}))
    ok(admin.delete(f"{path}/{made['id']}"), 204)
    assert live.event()["type"] == "delete"


def test_earlier_changes_are_not_sent(live, project, admin):
    posts = project.collection()
    for i in range(20):
        live.follow(posts, id=f"s{i}")
        made = admin.create(posts, {"n": i})
        for j in range(i + 1):
            message = live.next()
            assert message["event"]["documentId"] == made["id"], message


def test_many_sockets_get_everything_in_order(server, project, admin):
    posts = project.collection()
    key = project.api_key("read").token
    sockets = [Live(server, key) for _ in range(20)]
    for one in sockets:
        one.follow(posts)
    made = [admin.create(posts, {"n": i})["id"] for i in range(50)]
    for one in sockets:
        assert [one.event()["documentId"] for _ in made] == made
        one.close()


def test_a_large_document(live, project, admin):
    posts = project.collection()
    live.follow(posts)
    for size in (1_500, 60_000, 250_000, 900_000):
        text = "".join(chr(97 + i * i % 23) for i in range(size))
        ok(admin.post(f"/admin/collections/{posts}/documents", {"text": text}), 201)
        message = live.next()
        assert message["type"] == "event" and message["event"]["document"]["text"] == text, str(message)[:200]


# ---- limits


def test_the_cap_on_connections(make_server):
    server = make_server({"SERVICE_REALTIME_MAX_CONNECTIONS": "2"}).start()
    owner = PlatformUser(server)
    first, other = owner.create_project(), owner.create_project()
    sockets = [Live(server, first.admin.token) for _ in range(2)]
    sockets[0].auth(first.admin.token)  # does not count twice
    with Live(server) as third:
        error = is_error(third.ask({"type": "auth", "token": first.admin.token}), "CONNECTION_LIMIT")
        assert error["message"].startswith("plan limit: ")
        assert third.closed() == 1008
    with Live(server, other.admin.token):
        pass
    sockets.pop().close()
    sockets.append(_until_there_is_room(server, first.admin))
    with Live(server) as third:
        is_error(third.ask({"type": "auth", "token": first.admin.token}), "CONNECTION_LIMIT")


def _until_there_is_room(server, api: Api) -> Live:
    """Retries, since the server notices the end of a socket a little later than the client."""
    for _ in range(200):
        live = Live(server)
        if live.ask({"type": "auth", "token": api.token}) == {"type": "auth_ok"}:
            return live
        live.close()
    raise AssertionError("a place was not given back")


@pytest.mark.slow
def test_ten_seconds_to_authenticate(server, project):
    with Live(server) as silent, Live(server) as talking, Live(server, project.admin.token) as known:
        talking.say("{")
        assert silent.closed(30) == 1008
        assert talking.closed(30) == 1008
        known.auth(project.admin.token)


def test_a_server_that_stops_says_so(make_server):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    live = Live(server, project.admin.token)
    idle = Live(server)
    server.stop()
    assert live.closed() == 1001
    assert idle.closed() == 1001


def test_positions_of_other_projects_and_made_up_ones(server, owner, project, admin, live):
    posts = project.collection()
    other = owner.create_project()
    theirs = other.collection()
    with Live(server, other.admin.token) as stranger:
        stranger.follow(theirs)
        other.admin.create(theirs, {})
        foreign = stranger.event()["position"]
    for wrong in ("", "1", "0", foreign, foreign[:-1], json.dumps({"$gt": ""}), "A" * 22, "x" * 5000):
        is_error(live.ask({**SUBSCRIBE, "collection": posts, "after": wrong}), "INVALID_MESSAGE", "s")
    live.follow(posts)

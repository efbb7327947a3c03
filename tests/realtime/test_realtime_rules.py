"""Which events a subscriber receives, and what ends a subscription of an open socket."""

from datetime import datetime, timedelta, timezone

import pytest

from support.client import OPEN_POLICY, Api, PlatformUser, ok, unique
from support.realtime import Live, is_error

OWN = {**OPEN_POLICY, "read": {"filter": {"ownerId": "$auth.uid"}}}


def ids(messages: list[dict]) -> list[tuple]:
    return [(one["event"]["type"], one["event"]["documentId"]) for one in messages]


def document(admin: Api, collection: str, body: dict) -> str:
    return ok(admin.post(f"/admin/collections/{collection}/documents", body), 201)["document"]["id"]


def change(admin: Api, collection: str, id: str, body: dict) -> None:
    ok(admin.patch(f"/admin/collections/{collection}/documents/{id}", body))


def set_policy(admin: Api, collection: str, policy: dict) -> None:
    ok(admin.put(f"/admin/collections/{collection}/policy", policy), 204)


def test_each_gets_what_they_may_read(project, admin, alice, bob, open_live, marker):
    notes = project.collection(policy=OWN)
    sockets = [open_live(one.token) for one in (alice, bob)]
    for live in sockets:
        live.follow(notes)
    first = document(admin, notes, {"ownerId": alice.id})
    second = document(admin, notes, {"ownerId": bob.id})
    document(admin, notes, {})
    change(admin, notes, first, {"ownerId": bob.id})
    change(admin, notes, first, {"n": 1})
    ok(admin.delete(f"/admin/collections/{notes}/documents/{second}"), 204)
    assert ids(marker.rest(sockets[0])) == [("insert", first)]
    assert ids(marker.rest(sockets[1])) == [
        ("insert", second),
        ("update", first),
        ("update", first),
        ("delete", second),
    ]


def test_a_delete_is_evaluated_on_the_document_as_it_was(project, admin, alice, open_live, marker):
    posts = project.collection(policy={**OPEN_POLICY, "read": {"filter": {"public": True}}})
    live = open_live(alice.token)
    live.follow(posts)
    seen = document(admin, posts, {"public": True})
    unseen = document(admin, posts, {"public": False})
    for one in (unseen, seen):
        ok(admin.delete(f"/admin/collections/{posts}/documents/{one}"), 204)
    assert ids(marker.rest(live)) == [("insert", seen), ("delete", seen)]


def test_denied_fields_are_left_out(project, admin, alice, open_live, marker):
    policy = {**OPEN_POLICY, "read": {"deniedReadFields": ["secret", "deep.secret"]}}
    posts = project.collection(policy=policy)
    live = open_live(alice.token)
    live.follow(posts)
    made = document(admin, posts, {"secret": "s3cret", "deep": {"secret": "s3cret", "open": 1}, "n": 1})
    change(admin, posts, made, {"secret": "s3cret2", "n": 2})
    messages = marker.rest(live)
    assert "s3cret" not in str(messages)
    assert [one["event"]["document"]["deep"] for one in messages] == [{"open": 1}, {"open": 1}]


def test_subscribing_needs_a_rule_that_resolves(owner, project, alice, open_live):
    ok(owner.patch(f"/control/projects/{project.id}", {"settings": {"tokenClaims": ["team"]}}), 204)
    live = open_live(alice.token)
    for read in ({"filter": {"team": "$auth.token.team"}},):
        posts = project.collection(policy={"read": read})
        is_error(live.ask({"type": "subscribe", "id": "s", "collection": posts}), "FORBIDDEN", "s")


def test_subscribing_needs_the_permission(project, open_live, server):
    posts = project.collection()
    user = project.end_user(role=project.enduser_role("data:other:read"))
    with Live(server, user.token) as live:
        is_error(live.ask({"type": "subscribe", "id": "s", "collection": posts}), "FORBIDDEN", "s")


def test_an_expired_token_pauses(server, project, admin, marker):
    posts = project.collection()
    soon = datetime.now(timezone.utc) + timedelta(seconds=2)
    body = {"name": unique("key"), "scopes": ["read"], "expiresAt": soon.isoformat().replace("+00:00", "Z")}
    key = ok(admin.post("/admin/api-keys", body), 201)["key"]
    with Live(server, key) as live:
        live.follow(posts)
        live.error("TOKEN_EXPIRED")
        document(admin, posts, {"n": 1})
        is_error(live.ask({"type": "subscribe", "id": "t", "collection": posts}), "TOKEN_EXPIRED", "t")
        is_error(live.ask({"type": "auth", "token": key}), "AUTH_FAILED")
        is_error(live.ask({"type": "auth", "token": "nonsense"}), "AUTH_FAILED")
        live.auth(project.api_key("read").token)
        after = document(admin, posts, {"n": 2})
        assert live.event()["documentId"] == after


def test_another_project_changes_nothing(server, owner, project, admin, alice, open_live, marker):
    posts = project.collection()
    live = open_live(alice.token)
    live.follow(posts)
    other = owner.create_project()
    for token in (other.admin.token, other.api_key("read").token, "nonsense", owner.token):
        is_error(live.ask({"type": "auth", "token": token}), "AUTH_FAILED")
    made = document(admin, posts, {})
    assert live.event()["documentId"] == made


def test_the_newest_token_is_the_one_that_counts(project, admin, alice, bob, open_live, marker):
    notes = project.collection(policy=OWN)
    live = open_live(alice.token)
    live.follow(notes)
    live.auth(bob.token)
    document(admin, notes, {"ownerId": alice.id})
    theirs = document(admin, notes, {"ownerId": bob.id})
    assert ids(marker.rest(live)) == [("insert", theirs)]


def test_a_role_that_changes_bites_at_once(project, admin, open_live, marker):
    posts = project.collection(policy={**OPEN_POLICY, "read": {"filter": {"audience": "$auth.role"}}})
    editors = project.enduser_role("data:*:read")
    nobody = project.enduser_role("functions:invoke")
    user = project.end_user()
    live = open_live(user.token)
    live.follow(posts)
    ours = document(admin, posts, {"audience": "user"})
    ok(admin.patch(f"/admin/users/{user.id}", {"metadata": {"role": editors}}), 204)
    document(admin, posts, {"audience": "user"})
    theirs = document(admin, posts, {"audience": editors})
    assert ids(marker.rest(live)) == [("insert", ours), ("insert", theirs)]
    ok(admin.patch(f"/admin/users/{user.id}", {"metadata": {"role": nobody}}), 204)
    document(admin, posts, {"audience": nobody})
    ok(admin.patch(f"/admin/users/{user.id}", {"metadata": {"role": editors}}), 204)
    again = document(admin, posts, {"audience": editors})
    assert live.event()["documentId"] == again


def test_the_permissions_of_a_role_that_change(project, admin, open_live, marker):
    posts = project.collection()
    role = project.enduser_role("data:*:read")
    live = open_live(project.end_user(role=role).token)
    live.follow(posts)
    first = document(admin, posts, {})
    assert live.event()["documentId"] == first
    ok(admin.put(f"/admin/enduser-roles/{role}", {"permissions": [f"data:{marker.name}:read"]}), 204)
    document(admin, posts, {})
    assert marker.rest(live) == []


def test_a_policy_that_changes_bites_at_once(project, admin, alice, open_live, marker):
    posts = project.collection()
    live = open_live(alice.token)
    live.follow(posts)
    set_policy(admin, posts, {"create": {}})
    document(admin, posts, {"n": 1})
    ok(admin.delete(f"/admin/collections/{posts}/policy"), 204)
    document(admin, posts, {"n": 2})
    assert marker.rest(live) == []
    set_policy(admin, posts, {"read": {"filter": {"n": {"$gt": 3}}, "deniedReadFields": ["x"]}})
    document(admin, posts, {"n": 3})
    seen = document(admin, posts, {"n": 4, "x": 1})
    messages = marker.rest(live)
    assert ids(messages) == [("insert", seen)] and "x" not in messages[0]["event"]["document"]


def ends_of_tokens(project):
    """Returns (token, function that ends it) by name."""
    admin = project.admin

    user, blocked = project.end_user(), project.end_user()
    key, member = project.api_key("read"), project.member("Viewer")
    return {
        "logout": (
            user.token,
            lambda: ok(
                user.post("/auth/logout", {"refreshToken": user.tokens["refreshToken"]}, project=project.id), 204
            ),
        ),
        "block": (blocked.token, lambda: ok(admin.post(f"/admin/users/{blocked.id}/block"), 204)),
        "delete key": (key.token, lambda: ok(admin.delete(f"/admin/api-keys/{key.id}"), 204)),
        "remove member": (
            member.token,
            lambda: ok(project.owner.delete(f"/control/projects/{project.id}/members/{member.user.id}"), 204),
        ),
    }


@pytest.mark.parametrize("how", ["logout", "block", "delete key", "remove member"])
def test_what_ends_a_token_ends_its_events(server, owner, how):
    project = owner.create_project()
    posts = project.collection()
    token, end = ends_of_tokens(project)[how]
    with Live(server, token) as live:
        live.follow(posts)
        first = document(project.admin, posts, {})
        assert live.event()["documentId"] == first
        end()
        document(project.admin, posts, {})
        live.error("AUTH_FAILED")
        is_error(live.ask({"type": "subscribe", "id": "t", "collection": posts}), "AUTH_FAILED", "t")
        live.auth(project.admin.token)
        again = document(project.admin, posts, {})
        assert live.event()["documentId"] == again


def test_an_idle_socket_learns_too(server, project, admin):
    key = project.api_key("read")
    with Live(server, key.token) as live:
        ok(admin.delete(f"/admin/api-keys/{key.id}"), 204)
        live.error("AUTH_FAILED")


def test_a_renamed_collection_ends_its_subscriptions(project, admin, alice, open_live, marker):
    posts, other = project.collection(), project.collection()
    live = open_live(alice.token)
    live.follow(posts)
    live.follow(other, id="o")
    renamed = unique("c")
    ok(admin.post(f"/admin/collections/{posts}/rename", {"to": renamed}), 204)
    document(admin, renamed, {})
    live.error("NOT_FOUND", "s")
    live.follow(renamed)
    made = document(admin, renamed, {})
    event = live.event()
    assert event["documentId"] == made and event["collection"] == renamed
    made = document(admin, other, {})
    assert live.event("o")["documentId"] == made


def test_a_dropped_collection_ends_its_subscriptions(project, admin, alice, open_live, marker):
    posts = project.collection()
    live = open_live(alice.token)
    live.follow(posts)
    ok(admin.delete(f"/admin/collections/{posts}"), 204)
    live.error("NOT_FOUND", "s")  # without a preceding event
    project.collection(posts)
    document(admin, posts, {})
    assert marker.rest(live) == []
    live.follow(posts)


def test_a_suspended_project_closes_its_sockets(make_server):
    server = make_server().start()
    first = PlatformUser(server)
    project = first.create_project()
    posts = project.collection()
    live, idle = Live(server, project.end_user().token), Live(server, project.admin.token)
    live.follow(posts)
    token = project.admin.token
    ok(first.post(f"/control/projects/{project.id}/suspend"), 204)
    for one in (live, idle):
        one.error("FORBIDDEN")
        assert one.closed() == 1008
    with Live(server) as late:
        is_error(late.ask({"type": "auth", "token": token}), "FORBIDDEN")
        assert late.closed() == 1008


def test_a_deleted_project_closes_its_sockets(server, owner):
    project = owner.create_project()
    live = Live(server, project.end_user().token)
    live.follow(project.collection())
    ok(owner.delete(f"/control/projects/{project.id}"), 204)
    live.error("FORBIDDEN")
    assert live.closed() == 1008

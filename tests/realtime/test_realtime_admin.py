"""Subscriptions with `admin: true`: past the policy, for members and keys that may."""

import pytest

from support.client import OPEN_POLICY, PlatformUser, ok
from support.realtime import Live

HIDING = {**OPEN_POLICY, "read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["notes"]}}


def create(admin, collection: str, **body) -> str:
    return ok(admin.post(f"/admin/collections/{collection}/documents", body), 201)["document"]["id"]


@pytest.fixture(scope="module")
def posts(project) -> str:
    return project.collection(policy=HIDING)


def refused(live: Live, collection: str, **more) -> None:
    live.say({"type": "subscribe", "id": "a", "collection": collection, "admin": True, **more})
    live.error("FORBIDDEN", "a")


def test_every_change_with_all_fields(project, admin, posts, open_live, marker):
    live = open_live(admin.token)
    live.follow(posts, id="a", admin=True)
    live.follow(posts, id="s", admin=False)
    id = create(admin, posts, ownerId="user_other", notes="x")
    ok(admin.patch(f"/admin/collections/{posts}/documents/{id}", {"n": 1}))
    ok(admin.delete(f"/admin/collections/{posts}/documents/{id}"), 204)
    messages = marker.rest(live)
    assert [(one["subscription"], one["event"]["type"]) for one in messages] == [("a", "insert"), ("a", "update"), ("a", "delete")]
    assert messages[0]["event"]["document"]["notes"] == "x"


def test_a_collection_without_a_policy_and_resuming(project, admin, open_live):
    bare = project.collection(policy=None)
    live = open_live(admin.token)
    live.follow(bare, id="a", admin=True, filter={"n": {"$gt": 1}})
    create(admin, bare, n=1)
    second = create(admin, bare, n=2)
    event = live.event("a")
    assert event["documentId"] == second
    third = create(admin, bare, n=3)
    again = open_live(admin.token)
    again.follow(bare, id="a", admin=True, after=event["position"])
    assert again.event("a")["documentId"] == third


def test_who_may_follow(project, admin, alice, posts, open_live):
    for api in (project.member(project.role(f"data:{posts}:admin")), project.api_key("admin"), project.api_key("service")):
        live = open_live_alone(api)
        live.follow(posts, id="a", admin=True)
        id = create(admin, posts, notes="x")
        event = live.event("a")
        assert event["documentId"] == id and event["document"]["notes"] == "x"
        live.close()
    for api in (alice, project.member(project.role("data:*:read")), project.api_key("read", "write")):
        live = open_live_alone(api)
        refused(live, posts)
        live.close()
    live = open_live(admin.token)
    refused(live, "unknown")
    live.say({"type": "subscribe", "id": "a", "collection": posts, "admin": "yes"})
    live.error("INVALID_MESSAGE", "a")


def open_live_alone(api) -> Live:
    return Live(api.server, api.token)


def test_a_lost_role_ends_the_events(project, owner, admin, posts):
    user = PlatformUser(project.server)
    member = project.member(project.role(f"data:{posts}:admin"), user)
    live = open_live_alone(member)
    live.follow(posts, id="a", admin=True)
    first = create(admin, posts)
    assert live.event("a")["documentId"] == first
    ok(owner.patch(f"/control/projects/{project.id}/members/{user.id}", {"role": project.role(f"data:{posts}:read")}), 204)
    create(admin, posts)
    live.say({"type": "subscribe", "id": "b", "collection": posts, "admin": True})
    live.error("FORBIDDEN", "b")
    live.close()

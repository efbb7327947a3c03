"""What a subscription selects: filter, fields, documents that go out of sight, and the resets that ask to list again."""

import pytest

from support.client import OPEN_POLICY, ok, unique
from support.realtime import Live, is_error

OWN = {**OPEN_POLICY, "read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["secret"]}}


@pytest.fixture
def notes(project):
    return project.collection(policy=OWN)


def briefs(messages: list[dict]) -> list[tuple]:
    return [
        (one["event"]["type"], one["event"]["documentId"]) if one["type"] == "event" else (one["type"], one["id"])
        for one in messages
    ]


def write(admin, collection: str, id: str, **body) -> None:
    """Creates the document, or changes these fields."""
    path = f"/admin/collections/{collection}/documents"
    if admin.get(f"{path}/{id}").status_code == 404:
        ok(admin.post(path, {"id": id, **body}), 201)
    else:
        ok(admin.patch(f"{path}/{id}", body))


def delete(admin, collection: str, id: str) -> None:
    ok(admin.delete(f"/admin/collections/{collection}/documents/{id}"), 204)


def set_policy(admin, collection: str, policy: dict) -> None:
    ok(admin.put(f"/admin/collections/{collection}/policy", policy), 204)


def test_a_filter_narrows_the_rule(admin, alice, bob, notes, open_live, marker):
    live = open_live(alice.token)
    live.follow(notes, filter={"tag": {"$in": ["a", "b"]}, "n": {"$gte": 2}})
    write(admin, notes, "1", ownerId=alice.id, tag="a", n=2)
    write(admin, notes, "2", ownerId=alice.id, tag="c", n=2)
    write(admin, notes, "3", ownerId=bob.id, tag="a", n=2)
    write(admin, notes, "2", tag="b")
    write(admin, notes, "1", n=1)
    delete(admin, notes, "2")
    delete(admin, notes, "1")
    assert briefs(marker.rest(live)) == [("insert", "1"), ("update", "2"), ("delete", "2")]


@pytest.mark.parametrize(
    "more, code",
    [
        ({"filter": {"secret": 1}}, "FORBIDDEN"),
        ({"filter": {"$or": [{"a": 1}, {"secret.deep": 1}]}}, "FORBIDDEN"),
        ({"filter": {"a": {"$where": "1"}}}, "INVALID_MESSAGE"),
        ({"filter": {"$and": []}}, "INVALID_MESSAGE"),
        ({"filter": {"a": {"$regex": "("}}}, "INVALID_MESSAGE"),
        ({"filter": [1]}, "INVALID_MESSAGE"),
        ({"filter": "a"}, "INVALID_MESSAGE"),
        ({"filter": {"a": "x" * 17000}}, "INVALID_MESSAGE"),
        ({"filter": {f"f{i}": 1 for i in range(101)}}, "INVALID_MESSAGE"),
        ({"fields": []}, "INVALID_MESSAGE"),
        ({"fields": "a"}, "INVALID_MESSAGE"),
        ({"fields": ["$a"]}, "INVALID_MESSAGE"),
        ({"fields": [f"f{i}" for i in range(101)]}, "INVALID_MESSAGE"),
        ({"leave": "yes"}, "INVALID_MESSAGE"),
    ],
)
def test_selections_that_are_refused(alice, notes, open_live, more, code):
    live = open_live(alice.token)
    is_error(live.ask({"type": "subscribe", "id": "s", "collection": notes, **more}), code, "s")
    live.follow(notes)  # the id is free


def test_a_field_that_is_denied_later_ends_the_filter(admin, alice, notes, open_live, marker):
    live = open_live(alice.token)
    live.follow(notes, filter={"tag": "a"})
    live.follow(notes, id="t")
    policy = {**OWN, "read": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["tag"]}}
    set_policy(admin, notes, policy)
    write(admin, notes, "1", ownerId=alice.id, tag="a")
    live.error("FORBIDDEN", "s")
    assert "tag" not in live.event("t")["document"]
    is_error(live.ask({"type": "unsubscribe", "id": "s"}), "UNKNOWN_SUBSCRIPTION", "s")


def test_fields_are_all_that_is_shown(admin, alice, notes, open_live, marker):
    live = open_live(alice.token)
    live.follow(notes, fields=["title", "author.name", "secret"])
    live.follow(notes, id="whole")
    body = {"title": "t", "author": {"name": "n", "mail": "m"}, "secret": "s", "more": 1}
    write(admin, notes, "1", ownerId=alice.id, **body)
    documents = {one["subscription"]: one["event"]["document"] for one in marker.rest(live)}
    assert documents["s"] == {"id": "1", "title": "t", "author": {"name": "n"}}
    assert documents["whole"]["more"] == 1 and "secret" not in documents["whole"]


def test_leaves(admin, alice, bob, notes, open_live, marker):
    live = open_live(alice.token)
    live.follow(notes, leave=True)
    live.follow(notes, id="open", filter={"open": True}, events=["insert"], leave=True)
    live.follow(notes, id="silent")
    write(admin, notes, "1", ownerId=alice.id, open=True)
    write(admin, notes, "1", open=False)
    write(admin, notes, "1", ownerId=bob.id, text="not for alice")
    write(admin, notes, "1", text="nor this")
    write(admin, notes, "2", ownerId=alice.id)
    delete(admin, notes, "2")
    messages = marker.rest(live)
    assert "alice" not in str(messages)
    by_id = {id: briefs([one for one in messages if one["subscription"] == id]) for id in ("s", "open", "silent")}
    assert by_id["s"] == [("insert", "1"), ("update", "1"), ("leave", "1"), ("insert", "2"), ("delete", "2")]
    assert by_id["open"] == [("insert", "1"), ("leave", "1")]
    assert by_id["silent"] == [("insert", "1"), ("update", "1"), ("insert", "2"), ("delete", "2")]
    leave = next(one for one in messages if one["event"]["type"] == "leave" and one["subscription"] == "s")
    assert set(leave["event"]) == {"type", "collection", "documentId"} and leave["event"]["collection"] == notes
    with Live(live.server, alice.token) as again:
        again.follow(notes, leave=True, after=leave["position"])
        assert again.event()["type"] == "insert"


def test_a_replay_gives_what_was_sent_live(server, project, admin, alice, bob, notes, open_live, marker):
    live = open_live(alice.token)
    write(admin, notes, "0", ownerId=alice.id)
    live.follow(notes, id="begin")
    write(admin, notes, "0", n=0)
    position = live.event("begin")["position"]
    assert live.ask({"type": "unsubscribe", "id": "begin"}) == {"type": "unsubscribed", "id": "begin"}
    selections = [
        {"leave": True},
        {"filter": {"n": {"$lt": 3}}, "leave": True},
        {"filter": {"tag": "a"}, "fields": ["n"], "events": ["insert", "delete"], "leave": True},
        {"fields": ["tag"]},
    ]
    for number, selection in enumerate(selections):
        live.follow(notes, id=f"s{number}", **selection)
    for i in range(60):
        owner = alice if i % 3 else bob
        write(admin, notes, str(i % 7), ownerId=owner.id, n=i % 5, tag="ab"[i % 2])
        if i % 10 == 9:
            delete(admin, notes, str(i % 7))
    sent = marker.rest(live)
    assert {one["event"]["type"] for one in sent} == {"insert", "update", "delete", "leave"}
    for number, selection in enumerate(selections):
        expected = [one for one in sent if one["subscription"] == f"s{number}"]
        with Live(server, alice.token) as replayed:
            replayed.follow(notes, id=f"s{number}", after=position, **selection)
            assert [replayed.next() for _ in expected] == expected


def test_resets(project, admin, alice, open_live, marker):
    posts = project.collection(policy={**OPEN_POLICY, "read": {"filter": {"audience": {"$ne": "nobody"}}}})
    user = project.end_user()
    live = open_live(user.token)
    live.follow(posts, leave=True)
    live.follow(posts, id="silent")

    def seen() -> list:
        ok(admin.post(f"/admin/collections/{posts}/documents", {}), 201)
        messages = marker.rest(live)
        assert {one["subscription"] for one in messages if one["type"] == "event"} == {"s", "silent"}
        return [one for one in messages if one["type"] != "event"]

    reset = [{"type": "reset", "id": "s"}]
    assert seen() == []
    role = project.enduser_role("data:*:read")
    ok(admin.patch(f"/admin/users/{user.id}", {"metadata": {"role": role}}), 204)
    assert seen() == reset
    assert seen() == []
    set_policy(admin, posts, {**OPEN_POLICY, "read": {"filter": {"audience": {"$ne": "none"}}}})
    assert seen() == reset
    project.collection()  # another change of the configuration
    assert seen() == []
    live.auth(alice.token)
    assert seen() == reset


def test_a_set_that_changes(project, admin, alice, bob, open_live, marker):
    name = unique("set").replace("x", "X")
    memberships = project.collection(policy=None, indexes=[{"keys": {"userId": 1}}])
    body = {"collection": memberships, "where": {"userId": "$auth.uid"}, "value": "team"}
    ok(admin.put(f"/admin/policies/sets/{name}", body), 204)
    tasks = project.collection(policy={"read": {"filter": {"team": {"$in": f"$auth.sets.{name}"}}}})
    first, second = open_live(alice.token), open_live(bob.token)
    first.follow(tasks, leave=True)
    second.follow(tasks, leave=True)
    write(admin, memberships, "bob", userId=bob.id, team=["red", "blue"])
    write(admin, tasks, "1", team="red")
    assert second.next() == {"type": "reset", "id": "s"}
    assert second.event()["documentId"] == "1"
    for round in range(1, 31):
        write(admin, memberships, "alice", userId=alice.id, team="red")
        write(admin, tasks, "1", n=round)
        assert first.next() == {"type": "reset", "id": "s"}
        assert first.event()["documentId"] == "1"
        assert second.event()["documentId"] == "1"
        delete(admin, memberships, "alice")
        write(admin, tasks, "1", n=-round)
        assert first.next() == {"type": "reset", "id": "s"}
        assert second.event()["documentId"] == "1"
    assert marker.rest(first) == []
    write(admin, tasks, "1", team="green")
    assert briefs(marker.rest(second)) == [("leave", "1")]
    write(admin, tasks, "1", team=["green", "blue"])
    assert briefs(marker.rest(second)) == [("update", "1")]
    assert marker.rest(first) == []


def test_a_set_that_had_too_many_values(project, admin, alice, open_live, marker):
    name = unique("set").replace("x", "X")
    memberships = project.collection(policy=None, indexes=[{"keys": {"userId": 1}}])
    body = {"collection": memberships, "where": {"userId": "$auth.uid"}, "value": "team"}
    ok(admin.put(f"/admin/policies/sets/{name}", body), 204)
    tasks = project.collection(policy={"read": {"filter": {"team": {"$in": f"$auth.sets.{name}"}}}})
    write(admin, memberships, "many", userId=alice.id, team=[f"t{n}" for n in range(1000)])
    live = open_live(alice.token)
    live.follow(tasks, leave=True)
    live.follow(tasks, id="plain")
    for round in range(3):
        write(admin, memberships, "one", userId=alice.id, team="more")
        write(admin, tasks, "1", team="t5")
        assert marker.rest(live) == [{"type": "reset", "id": "s"}]
        live.say({"type": "subscribe", "id": "late", "collection": tasks})
        live.error("FORBIDDEN", "late")
        delete(admin, memberships, "one")
        write(admin, tasks, "1", n=round)
        # Each subscription replays by itself, so an event of one says nothing about those of the others.
        found = [live.next() for _ in range(3)]
        assert marker.rest(live) == []
        assert found.count({"type": "reset", "id": "s"}) == 1
        assert sorted(each["subscription"] for each in found if each["type"] == "event") == ["plain", "s"]


def test_ids_and_fields_of_many_sockets(admin, project, alice, bob, open_live, marker):
    posts = project.collection()
    lives = []
    for fields in (["a"], ["a", "b"], None, ["b"], ["a"]):
        live = open_live((alice if fields else bob).token)
        live.follow(posts, **({"fields": fields} if fields else {}))
        lives.append((live, fields))
    write(admin, posts, "1", a=1, b=2)
    for live, fields in lives:
        document = live.event()["document"]
        assert set(document) - {"createdAt", "updatedAt", "ownerId"} == {"id", *(fields or ["a", "b"])}
        assert fields is None or "createdAt" not in document

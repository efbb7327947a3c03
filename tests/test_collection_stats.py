"""GET /admin/collection-stats: what each collection holds, and who is told what."""

import time
from datetime import datetime, timedelta, timezone

import pytest

from support import mongo_server
from support.client import PlatformUser, ok, refused, unique


def stats(api):
    return {one["name"]: one for one in ok(api.get("/admin/collection-stats"))["collections"]}


@pytest.fixture
def own(owner):
    """A project of the test's own."""
    return owner.create_project()


def test_counts_documents_and_entries(own):
    admin = own.admin
    indexes = [
        {"keys": {"n": 1}},
        {"keys": {"tags": 1}},
        {"keys": {"rare": 1}, "sparse": True},
        {"keys": {"n": -1}, "name": "small", "partialFilter": {"n": {"$lt": 2}}},
    ]
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    name = own.collection("Posts", schema=schema, indexes=indexes)
    own.collection("empty", policy=None)
    before = datetime.now(timezone.utc)
    for n in range(10):
        ok(admin.post(f"/admin/collections/{name}/documents", {"n": n, "tags": ["a", "b", "c"]}), 201)
    ok(admin.post(f"/admin/collections/{name}/documents", {"id": "x", "rare": 1}), 201)
    listed = ok(admin.get("/admin/collection-stats"))["collections"]
    assert [one["name"] for one in listed] == ["Posts", "empty"]
    posts, empty = listed
    assert [index["name"] for index in posts["indexes"]] == ["n_1", "tags_1", "rare_1", "small"]
    if not mongo_server.IS_STORE:
        assert [index["entries"] for index in posts["indexes"]] == [11, 31, 1, 2]
        assert all(index["bytes"] > 0 and "approximate" not in index for index in posts["indexes"])
    else:
        # It does not say how many entries an index has.
        assert all(index["entries"] == 11 and index["approximate"] for index in posts["indexes"])
    assert posts["documents"] == 11 and posts["bytes"] > 11 * 50
    assert (posts["schema"], posts["policy"]) == (True, "own")
    written = datetime.fromisoformat(posts["lastWriteAt"].replace("Z", "+00:00"))
    assert before - timedelta(milliseconds=1) <= written <= datetime.now(timezone.utc)
    assert empty == {
        "name": "empty",
        "documents": 0,
        "bytes": 0,
        "indexes": [],
        "schema": False,
        "policy": "default",
        "lastWriteAt": None,
    }


def test_large_indexes_are_estimates(own):
    name = own.collection(indexes=[{"keys": {"n": 1}}, {"keys": {"tags": 1}}])
    for n in range(150):
        ok(own.admin.post(f"/admin/collections/{name}/documents", {"n": n, "tags": [f"{n} {tag}" for tag in "ab"]}), 201)
    plain, tags = stats(own.admin)[name]["indexes"]
    assert plain["approximate"] is True and plain["entries"] == 150 and plain["bytes"] > 0
    assert tags["approximate"] is True and tags["entries"] >= 64


def test_follows_policies_names_and_drops(own):
    admin = own.admin
    name = own.collection(policy=None)
    assert stats(admin)[name]["policy"] == "default"
    ok(admin.put("/admin/collections/*/policy", {"read": {}}), 204)
    assert stats(admin)[name]["policy"] == "inherited"
    ok(admin.put(f"/admin/collections/{name}/policy", {"read": {}}), 204)
    assert stats(admin)[name]["policy"] == "own"
    to = unique("to")
    ok(admin.post(f"/admin/collections/{name}/rename", {"to": to}), 204)
    assert set(stats(admin)) == {to}
    ok(admin.delete(f"/admin/collections/{to}"), 204)
    assert stats(admin) == {}


def test_an_environment_has_its_own(owner, own):
    name = own.collection()
    ok(own.admin.post(f"/admin/collections/{name}/documents", {"n": 1}), 201)
    made = ok(owner.post(f"/control/projects/{own.id}/environments", {"environment": "staging"}), 201)["project"]
    staging = owner.exchange(made["id"])
    assert stats(staging)[name]["documents"] == 0 and stats(staging)[name]["policy"] == "own"
    assert stats(own.admin)[name]["documents"] == 1


def test_tells_each_caller_what_they_may_know(server, own):
    name = own.collection(indexes=[{"keys": {"n": 1}}])
    other = own.collection()
    ok(own.admin.post(f"/admin/collections/{name}/documents", {"n": 1}), 201)

    def member(*permissions):
        return own.member(own.role(*permissions), PlatformUser(server))

    refused(member("policies:read", f"data:{name}:*").get("/admin/collection-stats"), 403, "FORBIDDEN")
    refused(own.end_user(own.enduser_role("*")).get("/admin/collection-stats"), 403, "FORBIDDEN")
    plain = stats(member("collections:read"))
    assert plain[name] == {"name": name, "indexes": [{"name": "n_1"}], "schema": False, "lastWriteAt": None}
    listing = stats(member("collections:read", f"data:{name}:list"))
    assert listing[name]["documents"] == 1 and listing[name]["indexes"][0]["entries"] == 1
    assert listing[name]["lastWriteAt"] and "documents" not in listing[other] and "policy" not in listing[name]
    assert stats(member("collections:read", "policies:read"))[name]["policy"] == "own"
    viewer = stats(own.member("Viewer", PlatformUser(server)))
    assert viewer == stats(own.admin) and viewer[name]["documents"] == 1
    assert stats(own.api_key("admin")) == viewer


def test_numbers_survive_a_restart(make_server):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    name = project.collection(indexes=[{"keys": {"n": 1}}])
    key = project.api_key("admin")
    ok(key.post(f"/admin/collections/{name}/documents", {"n": 1}), 201)
    before = stats(key)
    server.stop()
    server.start()
    assert stats(key) == before and before[name]["lastWriteAt"]


def test_a_thousand_collections_are_fast(own):
    admin = own.admin
    for n in range(1000):
        ok(admin.post("/admin/collections", {"name": f"c{n}"}), 201)
    begun = time.monotonic()
    assert len(stats(admin)) == 1000
    assert time.monotonic() - begun < 60

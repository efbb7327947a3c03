"""`explain` of a list, and who may see it."""

import json

import pytest

from support.client import ok
from support.waiting import wait_until

EXPLAIN = {"x-service-explain": "1"}
# The mark of tests of the embedded engine's plans.
OWN_PLANS = pytest.mark.embedded("MongoDB plans the access paths of its queries itself")


@pytest.fixture
def shelves(project, admin):
    collection = project.collection()
    for keys in ({"shelf": 1}, {"pages": 1}):
        ok(admin.post(f"/admin/collections/{collection}/indexes", {"keys": keys}), 201)
    for i in range(40):
        ok(admin.post(f"/admin/collections/{collection}/documents", {"id": f"{i:02}", "shelf": i % 4, "pages": i}), 201)
    return collection


def explained(admin, collection, filter_):
    path = f"/admin/collections/{collection}/documents?filter={json.dumps(filter_)}"
    got = ok(admin.get(path, headers=EXPLAIN))
    explain = got["explain"]
    assert set(explain) == {"index", "keysExamined", "documentsExamined", "timeMs"}
    assert explain["timeMs"] >= 0
    return explain["index"], explain["keysExamined"], explain["documentsExamined"], got["total"]


@OWN_PLANS
@pytest.mark.parametrize(
    "filter_, expected",
    [
        ({"shelf": 3}, ("shelf_1", 10, 10, 10)),
        ({"pages": {"$gte": 10, "$lt": 15}}, ("pages_1", 5, 5, 5)),
        ({"$or": [{"shelf": 3}, {"pages": 0}]}, ("shelf_1, pages_1", 11, 11, 11)),
        ({"id": {"$in": ["01", "02"]}}, ("id", 0, 2, 2)),
        ({"colour": None}, ("", 0, 40, 40)),
    ],
)
def test_what_was_read(admin, shelves, filter_, expected):
    assert explained(admin, shelves, filter_) == expected


def test_only_where_it_is_asked_for_and_only_admins(project, admin, shelves):
    assert "explain" not in ok(admin.get(f"/admin/collections/{shelves}/documents"))
    assert "explain" not in ok(admin.get(f"/admin/collections/{shelves}/documents", headers={"x-service-explain": "0"}))
    assert "explain" not in ok(project.end_user().get(f"/{shelves}", headers=EXPLAIN))


@OWN_PLANS
def test_what_an_index_includes_is_not_read_from_documents(project, admin, shelves):
    index = {"keys": {"shelf": 1}, "include": ["pages"], "name": "including"}
    ok(admin.delete(f"/admin/collections/{shelves}/indexes/shelf_1"), 204)
    ok(admin.post(f"/admin/collections/{shelves}/indexes", index), 201)
    listed = ok(admin.get(f"/admin/collections/{shelves}/indexes"))["indexes"]
    assert [one.get("include") for one in listed] == [["pages"], None]
    assert explained(admin, shelves, {"shelf": 3, "pages": {"$mod": [8, 3]}}) == ("including", 10, 5, 5)
    ok(admin.patch(f"/admin/collections/{shelves}/documents/03", {"pages": 4}))
    ok(admin.patch(f"/admin/collections/{shelves}/documents/07", {"pages": 3}))
    assert explained(admin, shelves, {"shelf": 3, "pages": {"$mod": [8, 3]}}) == ("including", 10, 5, 5)
    assert explained(admin, shelves, {"shelf": 3, "pages": {"$mod": [4, 0]}}) == ("including", 10, 1, 1)


@OWN_PLANS
def test_indexes_hold_the_owner_where_a_policy_asks_for_it(project, admin):
    """Documents and indexes that existed before, also after a restart of both; no index lists it."""
    collection = project.collection(policy={"list": {}, "create": {}})
    users = [project.end_user() for _ in range(4)]
    ok(admin.post(f"/admin/collections/{collection}/indexes", {"keys": {"shelf": 1}}), 201)
    for i in range(40):
        ok(users[i % 4].post(f"/{collection}", {"shelf": 1, "n": i}), 201)
    owner = users[1].list(collection, {"n": 1})[0]["ownerId"]

    def read():
        return explained(admin, collection, {"shelf": 1, "ownerId": owner})[2:]

    def save(policy):
        ok(admin.put(f"/admin/collections/{collection}/policy", policy), 204)

    assert read() == (40, 10)
    save({"list": {"filter": {"ownerId": "$auth.uid"}}})
    wait_until(lambda: read() == (10, 10))
    assert [note["n"] for note in users[1].list(collection, {"shelf": 1})] == list(range(1, 40, 4))
    ok(admin.post(f"/admin/collections/{collection}/indexes", {"keys": {"n": 1}}), 201)
    listed = ok(admin.get(f"/admin/collections/{collection}/indexes"))["indexes"]
    assert listed == [{"name": name, "keys": {name[:-2]: 1}, "unique": False} for name in ("n_1", "shelf_1")]
    assert explained(admin, collection, {"n": {"$gte": 0}, "ownerId": owner}) == ("n_1", 40, 10, 10)
    save({"list": {}})
    wait_until(lambda: read() == (40, 10))

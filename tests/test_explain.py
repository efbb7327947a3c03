"""How a listing says that it was answered, and whom it tells."""

import json

import pytest

from support.client import ok

EXPLAIN = {"x-service-explain": "1"}


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

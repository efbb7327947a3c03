"""Indexes: their administration, uniqueness, and that results are the same with and without them."""

import concurrent.futures
import json
import random

import pytest

from support.client import OPEN_POLICY, ok, refused


def indexes(admin, collection):
    return {index["name"]: index for index in ok(admin.get(f"/admin/collections/{collection}/indexes"))["indexes"]}


def make(admin, collection, **index):
    return admin.post(f"/admin/collections/{collection}/indexes", index)


def test_life(project, admin):
    collection = project.collection()
    assert indexes(admin, collection) == {} or set(indexes(admin, collection)) <= {"id", "_id_"}
    assert ok(make(admin, collection, keys={"a": 1, "b.c": -1}), 201) == {"name": "a_1_b.c_-1"}
    assert ok(make(admin, collection, keys={"d": 1}, unique=True, name="by-d"), 201) == {"name": "by-d"}
    got = indexes(admin, collection)
    assert got["a_1_b.c_-1"]["keys"] == {"a": 1, "b.c": -1} and list(got["a_1_b.c_-1"]["keys"]) == ["a", "b.c"]
    assert got["by-d"]["unique"] is True and not got["a_1_b.c_-1"].get("unique")
    refused(make(admin, collection, keys={"x": 1}, name="by-d"), 409, "CONFLICT")
    refused(make(admin, collection, keys={"a": 1, "b.c": -1}), 409, "CONFLICT")
    ok(admin.delete(f"/admin/collections/{collection}/indexes/by-d"), 204)
    ok(admin.delete(f"/admin/collections/{collection}/indexes/a_1_b.c_-1"), 204)
    refused(admin.delete(f"/admin/collections/{collection}/indexes/by-d"), 404, "NOT_FOUND")
    assert "by-d" not in indexes(admin, collection)
    refused(make(admin, "NoSuchCollection", keys={"a": 1}), 404)


@pytest.mark.parametrize(
    "body, at",
    [
        ({}, "/keys"),
        ({"keys": {}}, "/keys"),
        ({"keys": []}, "/keys"),
        ({"keys": "a"}, "/keys"),
        ({"keys": {"a": 2}}, "/keys"),
        ({"keys": {"a": "1"}}, "/keys"),
        ({"keys": {"a": "text"}}, "/keys"),
        ({"keys": {"a": 0}}, "/keys"),
        ({"keys": {"a": True}}, "/keys"),
        ({"keys": {"$a": 1}}, "/keys"),
        ({"keys": {"": 1}}, "/keys"),
        ({"keys": {"a..b": 1}}, "/keys"),
        ({"keys": {"a": 1}, "unique": "yes"}, "/unique"),
        ({"keys": {"a": 1}, "unique": 1}, "/unique"),
        ({"keys": {"a": 1}, "name": ""}, "/name"),
        ({"keys": {"a": 1}, "name": "a b"}, "/name"),
        ({"keys": {"a": 1}, "name": 5}, "/name"),
        ({"keys": {"a": 1}, "name": "x" * 65}, "/name"),
        ({"keys": {"a": 1}, "background": True}, "/background"),
        ({"keys": {"a": 1}, "sparse": "x"}, "/sparse"),
        ({"keys": {"a": 1}, "expireAfterSeconds": -1}, "/expireAfterSeconds"),
        ({"keys": {"a": 1}, "include": "b"}, "/include"),
        ({"keys": {"a": 1}, "include": [5]}, "/include"),
        ({"keys": {"a": 1}, "include": ["b", "b..c"]}, "/include/1"),
        ({"keys": {"a": 1}, "include": ["b", "c", "b"]}, "/include/2"),
        ({"keys": {"a": 1}, "include": [f"f{i}" for i in range(17)]}, "/include"),
        ({"keys": {"a": 1}, "covering": True, "include": ["b"]}, "/include"),
        ({"keys": {"a": 1}, "expireAfterSeconds": "x"}, "/expireAfterSeconds"),
        ({"keys": {"a": 1}, "partialFilter": []}, "/partialFilter"),
        ({"keys": {"a": 1}, "partialFilter": {"$or": [{"a": {"$regex": "x"}}]}}, "/partialFilter"),
    ],
    ids=json.dumps,
)
def test_refused(project, admin, body, at):
    collection = project.collection()
    before = indexes(admin, collection)
    error = refused(admin.post(f"/admin/collections/{collection}/indexes", body), 400, "VALIDATION")
    assert any(detail["path"].startswith(at) for detail in error["details"]), error
    assert indexes(admin, collection) == before


def test_at_most_64(project, admin):
    collection = project.collection(policy=None)
    for n in range(64):
        ok(make(admin, collection, keys={f"f{n}": 1}), 201)
    refused(make(admin, collection, keys={"one_more": 1}), 400, "VALIDATION")


# ---- unique


def test_unique(project, admin, alice):
    collection = project.collection(indexes=[{"keys": {"slug": 1}, "unique": True}])
    first = alice.create(collection, {"slug": "a"})
    second = alice.create(collection, {"slug": "b"})
    for response in (
        alice.post(f"/{collection}", {"slug": "a"}),
        alice.patch(f"/{collection}/{second['id']}", {"slug": "a"}),
        alice.put(f"/{collection}/{second['id']}", {"slug": "a"}),
        admin.post(f"/admin/collections/{collection}/documents", {"slug": "a"}),
    ):
        error = refused(response, 409, "CONFLICT")
        assert "slug_1" in json.dumps(error) and first["id"] not in json.dumps(error)
    assert {item["slug"] for item in alice.list(collection)} == {"a", "b"}
    ok(alice.patch(f"/{collection}/{first['id']}", {"slug": "c"}), 204)
    ok(alice.patch(f"/{collection}/{second['id']}", {"slug": "a"}), 204)
    ok(alice.delete(f"/{collection}/{second['id']}"), 204)
    alice.create(collection, {"slug": "a"})
    alice.create(collection, {"slug": 1})
    refused(alice.post(f"/{collection}", {"slug": 1.0}), 409)


def test_unique_over_missing_values(project, alice):
    plain = project.collection(indexes=[{"keys": {"x": 1}, "unique": True}])
    alice.create(plain, {})
    refused(alice.post(f"/{plain}", {}), 409)
    refused(alice.post(f"/{plain}", {"x": None}), 409)
    sparse = project.collection(indexes=[{"keys": {"x": 1}, "unique": True, "sparse": True}])
    for _ in range(3):
        alice.create(sparse, {})


def test_unique_compound_and_in_arrays(project, alice):
    compound = project.collection(indexes=[{"keys": {"a": 1, "b": 1}, "unique": True}])
    for a, b in ((1, 1), (1, 2), (2, 1)):
        alice.create(compound, {"a": a, "b": b})
    refused(alice.post(f"/{compound}", {"a": 2, "b": 1}), 409)
    arrays = project.collection(indexes=[{"keys": {"tags": 1}, "unique": True}])
    alice.create(arrays, {"tags": ["a", "b", "a"]})
    refused(alice.post(f"/{arrays}", {"tags": ["c", "b"]}), 409)
    refused(alice.post(f"/{arrays}", {"tags": "a"}), 409)
    alice.create(arrays, {"tags": ["c"]})


def test_unique_on_a_denied_field_is_not_named(project, alice):
    collection = project.collection(
        policy={**OPEN_POLICY, "read": {"deniedReadFields": ["secret"]}},
        indexes=[{"keys": {"secret": 1}, "unique": True, "name": "hush"}],
    )
    alice.create(collection, {"secret": 1})
    error = refused(alice.post(f"/{collection}", {"secret": 1}), 409, "CONFLICT")
    assert "hush" not in json.dumps(error) and "secret" not in json.dumps(error)


def test_unique_over_existing_duplicates(project, admin, alice):
    collection = project.collection()
    for _ in range(2):
        alice.create(collection, {"a": 1})
    refused(make(admin, collection, keys={"a": 1}, unique=True), 409, "CONFLICT")
    assert "a_1" not in indexes(admin, collection)
    alice.create(collection, {"a": 1})
    ok(make(admin, collection, keys={"a": 1}), 201)


def test_of_concurrent_creates_with_one_value_one_wins(project, alice):
    collection = project.collection(indexes=[{"keys": {"slug": 1}, "unique": True}])
    for n in range(5):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(lambda _: alice.post(f"/{collection}", {"slug": f"s{n}"}).status_code, range(8)))
        assert sorted(statuses) == [201] + [409] * 7


def test_unique_values_under_concurrent_swaps(project, alice):
    collection = project.collection(indexes=[{"keys": {"slot": 1}, "unique": True}])
    ids = [alice.create(collection, {"slot": n})["id"] for n in range(4)]

    def move(n):
        return alice.patch(f"/{collection}/{ids[n % 4]}", {"slot": n % 7}).status_code

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert set(pool.map(move, range(100))) <= {204, 409}
    slots = [item["slot"] for item in alice.list(collection)]
    assert len(set(slots)) == 4
    for slot in slots:
        assert len(alice.list(collection, {"slot": slot})) == 1


# ---- the same results with and without indexes


def value(random_numbers: random.Random):
    return random_numbers.choice(
        [
            None,
            True,
            False,
            0,
            1,
            -1,
            2,
            5,
            1.5,
            -2.5,
            10**12,
            "",
            "a",
            "ab",
            "b",
            "B",
            "é",
            [],
            [1],
            [1, 5],
            ["a", "b"],
            [[1]],
            {},
            {"x": 1},
            {"x": 2, "y": "a"},
            [{"x": 1}, {"x": 5}],
            {"$date": "2026-01-01T00:00:00Z"},
            2**60,
            2**60 + 1,
        ]
    )


FILTERS = [
    {"a": 1},
    {"a": None},
    {"a": "a"},
    {"a": []},
    {"a": [1]},
    {"a": {}},
    {"a": {"x": 1}},
    {"a.x": 1},
    {"a.x": {"$gt": 1}},
    {"a": True},
    {"a": {"$gt": 0}},
    {"a": {"$gte": 1, "$lt": 5}},
    {"a": {"$lt": 0}},
    {"a": {"$gt": 1, "$lt": 5}},
    {"a": {"$in": [1, "a", None]}},
    {"a": {"$in": [[1], {"x": 1}]}},
    {"a": {"$nin": [1, 5]}},
    {"a": {"$ne": 1}},
    {"a": {"$exists": True}},
    {"a": {"$exists": False}},
    {"a": {"$gt": ""}},
    {"a": {"$gte": "a", "$lte": "b"}},
    {"a": {"$regex": "^a"}},
    {"a": {"$regex": "^A", "$options": "i"}},
    {"a": 1, "b": 1},
    {"a": 1, "b": {"$gt": 0}},
    {"a": {"$in": [1, 2]}, "b": {"$in": ["a", 1]}},
    {"b": 1},
    {"b": {"$gt": 0}, "a": {"$lt": 3}},
    {"$or": [{"a": 1}, {"b": "a"}]},
    {"$and": [{"a": {"$gt": 0}}, {"a": {"$lt": 3}}]},
    {"a": {"$elemMatch": {"$gt": 1, "$lt": 9}}},
    {"a": {"$elemMatch": {"x": 1}}},
    {"a": {"$size": 1}},
    {"a": {"$all": [1, 5]}},
    {"a": {"$not": {"$gt": 1}}},
    {"a": {"$type": "string"}},
    {"a": {"$gt": {"$date": "2020-01-01T00:00:00Z"}}},
    {"a": 2**60},
    {"a": {"$gt": 2**60}},
    {"a": {"$mod": [5, 0]}},
    {"a": {"$gte": None}},
    {"a": {"$lte": True}},
    {"a.0": 1},
    {"a": {"$gt": []}},
    {"a": {"$gte": {"x": 1}}},
    {"b": {"$exists": True}, "a": "a"},
    {"a": {"$in": []}},
    {"a": 1.5},
    {"a": {"$lt": 1.5}},
]


def test_answers_are_the_same_with_and_without_indexes(project, admin):
    numbers = random.Random(4)
    key = project.api_key("read", "write")
    plain, indexed = project.collection(), project.collection()
    kinds = [{"a": 1}, {"a": -1, "b": 1}, {"b": 1}, {"a.x": 1}]
    for keys in kinds[:2]:
        ok(make(admin, indexed, keys=keys), 201)
    documents = []
    for n in range(250):
        document = {"id": f"d{n:04}"}
        for field in "ab":
            if numbers.random() < 0.85:
                document[field] = value(numbers)
        if isinstance(document.get("a"), list) and isinstance(document.get("b"), list):
            document["b"] = 1
        documents.append(document)

    def fill(document):
        for collection in (plain, indexed):
            key.create(collection, document)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(fill, documents))
    for keys in kinds[2:]:
        ok(make(admin, indexed, keys=keys), 201)
    for document in documents[::7]:
        for collection in (plain, indexed):
            key.patch(f"/{collection}/{document['id']}", {"a": 5, "b": "moved"})
    for document in documents[::11]:
        for collection in (plain, indexed):
            key.delete(f"/{collection}/{document['id']}")

    def ids(collection, filter):
        return [item["id"] for item in key.list(collection, filter, limit=1000)]

    for filter in FILTERS:
        expected = ids(plain, filter)
        assert sorted(ids(indexed, filter)) == sorted(expected), f"with and without index: {filter}"
        assert ids(indexed, filter) == expected, f"order with and without index: {filter}"
        total = admin.get(
            f"/admin/collections/{indexed}/documents", params={"filter": json.dumps(filter), "limit": 1}
        ).json()["total"]
        assert total == len(expected), f"total: {filter}"
        if len(expected) > 3:
            assert [item["id"] for item in key.list(indexed, filter, limit=2, skip=1)] == expected[1:3]


def test_index_over_two_arrays(project, admin, alice):
    """MongoDB refuses parallel arrays; whatever the response, no state is incomplete."""
    collection = project.collection(indexes=[{"keys": {"a": 1, "b": 1}}])
    response = alice.post(f"/{collection}", {"a": [1, 2], "b": [3, 4]})
    assert response.status_code in (201, 400)
    assert len(alice.list(collection)) == (1 if response.status_code == 201 else 0)


def test_large_indexed_values(project, alice):
    collection = project.collection(indexes=[{"keys": {"a": 1}}])
    for text in ("x" * 10_000, "x" * 10_000 + "y", "\u0000" * 100, "\u0000\u0001", "a" * 500_000):
        response = alice.post(f"/{collection}", {"a": text})
        assert response.status_code in (201, 400, 413)
        if response.status_code == 201 and len(text) < 1000:
            assert [item["a"] for item in alice.list(collection, {"a": text})] == [text]


def test_index_made_while_others_write(project, admin):
    key = project.api_key("read", "write")
    collection = project.collection()
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        writers = [pool.submit(key.create, collection, {"n": n % 10}) for n in range(300)]
        ok(make(admin, collection, keys={"n": 1}), 201)
        for writer in writers:
            writer.result()
    for n in range(10):
        assert len(key.list(collection, {"n": n})) == 30
    assert len(key.list(collection, {"n": {"$gte": 0}}, limit=1000)) == 300

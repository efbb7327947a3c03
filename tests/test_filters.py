"""The filter language over HTTP: every operator, MongoDB's semantics, and refused filters."""

import json

import pytest

from support.client import refused

DOCUMENTS = {
    "a": {"n": 1, "s": "apple", "tags": ["red", "round"], "deep": {"x": 1, "y": [1, 2]}, "flag": True},
    "b": {
        "n": 2,
        "s": "banana",
        "tags": ["yellow"],
        "deep": {"x": 2},
        "items": [{"k": "p", "v": 1}, {"k": "q", "v": 5}],
    },
    "c": {"n": 3.5, "s": "Cherry", "tags": [], "deep": None, "items": [{"k": "p", "v": 5}]},
    "d": {"n": None, "s": "date\nline", "tags": "red"},
    "e": {"n": [1, 10], "s": "", "flag": False, "deep": [{"x": 1}, {"x": 9}]},
    "f": {"n": 9007199254740993, "s": "élan", "when": {"$date": "2026-01-31T09:30:00Z"}},
    "g": {"n": "2", "nested": [[1, 2], [3]]},
}


@pytest.fixture(scope="module")
def fruit(project, alice):
    collection = project.collection()
    for name, document in DOCUMENTS.items():
        alice.create(collection, {"id": name, **document})
    return collection


@pytest.mark.parametrize(
    "filter, found",
    [
        ({}, "abcdefg"),
        ({"n": 1}, "ae"),
        ({"n": 1.0}, "ae"),
        ({"n": "2"}, "g"),
        ({"n": None}, "d"),
        ({"missing": None}, "abcdefg"),
        ({"n": [1, 10]}, "e"),
        ({"n": [10, 1]}, ""),
        ({"n": 9007199254740993}, "f"),
        ({"n": 9007199254740992}, ""),
        ({"n": {"$eq": 2}}, "b"),
        ({"n": {"$ne": 1}}, "bcdfg"),
        ({"n": {"$gt": 2}}, "cef"),
        ({"n": {"$gte": 2}}, "bcef"),
        ({"n": {"$lt": 2}}, "ae"),
        ({"n": {"$lte": 2}}, "abe"),
        ({"n": {"$gt": 1, "$lt": 3}}, "be"),
        ({"n": {"$in": [1, 2]}}, "abe"),
        ({"n": {"$in": []}}, ""),
        ({"n": {"$nin": [1, 2]}}, "cdfg"),
        ({"n": {"$nin": []}}, "abcdefg"),
        ({"n": {"$in": [None]}}, "d"),
        ({"s": {"$gt": "b", "$lt": "e"}}, "bd"),
        ({"$and": [{"n": {"$gte": 1}}, {"s": "apple"}]}, "a"),
        ({"$or": [{"n": 2}, {"s": "apple"}]}, "ab"),
        ({"$nor": [{"n": {"$exists": True}}]}, ""),
        ({"$nor": [{"n": 1}, {"n": 2}]}, "cdfg"),
        ({"n": {"$not": {"$gt": 2}}}, "abdg"),
        ({"$and": [{"$or": [{"n": 1}, {"n": 2}]}, {"flag": True}]}, "a"),
        ({"n": {"$exists": True}}, "abcdefg"),
        ({"flag": {"$exists": True}}, "ae"),
        ({"flag": {"$exists": False}}, "bcdfg"),
        ({"deep.x": {"$exists": True}}, "abe"),
        ({"flag": True}, "a"),
        ({"flag": {"$ne": True}}, "bcdefg"),
        ({"n": {"$type": "string"}}, "g"),
        ({"n": {"$type": "number"}}, "abcef"),
        ({"n": {"$type": "null"}}, "d"),
        ({"n": {"$type": ["string", "null"]}}, "dg"),
        ({"tags": {"$type": "array"}}, "abc"),
        ({"when": {"$type": "date"}}, "f"),
        ({"flag": {"$type": "bool"}}, "ae"),
        ({"n": {"$type": "long"}}, "f"),
        ({"deep": {"$type": "object"}}, "abe"),
        ({"tags": "red"}, "ad"),
        ({"tags": ["red", "round"]}, "a"),
        ({"tags": []}, "c"),
        ({"tags": {"$all": ["red", "round"]}}, "a"),
        ({"tags": {"$all": ["red"]}}, "ad"),
        ({"tags": {"$all": []}}, ""),
        ({"tags": {"$size": 1}}, "b"),
        ({"tags": {"$size": 0}}, "c"),
        ({"tags": {"$elemMatch": {"$eq": "red"}}}, "a"),
        ({"tags.0": "red"}, "a"),
        ({"tags.1": {"$exists": True}}, "a"),
        ({"items": {"$elemMatch": {"k": "p", "v": 5}}}, "c"),
        ({"items.k": "p", "items.v": 5}, "bc"),
        ({"items.0.v": 5}, "c"),
        ({"n": {"$elemMatch": {"$gt": 5, "$lt": 20}}}, "e"),
        ({"n": {"$mod": [2, 1]}}, "acef"),
        ({"n": {"$mod": [2, 0]}}, "be"),
        ({"deep.x": 1}, "ae"),
        ({"deep.x": {"$gt": 5}}, "e"),
        ({"deep.y": 2}, "a"),
        ({"deep": {"x": 2}}, "b"),
        ({"deep": None}, "cdfg"),
        ({"deep.x": None}, "cdfg"),
        ({"s": {"$regex": "^a"}}, "a"),
        ({"s": {"$regex": "CHERRY", "$options": "i"}}, "c"),
        ({"s": {"$regex": "an"}}, "bf"),
        ({"s": {"$regex": "^line", "$options": "m"}}, "d"),
        ({"s": {"$regex": "date.line", "$options": "s"}}, "d"),
        ({"s": {"$regex": "date.line"}}, ""),
        ({"s": {"$regex": "^.lan$"}}, "f"),
        ({"s": {"$in": ["apple", "banana"]}}, "ab"),
        ({"s": {"$not": {"$regex": "a"}}}, "ceg"),
        ({"tags": {"$regex": "^r"}}, "ad"),
        ({"nested": [1, 2]}, "g"),
        ({"id": "a"}, "a"),
        ({"id": {"$in": ["a", "g", "zz"]}}, "ag"),
        ({"id": {"$gte": "f"}}, "fg"),
        ({"when": {"$date": "2026-01-31T09:30:00Z"}}, "f"),
        ({"when": {"$gt": {"$date": "2026-01-01T00:00:00Z"}}}, "f"),
        ({"createdAt": {"$gt": "2020-01-01T00:00:00.000Z"}}, "abcdefg"),
        ({"createdAt": {"$lt": "2020-01-01T00:00:00.000Z"}}, ""),
        ({"updatedAt": {"$gte": "2020-01-01T00:00:00Z", "$lt": "2999-01-01T00:00:00Z"}}, "abcdefg"),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_matches(alice, fruit, filter, found):
    assert "".join(document["id"] for document in alice.list(fruit, filter)) == found


@pytest.mark.parametrize(
    "filter",
    [
        {"$where": "1"},
        {"$expr": {}},
        {"$function": {}},
        {"$jsonSchema": {}},
        {"$text": {"$search": "x"}},
        {"$comment": "x"},
        {"$nonsense": 1},
        {"n": {"$nonsense": 1}},
        {"n": {"$where": "1"}},
        {"n": {"$near": [1, 2]}},
        {"n": {"$geoWithin": {}}},
        {"n": {"$gt": 1, "x": 2}},
        {"$and": []},
        {"$or": []},
        {"$nor": []},
        {"$and": {}},
        {"$or": [1]},
        {"$or": 5},
        {"$not": {"n": 1}},
        {"n": {"$not": 5}},
        {"n": {"$in": 5}},
        {"n": {"$in": {}}},
        {"n": {"$nin": "x"}},
        {"n": {"$in": [{"$gt": 1}]}},
        {"n": {"$type": "nonsense"}},
        {"n": {"$type": 99}},
        {"n": {"$all": 5}},
        {"n": {"$size": "1"}},
        {"n": {"$size": -1}},
        {"n": {"$size": 1.5}},
        {"n": {"$mod": [0, 1]}},
        {"n": {"$mod": [2]}},
        {"n": {"$mod": 2}},
        {"n": {"$mod": ["a", 1]}},
        {"n": {"$elemMatch": 5}},
        {"n": {"$elemMatch": []}},
        {"s": {"$regex": "("}},
        {"s": {"$regex": 5}},
        {"s": {"$regex": "a", "$options": "q"}},
        {"s": {"$options": "i"}},
        {"s": {"$regex": "(?=a)b"}},
        {"s": {"$regex": "(a)\\1"}},
        {"s": {"$regex": "(?<!a)b"}},
        {"": 1},
        {"a..b": 1},
        {".a": 1},
        {"a.": 1},
        {"$a": 1},
        {"a.$b": 1},
        {"a\u0000b": 1},
    ],
    ids=json.dumps,
)
def test_refused(alice, fruit, filter):
    error = refused(alice.get(f"/{fruit}", params={"filter": json.dumps(filter)}), 400, "INVALID_FILTER")
    assert error["message"]


def nested(depth: int) -> dict:
    filter = {"n": 1}
    for _ in range(depth):
        filter = {"$and": [filter]}
    return filter


def test_limits(alice, fruit):
    alice.list(fruit, nested(10))
    for filter in (nested(30), nested(95), {"$or": [{"n": n} for n in range(150)]}, {f"f{n}": 1 for n in range(150)}):
        refused(alice.get(f"/{fruit}", params={"filter": json.dumps(filter)}), 400, "INVALID_FILTER")
    alice.list(fruit, {"$or": [{"n": n} for n in range(80)]})


def test_costly_patterns_run_in_linear_time(alice, project):
    collection = project.collection()
    alice.create(collection, {"s": "a" * 50_000})
    for pattern in ("^(a+)+$", "(a|a)*b", "(.*)*x", "^(a?){50}a{50}"):
        response = alice.get(
            f"/{collection}",
            params={"filter": json.dumps({"s": {"$regex": pattern}})},
        )
        assert response.status_code in (200, 400)
        assert response.elapsed.total_seconds() < 60
    refused(
        alice.get(f"/{collection}", params={"filter": json.dumps({"s": {"$regex": "a{1000}{1000}"}})}),
        400,
        "INVALID_FILTER",
    )


def test_the_same_through_admin(admin, fruit):
    path = f"/admin/collections/{fruit}/documents"
    for filter, found in (({"n": {"$gt": 2}}, "cef"), ({"tags": "red"}, "ad")):
        body = admin.get(path, params={"filter": json.dumps(filter)}).json()
        assert "".join(item["id"] for item in body["documents"]) == found and body["total"] == len(found)
    for text in ("[]", "x", '{"$where": "1"}'):
        refused(admin.get(path, params={"filter": text}), 400, "INVALID_FILTER")
    for name in ("limit", "skip"):
        refused(admin.get(path, params={name: "-1"}), 400, "INVALID_PARAM")

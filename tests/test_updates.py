"""The update language over HTTP: every operator, MongoDB's semantics, and refused updates."""

import json
import re

import pytest

from support.client import ok, refused

START = {
    "n": 5,
    "f": 1.5,
    "s": "text",
    "list": [3, 1, 2],
    "objects": [{"k": 1, "v": "a"}, {"k": 2, "v": "b"}],
    "deep": {"x": 1, "y": {"z": 2}},
    "none": None,
    "bits": 13,
    "big": 9223372036854775807,
}


@pytest.fixture(scope="module")
def things(project):
    return project.collection()


def own(document: dict) -> dict:
    return {key: value for key, value in document.items() if key not in ("id", "ownerId", "createdAt", "updatedAt")}


@pytest.mark.parametrize(
    "update, changed",
    [
        ({"$set": {"n": 6}}, {"n": 6}),
        ({"$set": {"new": {"a": [1]}}}, {"new": {"a": [1]}}),
        ({"$set": {"deep.y.z": 9}}, {"deep": {"x": 1, "y": {"z": 9}}}),
        ({"$set": {"a.b.c": 1}}, {"a": {"b": {"c": 1}}}),
        ({"$set": {"list.0": 9}}, {"list": [9, 1, 2]}),
        ({"$set": {"list.5": 9}}, {"list": [3, 1, 2, None, None, 9]}),
        ({"$set": {"objects.1.v": "z"}}, {"objects": [{"k": 1, "v": "a"}, {"k": 2, "v": "z"}]}),
        ({"$unset": {"n": ""}}, {"n": ...}),
        ({"$unset": {"deep.y": 1}}, {"deep": {"x": 1}}),
        ({"$unset": {"nothing.at.all": ""}}, {}),
        ({"$unset": {"list.1": ""}}, {"list": [3, None, 2]}),
        ({"$inc": {"n": 2}}, {"n": 7}),
        ({"$inc": {"n": 0.5}}, {"n": 5.5}),
        ({"$inc": {"new": 3}}, {"new": 3}),
        ({"$inc": {"n": 2147483647}}, {"n": 2147483652}),
        ({"$mul": {"n": 3}}, {"n": 15}),
        ({"$mul": {"new": 3}}, {"new": 0}),
        ({"$mul": {"f": 2}}, {"f": 3}),
        ({"$min": {"n": 3}}, {"n": 3}),
        ({"$min": {"n": 9}}, {}),
        ({"$max": {"n": 9}}, {"n": 9}),
        ({"$max": {"n": 3}}, {}),
        ({"$max": {"new": 3}}, {"new": 3}),
        ({"$rename": {"n": "m"}}, {"n": ..., "m": 5}),
        ({"$rename": {"deep.x": "up"}}, {"deep": {"y": {"z": 2}}, "up": 1}),
        ({"$rename": {"nothing": "else"}}, {}),
        ({"$rename": {"n": "s"}}, {"n": ..., "s": 5}),
        ({"$setOnInsert": {"n": 9}}, {}),
        ({"$push": {"list": 4}}, {"list": [3, 1, 2, 4]}),
        ({"$push": {"new": 4}}, {"new": [4]}),
        ({"$push": {"list": {"$each": [9, 8]}}}, {"list": [3, 1, 2, 9, 8]}),
        ({"$push": {"list": {"$each": [9], "$position": 0}}}, {"list": [9, 3, 1, 2]}),
        ({"$push": {"list": {"$each": [9], "$position": -1}}}, {"list": [3, 1, 9, 2]}),
        ({"$push": {"list": {"$each": [9], "$slice": 2}}}, {"list": [3, 1]}),
        ({"$push": {"list": {"$each": [9], "$slice": -2}}}, {"list": [2, 9]}),
        ({"$push": {"list": {"$each": [], "$sort": 1}}}, {"list": [1, 2, 3]}),
        ({"$push": {"list": {"$each": [0], "$sort": -1, "$slice": 3}}}, {"list": [3, 2, 1]}),
        (
            {"$push": {"objects": {"$each": [{"k": 0}], "$sort": {"k": 1}}}},
            {"objects": [{"k": 0}, {"k": 1, "v": "a"}, {"k": 2, "v": "b"}]},
        ),
        ({"$push": {"list": [7, 8]}}, {"list": [3, 1, 2, [7, 8]]}),
        ({"$pull": {"list": 1}}, {"list": [3, 2]}),
        ({"$pull": {"list": {"$gte": 2}}}, {"list": [1]}),
        ({"$pull": {"objects": {"k": 1}}}, {"objects": [{"k": 2, "v": "b"}]}),
        ({"$pull": {"list": {"$in": [1, 2]}}}, {"list": [3]}),
        ({"$pull": {"nothing": 1}}, {}),
        ({"$pullAll": {"list": [1, 3, 7]}}, {"list": [2]}),
        ({"$addToSet": {"list": 3}}, {}),
        ({"$addToSet": {"list": 4}}, {"list": [3, 1, 2, 4]}),
        ({"$addToSet": {"list": {"$each": [1, 5, 5]}}}, {"list": [3, 1, 2, 5]}),
        ({"$addToSet": {"objects": {"k": 1, "v": "a"}}}, {}),
        ({"$addToSet": {"new": 1}}, {"new": [1]}),
        ({"$pop": {"list": 1}}, {"list": [3, 1]}),
        ({"$pop": {"list": -1}}, {"list": [1, 2]}),
        ({"$pop": {"nothing": 1}}, {}),
        ({"$bit": {"bits": {"and": 10}}}, {"bits": 8}),
        ({"$bit": {"bits": {"or": 2}}}, {"bits": 15}),
        ({"$bit": {"bits": {"xor": 1}}}, {"bits": 12}),
        ({"$set": {"n": 1}, "$inc": {"f": 1}, "$unset": {"s": ""}}, {"n": 1, "f": 2.5, "s": ...}),
        ({"n": 6, "deep.x": 2}, {"n": 6, "deep": {"x": 2, "y": {"z": 2}}}),
        ({"none": 1}, {"none": 1}),
        ({"deep": {"only": 1}}, {"deep": {"only": 1}}),
        ({"$set": {"d": {"$date": "2026-01-31T09:30:00Z"}}}, {"d": "2026-01-31T09:30:00.000Z"}),
        # An operator without fields changes nothing.
        ({"$set": {}}, {}),
        ({"$set": {}, "$inc": {"n": 1}}, {"n": 6}),
        # A segment of digits is an index of an array, and a field name elsewhere.
        ({"$set": {"new.0": 1}}, {"new": {"0": 1}}),
        ({"$set": {"deep.0": 1}}, {"deep": {"x": 1, "y": {"z": 2}, "0": 1}}),
        ({"$push": {"new.0": 1}}, {"new": {"0": [1]}}),
        # Values of different types compare by their types.
        ({"$min": {"s": 1}}, {"s": 1}),
        ({"$max": {"n": "x"}}, {"n": "x"}),
        ({"$max": {"none": False}}, {"none": False}),
        ({"$min": {"n": None}}, {"n": None}),
        ({"$inc": {"n": {"$numberDecimal": "0.5"}}}, {"n": "5.5"}),
        ({"$mul": {"n": 4294967296}}, {"n": 21474836480}),
        ({"$pull": {"objects": {"$or": [{"k": 1}, {"v": "b"}]}}}, {"objects": []}),
        ({"$pull": {"list": {"$not": {"$gt": 1}}}}, {"list": [3, 2]}),
        (
            {"$push": {"objects": {"$each": [{"k": 1, "v": "0"}], "$sort": {"k": -1, "v": 1}, "$slice": -2}}},
            {"objects": [{"k": 1, "v": "0"}, {"k": 1, "v": "a"}]},
        ),
        (
            {"$inc": {"objects.$[].k": 1}, "$set": {"list.0": 7}},
            {"objects": [{"k": 2, "v": "a"}, {"k": 3, "v": "b"}], "list": [7, 1, 2]},
        ),
    ],
    ids=lambda value: json.dumps(value, default=str)[:70],
)
def test_applied(alice, things, update, changed):
    document = alice.create(things, START)
    path = f"/{things}/{document['id']}"
    ok(alice.patch(path, update), 204)
    expected = {key: value for key, value in {**START, **changed}.items() if value is not ...}
    assert own(ok(alice.get(path))["document"]) == expected


def test_current_date(alice, things):
    document = alice.create(things, START)
    path = f"/{things}/{document['id']}"
    stamp = {"when": True, "deep.when": {"$type": "date"}, "stamp": {"$type": "timestamp"}}
    ok(alice.patch(path, {"$currentDate": stamp}), 204)
    got = ok(alice.get(path))["document"]
    assert re.match(r"^Timestamp\(\d{10}, 1\)$", got["stamp"])
    for value in (got["when"], got["deep"]["when"]):
        assert re.match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", value)
    assert got["when"] >= document["createdAt"]


@pytest.mark.parametrize(
    "update",
    [
        {"$nonsense": {"n": 1}},
        {"$set": 5},
        {"$set": []},
        {"$set": {"a": 1, "a.b": 2}},
        {"$where": "x"},
        {"$set": {"n": 1}, "n": 2},
        {"n": 2, "$inc": {"n": 1}},
        {"$set": {"n": 1}, "$inc": {"n": 1}},
        {"$set": {"deep": 1, "deep.x": 2}},
        {"$set": {"deep.x": 1}, "$unset": {"deep": ""}},
        {"$push": {"list": 1}, "$pull": {"list": 2}},
        {"$set": {"list.$[]": 1, "list.0": 1}},
        {"$rename": {"n": "m"}, "$set": {"m": 1}},
        {"$rename": {"n": "m", "f": "m"}},
        {"$unset": {"nothing.$[]": ""}},
        {"$set": {"n.$[]": 1}},
        {"$rename": {"n": "list.0"}},
        {"$rename": {"objects.0.k": "k"}},
        {"$rename": {"n": "objects.$[].n"}},
        {"$pull": {"n.x": 1}},
        {"$pop": {"none": 1}},
        {"$push": {"none": 1}},
        {"$mul": {"big": 2}},
        {"$set": {"list.5000": 1}},
        {"$rename": {"n": "n"}},
        {"$rename": {"n": 5}},
        {"$rename": {"n": ""}},
        {"$rename": {"deep": "deep.x"}},
        {"$rename": {"list.0": "x"}},
        {"$inc": {"s": 1}},
        {"$inc": {"n": "1"}},
        {"$inc": {"none": 1}},
        {"$inc": {"big": 1}},
        {"$mul": {"s": 2}},
        {"$mul": {"n": None}},
        {"$push": {"s": 1}},
        {"$push": {"list": {"$each": 5}}},
        {"$push": {"list": {"$each": [1], "$slice": "x"}}},
        {"$push": {"list": {"$each": [1], "$sort": 5}}},
        {"$push": {"list": {"$each": [1], "$nonsense": 1}}},
        {"$pull": {"s": 1}},
        {"$pullAll": {"list": 1}},
        {"$addToSet": {"s": 1}},
        {"$addToSet": {"list": {"$each": 1}}},
        {"$pop": {"list": 2}},
        {"$pop": {"list": "x"}},
        {"$pop": {"s": 1}},
        {"$bit": {"n": 5}},
        {"$bit": {"n": {"nand": 1}}},
        {"$bit": {"s": {"and": 1}}},
        {"$bit": {"f": {"and": 1}}},
        {"$currentDate": {"n": 5}},
        {"$currentDate": {"n": {"$type": "nonsense"}}},
        {"$set": {"s.x": 1}},
        {"$set": {"list.x": 1}},
        {"$set": {"n.0": 1}},
        {"$set": {"list.$": 1}},
        {"$set": {"list.$[e]": 1}},
        {"$set": {"": 1}},
        {"$set": {"a..b": 1}},
        {"$set": {".a": 1}},
        {"$set": {"a.": 1}},
        {"$set": {"$a": 1}},
        {"$set": {"a.$b": 1}},
        {"$set": {"list.99999999": 1}},
        {"": 1},
        {"a..b": 1},
        {"$set": {".".join("a" * 200): 1}},
        {"$set": {"x": {"$inc": 1}}},
        {"x": {"$gt": 1}},
    ],
    ids=lambda value: json.dumps(value)[:70],
)
def test_refused(alice, admin, things, update):
    document = alice.create(things, START)
    path = f"/{things}/{document['id']}"
    response = alice.patch(path, update)
    refused(response, 400, "INVALID_UPDATE")
    refused(admin.patch(f"/admin/collections/{things}/documents/{document['id']}", update), 400, "INVALID_UPDATE")
    assert ok(alice.get(path))["document"] == document


@pytest.mark.parametrize(
    "update, path",
    [
        ({"$set": {"deep": 1, "deep.x": 2}}, "deep.x"),
        ({"$inc": {"deep.y.z": 1}, "$unset": {"deep.y": ""}}, "deep.y"),
        ({"$rename": {"n": "m"}, "$inc": {"m": 1}}, "m"),
        ({"$set": {"s.t.u": 1}}, "s.t.u"),
        ({"$set": {"list.last": 1}}, "list.last"),
    ],
)
def test_refusals_name_the_path(alice, things, update, path):
    document = alice.create(things, START)
    error = refused(alice.patch(f"/{things}/{document['id']}", update), 400, "INVALID_UPDATE")
    assert f'"{path}"' in error["message"], error


def test_positional_all(alice, things):
    """`$[]` is an operator that REST supports."""
    document = alice.create(things, START)
    path = f"/{things}/{document['id']}"
    ok(alice.patch(path, {"$inc": {"list.$[]": 10}, "$set": {"objects.$[].v": "all"}}), 204)
    got = ok(alice.get(path))["document"]
    assert got["list"] == [13, 11, 12] and [item["v"] for item in got["objects"]] == ["all", "all"]


def test_an_update_without_effect(alice, things):
    document = alice.create(things, START)
    path = f"/{things}/{document['id']}"
    assert alice.patch(path, {"n": 5}).status_code == 204
    assert own(ok(alice.get(path))["document"]) == START
    assert alice.patch(path, {}).status_code in (204, 400)
    assert own(ok(alice.get(path))["document"]) == START


@pytest.mark.parametrize(
    "update",
    [
        {"$set": {"id": "other", "createdAt": 1, "updatedAt": 1}},
        {"$unset": {"id": "", "createdAt": "", "updatedAt": ""}},
        {"$rename": {"id": "was", "createdAt": "then"}},
        {"$rename": {"s": "id"}},
        {"$currentDate": {"createdAt": True}},
        {"$min": {"id": ""}},
        {"id": "other", "createdAt": None},
    ],
    ids=json.dumps,
)
def test_what_the_server_owns_stays(alice, things, update):
    document = alice.create(things, START)
    path = f"/{things}/{document['id']}"
    assert alice.patch(path, update).status_code in (204, 400)
    got = ok(alice.get(path))["document"]
    assert got["id"] == document["id"] and got["createdAt"] == document["createdAt"]
    assert re.match(r"^\d{4}-", got["updatedAt"])

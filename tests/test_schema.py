"""The JSON Schema subset: accepted schemas, and accepted values of writes."""

import json

import pytest

from support.client import OPEN_POLICY, ok, refused


def prop(schema: dict) -> dict:
    return {"type": "object", "properties": {"v": schema}}


@pytest.mark.parametrize(
    "schema, good, bad",
    [
        ({"type": "string"}, ["", "a"], [1, None, [], {}, True]),
        ({"type": "integer"}, [0, -5, 2**60, 1.0], [1.5, "1", None]),
        ({"type": "number"}, [1, 1.5, -2], ["1", None, True]),
        ({"type": "boolean"}, [True, False], [0, "true", None]),
        ({"type": "null"}, [None], [0, ""]),
        ({"type": "array"}, [[], [1]], [{}, "a"]),
        ({"type": "object"}, [{}, {"a": 1}], [[], "a"]),
        ({"type": ["string", "null"]}, ["a", None], [1]),
        ({"enum": ["a", 1, None]}, ["a", 1, None], ["b", 2, "1"]),
        ({"const": {"a": 1}}, [{"a": 1}], [{"a": 2}, {}]),
        ({"enum": [1, 2, 3], "const": 2}, [2, 2.0], [1, 4]),
        ({"minimum": 1, "maximum": 3}, [1, 3, 2.5], [0, 3.1]),
        ({"exclusiveMinimum": 1, "exclusiveMaximum": 3}, [2, 1.1], [1, 3]),
        ({"multipleOf": 0.1}, [0.3, 1], [0.25]),
        ({"multipleOf": 3}, [9, 0], [10]),
        ({"minLength": 2, "maxLength": 3}, ["ab", "äöü"], ["a", "abcd"]),
        ({"pattern": "^[a-z]+$"}, ["abc"], ["a1", ""]),
        ({"items": {"type": "integer"}}, [[1, 2], []], [[1, "a"]]),
        ({"minItems": 1, "maxItems": 2}, [[1], [1, 2]], [[], [1, 2, 3]]),
        ({"uniqueItems": True}, [[1, 2], ["1", 1]], [[1, 1], [{"a": 1}, {"a": 1}]]),
        ({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, [{"a": 1, "b": 2}], [{}, {"a": "x"}]),
        ({"additionalProperties": False, "properties": {"a": {}}}, [{"a": 1}, {}], [{"b": 1}]),
        ({"additionalProperties": {"type": "string"}}, [{"x": "a"}], [{"x": 1}]),
        ({"patternProperties": {"^n_": {"type": "number"}}}, [{"n_a": 1, "x": "y"}], [{"n_a": "x"}]),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, ["ab"], ["a", 1]),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ["a", 1], [1.5]),
        ({"oneOf": [{"type": "integer"}, {"minimum": 5}]}, [1, 5.5], [6]),
        ({"not": {"type": "string"}}, [1], ["a"]),
        ({"format": "date-time"}, ["2026-01-31T09:30:00Z"], ["yesterday", "2026-02-30T00:00:00Z"]),
        ({"format": "date"}, ["2026-01-31"], ["2026-13-01", "x"]),
        ({"format": "time"}, ["09:30:00Z"], ["25:00:00Z"]),
        ({"format": "email"}, ["a@b.example"], ["a", "@b"]),
        ({"format": "uri"}, ["https://a.example/x"], ["no uri"]),
        ({"format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000"], ["123"]),
        ({"format": "ipv4"}, ["127.0.0.1"], ["256.0.0.1", "1.2.3"]),
        ({"format": "ipv6"}, ["::1", "fe80::1"], ["::g", "1.2.3.4"]),
        ({"title": "T", "description": "D", "type": "string"}, ["a"], [1]),
        ({}, [1, "a", None, {}], []),
    ],
    ids=lambda value: json.dumps(value)[:50] if isinstance(value, dict) else "",
)
def test_keywords(project, alice, schema, good, bad):
    collection = project.collection(schema=prop(schema))
    for value in good:
        assert ok(alice.post(f"/{collection}", {"v": value}), 201)["document"]["v"] == value
    for value in bad:
        error = refused(alice.post(f"/{collection}", {"v": value}), 400, "VALIDATION")
        assert any(detail["path"].startswith("/v") for detail in error["details"]), error
    assert len(alice.list(collection)) == len(good)


@pytest.mark.parametrize(
    "schema",
    [
        {"typo": "object"},
        {"type": "objekt"},
        {"type": 5},
        {"type": []},
        {"properties": []},
        {"properties": {"a": 5}},
        {"required": "a"},
        {"required": [1]},
        {"items": 5},
        {"enum": "a"},
        {"enum": []},
        {"minimum": "1"},
        {"multipleOf": 0},
        {"multipleOf": -1},
        {"minLength": -1},
        {"maxLength": 1.5},
        {"pattern": "("},
        {"pattern": 5},
        {"pattern": "(?=a)"},
        {"format": "nonsense"},
        {"format": 5},
        {"uniqueItems": "yes"},
        {"allOf": {}},
        {"allOf": []},
        {"anyOf": [5]},
        {"not": []},
        {"additionalProperties": 5},
        {"patternProperties": {"(": {}}},
        {"properties": {"a": {"typo": 1}}},
        {"x-ref": "a"},
        {"properties": {"a": {"type": "integer", "x-ref": "b"}}},
        {"properties": {"a": {"x-ref": 5}}},
        {"properties": {"a": {"x-bson": "nonsense"}}},
        {"$ref": "#/x"},
        {"$schema": "http://evil.example"},
        {"if": {}},
    ],
    ids=json.dumps,
)
def test_refused_at_save(project, admin, schema):
    collection = project.collection(policy=None)
    error = refused(
        admin.put(f"/admin/collections/{collection}/schema", {"type": "object", **schema}), 400, "VALIDATION"
    )
    assert error.get("details"), error
    assert ok(admin.get(f"/admin/collections/{collection}/schema")) == {"schema": None}


def test_all_problems_are_reported(project, admin, alice):
    collection = project.collection(
        schema={
            "type": "object",
            "required": ["a", "b"],
            "properties": {"c": {"type": "integer"}, "d": {"type": "array", "items": {"type": "string"}}},
        }
    )
    error = refused(alice.post(f"/{collection}", {"c": "x", "d": ["ok", 5]}), 400, "VALIDATION")
    assert {"/a", "/b", "/c", "/d/1"} <= {detail["path"] for detail in error["details"]}
    error = refused(admin.put(f"/admin/collections/{collection}/schema", {"type": "nonsense", "minimum": "x"}), 400)
    assert len(error["details"]) == 2


def test_every_write_is_validated(project, admin, alice):
    collection = project.collection(
        schema={
            "type": "object",
            "required": ["n"],
            "additionalProperties": False,
            "properties": {"n": {"type": "integer", "maximum": 10}, "tags": {"type": "array", "maxItems": 2}},
        }
    )
    document = alice.create(collection, {"n": 1})
    path = f"/{collection}/{document['id']}"
    for update in (
        {"n": "x"},
        {"other": 1},
        {"$inc": {"n": 100}},
        {"$unset": {"n": ""}},
        {"$rename": {"n": "m"}},
        {"$push": {"tags": {"$each": [1, 2, 3]}}},
        {"$set": {"deep.x": 1}},
    ):
        refused(alice.patch(path, update), 400, "VALIDATION")
        refused(admin.patch(f"/admin/collections/{collection}/documents/{document['id']}", update), 400, "VALIDATION")
    for body in ({}, {"n": "x"}, {"n": 1, "other": 1}):
        refused(alice.put(path, body), 400, "VALIDATION")
    assert ok(alice.get(path))["document"] == document
    ok(alice.patch(path, {"$push": {"tags": "a"}}), 204)


def test_defaults_on_create_only(project, alice):
    collection = project.collection(
        schema={
            "type": "object",
            "properties": {
                "a": {"type": "integer", "default": 5},
                "deep": {"type": "object", "properties": {"b": {"default": "x"}}},
            },
        }
    )
    document = alice.create(collection, {})
    assert document["a"] == 5
    assert alice.create(collection, {"a": 1, "deep": {}})["deep"] == {"b": "x"}
    path = f"/{collection}/{document['id']}"
    ok(alice.put(path, {}), 204)
    assert "a" not in ok(alice.get(path))["document"]


def test_existing_documents_are_not_revalidated(project, admin, alice):
    collection = project.collection()
    document = alice.create(collection, {"n": "text"})
    ok(
        admin.put(
            f"/admin/collections/{collection}/schema",
            prop({"type": "integer"}) | {"properties": {"n": {"type": "integer"}}},
        ),
        204,
    )
    assert ok(alice.get(f"/{collection}/{document['id']}"))["document"]["n"] == "text"
    refused(alice.patch(f"/{collection}/{document['id']}", {"other": 1}), 400, "VALIDATION")
    ok(alice.patch(f"/{collection}/{document['id']}", {"n": 1, "other": 1}), 204)


def test_changes_are_live(project, admin, alice):
    collection = project.collection()
    path = f"/admin/collections/{collection}/schema"
    for _ in range(5):
        ok(admin.put(path, prop({"type": "integer"})), 204)
        refused(alice.post(f"/{collection}", {"v": "x"}), 400)
        ok(admin.delete(path), 204)
        alice.create(collection, {"v": "x"})


# ---- types in the store


def test_x_bson(project, alice):
    collection = project.collection(
        schema={
            "type": "object",
            "properties": {
                "when": {"type": "string", "x-bson": "date"},
                "ref": {"type": "string", "x-bson": "objectId"},
                "price": {"type": "string", "x-bson": "decimal"},
                "raw": {"type": "string", "x-bson": "binary"},
            },
        },
        indexes=[{"keys": {"when": 1}}, {"keys": {"price": 1}}],
    )
    values = {"when": "2026-01-31T09:30:00.000Z", "ref": "507f1f77bcf86cd799439011", "price": "1.10", "raw": "AQID"}
    document = alice.create(collection, {"id": "one", **values})
    assert {key: document[key] for key in values} == values
    alice.create(collection, {"id": "two", "when": "2026-01-31T10:30:00.000+01:00", "price": "12.5"})
    assert ok(alice.get(f"/{collection}/two"))["document"]["when"] == "2026-01-31T09:30:00.000Z"
    for filter, found in (
        ({"when": "2026-01-31T09:30:00Z"}, ["one", "two"]),
        ({"when": {"$gt": "2026-01-31T09:29:59Z"}}, ["one", "two"]),
        ({"when": {"$gt": "2026-02-01T00:00:00Z"}}, []),
        ({"ref": values["ref"]}, ["one"]),
        ({"price": {"$gt": "9"}}, ["two"]),
        ({"price": "1.1"}, ["one"]),
        ({"raw": "AQID"}, ["one"]),
        ({"when": {"$type": "date"}}, ["one", "two"]),
    ):
        assert [item["id"] for item in alice.list(collection, filter)] == found, filter
    ok(alice.patch(f"/{collection}/one", {"when": "2026-05-01T00:00:00Z"}), 204)
    assert [item["id"] for item in alice.list(collection, {"when": {"$gt": "2026-04-01T00:00:00Z"}})] == ["one"]
    for bad in ({"when": "tomorrow"}, {"ref": "zz"}, {"price": "much"}, {"raw": "***"}, {"when": 5}):
        refused(alice.post(f"/{collection}", bad), 400, "VALIDATION")
        refused(alice.patch(f"/{collection}/one", bad), 400)


def test_deep_and_wide_schemas(project, admin):
    collection = project.collection(policy=None)
    deep = {"type": "string"}
    for _ in range(30):
        deep = {"type": "object", "properties": {"a": deep}}
    assert admin.put(f"/admin/collections/{collection}/schema", deep).status_code in (204, 400)
    wide = {"type": "object", "properties": {f"f{n}": {"type": "string", "pattern": f"^{n}+$"} for n in range(500)}}
    assert admin.put(f"/admin/collections/{collection}/schema", wide).status_code in (204, 400)


def test_costly_patterns_run_in_linear_time(project, alice):
    collection = project.collection(schema=prop({"type": "string", "pattern": "^(a+)+$"}))
    response = alice.post(f"/{collection}", {"v": "a" * 100_000 + "!"})
    refused(response, 400)
    assert response.elapsed.total_seconds() < 60


def test_schema_and_policy_together(project, alice):
    collection = project.collection(
        schema=prop({"type": "integer"}), policy={**OPEN_POLICY, "create": {"validate": "document.v > 1"}}
    )
    refused(alice.post(f"/{collection}", {"v": 1}), 403)
    refused(alice.post(f"/{collection}", {"v": "x"}), 400)
    alice.create(collection, {"v": 2})

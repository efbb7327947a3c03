"""The `validate` expressions of policies, in CEL: on create, on update, and expressions that are refused at save."""

import json

import pytest

from support.client import OPEN_POLICY, ok, refused


@pytest.mark.parametrize(
    "expression, good, bad",
    [
        ("document.n > 0", {"n": 1}, {"n": 0}),
        ("document.n >= 1 && document.n < 10", {"n": 9}, {"n": 10}),
        ("document.n % 2 == 0", {"n": 4}, {"n": 3}),
        ("!(document.n == 3)", {"n": 4}, {"n": 3}),
        ("document.n + 1 == 3", {"n": 2}, {"n": 3}),
        ("-document.n == 2", {"n": -2}, {"n": 2}),
        ("document.s in ['a', 'b']", {"s": "b"}, {"s": "c"}),
        ("'x' in document.list", {"list": ["y", "x"]}, {"list": ["y"]}),
        ("has(document.s)", {"s": ""}, {}),
        ("!has(document.s) || document.s != ''", {}, {"s": ""}),
        ("has(document.deep.x)", {"deep": {"x": 1}}, {"deep": {}}),
        ("document.s.startsWith('ab')", {"s": "abc"}, {"s": "cab"}),
        ("document.s.endsWith('c')", {"s": "abc"}, {"s": "cab"}),
        ("document.s.contains('b')", {"s": "abc"}, {"s": "ac"}),
        ("document.s.matches('^[a-z]+$')", {"s": "abc"}, {"s": "ab1"}),
        ("size(document.s) == 3", {"s": "añb"}, {"s": "ab"}),
        ("document.list.size() <= 2", {"list": [1, 2]}, {"list": [1, 2, 3]}),
        ("size(document.deep) == 1", {"deep": {"a": 1}}, {"deep": {}}),
        ("document.list.all(x, x > 0)", {"list": [1, 2]}, {"list": [1, 0]}),
        ("document.list.exists(x, x == 'a')", {"list": ["a"]}, {"list": []}),
        ("document.list.exists_one(x, x == 1)", {"list": [1, 2]}, {"list": [1, 1]}),
        ("document.list.map(x, x * 2) == [2, 4]", {"list": [1, 2]}, {"list": [1, 3]}),
        ("document.list.filter(x, x > 1).size() == 1", {"list": [1, 2]}, {"list": [1]}),
        ("document.n > 5 ? document.s == 'big' : document.s == 'small'", {"n": 6, "s": "big"}, {"n": 5, "s": "big"}),
        ("auth.role == 'user' && auth.uid == document.ownerId", {}, None),
        ("auth.pid.startsWith('proj_') && auth.token.sub == auth.uid", {}, None),
        ("document.createdAt <= now", {}, None),
        (
            "timestamp(document.s) < timestamp('2030-01-01T00:00:00Z')",
            {"s": "2026-01-01T00:00:00Z"},
            {"s": "2031-01-01T00:00:00Z"},
        ),
        ("now - duration('24h') < now", {}, None),
        ("type(document.n) == int", {"n": 1}, {"n": "x"}),
        ("document['odd name'] == 1", {"odd name": 1}, {"odd name": 2}),
        ("document.n == 1.0", {"n": 1}, {"n": 2}),
        ("document.deep.x.y == 'z'", {"deep": {"x": {"y": "z"}}}, {"deep": {"x": {"y": "w"}}}),
        ("document.list[0] == 1", {"list": [1]}, {"list": []}),
        ("int(document.s) == 7", {"s": "7"}, {"s": "x"}),
        ("document.n / document.m == 2", {"n": 4, "m": 2}, {"n": 4, "m": 0}),
        ("string(document.n) + 'a' == '5a'", {"n": 5}, {"n": 6}),
        ("true", {}, None),
        ("document.n < 0 || true", {}, None),
    ],
)
def test_validate_on_create(project, alice, expression, good, bad):
    collection = project.collection(policy={**OPEN_POLICY, "create": {"validate": expression}})
    alice.create(collection, good)
    if bad is not None:
        refused(alice.post(f"/{collection}", bad), 403, "FORBIDDEN")
        assert len(alice.list(collection)) == 1


def test_an_expression_that_errors_is_false(project, alice):
    collection = project.collection(policy={**OPEN_POLICY, "create": {"validate": "document.missing > 1"}})
    refused(alice.post(f"/{collection}", {}), 403, "FORBIDDEN")
    refused(alice.post(f"/{collection}", {"missing": "text"}), 403, "FORBIDDEN")
    alice.create(collection, {"missing": 2})


def test_validate_on_update_sees_before_and_after(project, alice):
    collection = project.collection(policy={**OPEN_POLICY, "update": {"validate": "document.n == previous.n + 1"}})
    document = alice.create(collection, {"n": 1})
    path = f"/{collection}/{document['id']}"
    ok(alice.patch(path, {"n": 2}), 204)
    ok(alice.patch(path, {"$inc": {"n": 1}}), 204)
    refused(alice.patch(path, {"n": 9}), 403, "FORBIDDEN")
    refused(alice.put(path, {"n": 3}), 403, "FORBIDDEN")
    ok(alice.put(path, {"n": 4}), 204)


def test_cost_has_a_limit(project, alice):
    nested = "document.list.all(a, document.list.all(b, document.list.all(c, a + b + c >= 0)))"
    collection = project.collection(policy={**OPEN_POLICY, "create": {"validate": nested}})
    alice.create(collection, {"list": [1, 2, 3]})
    response = alice.post(f"/{collection}", {"list": list(range(2000))})
    refused(response, 403, "FORBIDDEN")
    assert response.elapsed.total_seconds() < 30


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "document.n >",
        "document.n = 1",
        "1 +",
        "nothing.n == 1",
        "document.n == 'a",
        "has(1)",
        "size()",
        "nosuch(document.n)",
        "1",
        "'text'",
        "document.list.all(x)",
        "'a' + 1 == 2",
        "(" * 500 + "true" + ")" * 500,
        "auth.password == ''",
        "previous.n == 1",
        "document.s.matches('(')",
    ],
)
def test_expressions_refused_at_save(project, admin, expression):
    collection = project.collection(policy=None)
    error = refused(
        admin.put(f"/admin/collections/{collection}/policy", {"create": {"validate": expression}}), 400, "VALIDATION"
    )
    assert any(detail["path"].startswith("/create/validate") for detail in error["details"]), error
    assert ok(admin.get(f"/admin/collections/{collection}/policy"))["source"] == "default"


def test_expression_errors_have_line_and_column(project, admin):
    collection = project.collection(policy=None)
    error = refused(
        admin.put(f"/admin/collections/{collection}/policy", {"create": {"validate": "true &&\n  document.n >"}}),
        400,
        "VALIDATION",
    )
    assert "2" in json.dumps(error["details"])


def test_expressions_are_checked_against_the_schema(project, admin):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    collection = project.collection(policy=None, schema=schema)
    refused(
        admin.put(f"/admin/collections/{collection}/policy", {"create": {"validate": "document.n == 'text'"}}),
        400,
        "VALIDATION",
    )
    ok(admin.put(f"/admin/collections/{collection}/policy", {"create": {"validate": "document.n > 1"}}), 204)


# ---- policies against a schema

CLOSED = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string"},
        "price": {"type": "number"},
        "due": {"type": "string", "x-bson": "date"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"sku": {"type": "string"}, "amount": {"type": "integer"}},
            },
        },
    },
}


@pytest.mark.parametrize(
    "policy, path, words",
    [
        ({"create": {"validate": "document.titel != ''"}}, "/create/validate", "line 1, column 10: undefined field"),
        ({"update": {"validate": "true &&\n previous.titel == ''"}}, "/update/validate", "line 2, column 11"),
        ({"create": {"validate": "document.tags.all(t, t > 1)"}}, "/create/validate", "line 1, column 24"),
        ({"create": {"validate": "document.lines.all(l, l.amuont > 0)"}}, "/create/validate", "'amuont'"),
        ({"create": {"validate": "document.due == '2026'"}}, "/create/validate", "no matching overload"),
        ({"read": {"filter": {"titel": "x"}}}, "/read/filter/titel", "titel"),
        ({"read": {"filter": {"$or": [{"lines.skew": "$auth.uid"}]}}}, "/read/filter/$or/0/lines.skew", "lines.skew"),
        ({"read": {"filter": {"lines": {"$elemMatch": {"skew": 1}}}}}, "/read/filter/lines/$elemMatch/skew", "skew"),
        ({"read": {"deniedReadFields": ["title", "priec"]}}, "/read/deniedReadFields/1", "priec"),
        ({"update": {"immutableFields": ["lines.skew"]}}, "/update/immutableFields/0", "lines.skew"),
        ({"create": {"allowedWriteFields": ["tittle"]}}, "/create/allowedWriteFields/0", "tittle"),
    ],
)
def test_a_misspelt_field_is_refused_at_save(project, admin, policy, path, words):
    collection = project.collection(policy=None, schema=CLOSED)
    error = refused(admin.put(f"/admin/collections/{collection}/policy", policy), 400, "VALIDATION")
    (detail,) = error["details"]
    assert detail["path"] == path and words in detail["message"], error
    # The same if more fields are allowed than are declared, or nothing is declared.
    for schema in ({**CLOSED, "additionalProperties": True}, None):
        free = project.collection(policy=None, schema=schema)
        answer = admin.put(f"/admin/collections/{free}/policy", policy)
        assert answer.status_code == 204 or (schema is not None and "titel" not in words), answer.text


def test_a_schema_must_fit_the_policy_that_stands(project, admin, alice):
    policy = {**OPEN_POLICY, "create": {"validate": "document.title.size() > 1"}, "list": {"filter": {"title": "on"}}}
    collection = project.collection(policy=policy)
    path = f"/admin/collections/{collection}/schema"
    for properties, places in (
        ({"name": {"type": "string"}}, {"/create/validate", "/list/filter/title"}),
        ({"title": {"type": "integer"}}, {"/create/validate"}),
    ):
        schema = {"type": "object", "additionalProperties": False, "properties": properties}
        error = refused(admin.put(path, schema), 409, "CONFLICT")
        assert "policy" in error["message"] and {detail["path"] for detail in error["details"]} == places
    assert ok(admin.get(path))["schema"] is None
    ok(admin.put(path, {"type": "object", "properties": {"title": {"type": "string"}}}), 204)
    alice.create(collection, {"title": "on"})


def test_numbers_and_dates_are_what_the_schema_calls_them(project, alice):
    expression = (
        "document.price * 2.0 > 1.0 && document.lines.all(l, l.amount % 2 == 1) && document.due > now"
        " && document.due.getFullYear('Europe/Zurich') == 2100 && document.tags[0].endsWith('!')"
    )
    collection = project.collection(policy={**OPEN_POLICY, "create": {"validate": expression}}, schema=CLOSED)
    good = {"price": 1, "lines": [{"amount": 3}, {"amount": 5.0}], "due": "2099-12-31T23:30:00Z", "tags": ["a!"]}
    alice.create(collection, good)
    for bad in ({"price": 0}, {"lines": [{"amount": 2}]}, {"due": "2099-12-31T22:30:00Z"}, {"tags": ["a"]}):
        refused(alice.post(f"/{collection}", {**good, **bad}), 403, "FORBIDDEN")


def test_an_inherited_policy_knows_no_schema(project, owner):
    other = owner.create_project()
    inherited = {**OPEN_POLICY, "create": {"validate": "document.titel == 'x'"}}
    ok(other.admin.put("/admin/collections/*/policy", inherited), 204)
    collection = other.collection(policy=None, schema=CLOSED)
    assert ok(other.admin.get(f"/admin/collections/{collection}/policy"))["source"] == "inherited"
    refused(other.end_user().post(f"/{collection}", {"title": "x"}), 403, "FORBIDDEN")


# ---- text that callers put into their own token stays text


def test_a_name_that_looks_like_a_placeholder_is_text(project, admin):
    collection = project.collection(policy={**OPEN_POLICY, "list": {"filter": {"who": "$auth.token.name"}}})
    attacks = ["$auth.uid", "$auth.role", '{"$ne": null}', "$gt", ".*", "$$", "' || true || '"]
    for number, text in enumerate(["victim", "user", *attacks]):
        body = {"id": f"d{number}", "who": text}
        ok(admin.post(f"/admin/collections/{collection}/documents", body), 201)
    for text in attacks:
        caller = project.end_user()
        ok(admin.patch(f"/admin/users/{caller.id}", {"name": text}), 204)
        caller.login()
        ok(admin.post(f"/admin/collections/{collection}/documents", {"id": caller.id, "who": caller.id}), 201)
        assert [document["who"] for document in caller.list(collection)] == [text]

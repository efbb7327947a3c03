"""Field rules by operator: a policy's rules for fields hold for every update, replacement and creation.

Each change is made twice: to a document without rules, which shows the change, and to an equal document with a rule.
The expected result of the second follows from the change of the first, not from the operators of the request.
"""

import copy
import json

import pytest

from support.client import OPEN_POLICY, ok, refused
from support.waiting import wait_until_after

SERVER_FIELDS = ("id", "createdAt", "updatedAt", "ownerId")
DOCUMENT = {
    "fixed": 3,
    "free": 7,
    "text": "b",
    "deep": {"fixed": 1, "free": 2, "list": [1, 2]},
    "list": [3, 1, 2],
    "items": [{"price": 5, "note": "x", "tags": ["a"]}, {"price": 9, "note": "y", "tags": []}],
}
UPDATES = [
    {"fixed": 3},
    {"fixed": 4},
    {"fixed": None},
    {"free": 8, "fixed": 3},
    {"$set": {"fixed": {"a": 1}}},
    {"$set": {"deep.fixed": 1}},
    {"$set": {"deep.fixed": 2}},
    {"$set": {"deep.free": 5, "deep.new": 1}},
    {"$set": {"deep": {"fixed": 1, "free": 9, "list": [1, 2]}}},
    {"$set": {"deep": {"free": 2}}},
    {"$set": {"deep": 1}},
    {"$set": {"list.1": 1}},
    {"$set": {"list.1": 5}},
    {"$set": {"list.6": 5}},
    {"$set": {"items.0.note": "z"}},
    {"$set": {"items.1.price": 9}},
    {"$set": {"items.1.price": 8}},
    {"$set": {"items.$[].note": "same"}},
    {"$set": {"items.$[].price": 5}},
    {"$set": {"items.0": {"price": 5, "note": "w", "tags": ["a"]}}},
    {"$set": {"items.0": {"price": 6, "note": "x", "tags": ["a"]}}},
    {"$set": {"items": []}},
    {"$unset": {"fixed": ""}},
    {"$unset": {"deep.fixed": ""}},
    {"$unset": {"deep.free": ""}},
    {"$unset": {"nothing": ""}},
    {"$unset": {"items.0.price": ""}},
    {"$unset": {"items.$[].note": ""}},
    {"$unset": {"list": ""}},
    {"$inc": {"fixed": 0}},
    {"$inc": {"fixed": 1}},
    {"$inc": {"free": 1}},
    {"$inc": {"deep.fixed": -1}},
    {"$inc": {"items.$[].price": 1}},
    {"$inc": {"list.$[]": 1}},
    {"$mul": {"fixed": 1}},
    {"$mul": {"fixed": 2}},
    {"$mul": {"deep.fixed": 0}},
    {"$min": {"fixed": 5}},
    {"$min": {"fixed": 2}},
    {"$max": {"fixed": 2}},
    {"$max": {"fixed": 5}},
    {"$max": {"items.0.price": 50}},
    {"$bit": {"fixed": {"or": 3}}},
    {"$bit": {"fixed": {"xor": 1}}},
    {"$currentDate": {"fixed": True}},
    {"$currentDate": {"deep.when": True}},
    {"$rename": {"free": "freed"}},
    {"$rename": {"fixed": "moved"}},
    {"$rename": {"free": "fixed"}},
    {"$rename": {"deep.free": "deep.fixed"}},
    {"$rename": {"deep": "deeper"}},
    {"$rename": {"deep.fixed": "out"}},
    {"$push": {"list": 4}},
    {"$push": {"list": {"$each": []}}},
    {"$push": {"list": {"$each": [], "$sort": 1}}},
    {"$push": {"list": {"$each": [9], "$slice": 3}}},
    {"$push": {"deep.list": 3}},
    {"$push": {"items": {"price": 1}}},
    {"$push": {"items": {"$each": [], "$sort": {"price": -1}}}},
    {"$push": {"items.0.tags": "b"}},
    {"$push": {"items.$[].tags": "b"}},
    {"$addToSet": {"list": 3}},
    {"$addToSet": {"list": 4}},
    {"$addToSet": {"items.1.tags": "c"}},
    {"$pull": {"list": 77}},
    {"$pull": {"list": {"$gt": 2}}},
    {"$pull": {"items": {"price": 9}}},
    {"$pull": {"items": {"price": 77}}},
    {"$pullAll": {"list": [1, 2]}},
    {"$pullAll": {"deep.list": [1]}},
    {"$pop": {"list": 1}},
    {"$pop": {"items": -1}},
    {"$pop": {"items.1.tags": 1}},
    {"$setOnInsert": {"fixed": 9}},
    {"$set": {"free": 1}, "$unset": {"fixed": ""}},
    {"$set": {"free": 1}, "$inc": {"deep.free": 1}},
]
REPLACEMENTS = [
    DOCUMENT,
    {**DOCUMENT, "free": 1},
    {**DOCUMENT, "fixed": 4},
    {**DOCUMENT, "more": 1},
    {key: value for key, value in DOCUMENT.items() if key != "fixed"},
    {key: value for key, value in DOCUMENT.items() if key != "free"},
    {**DOCUMENT, "deep": {**DOCUMENT["deep"], "free": 0}},
    {**DOCUMENT, "deep": {**DOCUMENT["deep"], "fixed": 0}},
    {**DOCUMENT, "deep": {"free": 2, "list": [1, 2]}},
    {**DOCUMENT, "list": [3, 2, 1]},
    {**DOCUMENT, "items": list(reversed(DOCUMENT["items"]))},
    {**DOCUMENT, "items": DOCUMENT["items"][:1]},
    {**DOCUMENT, "items": [{**item, "note": "new"} for item in DOCUMENT["items"]]},
    {**DOCUMENT, "items": [{**item, "price": 0} for item in DOCUMENT["items"]]},
    {},
]
IMMUTABLE = ["fixed", "deep.fixed", "list", "items.price"]
ALLOWED = ["free", "freed", "deep.free", "deep.new", "list", "items.note", "items.tags"]


def without(value, path):
    """Returns a copy without the field at the path, in every element of arrays."""
    if isinstance(value, list):
        return [without(each, path) for each in value]
    if not isinstance(value, dict):
        return value
    first, _, rest = path.partition(".")
    return {
        key: without(inner, rest) if key == first else inner for key, inner in value.items() if key != first or rest
    }


def at(value, path):
    """Returns the values at the path, in every element of arrays."""
    if isinstance(value, list):
        return [at(each, path) for each in value]
    first, _, rest = path.partition(".")
    if not isinstance(value, dict) or first not in value:
        return "missing"
    return at(value[first], rest) if rest else value[first]


def changes_immutable(before, after):
    return any(at(before, path) != at(after, path) for path in IMMUTABLE)


def changes_other_than_allowed(before, after):
    for path in ALLOWED:
        before, after = without(before, path), without(after, path)
    return before != after


RULES = {
    "immutableFields": (IMMUTABLE, changes_immutable),
    "allowedWriteFields": (ALLOWED, changes_other_than_allowed),
}


def content(admin, collection):
    document = ok(admin.get(f"/admin/collections/{collection}/documents/one"))["document"]
    return {key: value for key, value in document.items() if key not in SERVER_FIELDS}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("method", ["patch", "put"])
def test_field_rules_are_evaluated_on_the_change(project, admin, alice, rule, method):
    fields, breaks = RULES[rule]
    plain = project.collection()
    guarded = project.collection(policy={**OPEN_POLICY, "update": {rule: fields}})
    seen = set()
    for change in UPDATES if method == "patch" else REPLACEMENTS:
        for collection in (plain, guarded):
            admin.delete(f"/admin/collections/{collection}/documents/one")
            ok(admin.post(f"/admin/collections/{collection}/documents", {"id": "one", **copy.deepcopy(DOCUMENT)}), 201)
        free = getattr(alice, method)(f"/{plain}/one", change)
        response = getattr(alice, method)(f"/{guarded}/one", change)
        if free.status_code == 400:
            assert response.status_code == 400, f"{change}: {response.text}"
            continue
        ok(free, 204)
        after = content(admin, plain)
        forbidden = breaks(DOCUMENT, after)
        seen.add(forbidden)
        if forbidden:
            error = refused(response, 403, "FORBIDDEN")
            assert error["message"] == "denied by policy", change
            assert content(admin, guarded) == DOCUMENT, change
        else:
            assert response.status_code == 204, f"{change} changed nothing that is guarded: {response.text}"
            # The two were not written in the same millisecond.
            assert "$currentDate" in change or content(admin, guarded) == after, change
    assert seen == {True, False}


@pytest.mark.parametrize("body", [{}, {"free": 1}, {"fixed": 1}, {"deep": {"free": 1}}, {"deep": {"free": 1, "x": 1}}])
def test_allowed_fields_of_a_creation(project, alice, body):
    collection = project.collection(policy={**OPEN_POLICY, "create": {"allowedWriteFields": ALLOWED}})
    response = alice.post(f"/{collection}", body)
    if changes_other_than_allowed({"deep": {}} if "deep" in body else {}, body):
        refused(response, 403, "FORBIDDEN")
    else:
        ok(response, 201)


# ---- hidden fields


HIDDEN = ["secret", "deep.hidden", "items.cost"]
HOLDINGS = [
    {"secret": 5, "deep": {"hidden": "a", "seen": 1}, "items": [{"cost": 1, "name": "n"}, {"cost": 2, "name": "m"}]},
    {"secret": "other", "deep": {"hidden": None, "seen": 1}, "items": [{"cost": 9, "name": "n"}, {"name": "m"}]},
    {"deep": {"seen": 1}, "items": [{"name": "n"}, {"name": "m"}]},
]
PROBES = [
    *({"$set": {path: value}} for path in ("secret", "deep.hidden") for value in (5, "a", None)),
    {"$set": {"secret.x": 1}},
    {"$set": {"deep": {"seen": 1}}},
    {"$set": {"items": []}},
    {"$set": {"items.0.cost": 1}},
    {"$set": {"items.0.cost.x": 1}},
    {"$set": {"items.$[].cost": 1}},
    {"$set": {"items.0.name": "k"}},
    {"$unset": {"secret": ""}},
    {"$unset": {"deep.hidden": ""}},
    {"$unset": {"items.0.cost": ""}},
    {"$inc": {"secret": 1}},
    {"$inc": {"items.$[].cost": 1}},
    {"$mul": {"deep.hidden": 2}},
    {"$min": {"secret": 1}},
    {"$max": {"secret": 100}},
    {"$bit": {"secret": {"and": 1}}},
    {"$currentDate": {"secret": True}},
    {"$rename": {"secret": "open"}},
    {"$rename": {"deep.hidden": "open"}},
    {"$rename": {"deep": "open"}},
    {"$rename": {"deep.seen": "secret"}},
    {"$push": {"secret": 1}},
    {"$push": {"items": {"$each": [], "$sort": {"cost": 1}}}},
    {"$push": {"items": {"$each": [{"name": "z"}]}}},
    {"$addToSet": {"secret": 1}},
    {"$addToSet": {"items": {"cost": 1, "name": "n"}}},
    {"$pull": {"items": {"cost": 1}}},
    {"$pullAll": {"items": [{"cost": 1, "name": "n"}]}},
    {"$pop": {"items": 1}},
    {"$pop": {"secret": 1}},
]


@pytest.mark.parametrize(
    "update",
    [
        {},
        {"immutableFields": ["secret"]},
        {"immutableFields": HIDDEN},
        {"allowedWriteFields": ["deep.seen", "items"]},
        {"allowedWriteFields": ["secret", "deep", "items.name"]},
    ],
    ids=json.dumps,
)
def test_answers_do_not_hang_on_what_is_hidden(project, admin, alice, update):
    """The response to a write does not depend on the value of a hidden field, byte by byte except ids and times."""
    policy = {**OPEN_POLICY, "read": {"deniedReadFields": HIDDEN}, "update": update}
    collections = [project.collection(policy=policy) for _ in HOLDINGS]

    def answers(act):
        found = []
        for collection, holding in zip(collections, HOLDINGS, strict=True):
            admin.delete(f"/admin/collections/{collection}/documents/one")
            ok(admin.post(f"/admin/collections/{collection}/documents", {"id": "one", **copy.deepcopy(holding)}), 201)
            response = act(collection)
            found.append((response.status_code, response.text.replace(collection, "it")))
            shown = ok(alice.get(f"/{collection}/one"))["document"]
            found[-1] += (json.dumps({k: v for k, v in shown.items() if k not in SERVER_FIELDS}),)
        return found

    for probe in PROBES:
        found = answers(lambda collection, probe=probe: alice.patch(f"/{collection}/one", probe))
        assert found[0] == found[1] == found[2], f"{probe}: {found}"
    items = [{"name": "n"}, {"name": "m"}]
    for body in (
        {},
        {"deep": {"seen": 1}, "items": items},
        {"deep": {"seen": 1}},
        {"deep": 1},
        {"deep": []},
        {"secret": 5},
        {"deep": {"hidden": "a"}},
        {"items": items[:1]},
        {"items": [*items, {"name": "o"}]},
        {"items": [{"name": "n", "cost": 1}, {"name": "m", "cost": 2}]},
        {"items": 1},
    ):
        found = answers(lambda collection, body=body: alice.put(f"/{collection}/one", body))
        assert found[0] == found[1] == found[2], f"{body}: {found}"


def test_the_time_of_change_does_not_show_whether_a_guess_was_right(project, admin, alice):
    """A change without effect is not a write, unless it names or may move a hidden field."""
    collection = project.collection(policy={**OPEN_POLICY, "read": {"deniedReadFields": ["secret"]}})
    for holding in ({"secret": 5, "open": 1}, {"open": 1, "secret": 5}, {"open": 1, "secret": 6}, {"open": 1}):
        made = ok(admin.post(f"/admin/collections/{collection}/documents", holding), 201)["document"]
        path = f"/{collection}/{made['id']}"

        def moved(change, path=path):
            before = ok(alice.get(path))["document"]["updatedAt"]
            wait_until_after(before)
            ok(change(path), 204)
            return ok(alice.get(path))["document"]["updatedAt"] > before

        assert not moved(lambda path: alice.patch(path, {}))
        assert not moved(lambda path: alice.patch(path, {"open": 1}))
        for _ in range(2):
            assert moved(lambda path: alice.put(path, {"open": 1}))
            assert moved(lambda path: alice.patch(path, {"secret": 5}))
            assert moved(lambda path: alice.patch(path, {"$set": {"secret": 5}}))


def test_a_refused_question_looks_at_no_document(project, admin, alice):
    """A filter that names a hidden field is refused before any document is read: the same for every collection."""
    policy = {**OPEN_POLICY, "list": {"deniedReadFields": ["secret"]}}
    empty, full = project.collection(policy=policy), project.collection(policy=policy)
    for value in range(20):
        ok(admin.post(f"/admin/collections/{full}/documents", {"id": f"d{value}", "secret": value}), 201)
    for filter in ({"secret": 5}, {"secret": 500}, {"id": "d1", "secret": 1}, {"$or": [{"id": "none"}, {"secret": 1}]}):
        texts = set()
        for collection in (empty, full):
            for path in (f"/{collection}", f"/{collection}/d1"):
                response = alice.get(path, params={"filter": json.dumps(filter)})
                refused(response, 403, "FORBIDDEN")
                texts.add(response.text)
        assert len(texts) == 1, texts


def test_indexes_do_not_name_hidden_fields(project, admin, alice):
    collection = project.collection(policy={**OPEN_POLICY, "read": {"deniedReadFields": ["secret"]}})
    indexes = [
        {"keys": {"secret": 1}, "unique": True, "name": "bySecret", "sparse": True},
        {"keys": {"open": 1}, "unique": True, "name": "byOpen", "sparse": True},
        {"keys": {"part": 1}, "unique": True, "name": "byPart", "partialFilter": {"secret": {"$exists": True}}},
    ]
    for index in indexes:
        ok(admin.post(f"/admin/collections/{collection}/indexes", index), 201)
    ok(alice.post(f"/{collection}", {"secret": 1}), 201)
    ok(alice.post(f"/{collection}", {"open": 1}), 201)
    ok(alice.post(f"/{collection}", {"part": 1, "secret": 2}), 201)
    assert "byOpen" in refused(alice.post(f"/{collection}", {"open": 1}), 409, "CONFLICT")["message"]
    for body in ({"secret": 1}, {"part": 1, "secret": 3}):
        message = refused(alice.post(f"/{collection}", body), 409, "CONFLICT")["message"]
        assert "by" not in message and "secret" not in message

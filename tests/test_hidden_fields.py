"""Fields that a policy hides: no response, status or limit depends on their values or sizes."""

import pytest

from support.client import ok, refused

BIG = "x" * 400_000
COUNT = 60


@pytest.fixture(scope="module")
def twins(project, admin):
    """Two collections that look the same to end users: hidden fields are small in one and 24 MB in the other."""
    policy = {"read": {"deniedReadFields": ["secret", "in.secret"]}, "list": {}, "create": {}, "update": {}}
    names = []
    for hidden in ("s", BIG):
        name = project.collection(policy=policy)
        to = {"type": "array", "items": {"type": "string", "x-ref": name}}
        schema = {"type": "object", "properties": {"to": to, "n": {"type": "integer"}, "text": {"type": "string"}}}
        ok(admin.put(f"/admin/collections/{name}/schema", schema), 204)
        config = {"fields": [{"name": "v", "dimensions": 2, "metric": "dot", "mode": "manual"}]}
        ok(admin.put(f"/admin/collections/{name}/vector-config", config), 204)
        ids = [f"d{n:02}" for n in range(COUNT)]
        for n, each in enumerate(ids):
            document = {"id": each, "n": n, "v": [1, n], "secret": hidden, "in": {"secret": hidden[:1000], "open": n}}
            ok(admin.post(f"/admin/collections/{name}/documents", document), 201)
        ok(admin.post(f"/admin/collections/{name}/documents", {"id": "hub", "to": ids, "secret": "s"}), 201)
        names.append(name)
    return names


def same(answers, names):
    """Returns the responses without the times and names in which they must differ."""
    small, large = (strip(each, name) for each, name in zip(answers, names))
    assert small == large
    return small


def strip(value, name):
    if isinstance(value, dict):
        return {
            key.replace(name, "NAME"): strip(each, name)
            for key, each in value.items()
            if key not in ("createdAt", "updatedAt")
        }
    if isinstance(value, list):
        return [strip(each, name) for each in value]
    return value.replace(name, "NAME") if isinstance(value, str) else value


def test_lists(twins, alice):
    for params in ({"limit": 100}, {"limit": 100, "expand": "to"}, {"limit": 100, "filter": '{"n":{"$gte":0}}'}):
        documents = same([ok(alice.get(f"/{name}", params=params))["documents"] for name in twins], twins)
        assert len(documents) >= COUNT and "secret" not in str(documents)


def test_a_document_with_what_it_refers_to(twins, alice):
    (hub,) = {str(same([ok(alice.get(f"/{n}/hub", params={"expand": "to"})) for n in twins], twins))}
    assert "'n': 59" in hub and "secret" not in hub


@pytest.mark.parametrize("limit", [10, 60])
def test_search(twins, alice, limit):
    body = {"vector": [0, 1], "limit": limit}
    hits = same([ok(alice.post(f"/{name}/search", body))["results"] for name in twins], twins)
    assert [hit["n"] for hit in hits] == list(range(COUNT - 1, COUNT - 1 - limit, -1)) and "secret" not in str(hits)


@pytest.mark.parametrize(
    "query",
    [
        "{ NAME(limit: 100) { id n to { id n } } }",
        '{ NAMEById(id: "hub") { id to { id n to { id } } } }',
        "{ NAME(limit: 100, sort: {n: DESC}) { id n } }",
        "{ NAME(limit: 100, sort: [{ownerId: ASC}, {n: DESC}]) { id n } }",
        "{ NAMESearch(vector: [0, 1], limit: 60) { id n } }",
    ],
)
def test_graphql(twins, alice, query):
    answers = [ok(alice.post("/graphql", {"query": query.replace("NAME", name)})) for name in twins]
    assert "errors" not in same(answers, twins), answers


def test_graphql_changes(twins, alice):
    for name in twins:
        change = f'mutation {{ update{name[0].upper()}{name[1:]}(id: "d00", patch: {{text: "new"}}) {{ id }} }}'
        answer = ok(alice.post("/graphql", {"query": change}))
        assert "errors" not in answer, answer


def test_what_is_shown_counts(project, admin, alice):
    name = project.collection(policy={"read": {"deniedReadFields": ["secret"]}, "list": {}})
    for n in range(COUNT):
        ok(admin.post(f"/admin/collections/{name}/documents", {"open": BIG, "secret": n}), 201)
    refused(alice.get(f"/{name}", params={"limit": 100}), 413, "PAYLOAD_TOO_LARGE")
    assert len(ok(alice.get(f"/{name}", params={"limit": 30}))["documents"]) == 30


UNIQUE = {"type": "object", "properties": {"items": {"type": "array", "uniqueItems": True}}}
HIDING = {"read": {"deniedReadFields": ["items.cost"]}, "list": {}, "update": {}}


def test_a_schema_and_a_policy_that_contradict_each_other(project, admin):
    first, second = project.collection(policy=HIDING), project.collection(policy=None, schema=UNIQUE)
    by_schema = refused(
        admin.put(f"/admin/collections/{first}/schema", UNIQUE), 400, "VALIDATION", "/properties/items/uniqueItems"
    )
    by_policy = refused(
        admin.put(f"/admin/collections/{second}/policy", HIDING), 400, "VALIDATION", "/read/deniedReadFields/0"
    )
    assert by_schema["message"] == by_policy["message"]
    assert "/properties/items/uniqueItems" in by_schema["message"] and "items.cost" in by_schema["message"]
    entry = {"name": "contradicting", "schema": UNIQUE, "policy": HIDING}
    refused(
        admin.post("/admin/config-import", {"formatVersion": 1, "collections": [entry]}),
        400,
        "VALIDATION",
        "/collections/0/schema/properties/items/uniqueItems",
    )
    ok(admin.put(f"/admin/collections/{first}/schema", {"type": "object"}), 204)
    ok(admin.put(f"/admin/collections/{second}/policy", {"read": {"deniedReadFields": ["items"]}}), 204)

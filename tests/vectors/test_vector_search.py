"""Search by a vector: order, filters, policies, and invalid requests."""

import math
import random

import pytest

from support import mongo_server
from support.client import ok, refused
from support.vectors import Space, cosine, nearest, random_vector

FOUR = {"east": [1, 0, 0, 0], "north": [0, 1, 0, 0], "both": [1, 1, 0, 0], "west": [-1, 0, 0, 0]}


@pytest.mark.parametrize(
    "metric, order, scores",
    [
        ("cosine", ["east", "both", "north", "west"], [1, math.sqrt(0.5), 0, -1]),
        ("dot", ["both", "east", "north", "west"], [2, 2, 0, -2]),
        ("euclidean", ["east", "both", "north", "west"], [-1, -math.sqrt(2), -math.sqrt(5), -3]),
    ],
)
def test_metrics(space, metric, order, scores):
    made = space(metric=metric)
    made.fill(FOUR)
    hits = made.hits([2, 0, 0, 0])
    assert [hit["id"] for hit in hits] == order
    assert [hit["_score"] for hit in hits] == pytest.approx(scores, abs=1e-5)


def test_a_hit_is_the_document_and_its_score(space):
    made = space()
    document = made.put("a", [1, 2, 3, 4], title="One", nested={"x": 1, "y": 2})
    (hit,) = made.hits([1, 2, 3, 4])
    assert {key: value for key, value in hit.items() if key != "_score"} == document
    assert hit["_score"] == pytest.approx(1, abs=1e-6)


def test_fields_are_an_inclusion(space):
    made = space()
    made.put("a", [1, 2, 3, 4], title="One", nested={"x": 1, "y": 2})
    (hit,) = made.hits([1, 2, 3, 4], fields=["title", "nested.x", "nothing"])
    assert {**hit, "_score": 0} == {"id": "a", "title": "One", "nested": {"x": 1}, "_score": 0}
    assert list(made.hits([1, 2, 3, 4], fields=[])[0]) == ["id", "_score"]


def test_limit(space):
    made = space()
    made.fill({f"d{n:02}": [1, n, 0, 0] for n in range(15)})
    assert made.ids([1, 0, 0, 0]) == [f"d{n:02}" for n in range(10)]
    assert made.ids([1, 0, 0, 0], limit=3) == ["d00", "d01", "d02"]
    assert made.ids([1, 0, 0, 0], limit=0) == []
    assert len(made.ids([1, 0, 0, 0], limit=100_000)) == 15


@pytest.mark.parametrize("limit", [-1, 1.5, "10", True, []])
def test_a_limit_that_is_none(space, limit):
    refused(space().search(vector=[1, 0, 0, 0], limit=limit), 400, "INVALID_PARAM")


@pytest.mark.parametrize(
    "body, path",
    [
        ({}, "/vector"),
        ({"vector": "x"}, "/vector"),
        ({"vector": [1, 2, 3]}, "/vector"),
        ({"vector": [1, 2, 3, 4, 5]}, "/vector"),
        ({"vector": [1, 2, 3, "4"]}, "/vector"),
        ({"vector": [1, 2, 3, 1e39]}, "/vector"),
        ({"text": "hello"}, "/text"),
        ({"vector": [1, 2, 3, 4], "text": "hello"}, "/text"),
        ({"vector": [1, 2, 3, 4], "field": "title"}, "/field"),
        ({"vector": [1, 2, 3, 4], "field": 1}, "/field"),
        ({"vector": [1, 2, 3, 4], "fields": "title"}, "/fields"),
        ({"vector": [1, 2, 3, 4], "fields": ["$x"]}, "/fields/0"),
        ({"vector": [1, 2, 3, 4], "q": 1}, "/q"),
    ],
)
def test_what_a_search_may_not_be(space, body, path):
    error = refused(space().search(**body), 400, "VALIDATION")
    assert [detail["path"] for detail in error["details"]] == [path]


@pytest.mark.parametrize("filter", ["{}", 1, [], {"$where": "1"}, {"a": {"$near": 1}}])
def test_a_filter_that_is_none(space, filter):
    refused(space().search(vector=[1, 0, 0, 0], filter=filter), 400, "INVALID_FILTER")


def test_a_collection_without_a_config(project, admin):
    refused(admin.post(f"/{project.collection()}/search", {"vector": [1]}), 400, "VALIDATION")
    refused(admin.post("/nowhere/search", {"vector": [1]}), 404, "NOT_FOUND")


def test_get_search_is_still_a_document(space):
    made = space()
    made.put("search", [1, 0, 0, 0])
    assert ok(made.admin.get(f"/{made.collection}/search"))["document"]["id"] == "search"


def test_what_a_document_may_hold(space):
    made = space()
    made.put("none")
    made.put("null", None)
    ok(made.admin.post(made.documents(), {"id": "null-given", "embedding": None}), 201)
    for wrong in ([1, 2, 3], [1, 2, 3, 4, 5], "x", {"a": 1}, [1, 2, 3, "4"], [1, 2, 3, None], [1e39, 0, 0, 0]):
        error = refused(made.admin.post(made.documents(), {"embedding": wrong}), 400, "VALIDATION")
        assert [detail["path"] for detail in error["details"]] == ["/embedding"]
    made.put("a", [1, 0, 0, 0])
    refused(made.admin.patch(made.documents("a"), {"embedding": [1]}), 400, "VALIDATION")
    refused(made.admin.patch(made.documents("a"), {"$push": {"embedding": 1}}), 400, "VALIDATION")
    refused(made.admin.put(made.documents("a"), {"embedding": []}), 400, "VALIDATION")
    assert made.ids([1, 0, 0, 0]) == ["a"]


def test_documents_from_before_the_config(project, space):
    made = space()
    ok(made.admin.delete(made.route), 204)
    made.put("fits", [1, 0, 0, 0])
    made.put("long", [1, 0, 0, 0, 0])
    made.put("text", "no vector")
    made.configure(made.field)
    assert made.ids([1, 0, 0, 0]) == ["fits"]
    # Existing values stay until they are changed.
    ok(made.admin.patch(made.documents("long"), {"n": 1}))
    refused(made.admin.patch(made.documents("long"), {"embedding": [2, 0, 0, 0, 0]}), 400, "VALIDATION")
    ok(made.admin.patch(made.documents("long"), {"embedding": [0, 1, 0, 0]}))
    assert made.ids([0, 1, 0, 0]) == ["long", "fits"]


def test_a_search_sees_what_was_written_before_it(space):
    made = space()
    for n in range(30):
        made.put(f"d{n}", [1, n, 0, 0])
        assert made.ids([1, n, 0, 0], limit=1) == [f"d{n}"]
    for n in range(30):
        ok(made.admin.patch(made.documents(f"d{n}"), {"embedding": [0, 0, 1, n]}))
        assert made.ids([0, 0, 1, n], limit=1) == [f"d{n}"]
    for n in range(30):
        ok(made.admin.delete(made.documents(f"d{n}")), 204)
        assert f"d{n}" not in made.ids([0, 0, 1, n], limit=100)
    assert made.until(lambda state: state["vectors"] == 0)["state"] == "ready"


def test_a_vector_that_is_taken_away(space):
    made = space()
    made.fill(FOUR)
    ok(made.admin.patch(made.documents("east"), {"$unset": {"embedding": ""}}))
    ok(made.admin.patch(made.documents("both"), {"embedding": None}))
    assert made.ids([1, 0, 0, 0]) == ["north", "west"]
    ok(made.admin.put(made.documents("west"), {"title": "x"}))
    assert made.ids([1, 0, 0, 0]) == ["north"]


def test_two_fields(project, space):
    made = space()
    second = {"name": "second", "dimensions": 2, "metric": "euclidean", "mode": "manual"}
    made.configure(made.field, second)
    made.put("a", [1, 0, 0, 0], second=[9, 9])
    made.put("b", [0, 1, 0, 0], second=[0, 0])
    made.put("c", None, second=[5, 5])
    assert made.ids([1, 0, 0, 0]) == ["a", "b"]
    assert made.ids([0, 0], field="second") == ["b", "c", "a"]
    made.configure(second, made.field)
    assert made.ids([0, 0]) == ["b", "c", "a"]


def test_another_metric_or_size_makes_another_index(space):
    made = space()
    made.fill(FOUR)
    assert made.ids([2, 0, 0, 0])[0] == "east"
    made.configure({**made.field, "metric": "dot"})
    assert made.ids([2, 0.1, 0, 0])[0] == "both"
    made.configure({**made.field, "dimensions": 2})
    assert made.ids([1, 0]) == []
    made.put("flat", [1, 0])
    assert made.ids([1, 0]) == ["flat"]


def test_policies_and_filters_narrow_it(project, space, alice, bob):
    made = space(policy={"read": {"filter": {"ownerId": "$auth.uid"}}, "create": {}})
    for n in range(6):
        caller = alice if n % 2 else bob
        ok(caller.post(f"/{made.collection}", {"id": f"d{n}", "n": n, "embedding": [1, n, 0, 0]}), 201)
    assert made.ids([1, 0, 0, 0], caller=alice) == ["d1", "d3", "d5"]
    assert made.ids([1, 0, 0, 0], caller=bob) == ["d0", "d2", "d4"]
    assert made.ids([1, 0, 0, 0], caller=alice, filter={"n": {"$gt": 1}}) == ["d3", "d5"]
    assert made.ids([1, 0, 0, 0], caller=alice, filter={"ownerId": bob.id}) == []


def test_who_may_search(project, space, alice):
    made = space()
    made.put("a", [1, 0, 0, 0])
    body = {"vector": [1, 0, 0, 0]}
    assert made.ids([1, 0, 0, 0], caller=project.api_key("read")) == ["a"]
    refused(project.api_key("write").post(f"/{made.collection}/search", body), 403, "FORBIDDEN")
    listing = project.end_user(project.enduser_role(f"data:{made.collection}:list"))
    refused(listing.post(f"/{made.collection}/search", body), 403, "FORBIDDEN")
    closed = space(policy={"list": {}})
    refused(closed.search(alice, **body), 403, "FORBIDDEN")


def test_denied_fields(space, alice):
    made = space(policy={"read": {"deniedReadFields": ["secret"]}})
    made.put("a", [1, 0, 0, 0], secret=1, open=2)
    (hit,) = made.hits([1, 0, 0, 0], caller=alice)
    assert "secret" not in hit and hit["open"] == 2
    (hit,) = made.hits([1, 0, 0, 0], caller=alice, fields=["secret", "open"])
    assert list(hit) == ["id", "open", "_score"]
    refused(made.search(alice, vector=[1, 0, 0, 0], filter={"secret": 1}), 403, "FORBIDDEN")
    closed = space(policy={"read": {"deniedReadFields": ["embedding"]}})
    refused(closed.search(alice, vector=[1, 0, 0, 0]), 403, "FORBIDDEN")


def test_hidden_list_positions_stay_hidden_in_a_projection(space, alice):
    made = space(policy={"read": {"deniedReadFields": ["list.1", "deep.list.0"]}})
    made.put("a", [1, 0, 0, 0], list=["open", "secret"], deep={"list": ["secret", "open"]}, other=1)
    whole = made.hits([1, 0, 0, 0], caller=alice)
    assert "secret" not in str(whole)
    for fields in (["list.1"], ["list"], ["deep.list.0"], ["deep.list.1", "list.0"], ["deep"], ["list.1", "other"]):
        assert "secret" not in str(made.hits([1, 0, 0, 0], caller=alice, fields=fields)), fields


@pytest.fixture(scope="module")
def crowd(project):
    """3,000 documents, with filters that match 10 %, 1 % and 0.1 % of them; 1,000 where each takes its time in the
    MongoDB-protocol server."""
    made = Space(project, dimensions=24)
    for field in ("indexed", "marks"):
        ok(made.admin.post(f"/admin/collections/{made.collection}/indexes", {"keys": {field: 1}}), 201)
    chance = random.Random(7)
    made.vectors = {f"d{n:05}": random_vector(chance, 24) for n in range(1000 if mongo_server.IS_STORE else 3000)}

    def document(n: int) -> dict:
        group, id = n % 100, f"d{n:05}"
        kept = {"tenth": n % 10, "hundredth": group, "thousandth": n % 1000}
        return {"id": id, "embedding": made.vectors[id], **kept, "indexed": group, "marks": [group, group + 0.5]}

    project.fill(made.collection, len(made.vectors), document)
    return made


@pytest.mark.parametrize(
    "filter, share",
    [
        ({}, 1),
        ({"tenth": 3}, 10),
        ({"hundredth": 3}, 100),
        ({"thousandth": 3}, 1000),
        ({"indexed": 3}, 100),
        ({"indexed": 3, "tenth": 3}, 100),
        ({"indexed": {"$gt": 2, "$lte": 3}}, 100),
        ({"marks": {"$gte": 3, "$lt": 3.6}}, 100),
        ({"$or": [{"indexed": 3}, {"marks": 3.5}]}, 100),
    ],
)
def test_filters_still_give_the_nearest(crowd, filter, share):
    chance = random.Random(11)
    found = wanted = 0
    for _ in range(20):
        query = random_vector(chance, 24)
        kept = {id: v for n, (id, v) in enumerate(crowd.vectors.items()) if not filter or n % share == 3}
        exact = nearest(kept, query, 10)
        hits = crowd.hits(query, filter=filter)
        assert len(hits) == len(exact)
        scores = [hit["_score"] for hit in hits]
        assert scores == sorted(scores, reverse=True)
        for hit in hits:
            assert hit["_score"] == pytest.approx(cosine(kept[hit["id"]], query), abs=1e-4)
        found += len({hit["id"] for hit in hits} & set(exact))
        wanted += len(exact)
    assert found / wanted >= 0.95

"""Documents over REST: the routes, ids, and types on the wire."""

import concurrent.futures
import json
import re
import time

import pytest

from support.client import OPEN_POLICY, ok, refused, unique
from support.waiting import wait_until_after

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
ID = re.compile(r"^[0-9A-Za-z]{20}$")


@pytest.fixture(scope="module")
def posts(project):
    return project.collection("posts")


@pytest.fixture
def fresh(project):
    return project.collection()


# ---- the routes


def test_create(alice, posts):
    before = time.time()
    body = ok(alice.post(f"/{posts}", {"title": "One", "tags": ["a", "b"], "deep": {"x": {"y": None}}}), 201)
    assert set(body) == {"document"}
    document = body["document"]
    assert set(document) == {"id", "createdAt", "updatedAt", "ownerId", "title", "tags", "deep"}
    assert ID.match(document["id"]) and document["ownerId"] == alice.id
    assert TIME.match(document["createdAt"]) and document["createdAt"] == document["updatedAt"]
    made = time.strptime(document["createdAt"][:19], "%Y-%m-%dT%H:%M:%S")
    assert abs(before - (time.mktime(made) - time.timezone)) < 10
    assert (document["title"], document["tags"], document["deep"]) == ("One", ["a", "b"], {"x": {"y": None}})


def test_read(alice, posts):
    document = alice.create(posts, {"a": 1})
    assert ok(alice.get(f"/{posts}/{document['id']}")) == {"document": document}
    refused(alice.get(f"/{posts}/missing"), 404, "NOT_FOUND")
    refused(alice.get(f"/{posts}/{document['id'][:-1]}"), 404, "NOT_FOUND")
    refused(alice.get(f"/{posts}/{document['id']}x"), 404, "NOT_FOUND")


def test_list(alice, fresh):
    made = [alice.create(fresh, {"n": n}) for n in range(5)]
    body = ok(alice.get(f"/{fresh}"))
    assert body == {"documents": made}
    assert [item["n"] for item in alice.list(fresh, limit=2)] == [0, 1]
    assert [item["n"] for item in alice.list(fresh, limit=2, skip=3)] == [3, 4]
    assert alice.list(fresh, skip=100) == [] and alice.list(fresh, limit=0) == []
    assert [item["n"] for item in alice.list(fresh, {"n": {"$gte": 3}})] == [3, 4]


def test_default_limit_and_its_maximum(project, fresh):
    key = project.api_key("read", "write")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: key.create(fresh, {"n": n}), range(1010)))
    assert len(key.list(fresh)) == 50
    everything = key.list(fresh, limit=1000)
    assert len(everything) == 1000
    assert key.list(fresh, limit=5000) == everything
    assert len(key.list(fresh, limit=5000, skip=1000)) == 10
    assert [item["id"] for item in everything] == sorted(item["id"] for item in everything)


def test_patch(alice, fresh):
    document = alice.create(fresh, {"a": 1, "deep": {"x": 1, "y": 2}})
    path = f"/{fresh}/{document['id']}"
    wait_until_after(document["updatedAt"])
    assert ok(alice.patch(path, {"b": 2, "deep.x": 5}), 204) is None
    got = ok(alice.get(path))["document"]
    assert (got["a"], got["b"], got["deep"]) == (1, 2, {"x": 5, "y": 2})
    assert got["createdAt"] == document["createdAt"] and got["updatedAt"] > document["updatedAt"]
    ok(alice.patch(path, {"$inc": {"a": 4}, "$unset": {"b": ""}}), 204)
    got = ok(alice.get(path))["document"]
    assert got["a"] == 5 and "b" not in got
    refused(alice.patch(f"/{fresh}/missing", {"a": 1}), 404)
    assert alice.list(fresh) == [got]


def test_put(alice, fresh):
    document = alice.create(fresh, {"a": 1, "b": 2})
    path = f"/{fresh}/{document['id']}"
    ok(alice.put(path, {"c": 3}), 204)
    got = ok(alice.get(path))["document"]
    assert {
        "c": 3,
        "id": document["id"],
        "createdAt": document["createdAt"],
        "ownerId": alice.id,
    }.items() <= got.items()
    assert "a" not in got and "b" not in got
    refused(alice.put(f"/{fresh}/missing", {"a": 1}), 404)
    for body in ({"$set": {"a": 1}}, {"a": 1, "$inc": {"b": 1}}, {"$x": 1}):
        refused(alice.put(path, body), 400, "INVALID_BODY")
    assert ok(alice.get(path))["document"] == got
    ok(alice.put(path, {}), 204)
    assert set(ok(alice.get(path))["document"]) == {"id", "createdAt", "updatedAt", "ownerId"}


def test_delete(alice, fresh):
    document = alice.create(fresh, {"a": 1})
    path = f"/{fresh}/{document['id']}"
    assert ok(alice.delete(path), 204) is None
    refused(alice.get(path), 404)
    refused(alice.delete(path), 404)
    assert alice.list(fresh) == []


def test_a_document_named_search(alice, fresh):
    alice.create(fresh, {"id": "search", "a": 1})
    assert ok(alice.get(f"/{fresh}/search"))["document"]["a"] == 1


# ---- parameters


@pytest.mark.parametrize("name", ["limit", "skip"])
@pytest.mark.parametrize("value", ["", "-1", "1.5", "x", "1e3", "0x10", " 1", "1 ", "+1", "١", "null"])
def test_bad_numbers(alice, posts, name, value):
    refused(alice.get(f"/{posts}", params={name: value}), 400, "INVALID_PARAM")


@pytest.mark.parametrize("name, value", [("limit", "1001"), ("limit", "9" * 30), ("skip", "5"), ("skip", "9" * 30)])
def test_large_numbers_are_numbers(alice, fresh, name, value):
    alice.create(fresh, {"a": 1})
    assert len(alice.list(fresh, **{name: value})) == (1 if name == "limit" else 0)


@pytest.mark.parametrize(
    "text", ["", "x", "[]", "1", '"a"', "null", "true", "{", '{"a":}', '{"a":1,"a":2}', "{}{}", "{'a':1}"]
)
def test_filter_that_is_no_object(alice, posts, text):
    refused(alice.get(f"/{posts}", params={"filter": text}), 400, "INVALID_FILTER")


def test_other_parameters_have_no_effect(alice, fresh):
    made = [alice.create(fresh, {"n": n}) for n in (2, 1)]
    assert alice.list(fresh, sort="n", select="n", fields="n", q="x", cursor="x", order="desc") == made


def test_filters_on_a_single_read(alice, fresh):
    document = alice.create(fresh, {"a": 1})
    path = f"/{fresh}/{document['id']}"
    ok(alice.get(path, params={"expand": "nothing,a,,.."}))
    for value in ("x", "[]"):
        assert alice.get(path, params={"filter": value}).status_code in (200, 400)


# ---- ids


@pytest.mark.parametrize("given", ["a", "A-b_9", "0", "x" * 64, "-", "_"])
def test_client_ids(alice, project, given):
    collection = project.collection()
    document = alice.create(collection, {"id": given, "a": 1})
    assert document["id"] == given
    assert ok(alice.get(f"/{collection}/{given}"))["document"] == document
    refused(alice.post(f"/{collection}", {"id": given, "a": 2}), 409, "CONFLICT")
    assert alice.list(collection) == [document]


@pytest.mark.parametrize(
    "given",
    [
        "",
        "a b",
        "a/b",
        "x" * 65,
        "ä",
        "a.b",
        "a\n",
        "a\u0000",
        "$a",
        None,
        5,
        True,
        [],
        {},
        {"$ne": 1},
        {"$oid": "5" * 24},
    ],
)
def test_bad_client_ids(alice, posts, given):
    refused(alice.post(f"/{posts}", {"id": given, "a": 1}), 400, "VALIDATION", "/id")


def test_a_taken_id_says_nothing_of_its_owner(alice, bob, project):
    collection = project.collection(policy={"create": {}, "read": {"filter": {"ownerId": "$auth.uid"}}})
    alice.create(collection, {"id": "mine"})
    error = refused(bob.post(f"/{collection}", {"id": "mine"}), 409, "CONFLICT")
    assert alice.id not in json.dumps(error) and alice.email not in json.dumps(error)
    refused(bob.get(f"/{collection}/mine"), 404)


def test_of_concurrent_creates_with_one_id_one_wins(alice, fresh):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda n: alice.post(f"/{fresh}", {"id": "one", "n": n}).status_code, range(16)))
    assert sorted(statuses) == [201] + [409] * 15


def test_ids_ascend_with_creation(project, fresh):
    key = project.api_key("read", "write")
    ids = [key.create(fresh, {"n": n})["id"] for n in range(50)]
    assert ids == sorted(ids) and len(set(ids)) == 50
    key.create(fresh, {"id": "000first"})
    assert key.list(fresh)[0]["id"] == "000first"


# ---- fields of the server


def test_owner_is_forced_on_create(alice, bob, fresh):
    for given in (bob.id, "", None, 5, {"$ne": 1}):
        document = alice.create(fresh, {"ownerId": given, "a": 1})
        assert document["ownerId"] == alice.id


@pytest.mark.parametrize(
    "change",
    [
        {"ownerId": "other"},
        {"$set": {"ownerId": "other"}},
        {"$unset": {"ownerId": ""}},
        {"$rename": {"ownerId": "x"}},
        {"$rename": {"a": "ownerId"}},
        {"$min": {"ownerId": ""}},
        {"ownerId.x": 1},
        {"$currentDate": {"ownerId": True}},
        {"id": "other"},
        {"$set": {"id": "other"}},
        {"$unset": {"id": ""}},
        {"$rename": {"id": "x"}},
        {"$rename": {"a": "id"}},
        {"createdAt": "2000-01-01T00:00:00.000Z"},
        {"$unset": {"createdAt": ""}},
        {"$min": {"createdAt": {"$date": "2000-01-01T00:00:00Z"}}},
        {"$rename": {"createdAt": "x"}},
        {"$inc": {"createdAt": 1}},
        {"$currentDate": {"createdAt": True}},
        {"updatedAt": "2000-01-01T00:00:00.000Z"},
        {"$unset": {"updatedAt": ""}},
        {"$rename": {"a": "updatedAt"}},
    ],
    ids=json.dumps,
)
def test_system_fields_do_not_change(alice, fresh, change):
    document = alice.create(fresh, {"a": "other"})
    path = f"/{fresh}/{document['id']}"
    response = alice.patch(path, change)
    assert response.status_code in (204, 400, 403), response.text
    got = ok(alice.get(path))["document"]
    for field in ("id", "ownerId", "createdAt"):
        assert got[field] == document[field], f"{field} changed"
    assert got["updatedAt"] >= document["updatedAt"] and TIME.match(got["updatedAt"])


def test_system_fields_in_a_put(alice, bob, fresh):
    document = alice.create(fresh, {"a": 1})
    path = f"/{fresh}/{document['id']}"
    response = alice.put(
        path,
        {
            "id": "other",
            "ownerId": bob.id,
            "createdAt": "2000-01-01T00:00:00.000Z",
            "updatedAt": "2000-01-01T00:00:00.000Z",
            "a": 2,
        },
    )
    assert response.status_code in (204, 400, 403)
    got = ok(alice.get(path))["document"]
    for field in ("id", "ownerId", "createdAt"):
        assert got[field] == document[field]
    assert got["updatedAt"] >= document["updatedAt"]
    refused(alice.get(f"/{fresh}/other"), 404)


def test_system_fields_in_a_create(alice, fresh):
    document = alice.create(fresh, {"createdAt": "2000-01-01T00:00:00.000Z", "updatedAt": 5, "a": 1})
    assert not document["createdAt"].startswith("2000") and TIME.match(document["updatedAt"])


# ---- types on the wire


def stored(api, collection, text: str) -> str:
    """Returns the field v of a document created from this JSON text, as JSON text."""
    created = api.post(
        f"/{collection}", content=b'{"v": %s}' % text.encode(), headers={"content-type": "application/json"}
    )
    document = ok(created, 201)["document"]
    response = api.get(f"/{collection}/{document['id']}")
    match = re.search(r'"v":\s*(.*?),?\s*"(ownerId|id|createdAt|updatedAt)"|"v":\s*(.*)}}$', response.text)
    assert match, response.text
    return (match.group(1) or match.group(3)).rstrip(", ")


@pytest.mark.parametrize(
    "sent, received",
    [
        ("0", "0"),
        ("-1", "-1"),
        ("2147483647", "2147483647"),
        ("2147483648", "2147483648"),
        ("-2147483649", "-2147483649"),
        ("9007199254740993", "9007199254740993"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1.5", "1.5"),
        ("0.1", "0.1"),
        ("1e2", "100"),
        ("1.0", "1"),
        ("-0.5", "-0.5"),
        ("1e300", "1e+300"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("123456789.123456789", "123456789.12345679"),
        ("true", "true"),
        ("false", "false"),
        ("null", "null"),
        ('""', '""'),
        ('"a"', '"a"'),
        ("[]", "[]"),
        ("{}", "{}"),
        ("[1,[2,[3]]]", "[1,[2,[3]]]"),
        ('{"b":1,"a":2}', '{"b":1,"a":2}'),
        ('{"$numberLong":"9223372036854775807"}', "9223372036854775807"),
        ('{"$numberInt":"5"}', "5"),
        ('{"$numberDouble":"1.5"}', "1.5"),
        ('{"$numberDecimal":"1.10"}', '"1.10"'),
        ('{"$date":"2026-01-31T09:30:00Z"}', '"2026-01-31T09:30:00.000Z"'),
        ('{"$date":"2026-01-31T10:30:00.5+01:00"}', '"2026-01-31T09:30:00.500Z"'),
        ('{"$date":"1969-12-31T23:59:59.999Z"}', '"1969-12-31T23:59:59.999Z"'),
        ('{"$date":{"$numberLong":"0"}}', '"1970-01-01T00:00:00.000Z"'),
        ('{"$oid":"507f1f77bcf86cd799439011"}', '"507f1f77bcf86cd799439011"'),
        ('{"$binary":{"base64":"AQID","subType":"00"}}', '"AQID"'),
        ('{"$binary":{"base64":"","subType":"00"}}', '""'),
        ('[{"$date":"2026-01-31T09:30:00Z"}]', '["2026-01-31T09:30:00.000Z"]'),
    ],
)
def test_values(alice, posts, sent, received):
    got = stored(alice, posts, sent)
    assert json.loads(got) == json.loads(received)
    assert re.sub(r"\s", "", got).lower() == received.lower(), "the same value in another form"


@pytest.mark.parametrize(
    "text", ["ä😀", "\u0001\u001f\u007f", '"\\/', "\u2028\u2029", "\u0000", "a" * 100_000, "\ufffd", "‮abc"]
)
def test_strings(alice, posts, text):
    document = alice.create(posts, {"v": text})
    assert document["v"] == text
    assert ok(alice.get(f"/{posts}/{document['id']}"))["document"]["v"] == text


@pytest.mark.parametrize(
    "key", ["ä", " ", "a b", "__proto__", "constructor", "x" * 500, "_id", "0", "length", "\u0001"]
)
def test_odd_keys(alice, posts, key):
    document = alice.create(posts, {key: {"inner": 1}})
    assert ok(alice.get(f"/{posts}/{document['id']}"))["document"][key] == {"inner": 1}


def test_order_of_keys_is_kept(alice, posts):
    document = alice.create(posts, {"z": 1, "a": 2, "m": {"z": 1, "a": 2}})
    assert [key for key in document if key in "zam"] == ["z", "a", "m"] and list(document["m"]) == ["z", "a"]


@pytest.mark.parametrize(
    "body, code",
    [
        (b'{"v": 1e999}', "INVALID_JSON"),
        (b'{"v": NaN}', "INVALID_JSON"),
        (b'{"v": Infinity}', "INVALID_JSON"),
        (b'{"v": 01}', "INVALID_JSON"),
        (b'{"v": +1}', "INVALID_JSON"),
        (b'{"v": .5}', "INVALID_JSON"),
        (b'{"v": 1.}', "INVALID_JSON"),
        (b'{"v": "\xff"}', "INVALID_JSON"),
        (b'{"v": "\xed\xa0\x80"}', "INVALID_JSON"),
        (b'{"v": "\\ud800"}', "INVALID_JSON"),
        (b'{"v": "a\nb"}', "INVALID_JSON"),
        (b'{"v": "\\x"}', "INVALID_JSON"),
        (b'{"a\\u0000b": 1}', "INVALID_JSON"),
        (b'{"v": 1, "v": 1}', "INVALID_JSON"),
        (b'{"v": {"a": 1, "b": 2, "a": 3}}', "INVALID_JSON"),
        (b'{"v": 1,}', "INVALID_JSON"),
        (b"{v: 1}", "INVALID_JSON"),
        (b"{'v': 1}", "INVALID_JSON"),
        (b'{"v": 1} x', "INVALID_JSON"),
        (b'{"v": 1}{}', "INVALID_JSON"),
        (b'{"v"', "INVALID_JSON"),
        (b'\xef\xbb\xbf{"v": 1}', None),
        (b'{"v": /* c */ 1}', "INVALID_JSON"),
        (b"", None),
        (b" ", None),
        (b"[]", "VALIDATION"),
        (b"1", "VALIDATION"),
        (b'"x"', "VALIDATION"),
        (b"null", "VALIDATION"),
        (b"[{]", "INVALID_JSON"),
        (b"nil", "INVALID_JSON"),
        (b'{"v": {"$date": "tomorrow"}}', "INVALID_JSON"),
        (b'{"v": {"$oid": "zz"}}', "INVALID_JSON"),
        (b'{"v": {"$binary": {"base64": "***", "subType": "00"}}}', "INVALID_JSON"),
        (b'{"v": {"$numberDecimal": "x"}}', "INVALID_JSON"),
        (b'{"v": {"$numberLong": "9223372036854775808"}}', "INVALID_JSON"),
        (b'{"v": {"$numberDouble": "NaN"}}', None),
        (b'{"v": {"$numberDouble": "Infinity"}}', None),
        (b'{"v": {"$numberDecimal": "NaN"}}', None),
        (b'{"v": {"$date": "2026-01-31T09:30:00Z", "x": 1}}', None),
        (b'{"$set": {"v": 1}}', None),
        (b'{"v": {"$inc": 1}}', None),
    ],
)
def test_bodies_that_are_no_document(alice, posts, body, code):
    response = alice.post(f"/{posts}", content=body, headers={"content-type": "application/json"})
    refused(response, 400, code)


def test_too_large_when_stored(alice, fresh):
    document = alice.create(fresh, {"text": "x" * 1_000_000})
    path = f"/{fresh}/{document['id']}"
    refused(alice.patch(path, {"more": "y" * 200_000}), 413, "PAYLOAD_TOO_LARGE")
    assert "more" not in ok(alice.get(path))["document"]


def test_too_large_an_answer(alice, fresh):
    for _ in range(18):
        alice.create(fresh, {"text": "x" * 1_000_000})
    error = refused(alice.get(f"/{fresh}"), 413, "PAYLOAD_TOO_LARGE")
    assert "limit" in error["message"]
    assert len(alice.list(fresh, limit=10)) == 10


def test_concurrent_patches_are_all_there(alice, fresh):
    document = alice.create(fresh, {"n": 0, "list": []})
    path = f"/{fresh}/{document['id']}"
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: ok(alice.patch(path, {"$inc": {"n": 1}, "$push": {"list": n}}), 204), range(80)))
    got = ok(alice.get(path))["document"]
    assert got["n"] == 80 and sorted(got["list"]) == list(range(80))


def test_collections_are_apart(alice, project):
    one, other = project.collection(), project.collection()
    document = alice.create(one, {"id": "same", "a": 1})
    refused(alice.get(f"/{other}/same"), 404)
    alice.create(other, {"id": "same", "a": 2})
    ok(alice.delete(f"/{other}/same"), 204)
    assert ok(alice.get(f"/{one}/same"))["document"] == document


def test_projects_are_apart(owner, alice, posts):
    other = owner.create_project()
    other.collection(posts, policy=OPEN_POLICY)
    stranger = other.end_user()
    document = alice.create(posts, {"id": unique("mine"), "a": 1})
    refused(stranger.get(f"/{posts}/{document['id']}"), 404)
    assert stranger.list(posts) == []
    refused(alice.get(f"/{posts}", project=other.id), 400, "PROJECT_MISMATCH")

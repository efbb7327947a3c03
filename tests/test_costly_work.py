"""Requests that could occupy a core: patterns on long texts, conditions and checks on large documents. Requests that
are too costly are refused, and the server continues to respond to others."""

import concurrent.futures
import json
import random
import socket
import urllib.parse

import pytest

from support.client import OPEN_POLICY, PlatformUser, ok, refused
from support.raw_http import RawConnection
from support.realtime import Live
from support.server import Server
from support.vectors import Space

# Patterns that RE2 can match on such a text only with its slow matcher.
SLOW = ["((a|b){1,40}){1,20}c", "[ab]{1000}c", "(a|b)*a(a|b){18}c", "a.{900}c"]
COSTLY = SLOW[1]
TEXT = "".join(random.Random(1).choices("ab", k=900_000))


def pattern(source: str) -> dict:
    return {"text": {"$regex": source}}


def open_policy(**rules) -> dict:
    return {**OPEN_POLICY, **rules}


@pytest.fixture(scope="module")
def long(project):
    """Returns a collection with one document with a long text, and its id."""
    name = project.collection()
    id = ok(project.admin.post(f"/admin/collections/{name}/documents", {"text": TEXT, "parts": [TEXT[:100_000]]}), 201)
    return name, id["document"]["id"]


def listing(api, collection: str, filter: dict):
    return api.get(f"/{collection}", params={"filter": json.dumps(filter)})


@pytest.mark.parametrize("source", SLOW)
def test_a_list(alice, long, source):
    refused(listing(alice, long[0], pattern(source)), 400, "QUERY_TOO_COSTLY")
    refused(listing(alice, long[0], {"$nor": [pattern(source)]}), 400, "QUERY_TOO_COSTLY")


def test_a_large_pattern_is_answered_quickly_or_not_at_all(alice, long):
    name, id = long
    answer = listing(alice, name, {"$nor": [pattern("(a|b|ab|ba|aba|bab){200}c0")]})
    if answer.status_code == 200:
        assert [one["id"] for one in answer.json()["documents"]] == [id]
    else:
        refused(answer, 400, "QUERY_TOO_COSTLY")


def test_a_list_that_stops_before_the_long_text(project, alice):
    name = project.collection()
    for n in range(3):
        alice.create(name, {"id": f"a{n}", "text": "ab" * 10})
    alice.create(name, {"id": "b", "text": TEXT})
    wanted = {"$nor": [pattern(COSTLY)]}
    assert [one["id"] for one in alice.list(name, wanted, limit=3)] == ["a0", "a1", "a2"]
    refused(listing(alice, name, wanted), 400, "QUERY_TOO_COSTLY")


def test_plain_patterns_on_long_texts(alice, long):
    name, id = long
    assert [one["id"] for one in alice.list(name, {"$nor": [pattern("[a-z]+@[a-z]+")]})] == [id]
    # More than a core may do without a pause, and far less than a request may use.
    many = {"$nor": [pattern(f"[ab]+x{n}") for n in range(60)]}
    assert [one["id"] for one in alice.list(name, many)] == [id]
    refused(alice.get(f"/{name}/{id}", params={"filter": json.dumps(many)}), 400, "QUERY_TOO_COSTLY")


def test_sixty_large_patterns_in_one_filter(alice, long):
    many = {"$or": [pattern(f"(a|b|ab|ba|aba|bab){{200}}c{n}") for n in range(60)]}
    refused(listing(alice, long[0], many), 400, "INVALID_FILTER")


@pytest.mark.parametrize("source", ["\\pL" * 17, "a{1000}" * 100, "\\pL{15}c"])
def test_patterns_that_take_long_to_compile(alice, admin, long, source):
    refused(listing(alice, long[0], pattern(source)), 400, "INVALID_FILTER")
    schema = {"type": "object", "properties": {"text": {"type": "string", "pattern": source}}}
    refused(admin.put(f"/admin/collections/{long[0]}/schema", schema), 400, "VALIDATION")


def test_get(alice, long):
    name, id = long
    refused(alice.get(f"/{name}/{id}", params={"filter": json.dumps(pattern(COSTLY))}), 400, "QUERY_TOO_COSTLY")


def test_graphql(alice, project):
    name = project.collection(schema={"type": "object", "properties": {"text": {"type": "string"}}})
    alice.create(name, {"text": TEXT})
    query = "query($f: %sFilter){%s(filter: $f){id}}" % (name[0].upper() + name[1:], name)
    answer = ok(alice.post("/graphql", {"query": query, "variables": {"f": pattern(COSTLY)}}))
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["QUERY_TOO_COSTLY"]


def test_search(project):
    space = Space(project)
    space.put("a", [1, 0, 0, 0], text=TEXT)
    assert [hit["id"] for hit in space.hits([1, 0, 0, 0])] == ["a"]
    refused(space.search(vector=[1, 0, 0, 0], filter=pattern(COSTLY)), 400, "QUERY_TOO_COSTLY")


def test_pull(alice, long):
    name, id = long
    before = ok(alice.get(f"/{name}/{id}"))
    refused(alice.patch(f"/{name}/{id}", {"$pull": {"parts": {"$regex": COSTLY}}}), 400, "QUERY_TOO_COSTLY")
    assert ok(alice.get(f"/{name}/{id}")) == before


def test_many_patterns_in_one_update(alice, long):
    name, id = long
    pulls = {f"list{n}": {"$regex": f"[ab]{{1000}}c{n}"} for n in range(200)}
    refused(alice.patch(f"/{name}/{id}", {"$pull": pulls}), 400, "QUERY_TOO_COSTLY")


def test_many_paths_in_one_update(alice, project):
    name = project.collection()
    id = alice.create(name, {"a": 1})["id"]
    refused(alice.patch(f"/{name}/{id}", {f"f{n}": n for n in range(20_000)}), 400, "QUERY_TOO_COSTLY")
    ok(alice.patch(f"/{name}/{id}", {f"f{n}": n for n in range(2_000)}), 204)
    ok(alice.put(f"/{name}/{id}", {f"f{n}": n for n in range(20_000)}), 204)


def test_many_patterns_in_one_schema(admin, project):
    name = project.collection()
    properties = {f"f{n}": {"type": "string", "pattern": f"[ab]{{1000}}c{n}"} for n in range(60)}
    refused(admin.put(f"/admin/collections/{name}/schema", {"type": "object", "properties": properties}), 400, "VALIDATION")


def test_a_policy_filter(project, admin, alice):
    costly = {"filter": pattern(COSTLY)}
    name = project.collection(policy=open_policy(read=costly, list=costly, update=costly, create=costly))
    id = ok(admin.post(f"/admin/collections/{name}/documents", {"text": TEXT}), 201)["document"]["id"]
    refused(alice.get(f"/{name}"), 400, "QUERY_TOO_COSTLY")
    refused(alice.get(f"/{name}/{id}"), 400, "QUERY_TOO_COSTLY")
    refused(alice.patch(f"/{name}/{id}", {"n": 1}), 400, "QUERY_TOO_COSTLY")
    refused(alice.post(f"/{name}", {"text": TEXT}), 400, "QUERY_TOO_COSTLY")
    refused(alice.post(f"/{name}", {"text": "short"}), 403, "FORBIDDEN")


def test_expand(project, admin, alice):
    target = project.collection(policy=open_policy(read={"filter": {"$nor": [pattern(COSTLY)]}}))
    id = ok(admin.post(f"/admin/collections/{target}/documents", {"text": TEXT}), 201)["document"]["id"]
    name = project.collection(schema={"type": "object", "properties": {"to": {"type": "string", "x-ref": target}}})
    alice.create(name, {"to": id})
    refused(alice.get(f"/{name}", params={"expand": "to"}), 400, "QUERY_TOO_COSTLY")


def test_a_subscription_whose_rule_is_costly_gets_a_gap(project, server, admin, alice):
    name = project.collection(policy=open_policy(read={"filter": {"$nor": [pattern(COSTLY)]}}))
    with Live(server, alice.token) as live, Live(server, alice.token) as other:
        live.follow(name, id="costly")
        ok(admin.post(f"/admin/collections/{name}/documents", {"text": "ab"}), 201)
        first = live.event("costly")
        ok(admin.post(f"/admin/collections/{name}/documents", {"text": TEXT}), 201)
        assert live.next()["type"] == "gap"
        last = ok(admin.post(f"/admin/collections/{name}/documents", {"text": "ab"}), 201)["document"]["id"]
        assert live.event("costly")["documentId"] == last
        # The same from the change log.
        other.follow(name, id="again", after=first["position"])
        assert other.next()["type"] == "gap"
        assert other.event("again")["documentId"] == last


def test_a_subscription_with_a_costly_filter_ends(project, server, admin, alice):
    name, plain = project.collection(), project.collection()
    with Live(server, alice.token) as live, Live(server, alice.token) as other:
        live.follow(name, id="costly", filter={"$nor": [pattern(COSTLY)]})
        live.follow(plain, id="plain")
        short = ok(admin.post(f"/admin/collections/{name}/documents", {"text": "ab"}), 201)["document"]["id"]
        event = live.event("costly")
        assert event["documentId"] == short
        ok(admin.post(f"/admin/collections/{name}/documents", {"text": TEXT}), 201)
        live.error("QUERY_TOO_COSTLY", "costly")
        ok(admin.post(f"/admin/collections/{name}/documents", {"text": "ab"}), 201)
        after = ok(admin.post(f"/admin/collections/{plain}/documents", {}), 201)["document"]["id"]
        assert live.event("plain")["documentId"] == after
        # The same from the change log.
        other.follow(name, id="again", after=event["position"], filter={"$nor": [pattern(COSTLY)]})
        other.error("QUERY_TOO_COSTLY", "again")
        # The id of the ended subscription is free.
        live.follow(plain, id="costly")


@pytest.mark.parametrize("keyword", ["pattern", "patternProperties"])
def test_a_schema(project, alice, keyword):
    if keyword == "pattern":
        schema, large = {"properties": {"text": {"type": "string", "pattern": COSTLY}}}, {"text": TEXT}
    else:
        schema = {"patternProperties": {COSTLY: {"type": "string"}}}
        large = {f"{TEXT[n : n + 20]}{n}": 1 for n in range(0, 400_000, 20)}
    name = project.collection(schema={"type": "object", **schema})
    refused(alice.post(f"/{name}", large), 400, "QUERY_TOO_COSTLY")
    assert alice.list(name) == []


def test_an_expression(project, alice):
    rule = {"validate": 'document.text.matches("a.{900}c") == false'}
    name = project.collection(policy=open_policy(create=rule))
    refused(alice.post(f"/{name}", {"text": TEXT}), 403, "FORBIDDEN")
    # A cost that is within the steps of an expression is still too much for the slow matcher.
    refused(alice.post(f"/{name}", {"text": TEXT[:680]}), 403, "FORBIDDEN")
    alice.create(name, {"text": "ab"})


def test_sorting_an_array(alice, project):
    name = project.collection()
    id = alice.create(name, {"list": random.Random(1).sample(range(60_000), 60_000)})["id"]
    refused(alice.patch(f"/{name}/{id}", {"$push": {"list": {"$each": [1], "$sort": 1}}}), 400, "QUERY_TOO_COSTLY")
    few = alice.create(name, {"list": list(range(5_000, 0, -1))})["id"]
    ok(alice.patch(f"/{name}/{few}", {"$push": {"list": {"$each": [0], "$sort": 1, "$slice": 3}}}), 204)
    assert ok(alice.get(f"/{name}/{few}"))["document"]["list"] == [0, 1, 2]


def test_unique_items(alice, project):
    name = project.collection(schema={"type": "object", "properties": {"list": {"type": "array", "uniqueItems": True}}})
    alice.create(name, {"list": list(range(5_000))})
    refused(alice.post(f"/{name}", {"list": list(range(100_000))}), 400, "QUERY_TOO_COSTLY")


def test_conditions_on_many_elements(alice, project):
    name = project.collection()
    id = alice.create(name, {"list": [{"a": n} for n in range(40_000)]})["id"]
    filter = {"$and": [{"list.a": {"$ne": -1 - n}} for n in range(90)]}
    assert [one["id"] for one in alice.list(name, filter)] == [id]
    refused(alice.get(f"/{name}/{id}", params={"filter": json.dumps(filter)}), 400, "QUERY_TOO_COSTLY")


def test_others_are_served_in_the_meantime(server, project, alice, bob, long):
    own = project.collection()
    filters = [pattern(source) for source in SLOW] + [{"$nor": [pattern(f"[ab]+x{n}") for n in range(60)]}]
    with concurrent.futures.ThreadPoolExecutor(len(filters)) as pool:
        running = [pool.submit(listing, alice, long[0], filter) for filter in filters for _ in range(3)]
        for n in range(30):
            ok(bob.get(f"/{own}/{bob.create(own, {'n': n})['id']}"))
        assert {one.result().status_code for one in running} == {200, 400}
    assert server.alive()


def test_large_graphql_responses(project, alice):
    many = {f"p{n}": {"type": "integer"} for n in range(40)}
    name = project.collection(schema={"type": "object", "properties": {"text": {"type": "string"}, **many}})
    made = {}
    for n in range(4):
        document = alice.create(name, {f"p{k}": k * n for k in range(0, 40, 2)} | {"text": f"{n}" * 200_000})
        made[document["id"]] = document
    # Missing and existing fields, against the order in which they are stored.
    fields = [f"p{k}" for k in range(39, -1, -1)] + ["id", "text"]
    answer = ok(alice.post("/graphql", {"query": "{%s{%s}}" % (name, " ".join(fields))}))
    assert "errors" not in answer
    found = answer["data"][name]
    assert found == [{field: made[one["id"]].get(field) for field in fields} for one in found]
    assert {one["id"] for one in found} == set(made)


def test_large_documents(project, admin, alice):
    name = project.collection(policy={"create": {}, "read": {"deniedReadFields": ["hidden"]}})
    sent = {f"f{n}": n for n in range(20_000)} | {"text": "x" * 300_000, "hidden": 1}
    made = ok(alice.post(f"/{name}", sent), 201)["document"]
    server_fields = {field: made[field] for field in ("id", "ownerId", "createdAt", "updatedAt")}
    del sent["hidden"]
    assert made == sent | server_fields
    assert ok(alice.get(f"/{name}/{made['id']}"))["document"] == made
    documents = f"/admin/collections/{name}/documents"
    changed = ok(admin.patch(f"{documents}/{made['id']}", {"f0": "new"}))["document"]
    assert changed == made | {"f0": "new", "hidden": 1, "updatedAt": changed["updatedAt"]}


class Scanned:
    """A server that logs its requests, and a collection in which a scan costs as much as a query may use."""

    # Cheap for one document, and for all of them together more than the two seconds of a query.
    FILTER = {"$nor": [pattern(f"[ab]+x{n}") for n in range(60)]}

    def __init__(self, server):
        self.server = server
        project = PlatformUser(server).create_project()
        self.admin = project.admin
        self.schema = {"type": "object", "properties": {"text": {"type": "string"}}}
        self.name = project.collection(schema=self.schema)
        for _ in range(60):
            ok(self.admin.post(f"/admin/collections/{self.name}/documents", {"text": TEXT}), 201)

    def request(self, method: str, path: str, id: str, body: dict | None = None, version: str = "1.1") -> bytes:
        content = json.dumps(body).encode() if body is not None else b""
        head = (
            f"{method} /api/v1{path} HTTP/{version}\r\nhost: x\r\nx-request-id: {id}\r\n"
            f"authorization: Bearer {self.admin.token}\r\ncontent-length: {len(content)}\r\n\r\n"
        )
        return head.encode() + content

    def listing(self, id: str, version: str = "1.1") -> bytes:
        asked = urllib.parse.urlencode({"filter": json.dumps(self.FILTER)})
        return self.request("GET", f"/{self.name}?{asked}", id, version=version)

    def graphql(self, id: str) -> bytes:
        kind = self.name[0].upper() + self.name[1:]
        query = "query($f: %sFilter){%sCount(filter: $f) %s(filter: $f){id}}" % (kind, self.name, self.name)
        return self.request("POST", "/graphql", id, {"query": query, "variables": {"f": {"nor": [{"text": {"regex": f"[ab]+x{n}"}} for n in range(60)]}}})

    def status(self, id: str) -> int:
        """Returns the result of a request, from its line in the log."""
        return json.loads(self.server.logged(f'"msg":"request","requestId":"{id}"'))["status"]


@pytest.fixture(scope="module")
def scanned(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("scanned"), {"SERVICE_LOG_LEVEL": "debug"}).start()
    yield Scanned(server)
    server.stop()


@pytest.mark.parametrize("kind", ["listing", "graphql"])
def test_a_scan_ends_when_its_client_leaves(scanned, kind):
    with RawConnection(scanned.server) as leaving:
        leaving.send(getattr(scanned, kind)(f"left-{kind}"))
    assert scanned.status(f"left-{kind}") == 408


def test_a_client_that_only_ends_its_sending_gets_its_response(scanned):
    # Too costly, or too slow on a busy machine.
    finished = (400, 503)
    with RawConnection(scanned.server, 60) as client, RawConnection(scanned.server, 60) as old:
        client.send(scanned.listing("half")).socket.shutdown(socket.SHUT_WR)
        old.send(scanned.listing("old", version="1.0")).socket.shutdown(socket.SHUT_WR)
        # An informational response has no body.
        assert client.read_answer(head_only=True).status == 102
        assert client.read_answer().status in finished
        assert old.read_answer().status in finished
    assert scanned.status("half") in finished and scanned.status("old") in finished

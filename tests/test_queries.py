"""POST /:collection/query and /count: sorted pages with cursors, chosen fields, totals, and who may ask for what."""

import random
import threading

import pytest

from support.client import PlatformUser, fresh_address, ok, refused, unique

NOTES = {
    "list": {"deniedReadFields": ["secret", "meta.hidden"]},
    "read": {},
    "create": {},
    "update": {},
    "delete": {},
}


def query(api, collection, status=200, **body):
    response = api.post(f"/{collection}/query", body)
    return ok(response) if status == 200 else response


def count(api, collection, **body):
    return ok(api.post(f"/{collection}/count", body))["count"]


def walk(api, collection, **body):
    """The ids of all pages."""
    ids, pages = [], 0
    while True:
        page = query(api, collection, **body)
        ids += [one["id"] for one in page["documents"]]
        pages += 1
        assert pages < 1000
        if "next" not in page:
            return ids
        body["after"] = page["next"]


@pytest.fixture(scope="module")
def notes(project, admin):
    name = project.collection(policy=NOTES, indexes=[{"keys": {"n": 1}}, {"keys": {"kind": 1, "n": -1}}])
    for i in range(50):
        body = {"id": f"d{i:02}", "n": i % 7, "kind": "ab"[i % 2], "secret": i, "meta": {"shown": i, "hidden": i}}
        ok(admin.post(f"/admin/collections/{name}/documents", body), 201)
    return name


def by(*keys):
    """The ids of all notes, sorted by functions of their number; ties by id."""
    return [f"d{i:02}" for i in sorted(range(50), key=lambda i: (*[key(i) for key in keys], i))]


@pytest.mark.parametrize(
    "sort, expected",
    [
        ([], by()),
        ([{"id": -1}], list(reversed(by()))),
        ([{"n": 1}], by(lambda i: i % 7)),
        ([{"n": -1}], by(lambda i: -(i % 7))),
        ([{"kind": 1}, {"n": -1}], by(lambda i: i % 2, lambda i: -(i % 7))),
        ([{"kind": -1}, {"n": 1}], by(lambda i: -(i % 2), lambda i: i % 7)),
        ([{"n": 1}, {"meta.shown": -1}], by(lambda i: i % 7, lambda i: -i)),
        ([{"none": 1}], by()),
    ],
)
def test_pages_hold_each_document_once_and_in_order(alice, notes, sort, expected):
    for limit in (1, 7, 50, 1000):
        assert walk(alice, notes, sort=sort, limit=limit) == expected
    assert [one["id"] for one in query(alice, notes, sort=sort, skip=45, limit=3)["documents"]] == expected[45:48]


def test_next_and_total(alice, notes):
    assert "next" not in query(alice, notes, limit=50)
    page = query(alice, notes, limit=49, total=True, filter={"n": {"$lt": 7}})
    assert "next" in page and page["total"] == 50
    assert query(alice, notes, limit=0, total=True) == {"documents": [], "total": 50}
    assert set(query(alice, notes)) == {"documents"}
    assert len(ok(alice.post(f"/{notes}/query"))["documents"]) == 50  # an empty body is {}
    assert count(alice, notes, filter={"kind": "a"}) == 25
    assert ok(alice.post(f"/{notes}/count"))["count"] == 50


def test_fields_and_expand(alice, project):
    people = project.collection(policy={"read": {"deniedReadFields": ["email"]}, "create": {}})
    books = project.collection(
        policy={"list": {}, "create": {}},
        schema={"type": "object", "properties": {"author": {"type": "string", "x-ref": people}}},
    )
    alice.create(people, {"id": "ann", "name": "Ann", "email": "a@example.com", "born": {"year": 1950, "city": "Rome"}})
    book = {"id": "b1", "title": "One", "author": "ann", "meta": {"a": 1, "b": 2}, "parts": [{"x": 1, "y": 2}]}
    alice.create(books, book)

    def only(**body):
        return query(alice, books, **body)["documents"][0]

    assert only(fields=["title", "meta.a", "parts.y"]) == {
        "id": "b1",
        "title": "One",
        "meta": {"a": 1},
        "parts": [{"y": 2}],
    }
    assert only(fields=[]) == {"id": "b1"}
    assert "createdAt" in only()
    expanded = only(fields=["title"], expand=["author"])
    assert set(expanded) == {"id", "title", "author"}
    assert expanded["author"]["name"] == "Ann" and "email" not in expanded["author"]
    assert only(fields=["author.born.year"], expand=["author"]) == {"id": "b1", "author": {"born": {"year": 1950}}}
    assert only(expand=["title"])["title"] == "One"


@pytest.mark.parametrize(
    "body, path",
    [
        ({"filter": {"secret": 1}}, None),
        ({"sort": [{"secret": 1}]}, None),
        ({"sort": [{"n": 1}, {"meta": 1}]}, None),
        ({"fields": ["n", "secret"]}, "/fields/1"),
        ({"fields": ["meta.hidden.x"]}, "/fields/0"),
        ({"expand": ["secret"]}, "/expand/0"),
    ],
)
def test_denied_fields_are_refused_wherever_they_are_named(alice, admin, notes, body, path):
    refused(query(alice, notes, 403, **body), 403, "FORBIDDEN", path)
    ok(admin.post(f"/admin/collections/{notes}/query", body))
    if "filter" in body:
        refused(alice.post(f"/{notes}/count", body), 403, "FORBIDDEN")
    assert query(alice, notes, fields=["meta"], limit=1)["documents"] == [{"id": "d00", "meta": {"shown": 0}}]


@pytest.mark.parametrize(
    "body, path",
    [
        ({"skip": 0, "after": "x"}, "/skip"),
        ({"limit": "5"}, "/limit"),
        ({"limit": -1}, "/limit"),
        ({"limit": 1.5}, "/limit"),
        ({"skip": -1}, "/skip"),
        ({"sort": {"n": 1}}, "/sort"),
        ({"sort": [{"n": 2}]}, "/sort/0"),
        ({"sort": [{"n": 1}, {"n": -1}]}, "/sort/1"),
        ({"sort": [{"a": 1, "b": 1}]}, "/sort/0"),
        ({"sort": [{"$n": 1}]}, "/sort/0"),
        ({"sort": [{f"f{i}": 1} for i in range(9)]}, "/sort"),
        ({"fields": "n"}, "/fields"),
        ({"fields": ["a..b"]}, "/fields/0"),
        ({"fields": [f"f{i}" for i in range(101)]}, "/fields"),
        ({"expand": [5]}, "/expand/0"),
        ({"filter": []}, "/filter"),
        ({"total": "yes"}, "/total"),
        ({"where": {}}, "/where"),
        ({"as": {"role": "user"}}, "/as"),
    ],
)
def test_bad_bodies_are_refused_at_their_place(alice, notes, body, path):
    refused(query(alice, notes, 400, **body), 400, "VALIDATION", path)


def test_bad_filters_and_bodies(alice, notes):
    refused(query(alice, notes, 400, filter={"$where": "1"}), 400, "INVALID_FILTER")
    refused(alice.post(f"/{notes}/count", {"filter": {"n": {"$bad": 1}}}), 400, "INVALID_FILTER")
    refused(alice.post(f"/{notes}/count", {"limit": 1}), 400, "VALIDATION", "/limit")
    for route in ("query", "count"):
        refused(alice.post(f"/{notes}/{route}", content=b"{", headers={"content-type": "application/json"}), 400)
        refused(alice.post(f"/{notes}/{route}", content=b"{}", headers={"content-type": "text/plain"}), 415)
        refused(alice.post(f"/{notes}/{route}", []), 400, "VALIDATION")
        refused(alice.post(f"/{unique('none')}/{route}", {}), 404, "NOT_FOUND")


def test_cursors_belong_to_their_query(alice, admin, project, notes):
    other = project.collection(policy={"list": {}})
    asked = {"filter": {"n": {"$gte": 0, "$lt": 9}}, "sort": [{"n": 1}], "limit": 5}
    cursor = query(alice, notes, **asked)["next"]
    wrong = [
        (notes, {**asked, "sort": [{"n": -1}]}),
        (notes, {**asked, "sort": []}),
        (notes, {**asked, "filter": {"n": {"$gte": 1, "$lt": 9}}}),
        (notes, {"sort": asked["sort"]}),
        (other, asked),
    ]
    for collection, body in wrong:
        refused(query(alice, collection, 400, **{**body, "after": cursor}), 400, "INVALID_CURSOR", "/after")
    flipped = cursor[:40] + ("A" if cursor[40] != "A" else "B") + cursor[41:]
    for altered in (flipped, cursor[1:], cursor[:50], "", "d04", "ä" * 40, "A" * 100_000):
        refused(query(alice, notes, 400, **asked, after=altered), 400, "INVALID_CURSOR", "/after")
    second = project.owner.create_project()
    name = second.collection(notes, policy={"list": {}})
    refused(query(second.end_user(), name, 400, **asked, after=cursor), 400, "INVALID_CURSOR", "/after")
    # Fields, limit and caller may change; the order of the filter's fields does not matter.
    same = {"filter": {"n": {"$lt": 9, "$gte": 0}}, "sort": asked["sort"], "fields": ["n"], "limit": 2, "after": cursor}
    expected = query(alice, notes, **{**same, "limit": 5})["documents"][:2]
    assert query(alice, notes, **same)["documents"] == expected
    assert ok(admin.post(f"/admin/collections/{notes}/query", same))["documents"] == expected


def test_a_cursor_shows_its_user_what_they_may_see(alice, admin, project):
    own = {"filter": {"ownerId": "$auth.uid"}}
    name = project.collection(policy={"list": {**own, "deniedReadFields": ["secret"]}, "create": {}})
    bob = project.end_user()
    for i in range(10):
        (alice if i % 2 else bob).create(name, {"id": f"d{i}", "n": i})
    cursor = query(alice, name, sort=[{"n": 1}], limit=2)["next"]
    seen = query(bob, name, sort=[{"n": 1}], limit=2, after=cursor)["documents"]
    assert [one["id"] for one in seen] == ["d4", "d6"]
    bySecret = ok(admin.post(f"/admin/collections/{name}/query", {"sort": [{"secret": 1}], "limit": 1}))["next"]
    refused(query(bob, name, 403, sort=[{"secret": 1}], after=bySecret), 403, "FORBIDDEN")


def test_what_cannot_be_sorted(alice, project):
    name = project.collection()
    alice.create(name, {"id": "a", "x": [1, 2], "y": [1]})
    refused(query(alice, name, 400, sort=[{"x": 1}, {"y": 1}]), 400, "VALIDATION")
    assert walk(alice, name, sort=[{"x": 1}, {"z": 1}]) == ["a"]
    alice.create(name, {"id": "b", "x": "s" * 100_000})
    alice.create(name, {"id": "c", "x": True})
    refused(query(alice, name, 413, sort=[{"x": 1}], limit=2), 413, "PAYLOAD_TOO_LARGE")
    assert walk(alice, name, sort=[{"x": 1}], limit=3) == ["a", "b", "c"]


def test_order_of_mixed_types(alice, project):
    name = project.collection()
    values = [[], None, -1.5, 1, 9007199254740993, [9, 4], "a", "b", {"x": 1}, False, True]
    for i, value in enumerate(values):
        alice.create(name, {"id": f"d{i:02}", "v": value})
    alice.create(name, {"id": "d015"})  # missing, as null
    ascending = ["d00", "d01", "d015", "d02", "d03", "d05", "d04", "d06", "d07", "d08", "d09", "d10"]
    assert walk(alice, name, sort=[{"v": 1}], limit=2) == ascending
    ok(project.admin.post(f"/admin/collections/{name}/indexes", {"keys": {"v": 1}}), 201)
    assert walk(alice, name, sort=[{"v": 1}], limit=2) == ascending


def test_documents_may_be_named_like_the_routes(alice, project):
    name = project.collection(policy={op: {} for op in ("read", "list", "create", "update", "delete")})
    for id in ("query", "count"):
        alice.create(name, {"id": id, "n": 1})
        assert ok(alice.get(f"/{name}/{id}"))["document"]["n"] == 1
        ok(alice.patch(f"/{name}/{id}", {"n": 2}), 204)
        ok(alice.put(f"/{name}/{id}", {"n": 3}), 204)
        assert ok(alice.get(f"/{name}/{id}"))["document"]["n"] == 3
        ok(alice.delete(f"/{name}/{id}"), 204)
    # Collections of these names are like any other.
    for own in ("query", "count"):
        collection = project.collection(own)
        alice.create(collection, {"id": "x"})
        assert walk(alice, collection) == ["x"] and count(alice, collection) == 1


def test_needs_permission_scope_and_rule(project, alice, notes, admin):
    closed = project.collection(policy={"read": {}})
    for route in ("query", "count"):
        refused(alice.post(f"/{closed}/{route}", {}), 403, "FORBIDDEN")
        refused(project.api_key("write").post(f"/{notes}/{route}", {}), 403, "FORBIDDEN")
        ok(project.api_key("read").post(f"/{notes}/{route}", {}))
        ok(project.api_key("service").post(f"/{closed}/{route}", {}))
        reader = project.end_user(project.enduser_role("data:*:read"))
        refused(reader.post(f"/{notes}/{route}", {}), 403, "FORBIDDEN")
        refused(project.public().post(f"/{notes}/{route}", {}), 401, "UNAUTHENTICATED")
        refused(alice.post(f"/admin/collections/{notes}/{route}", {}), 403)
        member = project.member(project.role(f"data:{notes}:list"))
        ok(member.post(f"/admin/collections/{notes}/{route}", {}))
        refused(member.post(f"/admin/collections/{closed}/{route}", {}), 403, "FORBIDDEN")


def test_admins_get_the_access_path(admin, notes):
    page = ok(admin.post(f"/admin/collections/{notes}/query", {"sort": [{"n": 1}], "limit": 2}))
    assert set(page) == {"documents", "next", "explain"} and page["documents"][0]["secret"] == 0
    assert page["explain"]["index"] == "n_1"
    first = page["explain"]["keysExamined"]
    for _ in range(20):
        body = {"sort": [{"n": 1}], "limit": 2, "after": page["next"]}
        page = ok(admin.post(f"/admin/collections/{notes}/query", body))
        assert page["explain"]["keysExamined"] <= first + 2
    assert ok(admin.post(f"/admin/collections/{notes}/count", {"filter": {"kind": "b"}})) == {"count": 25}


class TestAnotherCaller:
    @pytest.fixture(scope="class")
    def tasks(self, project, admin):
        name = project.collection(
            policy={
                "list": {"filter": {"ownerId": "$auth.uid"}, "deniedReadFields": ["secret"]},
                "public": {"read": {}},
                "create": {},
            }
        )
        for i in range(6):
            body = {"id": f"t{i}", "ownerId": "ada" if i % 2 else "bob", "secret": i}
            ok(admin.post(f"/admin/collections/{name}/documents", body), 201)
        return name

    def asked(self, api, name, caller, **body):
        return api.post(f"/admin/collections/{name}/query", {"as": caller, **body})

    def test_sees_what_their_list_would_show(self, admin, tasks):
        page = ok(self.asked(admin, tasks, {"role": "user", "uid": "ada"}, sort=[{"id": -1}], total=True))
        assert [one["id"] for one in page["documents"]] == ["t5", "t3", "t1"] and page["total"] == 3
        assert "secret" not in page["documents"][0] and "explain" in page
        refused(self.asked(admin, tasks, {"role": "user", "uid": "ada"}, sort=[{"secret": 1}]), 403, "FORBIDDEN")
        refused(self.asked(admin, tasks, {"anonymous": True}), 403, "FORBIDDEN")
        refused(self.asked(admin, tasks, {"role": "user", "anonymous": True}), 400, "VALIDATION")
        refused(self.asked(admin, tasks, {"user": "user_none"}), 400, "VALIDATION")
        refused(self.asked(admin, tasks, {"role": 5}), 400, "VALIDATION", "/as/role")

    def test_an_existing_user(self, admin, project, tasks):
        user = project.end_user()
        made = user.create(tasks, {"n": 1})
        page = ok(self.asked(admin, tasks, {"user": user.id}))
        assert [one["id"] for one in page["documents"]] == [made["id"]]
        key = project.api_key("write")
        refused(self.asked(admin, tasks, {"key": key.id}), 403, "FORBIDDEN")

    def test_needs_to_read_what_the_result_may_follow_from(self, admin, project, tasks):
        ada = {"role": "user", "uid": "ada"}
        lists = project.member(project.role(f"data:{tasks}:list"))
        refused(self.asked(lists, tasks, ada), 403, "FORBIDDEN")
        reads = project.member(project.role(f"data:{tasks}:list", f"data:{tasks}:read"))
        ok(self.asked(reads, tasks, ada))
        refused(self.asked(reads, tasks, {"user": "user_x"}), 403, "FORBIDDEN")  # users:read
        people = project.collection(policy={"read": {}})
        schema = {"type": "object", "properties": {"author": {"type": "string", "x-ref": people}}}
        ok(admin.put(f"/admin/collections/{tasks}/schema", schema), 204)
        refused(self.asked(reads, tasks, ada, expand=["author"]), 403, "FORBIDDEN")
        ok(self.asked(admin, tasks, ada, expand=["author"]))


def test_public_lists_count_against_the_limit(make_server):
    server = make_server({"SERVICE_PUBLIC_RATE_LIMIT": "4/60"}).start()
    project = PlatformUser(server).create_project()
    name = project.collection(policy={"public": {"list": {"filter": {"open": True}, "deniedReadFields": ["secret"]}}})
    for i in range(4):
        body = {"id": f"d{i}", "open": i < 3, "secret": i}
        ok(project.admin.post(f"/admin/collections/{name}/documents", body), 201)
    nobody, address = project.public(), fresh_address()
    page = ok(nobody.post(f"/{name}/query", {"sort": [{"id": -1}], "limit": 2}, address=address))
    assert [one["id"] for one in page["documents"]] == ["d2", "d1"] and "secret" not in page["documents"][0]
    rest = {"sort": [{"id": -1}], "limit": 2, "after": page["next"]}
    assert len(ok(nobody.post(f"/{name}/query", rest, address=address))["documents"]) == 1
    assert ok(nobody.post(f"/{name}/count", {}, address=address)) == {"count": 3}
    refused(nobody.post(f"/{name}/query", {"sort": [{"secret": 1}]}, address=address), 403, "FORBIDDEN")
    refused(nobody.post(f"/{name}/count", {}, address=address), 429, "RATE_LIMITED")
    ok(nobody.get(f"/{name}", address=address))


@pytest.mark.parametrize("sort", [[{"rank": 1}], [{"rank": -1}], [{"kind": 1}, {"rank": -1}]], ids=str)
def test_walks_under_concurrent_writers(project, admin, sort):
    """Documents that stay are in every walk exactly once and in order, while others are moved, added and deleted."""
    indexes = [{"keys": {"rank": 1}}] if len(sort) == 1 else []
    name = project.collection(indexes=indexes)
    path = f"/admin/collections/{name}/documents"
    staying = {}
    for i in range(60):
        body = {"id": f"s{i:02}", "rank": i * 7 % 20, "kind": i % 3}
        staying[body["id"]] = body
        ok(admin.post(path, body), 201)
    stop, failures = threading.Event(), []

    def write(seed):
        rolls = random.Random(seed)
        api = project.owner.exchange(project.id)
        while not stop.is_set():
            id = f"m{seed}{rolls.randrange(10)}"
            response = api.delete(f"{path}/{id}")
            if response.status_code not in (204, 404):
                failures.append(response.text)
            response = api.post(path, {"id": id, "rank": rolls.randrange(20), "kind": rolls.randrange(3)})
            if response.status_code not in (201, 409):
                failures.append(response.text)

    writers = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
    for writer in writers:
        writer.start()
    try:
        keys = [next(iter(key.items())) for key in sort]
        expected = sorted(staying, key=lambda id: (*[staying[id][key] * way for key, way in keys], id))
        for limit in (3, 10, 25, 7, 4, 50, 6, 5, 9, 13):
            ids = walk(project.admin, name, sort=sort, limit=limit)
            assert [id for id in ids if id in staying] == expected
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert failures == []


def test_graphql_and_rest_share_cursors(alice, notes):
    field = notes.replace("-", "_")
    text = f"{{ {field}Page(sort: {{n: 1}}, limit: 5) {{ documents {{ id }} next total }} }}"
    page = ok(alice.post("/graphql", {"query": text}))["data"][f"{field}Page"]
    assert page["total"] == 50 and [one["id"] for one in page["documents"]] == by(lambda i: i % 7)[:5]
    rest = query(alice, notes, sort=[{"n": 1}], limit=5, after=page["next"])
    assert [one["id"] for one in rest["documents"]] == by(lambda i: i % 7)[5:10]
    variables = {"after": rest["next"]}
    text = f"query($after: ID) {{ {field}(sort: {{n: 1}}, limit: 5, after: $after) {{ id }} }}"
    listed = ok(alice.post("/graphql", {"query": text, "variables": variables}))["data"][field]
    assert [one["id"] for one in listed] == by(lambda i: i % 7)[10:15]

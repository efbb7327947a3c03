"""Rules of buckets, on each way to a file, and the metadata of files."""

import base64
import json
from urllib.parse import urlsplit

import pytest

from support.bucket import Bucket
from support.client import Api, EndUser, ok, refused, unique
from support.raw_http import RawConnection

ROUTE = "/admin/storage/buckets"
TUS = {"tus-resumable": "1.0.0"}
BYTES = {**TUS, "content-type": "application/offset+octet-stream"}
OWN = {"filter": {"ownerId": "$auth.uid"}}


class Ruled(Bucket):
    def __init__(self, project, rules: dict, access: str = "private"):
        super().__init__(project, access)
        self.rules(rules)

    def rules(self, rules: dict | None) -> None:
        ok(self.change(rules=rules), 204)

    def change(self, **change):
        return self.project.admin.patch(f"{ROUTE}/{self.name}", change)

    def shown(self) -> dict:
        return next(each for each in ok(self.project.admin.get(ROUTE))["buckets"] if each["name"] == self.name)

    def put_tagged(self, path: str, metadata, by: Api | None = None, content: bytes = b"hello"):
        text = metadata if isinstance(metadata, str) else json.dumps(metadata)
        headers = {"content-type": "text/plain", "x-service-metadata": text}
        return (by or self.project.admin).put(self.url(path), content=content, headers=headers)

    def tag(self, path: str, metadata, by: Api | None = None):
        return (by or self.project.admin).patch(self.url(path), {"metadata": metadata})

    def file(self, path: str) -> dict:
        return next(file for file in self.list(prefix=path)["files"] if file["path"] == path)

    def begin(self, path: str, length: int, by: Api, metadata=None):
        headers = {**TUS, "upload-length": str(length)}
        if metadata is not None:
            headers["upload-metadata"] = "metadata " + base64.b64encode(json.dumps(metadata).encode()).decode()
        return by.post(self.url(path), headers=headers)

    def address(self, path: str, length: int, by: Api, metadata=None) -> str:
        answer = self.begin(path, length, by, metadata)
        ok(answer, 201)
        return answer.headers["location"].removeprefix("/api/v1")

    def send(self, address: str, offset: int, content: bytes, by: Api):
        return by.patch(address, content=content, headers={**BYTES, "upload-offset": str(offset)})


class Teams:
    """A set of the teams that a caller belongs to."""

    def __init__(self, project):
        self.admin = project.admin
        self.name = unique("teams")
        self.members = project.collection(policy=None, indexes=[{"keys": {"userId": 1}}])
        body = {"collection": self.members, "where": {"userId": "$auth.uid"}, "value": "teamId"}
        ok(self.admin.put(f"/admin/policies/sets/{self.name}", body), 204)

    @property
    def mine(self) -> dict:
        return {"filter": {"metadata.team": {"$in": f"$auth.sets.{self.name}"}}}

    @property
    def valid(self) -> dict:
        return {"validate": f"file.metadata.team in auth.sets.{self.name}"}

    def join(self, user, team: str) -> str:
        route = f"/admin/collections/{self.members}/documents"
        return ok(self.admin.post(route, {"userId": user.id, "teamId": team}), 201)["document"]["id"]

    def leave(self, membership: str) -> None:
        ok(self.admin.delete(f"/admin/collections/{self.members}/documents/{membership}"), 204)


def test_every_way_to_a_file(project, alice, bob):
    shelf = Ruled(project, {"read": OWN, "list": OWN, "create": OWN, "update": OWN, "delete": OWN})
    made = ok(shelf.put_tagged("a", {"n": 1}, by=alice), 201)["file"]
    assert (made["ownerId"], made["metadata"]) == (alice.id, {"n": 1})
    assert shelf.get("a", by=alice).content == b"hello"
    assert shelf.get("a", by=alice, headers={"range": "bytes=1-2"}).content == b"el"
    assert alice.call("HEAD", shelf.url("a")).status_code == 200
    assert shelf.paths(by=alice) == ["a"] and shelf.paths(by=bob) == []

    link = ok(shelf.get("a", by=alice, params={"sign": 60}))["url"]
    parts = urlsplit(link)
    assert Api(project.server).get(f"{parts.path}?{parts.query}").content == b"hello"
    for answer in (
        shelf.get("a", by=bob),
        shelf.get("a", by=bob, headers={"range": "bytes=0-1"}),
        shelf.get("a", by=bob, params={"sign": 60}),
        shelf.put("a", b"x", by=bob),
        shelf.delete("a", by=bob),
        shelf.tag("a", {}, by=bob),
        shelf.begin("a", 3, bob),
        shelf.get("a", by=project.public()),
    ):
        refused(answer, 404, "NOT_FOUND")
    assert bob.call("HEAD", shelf.url("a")).status_code == 404
    address = shelf.address("b", 3, bob)
    refused(shelf.send(address, 0, b"x", alice), 404)
    ok(shelf.send(address, 0, b"abc", bob), 204)
    assert shelf.file("b")["ownerId"] == bob.id
    ok(shelf.delete("a", by=alice), 204)
    assert shelf.paths() == ["b"]


def test_without_a_rule_it_is_403(project, alice):
    shelf = Ruled(project, {"read": {}})
    ok(shelf.put("a"), 201)
    assert shelf.get("a", by=alice).content == b"hello"
    for answer in (
        alice.get(f"/storage/{shelf.name}"),
        shelf.put("a", by=alice),
        shelf.put("new", by=alice),
        shelf.begin("new", 3, alice),
        shelf.tag("a", {}, by=alice),
        shelf.delete("a", by=alice),
        shelf.delete("none", by=alice),
    ):
        refused(answer, 403, "FORBIDDEN")
    shelf.rules(None)
    assert "rules" not in shelf.shown()
    refused(shelf.get("a", by=alice), 404)


def test_expressions_see_the_file_as_it_will_be(project, alice, bob):
    rules = {
        "read": {"validate": "file.size < 100"},
        "create": {"validate": "file.size <= 5 && file.contentType == 'text/plain' && file.path.startsWith(auth.uid)"},
        "update": {"filter": {"metadata.locked": {"$ne": True}}, "validate": "file.size >= previous.size"},
        "delete": {"validate": "previous.metadata.done == true"},
    }
    shelf = Ruled(project, rules)
    path = f"{alice.id}/f"
    refused(shelf.put(path, b"toolong", by=alice), 403, "FORBIDDEN")
    assert shelf.put(path, iter([b"too", b"long"]), by=alice).status_code == 403
    refused(shelf.put(path, b"x", by=alice, kind="image/png"), 403, "FORBIDDEN")
    refused(shelf.put(path, b"x", by=bob), 403, "FORBIDDEN")
    refused(shelf.get(path), 404)
    ok(shelf.put(path, iter([b"abc"]), by=alice), 201)
    refused(shelf.put(path, b"ab", by=alice), 403, "FORBIDDEN")
    ok(shelf.put(path, b"abcdefgh", by=bob), 201)
    assert shelf.file(path)["ownerId"] == alice.id
    refused(shelf.delete(path, by=alice), 403, "FORBIDDEN")
    ok(shelf.tag(path, {"done": True, "locked": True}, by=alice), 204)
    refused(shelf.tag(path, {}, by=alice), 404)
    refused(shelf.put(path, b"abcdefghi", by=alice), 404)
    ok(shelf.put(path, b"x" * 100), 201)
    refused(shelf.get(path, by=alice), 403, "FORBIDDEN")
    ok(shelf.delete(path, by=alice), 204)


def test_an_upload_is_refused_before_its_bytes(project, alice):
    shelf = Ruled(project, {"create": {"validate": "file.path == 'good' && file.size == 5"}})
    lines = ["host: x", f"authorization: Bearer {alice.token}", "content-type: text/plain", "expect: 100-continue"]
    for path, length, status in (("good", 5, 100), ("other", 5, 403), ("good", 6, 403)):
        head = [f"PUT /api/v1{shelf.url(path)} HTTP/1.1", f"content-length: {length}", *lines, "", ""]
        with RawConnection(project.server) as connection:
            assert connection.send("\r\n".join(head).encode()).read_answer().status == status
            if status == 100:
                assert connection.send(b"hello").read_answer().status == 201
    assert shelf.paths() == ["good"]


def test_whom_they_hold_for(project, alice):
    shelf = Ruled(project, {"read": OWN, "list": OWN})
    ok(shelf.put("f"), 201)
    wide = project.end_user(project.enduser_role("storage:*"))
    viewer = project.member("Viewer")
    for caller in (alice, wide, viewer, project.api_key("storage"), project.api_key("storage", "read")):
        refused(shelf.get("f", by=caller), 404)
        assert shelf.paths(by=caller) == []
    for caller in (project.member("Editor"), project.api_key("admin"), project.member(project.role("storage:manage"))):
        assert shelf.get("f", by=caller).content == b"hello"
        assert shelf.paths(by=caller) == ["f"]
    nothing = project.end_user(project.enduser_role("data:*:read"))
    refused(shelf.get("f", by=nothing), 403)


def test_folders_are_for_managers(project, alice):
    shelf = Ruled(project, {"read": {}, "list": {}, "create": {}, "delete": {}})
    ok(shelf.put("in/f"), 201)
    ok(project.admin.post(f"/storage/{shelf.name}", {"folder": "empty"}), 201)
    assert shelf.list()["folders"] == ["empty"]
    assert shelf.list(by=alice)["folders"] == [] and shelf.paths(by=alice) == ["in/f"]
    refused(alice.post(f"/storage/{shelf.name}", {"folder": "mine"}), 403)
    refused(shelf.delete("empty", by=alice), 404)
    ok(shelf.delete("empty"), 204)


def test_sets_of_the_caller(project, alice, bob):
    teams = Teams(project)
    rules = {"read": teams.mine, "list": teams.mine, "create": teams.valid, "update": {**teams.mine, **teams.valid}}
    shelf = Ruled(project, rules)
    membership = teams.join(alice, "red")
    ok(shelf.put_tagged("r", {"team": "red"}, by=alice), 201)
    refused(shelf.put_tagged("b", {"team": "blue"}, by=alice), 403)
    refused(shelf.put("b", by=alice), 403)
    refused(shelf.tag("r", {"team": "blue"}, by=alice), 403)
    refused(shelf.get("r", by=bob), 404)
    teams.join(bob, "red")
    assert shelf.get("r", by=bob).content == b"hello" and shelf.paths(by=bob) == ["r"]
    address = shelf.address("late", 6, alice, {"team": "red"})
    ok(shelf.send(address, 0, b"abc", alice), 204)
    teams.leave(membership)
    refused(shelf.get("r", by=alice), 404)
    refused(shelf.get("r", by=alice, params={"sign": 60}), 404)
    refused(shelf.send(address, 3, b"def", alice), 403)
    assert alice.call("HEAD", address, headers=TUS).status_code == 403
    refused(shelf.put("r", by=alice), 404)
    assert shelf.paths(by=alice) == []
    refused(project.admin.delete(f"/admin/policies/sets/{teams.name}"), 409, "CONFLICT")
    shelf.rules({})
    ok(project.admin.delete(f"/admin/policies/sets/{teams.name}"), 204)


def test_lists_are_paged_by_what_is_shown(project, alice):
    shelf = Ruled(project, {"list": {"filter": {"metadata.shown": True}}})
    for i in range(12):
        ok(shelf.put_tagged(f"f{i:02}", {"shown": i % 3 == 0}), 201)
    assert shelf.paths(by=alice) == ["f00", "f03", "f06", "f09"]
    assert shelf.paths(by=alice, limit=2, skip=1) == ["f03", "f06"]
    assert shelf.paths(by=alice, prefix="f0", limit=2, skip=3) == ["f09"]


def test_metadata(project, alice):
    shelf = Ruled(project, {})
    first = ok(shelf.put("f", by=alice), 201)["file"]
    assert (first["metadata"], first["ownerId"]) == ({}, alice.id)
    made = ok(shelf.put_tagged("f", {"album": "ä", "n": [1, 2.5, None]}, by=alice), 201)["file"]
    assert made["metadata"] == {"album": "ä", "n": [1, 2.5, None]}
    assert ok(shelf.put("f", b"other", by=alice), 201)["file"]["metadata"] == made["metadata"]
    assert ok(shelf.put_tagged("f", {}, by=alice), 201)["file"]["metadata"] == {}
    ok(shelf.tag("f", {"a": 1}, by=alice), 204)
    changed = shelf.file("f")
    assert changed["metadata"] == {"a": 1} and changed["etag"] == first["etag"]
    assert changed["createdAt"] == first["createdAt"] and changed["updatedAt"] > first["updatedAt"]
    address = shelf.address("f", 3, alice, {"b": 2})
    assert shelf.file("f")["metadata"] == {"a": 1}
    ok(shelf.send(address, 0, b"abc", alice), 204)
    assert shelf.file("f")["metadata"] == {"b": 2}
    ok(shelf.send(shelf.address("f", 3, alice), 0, b"def", alice), 204)
    assert shelf.file("f")["metadata"] == {"b": 2} and shelf.get("f").content == b"def"
    refused(shelf.tag("none", {}, by=alice), 404)


@pytest.mark.parametrize("text", ["[]", "1", "{", '"x"', "", '{"a": 1, "a": 2}', json.dumps({"a": "x" * 2041})])
def test_metadata_that_is_none(project, text):
    shelf = Ruled(project, {})
    ok(shelf.put_tagged("f", {"kept": True}), 201)
    refused(shelf.put_tagged("f", text, content=b"new"), 400, "VALIDATION", "/metadata")
    tagged = f"metadata {base64.b64encode(text.encode()).decode()}".strip()
    headers = {**TUS, "upload-length": "3", "upload-metadata": tagged}
    refused(project.admin.post(shelf.url("f"), headers=headers), 400, "VALIDATION", "/metadata")
    assert shelf.file("f")["metadata"] == {"kept": True} and shelf.get("f").content == b"hello"


def test_patches_that_are_none(project):
    shelf = Ruled(project, {})
    ok(shelf.put("f"), 201)
    admin = project.admin
    for body, path in (
        ({}, "/metadata"),
        ({"metadata": []}, "/metadata"),
        ({"metadata": {}, "more": 1}, "/more"),
        ({"metadata": {"a": "x" * 3000}}, "/metadata"),
    ):
        refused(admin.patch(shelf.url("f"), body), 400, "VALIDATION", path)
    refused(admin.patch(shelf.url("f"), content=b"{", headers={"content-type": "application/json"}), 400)
    refused(admin.patch(shelf.url("f"), content=b"x", headers={"content-type": "text/plain"}), 415)
    refused(admin.patch(shelf.url("f"), content=b"x", headers={"content-type": BYTES["content-type"]}), 412)
    refused(project.public().patch(shelf.url("f"), {"metadata": {}}), 401)
    assert shelf.file("f")["metadata"] == {}


@pytest.mark.parametrize(
    ("rules", "path"),
    [
        ({"write": {}}, "/rules/write"),
        ({"admin": {}}, "/rules/admin"),
        ({"public": {"read": {}}}, "/rules/public"),
        ({"read": []}, "/rules/read"),
        ({"read": {"deniedReadFields": []}}, "/rules/read/deniedReadFields"),
        ({"read": {"filter": {"owner": "$auth.uid"}}}, "/rules/read/filter/owner"),
        ({"read": {"filter": {"id": "x"}}}, "/rules/read/filter/id"),
        ({"read": {"filter": {"path": {"$near": 1}}}}, "/rules/read/filter"),
        ({"read": {"filter": {"ownerId": "$auth.nobody"}}}, "/rules/read/filter/ownerId"),
        ({"read": {"filter": {"path": {"$in": "$auth.sets.none"}}}}, "/rules/read/filter/path/$in"),
        ({"create": {"validate": "file.path in auth.sets.none"}}, "/rules/create/validate"),
        ({"create": {"validate": "file.sha256 == ''"}}, "/rules/create/validate"),
        ({"create": {"validate": "document.size > 1"}}, "/rules/create/validate"),
        ({"create": {"validate": "file.size"}}, "/rules/create/validate"),
    ],
)
def test_rules_that_are_refused(project, rules, path):
    shelf = Ruled(project, {"read": OWN})
    refused(shelf.change(rules=rules), 400, "VALIDATION", path)
    assert shelf.shown()["rules"] == {"read": OWN}
    name = unique("b")
    refused(project.admin.post(ROUTE, {"name": name, "rules": rules}), 400, "VALIDATION", path)
    assert name not in [each["name"] for each in ok(project.admin.get(ROUTE))["buckets"]]


def test_public_and_a_read_rule_exclude_each_other(project, alice):
    shelf = Ruled(project, {"read": OWN, "create": OWN})
    refused(shelf.change(access="public"), 400, "VALIDATION", "/access")
    refused(shelf.change(access="public", rules={"read": {}}), 400, "VALIDATION", "/rules/read")
    ok(shelf.change(access="public", rules={"create": OWN}), 204)
    refused(shelf.change(rules={"read": OWN}), 400, "VALIDATION", "/rules/read")
    refused(shelf.change(), 400, "VALIDATION", "/access")
    body = {"name": unique("b"), "access": "public", "rules": {"read": {}}}
    refused(project.admin.post(ROUTE, body), 400, "VALIDATION", "/rules/read")
    ok(shelf.put("f", by=alice), 201)
    assert shelf.get("f", by=project.public()).content == b"hello"
    refused(shelf.put("f", by=alice), 403)
    refused(alice.get(f"/storage/{shelf.name}"), 403)


def test_the_configuration_carries_rules(owner, project):
    rules = {"read": {"filter": {"ownerId": "$auth.uid"}, "validate": "file.size < 9"}, "create": {}}
    source = owner.create_project()
    ok(source.admin.post(ROUTE, {"name": "ruled", "rules": rules}), 201)
    ok(source.admin.post(ROUTE, {"name": "plain"}), 201)
    exported = ok(source.admin.get("/admin/config-export"))
    assert exported["buckets"] == [
        {"name": "plain", "access": "private"},
        {"name": "ruled", "access": "private", "rules": rules},
    ]
    copy = owner.create_project()
    assert ok(copy.admin.post("/admin/config-import", exported))["problems"] == []
    assert ok(copy.admin.get("/admin/config-export"))["buckets"] == exported["buckets"]
    ok(copy.admin.put("/storage/ruled/f", content=b"x"), 201)
    refused(EndUser(copy).get("/storage/ruled/f"), 404)
    bad = {"formatVersion": 1, "buckets": [{"name": "x", "rules": {"read": {"filter": {"id": 1}}}}]}
    for params in ({"dryRun": "1"}, {}):
        answer = copy.admin.post("/admin/config-import", bad, params=params)
        refused(answer, 400, "VALIDATION", "/buckets/0/rules/read/filter/id")


def test_a_change_of_rules_is_audited(project, admin):
    shelf = Ruled(project, {"read": {}})
    entries = ok(admin.get("/admin/audit", params={"action": "bucket.changed"}))["entries"]
    mine = [entry for entry in entries if entry["target"] == f"buckets/{shelf.name}"]
    assert [entry["details"] for entry in mine] == [{"rules": True}]


@pytest.mark.long(run="waits")
def test_a_list_looks_at_ten_thousand_files(project, alice):
    shelf = Ruled(project, {"list": {"filter": {"metadata.shown": True}}})
    for i in range(10_001):
        ok(shelf.put(f"f/{i:05}", b"x"), 201)
    refused(alice.get(f"/storage/{shelf.name}"), 400, "QUERY_TOO_COSTLY")
    assert shelf.paths(by=alice, prefix="f/00") == []

"""Access to files by kind of caller."""

import time
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from support.client import Api, ok, refused
from support.waiting import wait_until


@pytest.fixture
def anonymous(project):
    return project.public()


def test_public_buckets_are_read_without_a_token(project, bucket, anonymous):
    open_ = bucket("public")
    ok(open_.put("a/b"), 201)
    assert open_.get("a/b", by=anonymous).content == b"hello"
    by_query = Api(project.server).get(open_.url("a/b"), params={"project": project.id})
    assert by_query.content == b"hello"
    assert Api(project.server).get(open_.url("a/b"), params={"project": project.slug}).content == b"hello"
    refused(anonymous.put(open_.url("a/b"), content=b"x"), 401)
    refused(anonymous.delete(open_.url("a/b")), 401)
    refused(anonymous.get(f"/storage/{open_.name}"), 401)
    refused(anonymous.post(f"/storage/{open_.name}", {"folder": "a"}), 401)


def test_anonymous_denials_are_all_alike(bucket, anonymous):
    private, open_ = bucket(), bucket("public")
    ok(private.put("there"), 201)
    answers = [
        anonymous.get(private.url("there")),
        anonymous.get(private.url("none")),
        anonymous.get(open_.url("none")),
        anonymous.get("/storage/nosuchbucket/x"),
        anonymous.get("/storage/no.bucket/x"),
        anonymous.get(private.url("there"), params={"expires": int(time.time()) + 60, "signature": "0" * 64}),
        anonymous.get(private.url("there"), params={"expires": "x", "signature": "y"}),
        anonymous.get(f"/storage/{private.name}/a//b"),
    ]
    for answer in answers:
        assert answer.status_code == 404
        assert answer.json() == answers[0].json()


def test_a_link_that_names_its_project_beats_the_header(owner, project, bucket):
    other = owner.create_project()
    open_ = bucket("public")
    ok(open_.put("f"), 201)
    answer = Api(project.server, project=other.id).get(open_.url("f"), params={"project": project.id})
    assert answer.content == b"hello"


def test_end_users_reach_their_own(bucket, alice, bob):
    private = bucket()
    ok(private.put("alice/f", by=alice), 201)
    ok(private.put("bob/f", by=bob), 201)
    ok(private.put("server/f"), 201)
    assert private.get("alice/f", by=alice).content == b"hello"
    refused(private.get("bob/f", by=alice), 404)
    refused(private.get("server/f", by=alice), 404)
    refused(private.get("bob/f", by=alice, params={"sign": 60}), 404)
    assert private.paths(by=alice) == ["alice/f"]
    assert private.paths(by=alice, prefix="bob/") == []
    refused(private.put("bob/f", b"stolen", by=alice), 403, "FORBIDDEN")
    refused(private.delete("bob/f", by=alice), 404)
    assert private.get("bob/f", by=bob).content == b"hello"
    ok(private.delete("alice/f", by=alice), 204)
    assert private.paths() == ["bob/f", "server/f"]


def test_folders_belong_to_who_made_them(bucket, alice, bob):
    private = bucket()
    ok(alice.post(f"/storage/{private.name}", {"folder": "mine"}), 201)
    assert private.list(by=alice)["folders"] == ["mine"] and private.list(by=bob)["folders"] == []
    refused(private.delete("mine", by=bob), 404)
    ok(private.delete("mine", by=alice), 204)


def test_in_public_buckets_all_read_and_owners_write(bucket, alice, bob):
    open_ = bucket("public")
    ok(open_.put("f", by=alice), 201)
    assert open_.get("f", by=bob).content == b"hello"
    refused(open_.put("f", b"x", by=bob), 403)
    refused(open_.delete("f", by=bob), 403)
    assert open_.paths(by=bob) == []


def test_a_custom_role_reaches_all(project, bucket, alice):
    private = bucket()
    ok(private.put("alice/f", by=alice), 201)
    reader = project.end_user(project.enduser_role("storage:read"))
    assert private.get("alice/f", by=reader).content == b"hello"
    assert private.paths(by=reader) == ["alice/f"]
    refused(private.put("new", by=reader), 403)
    writer = project.end_user(project.enduser_role("storage:write"))
    ok(private.put("alice/f", b"theirs", by=writer), 201)
    refused(private.get("alice/f", by=writer), 403)
    nothing = project.end_user(project.enduser_role("data:*:read"))
    refused(private.get("alice/f", by=nothing), 403)
    refused(nothing.get(f"/storage/{private.name}"), 403)


def test_keys_need_the_scope(project, bucket):
    private = bucket()
    key = project.api_key("storage")
    ok(private.put("f", by=key), 201)
    assert private.get("f", by=key).content == b"hello"
    ok(private.put("g", by=project.api_key("admin")), 201)
    for scopes in (["read"], ["write"], ["read", "write", "functions"]):
        other = project.api_key(*scopes)
        refused(private.get("f", by=other), 403)
        refused(private.put("f", by=other), 403)
        refused(other.get(f"/storage/{private.name}"), 403)


def test_members_by_their_roles(project, bucket):
    private = bucket()
    ok(private.put("f"), 201)
    viewer, editor = project.member("Viewer"), project.member("Editor")
    assert private.get("f", by=viewer).content == b"hello"
    refused(private.put("f", by=viewer), 403)
    ok(private.put("f", b"edited", by=editor), 201)


def test_tokens_of_other_places(owner, project, bucket):
    open_ = bucket("public")
    ok(open_.put("f"), 201)
    other = owner.create_project()
    refused(other.admin.get(open_.url("f")), 404)
    refused(owner.get(open_.url("f")), 401)
    refused(Api(project.server, "nonsense").get(open_.url("f"), params={"project": project.id}), 401)
    refused(project.admin.get(open_.url("f"), project=other.id), 400, "PROJECT_MISMATCH")


# ---- signed links


def link(bucket_, path, seconds=60, by=None):
    answer = ok(bucket_.get(path, by=by, params={"sign": seconds}))
    assert set(answer) == {"url", "expiresAt"}
    return answer["url"]


def fetch(server, url):
    parts = urlsplit(url)
    return Api(server).get(f"{parts.path}?{parts.query}")


def test_a_signed_link_opens_one_file(server, bucket, alice):
    private, other = bucket(), bucket()
    for shelf in (private, other):
        ok(shelf.put("a b/ä?", b"mine", by=alice), 201)
        ok(shelf.put("secret", by=alice), 201)
    url = link(private, "a b/ä?", by=alice)
    assert url.startswith(server.url + "/api/v1/storage/")
    answer = fetch(server, url)
    assert answer.status_code == 200 and answer.content == b"mine"
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    assert set(query) == {"project", "expires", "signature"}
    moved = [
        url.replace(private.name, other.name),
        url.replace("a%20b/%C3%A4%3F", "secret"),
        url.replace(query["expires"][0], str(int(query["expires"][0]) + 1)),
        url.replace(query["signature"][0], "0" * 64),
        url.replace(query["signature"][0], query["signature"][0][:-1]),
        url.replace(query["signature"][0], ""),
    ]
    for each in moved:
        assert each != url
        refused(fetch(server, each), 404)
    refused(Api(server).delete(f"{parts.path}?{parts.query}"), 401)


def test_a_link_ends_with_the_key_that_signs_it(server, bucket, project):
    shelf = bucket()
    ok(shelf.put("f", b"mine"), 201)
    end = datetime.now(UTC) + timedelta(hours=1)
    body = {"name": "short", "scopes": ["storage"], "expiresAt": end.isoformat()}
    short = Api(server, ok(project.admin.post("/admin/api-keys", body), 201)["key"])
    longest = ok(shelf.get("f", by=short, params={"sign": 604_800}))
    assert end - timedelta(seconds=3) < datetime.fromisoformat(longest["expiresAt"]) <= end
    assert fetch(server, longest["url"]).content == b"mine"
    soon = ok(shelf.get("f", by=short, params={"sign": 60}))
    assert datetime.fromisoformat(soon["expiresAt"]) < datetime.now(UTC) + timedelta(seconds=62)
    lasting = ok(shelf.get("f", by=project.api_key("storage"), params={"sign": 604_800}))
    assert datetime.fromisoformat(lasting["expiresAt"]) > end + timedelta(days=6)


def test_a_link_of_another_project_opens_nothing(server, owner, bucket):
    first, second = owner.create_project(), owner.create_project()
    shelf = bucket(project=first)
    ok(shelf.put("f"), 201)
    ok(second.admin.post("/admin/storage/buckets", {"name": shelf.name}), 201)
    ok(second.admin.put(shelf.url("f"), content=b"other"), 201)
    url = link(shelf, "f")
    refused(fetch(server, url.replace(first.id, second.id)), 404)


def test_a_link_ends(server, bucket):
    private = bucket()
    ok(private.put("f"), 201)
    url = link(private, "f", 1)
    assert fetch(server, url).content == b"hello"
    wait_until(lambda: fetch(server, url).status_code != 200, interval=0.1)
    refused(fetch(server, url), 404)


def test_a_link_of_a_bucket_that_was_another(server, admin, bucket):
    private = bucket()
    ok(private.put("f"), 201)
    url = link(private, "f")
    ok(admin.delete(f"/admin/storage/buckets/{private.name}"), 204)
    ok(admin.post("/admin/storage/buckets", {"name": private.name}), 201)
    ok(private.put("f", b"new"), 201)
    refused(fetch(server, url), 404)


@pytest.mark.parametrize("seconds", ["0", "-1", "604801", "1.5", "x", "", "99999999999999999999"])
def test_times_that_are_none(bucket, seconds):
    private = bucket()
    ok(private.put("f"), 201)
    refused(private.get("f", params={"sign": seconds}), 400, "INVALID_PARAM")


def test_signing_needs_a_file_and_a_caller(bucket, anonymous):
    open_ = bucket("public")
    ok(open_.put("f"), 201)
    refused(open_.get("none", params={"sign": 60}), 404)
    refused(anonymous.get(open_.url("f"), params={"sign": 60}), 401)
    ok(open_.get("f", params={"sign": 604_800}))

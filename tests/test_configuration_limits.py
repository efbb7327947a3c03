"""The limits of a project's configuration: counts and bytes, with single and concurrent requests."""

import re
from concurrent.futures import ThreadPoolExecutor

import bson
import pytest

from support.backup import read_records, write_records
from support.client import PlatformUser, Project, ok, refused, unique
from support.commands import done, run

MEBI = 1 << 20
CODE = "export default async () => 1;\n"
CRON = {"type": "cron", "schedule": "@monthly"}

# section, limit, path of its route, an entry, and its name in the message
LISTED = {
    "roles": (200, "roles", lambda name: {"name": name, "permissions": []}, "200 roles of each kind"),
    "enduserRoles": (200, "enduser-roles", lambda name: {"name": name, "permissions": []}, "200 roles of each kind"),
    "functions": (200, "functions", lambda name: {"name": name, "trigger": CRON, "code": CODE}, "200 functions"),
    "webhooks": (
        100,
        "webhooks",
        lambda name: {"name": name, "collection": "posts", "events": ["insert"], "url": "https://example.com/"},
        "100 webhooks",
    ),
    "integrations": (
        100,
        "integrations",
        lambda name: {"name": name, "provider": "http", "config": {"baseUrl": "https://example.com"}},
        "100 integrations",
    ),
    "buckets": (100, "storage/buckets", lambda name: {"name": name}, "100 buckets"),
}


def importing(admin, **sections):
    exported = ok(admin.get("/admin/config-export"))
    return admin.post("/admin/config-import", {**exported, **sections})


def at_once(count: int, call) -> list:
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))


def statuses(answers) -> list[int]:
    return sorted(answer.status_code for answer in answers)


@pytest.mark.parametrize("section", LISTED)
def test_the_last_free_places_go_to_as_many(owner, section):
    limit, path, entry, words = LISTED[section]
    admin = owner.create_project().admin
    names = [f"n{number}" for number in range(limit - 3)]
    ok(importing(admin, **{section: [entry(name) for name in names]}))
    answers = at_once(8, lambda number: admin.post(f"/admin/{path}", entry(f"more{number}")))
    assert statuses(answers) == [201] * 3 + [409] * 5
    for answer in answers:
        if answer.status_code == 409:
            assert f"at most {words}" in refused(answer, 409, "CONFLICT")["message"]
    # An import reports it together with other problems, before it changes anything.
    error = refused(importing(admin, **{section: [entry("another")], "formatVersion": 1}), 400, "VALIDATION")
    assert any("would exceed" in each["message"] for each in error["details"])
    ok(importing(admin))
    ok(admin.delete(f"/admin/{path}/n0"), 204)
    ok(admin.post(f"/admin/{path}", entry("another")), 201)


def test_api_keys(owner):
    admin = owner.create_project().admin

    def create(number):
        return admin.post("/admin/api-keys", {"name": f"key {number}", "scopes": ["read"]})

    with ThreadPoolExecutor(8) as pool:
        assert set(statuses(pool.map(create, range(497)))) == {201}
    answers = at_once(8, create)
    assert statuses(answers) == [201] * 3 + [409] * 5
    assert len(ok(admin.get("/admin/api-keys"))["apiKeys"]) == 500


def test_providers(owner):
    admin = owner.create_project().admin

    def provide(number):
        body = {"clientId": "c", "enabled": True, "clientSecret": "s", "issuer": "https://login.example.org"}
        return admin.put(f"/admin/auth/oauth/providers/oidc-n{number}", body)

    for number in range(47):
        ok(provide(number), 204)
    answers = at_once(8, lambda number: provide(100 + number))
    assert statuses(answers) == [204] * 3 + [409] * 5
    ok(admin.put("/admin/auth/oauth/redirects", {"allowedRedirects": ["https://a.example"]}), 204)
    ok(provide(0), 204)
    refused(provide(99), 409, "CONFLICT")


def test_vector_configs(owner):
    admin = owner.create_project().admin
    names = [f"c{number}" for number in range(56)]
    vectors = {"fields": [{"name": "v", "dimensions": 2}]}
    collections = [{"name": name} for name in names]
    ok(importing(admin, collections=collections, vectors=[{"collection": name, **vectors} for name in names[:47]]))
    answers = at_once(8, lambda number: admin.put(f"/admin/collections/c{47 + number}/vector-config", vectors))
    assert statuses(answers) == [204] * 3 + [409] * 5
    error = refused(importing(admin, vectors=[{"collection": "c55", **vectors}]), 400, "VALIDATION")
    assert "would make more than 50 vector configs" in error["details"][0]["message"]


def test_headers(admin):
    headers = {f"x-{number}": "a" for number in range(21)}
    hook = {"name": unique("w"), "collection": "posts", "events": ["insert"], "url": "https://example.com/"}
    assert "20 headers" in refused(admin.post("/admin/webhooks", {**hook, "headers": headers}), 409)["message"]
    plain, secret = dict(list(headers.items())[:12]), dict(list(headers.items())[12:20])
    name, base = unique("i"), {"baseUrl": "https://example.com"}
    body = {"name": name, "provider": "http", "config": {**base, "headers": plain}, "secrets": {"headers": secret}}
    ok(admin.post("/admin/integrations", body), 201)
    more = {"secrets": {"headers": {"x-20": "a"}}}
    assert "20 headers" in refused(admin.patch(f"/admin/integrations/{name}", more), 409, "CONFLICT")["message"]
    config = {"config": {**base, "headers": {**plain, "y": "a"}}}
    refused(admin.patch(f"/admin/integrations/{name}", config), 409, "CONFLICT")
    entry = {"name": name, "provider": "http", **config}
    refused(importing(admin, integrations=[entry]), 400, "VALIDATION")
    ok(admin.patch(f"/admin/integrations/{name}", {**more, "config": {**base, "headers": {"x-0": "a"}}}), 204)
    refused(admin.post("/admin/integrations", {**body, "name": unique("i"), "secrets": {"headers": headers}}), 409)


# ---- bytes


def schema(size: int) -> dict:
    return {"type": "object", "description": "x" * size}


def test_configuration_has_at_most_8_mib(owner):
    admin = owner.create_project().admin
    names = [f"c{number}" for number in range(14)]
    ok(importing(admin, collections=[{"name": name} for name in names]))
    size = 900_000
    answers = at_once(14, lambda number: admin.put(f"/admin/collections/c{number}/schema", schema(size)))
    fits = (8 * MEBI) // size
    assert statuses(answers) == [204] * fits + [413] * (14 - fits)
    messages = [refused(each, 413, "PAYLOAD_TOO_LARGE")["message"] for each in answers if each.status_code == 413]
    assert all("8 MiB" in message and "collections 8." in message for message in messages)
    # All other configuration counts too, and each part is refused by itself.
    big = "// " + "y" * 250_000 + "\n" + CODE
    error = refused(admin.post("/admin/functions", {"name": "big", "trigger": CRON, "code": big}), 413)
    assert "functions 0." in error["message"] and "collections 7." in error["message"]
    # An import is refused before it changes anything.
    full = next(name for name, answer in zip(names, answers, strict=True) if answer.status_code == 204)
    free = next(name for name, answer in zip(names, answers, strict=True) if answer.status_code == 413)
    before = ok(admin.get("/admin/config-export"))
    sections = {
        "roles": [{"name": "Early", "permissions": []}],
        "collections": [{"name": free, "schema": schema(size)}],
    }
    refused(importing(admin, **sections), 413, "PAYLOAD_TOO_LARGE")
    after = ok(admin.get("/admin/config-export"))
    assert {**after, "exportedAt": 0} == {**before, "exportedAt": 0}
    # A smaller configuration is always accepted.
    ok(admin.put(f"/admin/collections/{full}/schema", schema(10)), 204)
    ok(admin.put(f"/admin/collections/{free}/schema", schema(size)), 204)


def test_collections_go_and_get_names_where_nothing_more_fits(owner):
    """The bytes that a webhook and a function store about the collection that they follow are never refused."""
    admin = owner.create_project().admin
    fills = [f"c{number}" for number in range(10)]
    ok(importing(admin, collections=[{"name": name} for name in ["n", *fills]]))
    follows = {"collection": "n", "events": ["insert"]}
    trigger = {"type": "database", **follows}
    ok(admin.post("/admin/functions", {"name": "follows", "trigger": trigger, "code": CODE}), 201)
    ok(admin.post("/admin/webhooks", {"name": "follows", **follows, "url": "https://example.com/"}), 201)
    long = "notes-" + "x" * 40
    ok(admin.post("/admin/collections/n/rename", {"to": long}), 204)
    size, limit = 900_000, 8 * MEBI
    for name in fills:
        answer = admin.put(f"/admin/collections/{name}/schema", schema(size))
        if answer.status_code == 204:
            continue
        total = int(re.search(r"make it (\d+) bytes", refused(answer, 413)["message"])[1])
        ok(admin.put(f"/admin/collections/{name}/schema", schema(size - (total - limit))), 204)
        break
    refused(admin.post("/admin/collections", {"name": "more"}), 413, "PAYLOAD_TOO_LARGE")
    ok(admin.post(f"/admin/collections/{long}/rename", {"to": "m"}), 204)
    followed = {each["name"]: each for each in ok(admin.get("/admin/functions"))["functions"]}
    assert followed["follows"]["trigger"]["collection"] == "m"
    assert ok(admin.get("/admin/webhooks"))["webhooks"][0]["collection"] == "m"
    ok(admin.delete("/admin/collections/m"), 204)


def test_a_project_far_above_the_limit_is_usable(make_server, tmp_path):
    """A project with over 16 MiB of functions, as an earlier version may have left: it is served, changed, restarted,
    deleted."""
    server = make_server().start()
    owner = PlatformUser(server)
    project = owner.create_project()
    project.collection("posts")
    ok(project.admin.post("/admin/functions", {"name": "f000", "trigger": CRON, "code": CODE}), 201)
    code = "// " + "z" * 250_000 + "\n" + CODE
    backup = tmp_path / "b"
    done(run("backup", "--to", backup, "--project", project.id, data=server.data))
    records, copies = [], 45
    for record in read_records(backup):
        function = record.get("document") or {}
        if function.get("id") == "f000":
            for number in range(copies):
                name = f"f{number:03}"
                its_own = {"id": name, "functionId": f"{function['functionId']}{name}", "code": code, "runs": code}
                records.append({"document": {**function, **its_own}})
            continue
        if "end" in record:
            record["end"]["documents"] += copies - 1
        records.append(record)
    assert sum(len(bson.encode(record)) for record in records) > 17 * MEBI
    write_records(backup, records)
    done(run("restore", "--from", backup, "--project", project.id, "--as", "large", data=server.data))
    owner.login()
    projects = ok(owner.get("/control/projects"))["projects"]
    large = Project(owner, next(each for each in projects if each["slug"] == "large"))
    assert len(ok(large.admin.get("/admin/functions"))["functions"]) == copies
    made = large.admin.create("posts", {"n": 1})
    error = refused(large.admin.post("/admin/roles", {"name": "more", "permissions": []}), 413, "PAYLOAD_TOO_LARGE")
    assert "functions 1" in error["message"] or "functions 2" in error["message"]
    refused(large.admin.post("/admin/collections", {"name": "more"}), 413, "PAYLOAD_TOO_LARGE")
    refused(owner.post(f"/control/projects/{large.id}/environments", {"environment": "staging"}), 413)
    ok(large.admin.patch("/admin/functions/f001", {"code": CODE}), 204)
    ok(large.admin.delete("/admin/functions/f002"), 204)
    server.stop()
    server.start()
    owner.login()
    large = Project(owner, large.wire)
    assert ok(large.admin.get(f"/admin/collections/posts/documents/{made['id']}"))["document"]["n"] == 1
    # Other projects are not delayed, and it can be deleted.
    other = owner.create_project()
    other.collection("things", indexes=[{"keys": {"n": 1}}])
    again = tmp_path / "again"
    done(run("backup", "--to", again, "--project", large.id, data=server.data))
    ok(owner.delete(f"/control/projects/{large.id}"), 204)
    refused(large.admin.get("/admin/functions"), 404)
    # A restore under its own id drops all records of the deleted project.
    done(run("restore", "--from", again, "--project", "large", data=server.data))
    owner.login()
    large = Project(owner, large.wire)
    assert len(ok(large.admin.get("/admin/functions"))["functions"]) == copies - 1
    ok(owner.delete(f"/control/projects/{large.id}"), 204)
    assert "no problems" in done(run("check", data=server.data))


# ---- references


def test_references_to_collections_that_do_not_exist(owner):
    admin = owner.create_project().admin
    ok(admin.post("/admin/collections", {"name": "posts"}), 201)
    refers = {"type": "object", "properties": {"by": {"type": "string", "x-ref": "people"}}}
    error = refused(admin.put("/admin/collections/posts/schema", refers), 400, "VALIDATION", "/properties/by/x-ref")
    assert '"people"' in error["message"]
    error = refused(importing(admin, collections=[{"name": "posts", "schema": refers}]), 400, "VALIDATION")
    assert error["details"][0]["path"] == "/collections/0/schema/properties/by/x-ref"
    self_and_users = {"self": {"type": "string", "x-ref": "posts"}, "by": {"type": "string", "x-ref": "users"}}
    ok(admin.put("/admin/collections/posts/schema", {"type": "object", "properties": self_and_users}), 204)
    # An import that creates the target, in any order.
    ok(importing(admin, collections=[{"name": "posts", "schema": refers}, {"name": "people"}]))
    # A deleted target fails only the next save of that schema.
    ok(admin.delete("/admin/collections/people"), 204)
    ok(importing(admin))
    ok(admin.put("/admin/collections/posts/policy", {"read": {}}), 204)
    refused(admin.put("/admin/collections/posts/schema", refers), 400, "VALIDATION")

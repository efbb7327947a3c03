"""Integrations: create, change, delete; secrets, calls by hand, stored tests."""

import pytest

from support.client import PlatformUser, ok, refused, unique

ALL = "/admin/integrations"
FIELDS = {"name", "provider", "config", "secrets", "enabled", "tests", "createdAt", "updatedAt"}
SECRET = "never-to-be-seen-again"


def body(**more) -> dict:
    return {"name": unique("i"), "provider": "http", "config": {"baseUrl": "https://api.example.com/v1"}, **more}


def test_its_life(admin):
    sent = body(secrets={"authorization": f"Bearer {SECRET}"})
    made = ok(admin.post(ALL, sent), 201)["integration"]
    assert set(made) == FIELDS
    assert made["config"] == sent["config"] and made["enabled"] is True and made["tests"] == []
    assert made["secrets"] == {"authorization": {"configured": True}, "headers": {"configured": False, "names": []}}
    route = f"{ALL}/{sent['name']}"
    assert ok(admin.get(route)) == {"integration": made}
    assert made in ok(admin.get(ALL))["integrations"]
    refused(admin.post(ALL, sent), 409, "CONFLICT")
    ok(admin.patch(route, {"config": {"baseUrl": "https://api.example.com/v2"}, "enabled": False}), 204)
    after = ok(admin.get(route))["integration"]
    assert after["config"] == {"baseUrl": "https://api.example.com/v2"} and after["enabled"] is False
    assert after["secrets"] == made["secrets"] and after["createdAt"] == made["createdAt"]
    refused(admin.patch(route, {"provider": "email"}), 400, "VALIDATION", "/provider")
    refused(admin.patch(route, {"name": "other"}), 400, "VALIDATION", "/name")
    ok(admin.delete(route), 204)
    for method in (admin.get, admin.delete):
        refused(method(route), 404, "NOT_FOUND")
    refused(admin.patch(route, {"enabled": True}), 404, "NOT_FOUND")
    refused(admin.post(f"{route}/test", {"op": "get"}), 404, "NOT_FOUND")


def test_the_catalogue(admin):
    providers = {each["provider"]: each for each in ok(admin.get(f"{ALL}/providers"))["providers"]}
    assert set(providers) == {"email", "bot", "http"}
    ops = {name: {op["name"]: set(op["args"]) for op in each["ops"]} for name, each in providers.items()}
    request = {"path", "query", "headers", "body"}
    assert ops == {
        "email": {"send": {"to", "subject", "text", "html", "replyTo"}},
        "bot": {"sendMessage": {"channel", "text"}, "getMe": set()},
        "http": {name: request for name in ("get", "post", "put", "patch", "delete")},
    }
    assert set(providers["email"]["config"]) == {"from", "host", "port", "secure"}
    assert set(providers["bot"]["config"]) == {"platform", "defaultChannel"}
    assert set(providers["http"]["config"]) == {"baseUrl", "headers", "timeoutMs", "allowPrivate"}
    assert [providers[name]["secrets"] for name in ("email", "bot", "http")] == [
        ["username", "password"],
        ["token"],
        ["authorization", "headers"],
    ]


@pytest.mark.parametrize("name", ["a", "A", "Ab", "1a", "-a", "a_b", "a.b", "a b", "ä" * 3, "a" * 65, "", "providers"])
def test_names_that_are_none(admin, name):
    refused(admin.post(ALL, body(name=name)), 400, "VALIDATION", "/name")


@pytest.mark.parametrize("name", ["ab", "a-", "a" * 64, "z0-9"])
def test_names(admin, name):
    ok(admin.post(ALL, body(name=name)), 201)


@pytest.mark.parametrize(
    "change, path",
    [
        ({"provider": "smtp"}, "/provider"),
        ({"config": {}}, "/config/baseUrl"),
        ({"config": {"baseUrl": "https://a.example", "more": 1}}, "/config/more"),
        ({"config": {"baseUrl": "https://a.example", "ownerId": 1}}, "/config/ownerId"),
        ({"config": {"baseUrl": "https://user:password@a.example"}}, "/config/baseUrl"),
        ({"config": {"baseUrl": "ftp://a.example"}}, "/config/baseUrl"),
        ({"config": {"baseUrl": "https://a.example", "timeoutMs": 60_000}}, "/config/timeoutMs"),
        ({"config": {"baseUrl": "https://a.example", "allowPrivate": "yes"}}, "/config/allowPrivate"),
        ({"secrets": {"password": "x"}}, "/secrets/password"),
        ({"secrets": {"authorization": {"$ne": ""}}}, "/secrets/authorization"),
        ({"secrets": {"authorization": "a\r\nb"}}, "/secrets/authorization"),
        ({"secrets": {"headers": {"Host": "x"}}}, "/secrets/headers/Host"),
        ({"tests": []}, "/tests"),
    ],
)
def test_what_is_none_is_refused(admin, change, path):
    refused(admin.post(ALL, body(**change)), 400, "VALIDATION", path)


def test_an_update_keeps_sets_and_removes_secrets(admin, api, upstream):
    upstream.answers["/echo"] = (200, {}, {})

    def sent() -> tuple:
        assert one.result("get", path="/echo")["status"] == 200
        headers = upstream.at("/echo")[-1].headers
        return headers.get("authorization"), headers.get("x-key")

    one = api({"authorization": "Bearer one", "headers": {"X-Key": "k"}})
    assert one.made["secrets"]["headers"] == {"configured": True, "names": ["x-key"]}
    one.patch(config={**one.made["config"], "timeoutMs": 5000})
    assert sent() == ("Bearer one", "k")
    one.patch(secrets={"authorization": "Bearer two"})
    assert sent() == ("Bearer two", "k")
    one.patch(secrets={"headers": {"x-key": None}})
    assert sent() == ("Bearer two", None)
    one.patch(secrets={"authorization": None})
    assert sent() == (None, None)
    assert one.read()["secrets"] == {
        "authorization": {"configured": False},
        "headers": {"configured": False, "names": []},
    }


def test_secrets_do_not_move_with_the_address(admin, api):
    one = api({"authorization": "Bearer one"})
    elsewhere = {**one.made["config"], "baseUrl": "https://elsewhere.example"}
    refused(admin.patch(f"{ALL}/{one.name}", {"config": elsewhere}), 400, "VALIDATION", "/secrets/authorization")
    document = {
        "formatVersion": 1,
        "integrations": [{"name": one.name, "provider": "http", "config": elsewhere}],
    }
    refused(admin.post("/admin/config-import", document), 400, "VALIDATION", "/integrations/0/config")
    assert one.read()["config"] == one.made["config"]
    one.patch(config=elsewhere, secrets={"authorization": "Bearer two"})
    assert one.read()["config"] == elsewhere


def test_secrets_are_nowhere(server, owner):
    project = owner.create_project()
    admin = project.admin
    secrets = {"authorization": f"Bearer {SECRET}", "headers": {"x-key": f"{SECRET}-2"}}
    sent = body(secrets=secrets, config={"baseUrl": "http://127.0.0.1:9", "allowPrivate": True})
    route = f"{ALL}/{sent['name']}"
    made = ok(admin.post(ALL, sent), 201)["integration"]["name"]
    bot = body(provider="bot", config={"platform": "telegram"}, secrets={"token": f"{SECRET}-3"})
    ok(admin.post(ALL, bot), 201)
    answers = [
        admin.get(ALL),
        admin.get(route),
        admin.patch(route, {"secrets": {"authorization": {"v": SECRET}}}),
        admin.patch(route, {"secrets": {"headers": {"y": f"{SECRET}-4"}}}),
        admin.post(f"{route}/test", {"op": "get", "args": {"path": "/x"}, "mode": "live"}),
        admin.post(f"{ALL}/{bot['name']}/test", {"op": "getMe", "mode": "live"}),
        admin.get("/admin/config-export"),
        admin.get("/admin/audit"),
        owner.post(f"/control/projects/{project.id}/environments", {"environment": "stage"}),
    ]
    refused(answers[4], 502, "UPSTREAM_FAILED")
    refused(answers[5], 502, "UPSTREAM_FAILED")
    for answer in answers:
        assert SECRET not in answer.text, answer.text
        assert "127.0.0.1:9" not in answer.text or answer.status_code < 400
    for entry in ok(admin.get("/admin/audit"))["entries"]:
        if entry["action"] == "integration.created" and entry["target"] == f"integrations/{made}":
            assert entry["details"]["secretsGiven"] == ["authorization", "headers/x-key"]
            break
    else:
        raise AssertionError("no entry of the audit record")
    assert SECRET not in server.log_path.read_text()
    for file in server.data.rglob("*"):
        if file.is_file():
            assert SECRET.encode() not in file.read_bytes(), file


def test_trying_one(admin, api, upstream):
    upstream.answers["/here"] = (201, {"x-more": "1"}, {"a": 1})
    one = api()
    args = {"path": "/here"}
    assert ok(admin.post(f"{one.route}/test", {"op": "get", "args": args})) == {"result": None, "mode": "dry"}
    dry = {"op": "get", "args": args, "mode": "dry", "stub": {"status": 200, "body": []}}
    assert ok(admin.post(f"{one.route}/test", dry)) == {"result": dry["stub"], "mode": "dry"}
    assert not upstream.at("/here")
    given = one.result("get", path="/here")
    assert (given["status"], given["body"], given["headers"]["x-more"]) == (201, {"a": 1}, "1")
    assert len(upstream.at("/here")) == 1
    # A disabled integration can be tested too; its arguments are validated in both modes.
    one.patch(enabled=False)
    assert one.result("get", path="/here")["status"] == 201
    for mode in ("live", "dry"):
        refused(admin.post(f"{one.route}/test", {"op": "head", "mode": mode}), 400, "VALIDATION", "/op")
        refused(admin.post(f"{one.route}/test", {"op": "get", "mode": mode}), 400, "VALIDATION", "/args/path")
    refused(admin.post(f"{one.route}/test", {**dry, "mode": "live"}), 400, "VALIDATION", "/stub")
    refused(admin.post(f"{one.route}/test", {**dry, "mode": "real"}), 400, "VALIDATION", "/mode")


def test_stored_tests(admin, api, upstream):
    upstream.answers["/n"] = (200, {}, {"n": 1, "more": True})
    one = api()
    stub, elsewhere = {"status": 200, "body": {"n": 2}}, {"path": "//evil.example"}
    tests = [
        {"name": "stub", "op": "get", "args": {"path": "/n"}, "stub": stub, "expect": {"status": 200}},
        {"name": "live", "op": "get", "args": {"path": "/n"}, "expect": {"result": {"status": 200, "body": {"n": 1}}}},
        {"name": "wrong", "op": "get", "args": {"path": "/n"}, "expect": {"body": {"n": 2}}},
        {"name": "elsewhere", "op": "get", "args": elsewhere, "stub": None, "expect": {"error": "VALIDATION"}},
    ]
    ok(admin.patch(f"{one.route}/tests", {"tests": tests}), 204)
    assert one.read()["tests"] == tests
    outcome = ok(admin.post(f"{one.route}/tests/run"))
    assert (outcome["passed"], outcome["failed"]) == (3, 1)
    assert [(each["name"], each["passed"], each["mode"], each["failures"]) for each in outcome["results"]] == [
        ("stub", True, "dry", []),
        ("live", True, "live", []),
        ("wrong", False, "live", ["result.body.n is 1, not 2"]),
        ("elsewhere", True, "dry", []),
    ]
    assert all(isinstance(each["durationMs"], int) for each in outcome["results"])
    assert len(upstream.at("/n")) == 2
    ok(admin.patch(f"{one.route}/tests", {"tests": []}), 204)
    assert ok(admin.post(f"{one.route}/tests/run")) == {"passed": 0, "failed": 0, "results": []}
    many = [{"name": f"t{n}", "op": "get", "expect": {}} for n in range(21)]
    refused(admin.patch(f"{one.route}/tests", {"tests": many}), 400, "VALIDATION", "/tests")
    twice = [many[0], many[0]]
    refused(admin.patch(f"{one.route}/tests", {"tests": twice}), 400, "VALIDATION", "/tests/1/name")
    unknown = [{**many[0], "op": "head"}]
    refused(admin.patch(f"{one.route}/tests", {"tests": unknown}), 400, "VALIDATION", "/tests/0/op")


def test_changes_are_audited(project):
    admin = project.admin
    name = unique("audited")
    route = f"{ALL}/{name}"
    ok(admin.post(ALL, body(name=name)), 201)
    ok(admin.patch(route, {"enabled": False}), 204)
    ok(admin.patch(f"{route}/tests", {"tests": []}), 204)
    ok(admin.delete(route), 204)
    audited = [
        (each["action"], each["details"].get("destination"))
        for each in reversed(ok(admin.get("/admin/audit", params={"limit": 100}))["entries"])
        if each["target"] == f"integrations/{name}"
    ]
    assert audited == [
        ("integration.created", "https://api.example.com"),
        ("integration.changed", "https://api.example.com"),
        ("integration.changed", "https://api.example.com"),
        ("integration.deleted", None),
    ]


def test_they_outlive_a_restart(make_server):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    ok(project.admin.post(ALL, body(name="kept", secrets={"authorization": "x"})), 201)
    before = ok(project.admin.get(f"{ALL}/kept"))
    server.stop()
    server.start()
    assert ok(project.admin.get(f"{ALL}/kept")) == before


def test_integrations_as_large_as_they_may_be_leave_the_project_usable(admin):
    headers = {f"x-h{n}": "v" * 4000 for n in range(16)}
    config = {"baseUrl": "https://api.example.com", "headers": {f"x-c{n}": "c" * 4000 for n in range(4)}}
    tests = [{"name": "t", "op": "get", "args": {"path": "/", "body": "b" * 60_000}, "stub": {}, "expect": {}}]
    names = [unique("i") for _ in range(95)]
    try:
        # Until the project's configuration is full.
        for name in names:
            made = admin.post(ALL, body(name=name, config=config, secrets={"headers": headers}))
            if made.status_code == 413:
                break
            ok(made, 201)
            tested = admin.patch(f"{ALL}/{name}/tests", {"tests": tests})
            if tested.status_code == 413:
                break
            ok(tested, 204)
        assert 30 < names.index(name) < 90
        refused(admin.patch(f"{ALL}/{names[0]}", {"secrets": {"headers": {"x-more": "v"}}}), 409, "CONFLICT")
        ok(admin.patch(f"{ALL}/{names[0]}", {"enabled": False}), 204)
        assert len(ok(admin.get(f"{ALL}/{names[0]}"))["integration"]["secrets"]["headers"]["names"]) == 16
    finally:
        deleted = [admin.delete(f"{ALL}/{name}").status_code for name in names]
    assert set(deleted) == {204, 404}

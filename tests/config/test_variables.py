"""Variables: their routes, where they are used, environments and imports."""

import pytest

from support.client import ok, refused, unique
from support.commands import complains, done, result
from support.function import http_function
from support.hook import Hook
from support.integration import Integration
from support.person import Folder, Person
from support.variables import environment, hook_body, importing, listed, problems, promote, put, shape_of, SETTINGS, VARIABLES


@pytest.fixture(scope="module")
def server_settings():
    return SETTINGS


@pytest.fixture
def shop(owner):
    """A project of this test's own."""
    return owner.create_project()


# ---- the routes


def test_life_of_a_variable(shop):
    admin = shop.admin
    assert listed(admin) == []
    put(admin, "EMPTY")
    put(admin, "API_URL", value="https://a.example", secret=False)
    put(admin, "TOKEN", value="marked-token", secret=True)
    assert listed(admin) == [
        {"name": "API_URL", "secret": False, "value": "https://a.example", "configured": True},
        {"name": "EMPTY", "secret": False, "configured": False},
        {"name": "TOKEN", "secret": True, "configured": True},
    ]
    put(admin, "API_URL", value="https://b.example")
    put(admin, "API_URL", secret=True)
    assert listed(admin)[0] == {"name": "API_URL", "secret": True, "configured": True}
    assert set(problems(admin.put(f"{VARIABLES}/API_URL", {"secret": False}))) == {"/value"}
    put(admin, "API_URL", secret=False, value="https://c.example")
    assert listed(admin)[0]["value"] == "https://c.example"
    for name in ("API_URL", "EMPTY", "TOKEN"):
        ok(admin.delete(f"{VARIABLES}/{name}"), 204)
    refused(admin.delete(f"{VARIABLES}/TOKEN"), 404, "NOT_FOUND")
    assert listed(admin) == []


@pytest.mark.parametrize("name", ["a", "Api", "9A", "_A", "A-B", "A.B", "A" * 65, "ÄB"])
def test_names(shop, name):
    refused(shop.admin.put(f"{VARIABLES}/{name}", {"value": "x"}), 400, "VALIDATION", "/name")


def test_values(shop):
    admin = shop.admin
    put(admin, "A" * 64, value="x" * 8192)
    put(admin, "LINES", value="one\ntwo")
    refused(admin.put(f"{VARIABLES}/A", {"value": "one\u0000two"}), 400, "VALIDATION", "/value")
    refused(admin.put(f"{VARIABLES}/A", {"value": "x" * 8193}), 400, "VALIDATION", "/value")
    for value in ("${B}", "x${B_2}y"):
        refused(admin.put(f"{VARIABLES}/A", {"value": value}), 400, "VALIDATION", "/value")
    put(admin, "A", value="$B ${b} ${")
    for body in ({"value": 1}, {"secret": "yes"}, {"other": 1}, {"name": "B"}):
        refused(admin.put(f"{VARIABLES}/A", body), 400, "VALIDATION")


def test_at_most_two_hundred(shop):
    entries = [{"name": f"V{number}", "secret": False} for number in range(199)]
    ok(importing(shop.admin, {"variables": entries}))
    put(shop.admin, "LAST")
    refused(shop.admin.put(f"{VARIABLES}/MORE", {}), 409, "CONFLICT")
    assert set(problems(importing(shop.admin, {"variables": [{"name": "MORE", "secret": False}]}))) == {"/variables"}


def test_permissions(shop):
    put(shop.admin, "A", value="1")
    viewer = shop.member("Viewer")
    assert listed(viewer)[0]["value"] == "1"
    editor = shop.member("Editor")
    manager = shop.member(shop.role("variables:manage"))
    refused(editor.get(VARIABLES), 403, "FORBIDDEN")
    for api in (viewer, editor, shop.member(shop.role("variables:read"))):
        refused(api.put(f"{VARIABLES}/A", {"value": "2"}), 403, "FORBIDDEN")
        refused(api.delete(f"{VARIABLES}/A"), 403, "FORBIDDEN")
    put(manager, "A", value="2")
    assert listed(manager)[0]["value"] == "2"
    refused(shop.api_key("read", "write").get(VARIABLES), 403)
    put(shop.api_key("admin"), "A", value="3")
    refused(shop.end_user().get(VARIABLES), 403)


# ---- where they are used


def test_an_integration_uses_the_values_of_its_next_call(shop, upstream):
    admin = shop.admin
    api = Integration(
        admin,
        "http",
        {"baseUrl": "${BASE}/v1", "headers": {"x-stage": "${STAGE}"}, "allowPrivate": True},
        {"authorization": "Bearer ${TOKEN}"},
    )
    refused(api.live("get", path="/a"), 409, "CONFLICT")
    put(admin, "BASE", value=f"http://127.0.0.1:{upstream.port}/one")
    put(admin, "STAGE", value="test")
    assert "TOKEN" in refused(api.live("get", path="/a"), 409, "CONFLICT")["message"]
    put(admin, "TOKEN", value="first", secret=True)
    assert api.result("get", path="/a")["status"] == 404
    asked = upstream.asked[-1]
    assert asked.target == "/one/v1/a" and asked.headers["authorization"] == "Bearer first"
    assert asked.headers["x-stage"] == "test"
    put(admin, "TOKEN", value="second")
    put(admin, "BASE", value=f"http://127.0.0.1:{upstream.port}/two", moveSecrets=True)
    assert api.result("get", path="/a")["status"] == 404
    asked = upstream.asked[-1]
    assert asked.target == "/two/v1/a" and asked.headers["authorization"] == "Bearer second"
    assert api.read()["config"]["baseUrl"] == "${BASE}/v1"
    # The address is checked as it is resolved.
    put(admin, "BASE", value="http://10.0.0.1:9", moveSecrets=True)
    refused(api.live("get", path="/a"), 502, "UPSTREAM_FAILED")
    assert "integrations/" in problems(admin.put(f"{VARIABLES}/BASE", {"value": "ftp://x", "moveSecrets": True}))["/value"]


def test_a_webhook_uses_the_values_of_its_next_delivery(shop, receiver):
    admin = shop.admin
    path = "/" + unique("w")
    hook = Hook(shop, receiver, url="${URL}" + path, headers={"x-token": "Bearer ${TOKEN}"})
    hook.path = path
    test = ok(admin.post(f"{hook.route}/test"))["delivery"]
    assert test["status"] == "failed" and test["error"] == "the variable URL has no value: set it"
    put(admin, "URL", value=receiver.url(""))
    test = ok(admin.post(f"{hook.route}/test"))["delivery"]
    assert "TOKEN" in test["error"]
    put(admin, "TOKEN", value="first", secret=True)
    hook.insert(n=1)
    assert hook.arrived()[0].headers["x-token"] == "Bearer first"
    put(admin, "TOKEN", value="second")
    hook.insert(n=2)
    assert hook.arrived(2)[1].headers["x-token"] == "Bearer second"
    assert hook.read()["headers"] == {"x-token": "Bearer ${TOKEN}"}


def test_a_delivery_without_a_value_is_logged_with_the_name(shop, receiver):
    hook = Hook(shop, receiver, url="${URL}/x")
    hook.insert(n=1)
    entry = hook.logged(1)[0]
    assert entry["status"] == "failed" and entry["attempts"] == 3
    assert entry["error"] == "the variable URL has no value: set it"


def test_functions_read_plain_ones(shop):
    admin = shop.admin
    function = http_function(shop, "return { body: ctx.variables };")
    assert function.invoke()["result"]["body"] == {}
    put(admin, "URL", value="https://a.example")
    put(admin, "TOKEN", value="marked", secret=True)
    put(admin, "EMPTY")
    assert function.invoke()["result"]["body"] == {"URL": "https://a.example"}
    put(admin, "URL", value="https://b.example")
    assert function.invoke()["result"]["body"] == {"URL": "https://b.example"}
    function.patch(tests=[{"name": "t", "event": {"type": "http"}, "expect": {"result": {"body": {"URL": "https://b.example"}}}}])
    assert ok(admin.post(f"{function.route}/tests/run"))["failed"] == 0
    reader = {"name": "reader", "trigger": {"type": "cron", "schedule": "@monthly"}}
    code = "export default (event, ctx) => ctx.variables.{};"
    refused(admin.post("/admin/functions", {**reader, "code": code.format("TOKEN")}), 400, "VALIDATION", "/code")
    ok(admin.post("/admin/functions", {**reader, "code": code.format("URL")}), 201)
    assert "functions/reader" in refused(admin.delete(f"{VARIABLES}/URL"), 409, "CONFLICT")["message"]


def test_a_client_id_may_be_a_variable(shop):
    admin = shop.admin
    put(admin, "CLIENT", value="abc")
    put(admin, "TOKEN", value="marked", secret=True)
    body = {"clientId": "${CLIENT}", "enabled": True}
    ok(admin.put("/admin/auth/oauth/providers/github", body), 204)
    redirects = {"allowedRedirects": ["https://app.example.com"]}
    ok(admin.put("/admin/auth/oauth/redirects", redirects), 204)
    answer = shop.public().get("/auth/oauth/github/start", params={"redirect": "https://app.example.com/back"})
    assert "client_id=abc" in answer.headers["location"]
    put(admin, "CLIENT", value="def")
    answer = shop.public().get("/auth/oauth/github/start", params={"redirect": "https://app.example.com/back"})
    assert "client_id=def" in answer.headers["location"]
    assert ok(admin.get("/admin/auth/oauth"))["providers"][0]["clientId"] == "${CLIENT}"
    secret = {"clientId": "${TOKEN}", "enabled": True}
    refused(admin.put("/admin/auth/oauth/providers/google", secret), 400, "VALIDATION", "/clientId")
    refused(admin.delete(f"{VARIABLES}/CLIENT"), 409, "CONFLICT")


# ---- what is refused


def http_body(config: dict, secrets: dict | None = None) -> dict:
    return {"name": unique("i"), "provider": "http", "config": config, "secrets": secrets or {}}


def test_a_secret_one_stands_in_few_places(shop):
    admin = shop.admin
    put(admin, "TOKEN", value="marked", secret=True)
    refused(admin.post("/admin/webhooks", hook_body(url="https://a.example/${TOKEN}")), 400, "VALIDATION", "/url")
    for config, at in (
        ({"baseUrl": "${TOKEN}"}, "/config/baseUrl"),
        ({"baseUrl": "https://a.example", "headers": {"x": "${TOKEN}"}}, "/config/headers/x"),
    ):
        refused(admin.post("/admin/integrations", http_body(config)), 400, "VALIDATION", at)
    ok(admin.post("/admin/webhooks", hook_body(headers={"x": "${TOKEN}"})), 201)
    ok(admin.post("/admin/integrations", http_body({"baseUrl": "https://a.example"}, {"authorization": "${TOKEN}"})), 201)
    # The other way round: a plain one becomes secret.
    put(admin, "PLAIN", value="x")
    ok(admin.post("/admin/webhooks", hook_body(url="https://a.example/${PLAIN}")), 201)
    assert set(problems(admin.put(f"{VARIABLES}/PLAIN", {"secret": True}))) == {"/secret"}
    assert next(each for each in listed(admin) if each["name"] == "PLAIN")["secret"] is False


@pytest.mark.parametrize("value", ["a\nb", "a\r\nx-more: 1", "\u007f"])
def test_a_header_has_one_line(shop, value):
    admin = shop.admin
    put(admin, "LINES", value=value)
    refused(admin.post("/admin/webhooks", hook_body(headers={"x": "${LINES}"})), 400, "VALIDATION", "/headers/x")
    config = {"baseUrl": "https://a.example", "headers": {"x": "${LINES}"}}
    refused(admin.post("/admin/integrations", http_body(config)), 400, "VALIDATION", "/config/headers/x")
    body = http_body({"baseUrl": "https://a.example"}, {"headers": {"x": "${LINES}"}})
    refused(admin.post("/admin/integrations", body), 400, "VALIDATION", "/secrets/headers/x")
    put(admin, "FINE", value="a")
    put(admin, "TOKEN", value="a", secret=True)
    ok(admin.post("/admin/webhooks", hook_body(headers={"x": "${FINE} ${TOKEN}"})), 201)
    ok(admin.post("/admin/integrations", http_body({"baseUrl": "https://a.example"}, {"authorization": "${TOKEN}"})), 201)
    for name in ("FINE", "TOKEN"):
        refused(admin.put(f"{VARIABLES}/{name}", {"value": value}), 400, "VALIDATION", "/value")


def test_whoever_sends_a_secret_one_manages_variables(shop):
    admin = shop.admin
    put(admin, "TOKEN", value="marked", secret=True)
    less = shop.member(shop.role("webhooks:manage", "integrations:manage", "config:manage"))
    more = shop.member(shop.role("webhooks:manage", "integrations:manage", "config:manage", "variables:manage"))
    body = hook_body(headers={"x": "${TOKEN}"})
    refused(less.post("/admin/webhooks", body), 403, "FORBIDDEN")
    refused(less.post("/admin/webhooks", hook_body(headers={"x": "${LATER}"})), 403, "FORBIDDEN")
    ok(more.post("/admin/webhooks", body), 201)
    route = f"/admin/webhooks/{body['name']}"
    refused(less.patch(route, {"url": "https://evil.example/"}), 403, "FORBIDDEN")
    ok(less.patch(route, {"enabled": False}), 204)
    secrets = {"authorization": "${TOKEN}"}
    refused(less.post("/admin/integrations", http_body({"baseUrl": "https://a.example"}, secrets)), 403, "FORBIDDEN")
    ok(more.post("/admin/integrations", http_body({"baseUrl": "https://a.example"}, secrets)), 201)
    # In an import too.
    document = {"webhooks": [{**body, "url": "https://evil.example/"}]}
    for params in ({"dryRun": "1"}, {}):
        refused(importing(less, document, **params), 403, "FORBIDDEN")
    refused(importing(less, {"variables": [{"name": "NEW", "secret": True}]}), 403, "FORBIDDEN")
    ok(importing(more, document))
    assert ok(admin.get(route))["webhook"]["url"] == "https://evil.example/"


def test_a_value_that_moves_stored_secrets_is_confirmed(shop):
    admin = shop.admin
    manager = shop.member(shop.role("variables:manage"))
    put(admin, "BASE", value="https://a.example")
    body = http_body({"baseUrl": "${BASE}/v1"}, {"authorization": "Bearer marked"})
    ok(admin.post("/admin/integrations", body), 201)
    for api in (admin, manager):
        refused(api.put(f"{VARIABLES}/BASE", {"value": "https://evil.example"}), 400, "VALIDATION", "/moveSecrets")
    moved = {"value": "https://b.example", "moveSecrets": True}
    refused(manager.put(f"{VARIABLES}/BASE", moved), 403, "FORBIDDEN")
    assert listed(admin)[0]["value"] == "https://a.example"
    put(admin, "BASE", **moved)
    entry = ok(admin.get("/admin/audit", params={"action": "variable.set", "limit": 1}))["entries"][0]
    assert entry["target"] == "variables/BASE" and entry["details"]["moveSecrets"] is True
    # Nor does a config that names a variable take the secrets along.
    other = http_body({"baseUrl": "https://a.example"}, {"authorization": "Bearer marked"})
    ok(admin.post("/admin/integrations", other), 201)
    route = f"/admin/integrations/{other['name']}"
    refused(admin.patch(route, {"config": {"baseUrl": "${BASE}"}}), 400, "VALIDATION", "/secrets/authorization")


def test_an_import_never_makes_a_secret_one_plain(shop):
    put(shop.admin, "TOKEN", value="marked", secret=True)
    document = {"variables": [{"name": "TOKEN", "secret": False}]}
    assert set(problems(importing(shop.admin, document))) == {"/variables/0/secret"}
    assert listed(shop.admin) == [{"name": "TOKEN", "secret": True, "configured": True}]


# ---- environments, promotion, bundles


def test_three_environments_have_one_shape_and_their_own_values(owner, upstream):
    root = owner.create_project()
    admin = root.admin
    put(admin, "BASE", value=f"http://127.0.0.1:{upstream.port}/production")
    put(admin, "TOKEN", value="marked-production", secret=True)
    config = {"baseUrl": "${BASE}", "headers": {"x-stage": "all"}, "allowPrivate": True}
    api = Integration(admin, "http", config, {"authorization": "Bearer ${TOKEN}"}, name="stock")
    ok(admin.post("/admin/webhooks", hook_body(name="out", url="${BASE}/hook", headers={"x": "${TOKEN}"})), 201)
    staging, preview = environment(owner, root, "staging"), environment(owner, root, "preview")
    for project in (staging, preview):
        assert [each for each in project.warnings if "BASE" in each and "TOKEN" in each], project.warnings
        assert [(each["name"], each["secret"], each["configured"]) for each in listed(project.admin)] == [
            ("BASE", False, False),
            ("TOKEN", True, False),
        ]
        assert shape_of(project.admin) == shape_of(admin)
        refused(
            project.admin.post("/admin/integrations/stock/test", {"op": "get", "args": {"path": "/a"}, "mode": "live"}),
            409,
            "CONFLICT",
        )

    # Each gets its own values; a change of the shape is promoted without them.
    for project, name in ((staging, "staging"), (preview, "preview")):
        put(project.admin, "BASE", value=f"http://127.0.0.1:{upstream.port}/{name}")
        put(project.admin, "TOKEN", value=f"marked-{name}")
        ok(project.admin.patch("/admin/integrations/stock", {"secrets": {"authorization": f"Bearer own-{name}"}}), 204)
    ok(staging.admin.patch("/admin/integrations/stock", {"config": {**config, "headers": {"x-stage": "new"}}}), 204)
    for target in (root, preview):
        ok(promote(owner, staging, target))
        assert shape_of(target.admin) == shape_of(staging.admin)
    for project, name, authorization in (
        (root, "production", "Bearer marked-production"),
        (staging, "staging", "Bearer own-staging"),
        (preview, "preview", "Bearer own-preview"),
    ):
        called = {"op": "get", "args": {"path": "/a"}, "mode": "live"}
        ok(project.admin.post("/admin/integrations/stock/test", called))
        asked = upstream.asked[-1]
        assert asked.target == f"/{name}/a" and asked.headers["x-stage"] == "new"
        assert asked.headers["authorization"] == authorization
        assert "marked" not in shape_of(project.admin) and str(upstream.port) not in shape_of(project.admin)
    assert api.read()["secrets"]["authorization"] == {"configured": True}


def test_a_promotion_moves_secrets_to_a_variable_of_the_target_only(owner):
    root = owner.create_project()
    body = http_body({"baseUrl": "https://production.example"}, {"authorization": "Bearer marked"})
    ok(root.admin.post("/admin/integrations", body), 201)
    staging = environment(owner, root, "staging")
    route = f"/admin/integrations/{body['name']}"
    ok(staging.admin.patch(route, {"config": {"baseUrl": "https://staging.example"}}), 204)
    assert "/integrations/0/config" in problems(promote(owner, staging, root))
    put(staging.admin, "BASE", value="https://staging.example")
    ok(staging.admin.patch(route, {"config": {"baseUrl": "${BASE}/v1"}}), 204)
    assert set(problems(promote(owner, staging, root))) == {"/integrations/0/config", "/integrations/0/config/baseUrl"}
    assert set(problems(promote(owner, staging, root, allowMissing="1"))) == {"/integrations/0/config"}
    put(root.admin, "BASE", value="https://production.example")
    ok(promote(owner, staging, root))
    view = ok(root.admin.get(route))["integration"]
    assert view["config"]["baseUrl"] == "${BASE}/v1" and view["secrets"]["authorization"] == {"configured": True}
    # Not where the variable gives a part of the destination.
    ok(staging.admin.patch(route, {"config": {"baseUrl": "https://${HOST}/v1"}}), 204)
    assert "/integrations/0/config" in problems(promote(owner, staging, root, allowMissing="1"))


def test_names_without_a_value_are_problems(shop):
    document = {
        "variables": [{"name": "URL", "secret": False}],
        "webhooks": [hook_body(name="out", url="${URL}/x", headers={"x": "${TOKEN}"})],
        "integrations": [
            {"name": "stock", "provider": "http", "config": {"baseUrl": "${BASE}", "headers": {"x": "${URL}"}}}
        ],
        "oauth": {"providers": [{"provider": "github", "clientId": "${CLIENT}", "enabled": True}]},
        "functions": [
            {
                "name": "reader",
                "trigger": {"type": "cron", "schedule": "@monthly"},
                "code": "export default (event, ctx) => ctx.variables.LIMIT;\n",
            }
        ],
    }
    expected = {
        "/webhooks/0/url": "URL",
        "/webhooks/0/headers/x": "TOKEN",
        "/integrations/0/config/baseUrl": "BASE",
        "/integrations/0/config/headers/x": "URL",
        "/oauth/providers/0/clientId": "CLIENT",
        "/functions/0/code": "LIMIT",
    }
    for params in ({"dryRun": "1"}, {}, {"allowMissing": "0"}):
        found = problems(importing(shop.admin, document, **params))
        assert set(found) == set(expected)
        assert all(name in found[path] for path, name in expected.items()), found
    assert listed(shop.admin) == []
    refused(importing(shop.admin, document, allowMissing="yes"), 400, "INVALID_PARAM")
    assert ok(importing(shop.admin, document, allowMissing="1"))["plan"]["summary"]["create"] == 5
    for name in ("URL", "BASE"):
        put(shop.admin, name, value="https://a.example")
    for name in ("CLIENT", "LIMIT"):
        put(shop.admin, name, value="1")
    put(shop.admin, "TOKEN", value="marked", secret=True)
    assert ok(importing(shop.admin, document))["plan"]["summary"] == {"create": 0, "update": 0, "unchanged": 5}


# ---- the command line


@pytest.fixture
def folder(server, tmp_path):
    person = Person(server, tmp_path / "person").login()
    folder = Folder(person, tmp_path / "person" / "work", person.user.create_project())
    done(folder.run("link", "--project", folder.project.slug, "--url", server.url))
    return folder


def test_a_bundle_holds_names_only(folder):
    admin = folder.project.admin
    put(admin, "URL", value="https://marked.example")
    put(admin, "TOKEN", value="marked-token", secret=True)
    done(folder.run("pull"))
    assert folder.read("variables.json") == [{"name": "TOKEN", "secret": True}, {"name": "URL", "secret": False}]
    assert "marked" not in "".join(folder.files().values())
    hook = hook_body(name="out", url="${URL}/x", headers={"x": "${LATER}"})
    hook.pop("name")
    folder.write("webhooks/out.json", {"name": "out", **hook})
    ran = folder.run("push", "--yes")
    assert ran.returncode == 1 and "webhooks/out.json: /headers/x names the variable LATER" in ran.stderr, ran.stderr
    done(folder.run("push", "--yes", "--allow-missing"))
    assert ok(admin.get("/admin/webhooks/out"))["webhook"]["url"] == "${URL}/x"
    folder.write("variables.json", [{"name": "TOKEN", "secret": False}])
    ran = folder.run("push", "--yes", "--allow-missing")
    assert ran.returncode == 1 and "variables.json: TOKEN: /secret is true in the project" in ran.stderr, ran.stderr


def test_commands(folder):
    assert done(folder.run("variables list")) == "no variables\n"
    done(folder.run("variables set", "URL", "--value", "https://a.example"))
    done(folder.run("variables set", "TOKEN", "--secret", "--stdin", typed="marked-token\n"))
    done(folder.run("variables set", "EMPTY"))
    assert done(folder.run("variables list")) == (
        "EMPTY  (no value)\nTOKEN  (secret)\nURL    https://a.example\n"
    )
    shown = result(folder.run("variables list", "--json"))["variables"]
    assert shown == listed(folder.project.admin)
    complains(folder.run("variables set", "TOKEN", "--secret", "--value", "x"), "never an argument", 2)
    complains(folder.run("variables rm", "OTHER"), "no such variable")
    done(folder.run("variables rm", "EMPTY"))
    assert len(listed(folder.project.admin)) == 2

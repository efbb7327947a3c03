"""No value of a variable is seen where it must not be, whatever the environment."""

import json

import pytest

from support.client import Api, Project, ok, unique
from support.commands import done
from support.function import http_function
from support.hook import Hook
from support.integration import Integration
from support.person import Folder, Person
from support.variables import environment, hook_body, importing, listed, problems, promote, put, shape_of, SETTINGS, VARIABLES


@pytest.fixture(scope="module")
def server_settings():
    return SETTINGS


def test_no_value_is_seen_where_it_must_not_be(owner, server, receiver, upstream, tmp_path):
    """Marked values, plain and secret, are searched in exports, plans, audit entries, errors, logs of deliveries and
    runs, and the server's log."""
    secret, also, plain = unique("MARKEDSECRET"), unique("MARKEDALSO"), unique("markedplain")
    root = owner.create_project()
    admin, seen = root.admin, []

    def note(response):
        seen.append(response.text)
        return response

    put(admin, "HOST", value=f"{plain}.invalid")
    put(admin, "TOKEN", value=secret, secret=True)
    put(admin, "ALSO", value=also)
    put(admin, "ALSO", secret=True)
    hook = Hook(root, receiver, url="https://${HOST}/x", headers={"x-token": "Bearer ${TOKEN}", "x-also": "${ALSO}"})
    api = Integration(admin, "http", {"baseUrl": "https://${HOST}"}, {"authorization": "Bearer ${TOKEN}"})
    function = http_function(
        root, f'return await ctx.integrations.call("{api.name}", "get", {{ path: "/x" }});', path="/" + unique("p")
    )
    note(admin.post(f"{hook.route}/test"))
    hook.insert(n=1)
    hook.logged(2)
    note(api.live("get", path="/x"))
    seen.append(json.dumps(function.invoke()))
    ok(admin.put("/admin/auth/oauth/providers/github", {"clientId": "${HOST}", "enabled": True}), 204)

    # Errors: values that do not fit, moves, and uses.
    note(admin.put(f"{VARIABLES}/TOKEN", {"value": secret + "\n"}))
    note(admin.put(f"{VARIABLES}/TOKEN", {"value": secret + "${A}"}))
    note(admin.put(f"{VARIABLES}/TOKEN", {"secret": False}))
    note(admin.put(f"{VARIABLES}/HOST", {"value": plain + " blank"}))
    note(admin.put(f"{VARIABLES}/HOST", {"value": plain + ".example"}))
    note(admin.put(f"{VARIABLES}/HOST", {"secret": True}))
    note(admin.delete(f"{VARIABLES}/TOKEN"))
    note(admin.post("/admin/webhooks", hook_body(url="https://${HOST}:${TOKEN}/")))

    # Exports, plans, environments.
    exported = ok(note(admin.get("/admin/config-export")))
    note(importing(admin, exported, dryRun="1"))
    stage = environment(owner, root, "staging")
    note(stage.admin.get("/admin/config-export"))
    note(promote(owner, root, stage, dryRun="1"))
    note(promote(owner, root, stage, allowMissing="1"))
    for path in ("webhooks", "integrations", "functions", "auth/oauth", "audit?limit=200"):
        note(admin.get(f"/admin/{path}"))
    note(admin.get(f"{hook.route}/deliveries"))
    note(admin.get(f"{function.route}/logs"))
    for text in seen:
        assert secret not in text and also not in text and plain not in text, text
    listing = admin.get(VARIABLES).text
    assert secret not in listing and plain in listing

    # The log, and what is stored.
    server.logged("webhook delivery failed")
    for line in server.log_path.read_text(errors="replace").splitlines():
        assert secret not in line and also not in line and plain not in line, line
    for path in server.data.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path


class Stage:
    """One of three environments, with values of its own, each of which holds a mark that nothing else holds."""

    NAMES = ("BASE", "LIMIT", "CLIENT", "TOKEN", "SIGN", "LATER")

    def __init__(self, name: str, project: Project, receiver, upstream, folder: Folder):
        self.name, self.project, self.admin, self.folder = name, project, project.admin, folder
        self.marks = {each: unique(f"marked{each.lower()}{name}") for each in self.NAMES}
        self.hook_path = "/" + self.marks["LATER"]
        self.values = {
            "BASE": f"http://127.0.0.1:{upstream.port}/{self.marks['BASE']}",
            "LATER": receiver.url(self.hook_path),
            **{each: f"{self.marks[each]}-{name}" for each in ("LIMIT", "CLIENT", "TOKEN", "SIGN")},
        }

    def give(self, *names: str) -> None:
        for each in names:
            put(self.admin, each, value=self.values[each])

    def shows_own_values(self) -> None:
        shown = {each["name"]: each for each in listed(self.admin)}
        assert set(shown) == set(self.NAMES)
        for name, each in shown.items():
            assert each["configured"] and each.get("value") == (None if each["secret"] else self.values[name]), each


def test_three_environments_and_no_value_elsewhere(server, receiver, upstream, tmp_path):
    """One shape in production, staging and a third, moved by export and import, by bundles and by promotion; the marked
    values of each are searched in all that these show, in audit entries, errors, plans, logs, and the server's log."""
    person = Person(server, tmp_path / "person").login()
    owner = person.user
    root = owner.create_project()
    seen: list[str] = []

    def note(response):
        seen.append(response.text)
        return response

    # The shape, with the names of all variables and no value.
    admin = root.admin
    for name in ("BASE", "LIMIT", "CLIENT", "TOKEN", "SIGN"):
        put(admin, name, secret=name in ("TOKEN", "SIGN"))
    members = root.collection("members", policy=None, indexes=[{"keys": {"userId": 1}}])
    mine = {"filter": {"team": {"$in": "$auth.sets.teams"}}}
    where = {"collection": members, "where": {"userId": "$auth.uid"}, "value": "team"}
    ok(admin.put("/admin/policies/sets/teams", where), 204)
    root.collection("orders", policy={"read": mine, "list": mine, "public": {"list": {"filter": {"open": True}}}})
    rules = {"read": {"filter": {"metadata.team": {"$in": "$auth.sets.teams"}}}}
    ok(admin.post("/admin/storage/buckets", {"name": "papers", "access": "private", "rules": rules}), 201)
    config = {"baseUrl": "${BASE}", "headers": {"x-limit": "${LIMIT}"}, "allowPrivate": True}
    Integration(admin, "http", config, {"authorization": "Bearer ${TOKEN}"}, name="stock")
    ok(admin.put("/admin/auth/oauth/providers/github", {"clientId": "${CLIENT}", "enabled": True}), 204)
    http_function(root, 'return { body: { stage: ctx.variables.LIMIT.split("-")[1] } };', path="/stage", name="stage")

    stages = {}
    for name in ("production", "staging", "preview"):
        project = root if name == "production" else environment(owner, root, name)
        folder = Folder(person, person.work / name, project)
        folder.path.mkdir()
        done(folder.run("link", "--project", project.slug, "--url", server.url))
        stages[name] = Stage(name, project, receiver, upstream, folder)
        stages[name].give("BASE", "LIMIT", "CLIENT", "TOKEN", "SIGN")
    production, staging, preview = stages.values()
    for stage in (staging, preview):
        ok(stage.admin.patch("/admin/integrations/stock", {"secrets": {"authorization": "Bearer ${TOKEN}"}}), 204)

    # A change of the shape begins in staging, with a variable that the others do not have yet.
    put(staging.admin, "LATER", value=staging.values["LATER"])
    hook = hook_body(name="out", collection="orders", url="${LATER}", headers={"x-sign": "${SIGN}"})
    ok(staging.admin.post("/admin/webhooks", hook), 201)
    for target in (preview, production):
        assert set(problems(note(promote(owner, staging.project, target.project)))) == {"/webhooks/0/url"}
        put(target.admin, "LATER", value=target.values["LATER"])
        note(promote(owner, staging.project, target.project, dryRun="1"))
        ok(note(promote(owner, staging.project, target.project)))
        ok(target.admin.post("/admin/webhooks/out/rotate-secret"))
        ok(target.admin.patch("/admin/webhooks/out", {"enabled": True}), 204)
        assert shape_of(target.admin) == shape_of(staging.admin)

    # The document and the bundle of each are those of the others, and change nothing in them.
    unchanged = None
    for source in stages.values():
        exported = ok(note(source.admin.get("/admin/config-export")))
        seen.append(done(source.folder.run("pull")))
        for target in stages.values():
            summary = ok(note(importing(target.admin, exported)))["plan"]["summary"]
            assert summary["create"] == summary["update"] == 0 and summary == (unchanged or summary)
            unchanged = summary
    bundles = [stage.folder.files() for stage in stages.values()]
    for bundle in bundles:
        seen.extend(bundle.values())
        del bundle["meta.json"]  # names the project
    assert bundles[0]["variables.json"] and bundles[1:] == bundles[:1] * 2
    # By a bundle from preview to the others.
    source = preview.folder.read("functions/stage.json")
    preview.folder.write("functions/stage.json", {**source, "timeoutMs": 4000})
    seen.append(done(preview.folder.run("push", "--yes")))
    for target in (staging, production):
        slugs = ("--from", preview.project.slug, "--to", target.project.slug)
        seen.append(done(preview.folder.run("promote", *slugs, "--yes")))
        assert shape_of(target.admin) == shape_of(preview.admin)

    # Each uses its own values.
    for stage in stages.values():
        stage.shows_own_values()
        called = {"op": "get", "args": {"path": "/a"}, "mode": "live"}
        note(stage.admin.post("/admin/integrations/stock/test", called))
        asked = upstream.asked[-1]
        assert asked.target == f"/{stage.marks['BASE']}/a"
        assert asked.headers["authorization"] == f"Bearer {stage.values['TOKEN']}"
        assert asked.headers["x-limit"] == stage.values["LIMIT"]
        ok(stage.admin.post("/admin/collections/orders/documents", {"team": "a"}), 201)
        assert receiver.wait(stage.hook_path, 1, 20)[0].headers["x-sign"] == stage.values["SIGN"]
        assert ok(note(Api(server).get(f"/run/{stage.project.slug}/stage"))) == {"stage": stage.name}

    # Errors that are about values.
    for stage in stages.values():
        note(stage.admin.put(f"{VARIABLES}/TOKEN", {"value": stage.values["TOKEN"] + "\n"}))
        note(stage.admin.put(f"{VARIABLES}/BASE", {"value": f"ftp://{stage.marks['BASE']}", "moveSecrets": True}))
        note(stage.admin.put(f"{VARIABLES}/CLIENT", {"value": stage.values["CLIENT"] + "${A}"}))
        note(stage.admin.put(f"{VARIABLES}/LIMIT", {"secret": True}))
        note(stage.admin.delete(f"{VARIABLES}/SIGN"))
        note(importing(stage.admin, {"variables": [{"name": "TOKEN", "secret": False}]}))
        upstream.answers[f"/{stage.marks['BASE']}/slow"] = b"no answer of HTTP"
        failing = {"op": "get", "args": {"path": "/slow"}, "mode": "live"}
        note(stage.admin.post("/admin/integrations/stock/test", failing))
        receiver.answers[stage.hook_path] = [500]
        note(stage.admin.post("/admin/webhooks/out/test"))
        for path in ("webhooks", "integrations", "functions", "auth/oauth", "policies/sets", "audit?limit=200"):
            note(stage.admin.get(f"/admin/{path}"))
        note(stage.admin.get("/admin/webhooks/out/deliveries"))
        note(stage.admin.get("/admin/functions/stage/logs"))

    marks = [mark for stage in stages.values() for mark in stage.marks.values()]
    secrets = [stage.marks[name] for stage in stages.values() for name in ("TOKEN", "SIGN")]
    for text in seen:
        assert not [mark for mark in marks if mark in text], text
    server.logged("webhook")
    for line in server.log_path.read_text(errors="replace").splitlines():
        assert not [mark for mark in marks if mark in line], line
    for path in server.data.rglob("*"):
        stored = path.read_bytes() if path.is_file() else b""
        assert not [mark for mark in secrets if mark.encode() in stored], path

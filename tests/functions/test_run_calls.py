"""`calls` of a run: what it called, how long that took and how it ended, without contents."""

import json

import pytest

from support.client import ok, unique
from support.function import database_function, http_function
from support.integration import Integration
from support.upstream import silence


@pytest.fixture(scope="module")
def server_settings():
    return {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}


@pytest.fixture(scope="module")
def notes(project, admin) -> str:
    name = unique("notes")
    ok(admin.post("/admin/collections", {"name": name}), 201)
    return name


@pytest.fixture(scope="module")
def api(admin, upstream):
    return Integration(admin, "http", {"baseUrl": upstream.url, "allowPrivate": True}, {"authorization": "Bearer sesame"})


def brief(run: dict) -> list:
    return [(call["kind"], call["name"], call["detail"], call["outcome"]) for call in run.get("calls", [])]


def test_a_run_lists_its_calls(project, notes, api, upstream):
    upstream.answers["/a"] = (200, {}, {"word": "sesame"})
    function = http_function(
        project,
        f"""await ctx.db.insertOne('{notes}', {{id: 'a', word: 'sesame'}});
            await ctx.db.find('{notes}', {{word: 'sesame'}});
            await ctx.db.insertOne('{notes}', {{id: 'a'}}).catch(() => null);
            await ctx.db.find('open sesame').catch(() => null);
            await ctx.integrations.call('{api.name}', 'get', {{path: '/a', query: {{word: 'sesame'}}}});
            await ctx.integrations.call('none', 'get').catch(() => null);
            return 1;""",
    )
    run = function.invoke()
    assert run["status"] == "success", run
    assert brief(run) == [
        ("db", notes, "insertOne", "ok"),
        ("db", notes, "find", "ok"),
        ("db", notes, "insertOne", "CONFLICT"),
        ("db", "", "find", "NOT_FOUND"),
        ("integration", api.name, "get", "ok"),
        ("integration", "none", "get", "NOT_FOUND"),
    ]
    for call in run["calls"]:
        assert set(call) == {"kind", "name", "detail", "ms", "outcome"} and 0 <= call["ms"] < 60_000
    assert "sesame" not in json.dumps(run)
    assert function.runs()[0] == run


def test_a_hook_lists_its_lookups(project, admin, notes):
    hook = database_function(project, notes, f"await ctx.lookup.get('{notes}', 'b');", ["insert"], timing="pre")
    ok(admin.post(f"/admin/collections/{notes}/documents", {"id": "c"}), 201)
    assert brief(hook.logged(1)[0]) == [("db", notes, "get", "ok")]
    hook.delete()


def test_a_run_without_calls_has_none(project):
    function = http_function(project, "return 1;")
    assert "calls" not in function.invoke() and "calls" not in function.runs()[0]


def test_a_call_that_the_end_of_its_run_interrupts(project, api, upstream):
    upstream.answers["/quiet"] = silence(60)
    function = http_function(project, f"await ctx.integrations.call('{api.name}', 'get', {{path: '/quiet'}});", timeoutMs=1000)
    run = function.invoke()
    assert run["status"] == "timeout"
    [call] = run["calls"]
    assert brief(run) == [("integration", api.name, "get", "unfinished")] and call["ms"] >= 900


def test_the_first_two_hundred_calls(project, notes):
    function = http_function(project, f"for (let i = 0; i < 210; i++) await ctx.db.count('{notes}'); return 1;")
    run = function.invoke()
    assert run["status"] == "success" and brief(run) == [("db", notes, "count", "ok")] * 200

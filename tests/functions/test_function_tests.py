"""Stored tests of functions."""

import threading

import httpx
import pytest

from support.client import PlatformUser, ok, refused
from support.function import Function, database_function, http_function
from support.server import check_data
from support.waiting import wait_until


def one(function: Function, **case) -> dict:
    """Returns the result of a single case."""
    case = {"name": "one", "event": {}, "expect": {}, **case}
    report = function.run_tests([case])
    assert set(report) == {"passed", "failed", "results"} and len(report["results"]) == 1
    result = report["results"][0]
    assert set(result) == {"name", "passed", "failures", "durationMs", "logs"}
    assert (report["passed"], report["failed"]) == ((1, 0) if result["passed"] else (0, 1))
    return result


@pytest.fixture(scope="module")
def things(project):
    return project.collection("tested", schema={"type": "object", "properties": {"n": {"type": "integer"}}})


def test_results_match_as_subsets(project):
    function = http_function(project, "console.log('hi'); return {a: 1, list: [{x: 1, y: 2}], at: new Date(0)};")
    passed = one(function, expect={"result": {"a": 1, "list": [{"x": 1}], "at": "1970-01-01T00:00:00.000Z"}})
    assert passed["passed"] and passed["failures"] == [] and passed["logs"][0]["message"] == "hi"
    failed = one(function, expect={"result": {"a": 2}})
    assert not failed["passed"] and failed["failures"] == ["result.a is 1, not 2"]
    assert not one(function, expect={"result": {"list": []}})["passed"]
    assert not one(function, expect={"result": {"missing": 1}})["passed"]


def test_status_and_error(project):
    function = http_function(project, "if (event.fail) throw new Error('boom'); return {status: 201};")
    assert one(function, expect={"status": "success"})["passed"]
    assert one(function, event={"fail": True}, expect={"status": "error", "error": "boom"})["passed"]
    assert one(function, event={"fail": True}, expect={"error": "boom"})["passed"]
    assert not one(function, event={"fail": True})["passed"]
    assert not one(function, expect={"error": "boom"})["passed"]
    slow = http_function(project, "for (;;);", timeoutMs=150)
    assert one(slow, expect={"status": "timeout"})["passed"]


def test_the_database_is_a_scratch_one_and_each_case_has_its_own(project, admin, things):
    ok(admin.post(f"/admin/collections/{things}/documents", {"id": "real", "n": 1}), 201)
    function = http_function(
        project,
        f"const before = await ctx.db.count('{things}'); await ctx.db.insertOne('{things}', {{n: 5}}); return before;",
    )
    cases = [
        {
            "name": "seeded",
            "event": {},
            "seed": {things: [{"id": "s1", "n": 1}, {"id": "s2", "n": 2}]},
            "expect": {"result": 2, "documents": {things: [{"n": 5}, {"id": "s1"}]}},
        },
        {"name": "empty", "event": {}, "expect": {"result": 0, "documents": {things: [{"n": 5}]}}},
        {"name": "wrong", "event": {}, "expect": {"documents": {things: [{"n": 6}]}}},
    ]
    report = function.run_tests(cases)
    assert (report["passed"], report["failed"]) == (2, 1)
    assert [each["name"] for each in report["results"] if each["passed"]] == ["seeded", "empty"]
    found = ok(admin.get(f"/admin/collections/{things}/documents"))["documents"]
    assert [each["id"] for each in found] == ["real"]


def test_documents_are_looked_for_on_every_page(project):
    many = project.collection()
    function = http_function(project, f"await ctx.db.insertOne('{many}', {{id: 'zz', made: true}});")
    seed = {many: [{"id": f"s{i:04}"} for i in range(2300)]}
    found = [{"id": "s0000"}, {"id": "s1000"}, {"id": "s2299"}, {"made": True}]
    assert one(function, seed=seed, expect={"documents": {many: found}})["passed"]
    failed = one(function, seed=seed, expect={"documents": {many: [*found, {"id": "s2300"}]}})
    assert failed["failures"] == [f"documents.{many}.4 is not there"]
    too_many = [{"name": "one", "event": {}, "expect": {"documents": {many: [{}] * 1001}}}]
    refused(function.admin.patch(function.route, {"tests": too_many}), 400, "VALIDATION")


def test_the_schema_holds_and_a_bad_seed_is_reported(project, things):
    function = http_function(project, f"await ctx.db.insertOne('{things}', {{n: 'x'}});")
    assert one(function, expect={"status": "error"})["passed"]
    failures = one(function, seed={things: [{"n": "x"}]})["failures"]
    assert len(failures) == 1 and failures[0].startswith(f"seed.{things}.0")
    assert one(function, seed={"nothing-here": [{}]})["failures"] == ["seed.nothing-here.0: no such collection"]


def test_stubs_stand_for_integrations(project):
    function = http_function(
        project, "return await ctx.integrations.call('mailer', 'send', {to: 'a@example.com', text: 'hi'});"
    )
    stubs = {"mailer.send": {"id": "m1"}}
    calls = [{"integration": "mailer", "op": "send", "args": {"to": "a@example.com"}}]
    assert one(function, stubs=stubs, expect={"result": {"id": "m1"}, "calls": calls})["passed"]
    assert not one(function, stubs=stubs, expect={"calls": []})["passed"]
    assert not one(function, stubs=stubs, expect={"calls": calls + calls})["passed"]
    assert one(function, expect={"error": 'no stub for "mailer.send"'})["passed"]


def test_auth_and_request(project):
    function = http_function(
        project, "return [ctx.auth?.uid ?? null, ctx.request.body, ctx.request.params];", "/t/:id", "POST"
    )
    event = {"type": "http", "method": "POST", "path": "/t/7", "params": {"id": "7"}, "body": {"a": 1}}
    assert one(function, event=event, auth={"uid": "u1"}, expect={"result": ["u1", {"a": 1}, {"id": "7"}]})["passed"]
    assert one(function, event=event, expect={"result": [None, {"a": 1}, {"id": "7"}]})["passed"]


def test_a_pre_hook(project, things):
    hook = database_function(
        project,
        things,
        "if (event.document.n > 1) return {abort: true, reason: 'no'};",
        ["insert"],
        timing="pre",
        enabled=False,
    )
    event = {"type": "database", "event": "insert", "collection": things, "documentId": "a", "document": {"n": 2}}
    assert one(hook, event=event, expect={"status": "aborted", "result": {"reason": "no"}})["passed"]
    event["document"]["n"] = 1
    assert one(hook, event=event, expect={"status": "success"})["passed"]


def test_a_pre_hook_looks_up_what_is_seeded(project, things):
    code = f"""
      const known = await ctx.lookup.get("{things}", event.document.of);
      return known ? {{document: {{n: known.n}}}} : {{abort: true, reason: "unknown"}};
    """
    hook = database_function(project, things, code, ["insert"], timing="pre", enabled=False)
    event = {"type": "database", "event": "insert", "collection": things, "documentId": "b", "document": {"of": "a"}}
    seed = {things: [{"id": "a", "n": 4}]}
    assert one(hook, event=event, seed=seed, expect={"result": {"document": {"n": 4}}})["passed"]
    assert one(hook, event=event, expect={"status": "aborted", "result": {"reason": "unknown"}})["passed"]


def test_a_case_has_the_bytes_of_its_body(project):
    function = http_function(project, "return new TextDecoder().decode(ctx.request.rawBody);", method="POST")
    assert one(function, event={"body": "a=1"}, expect={"result": "a=1"})["passed"]
    assert one(function, event={"body": {"a": 1}}, expect={"result": '{"a":1}'})["passed"]
    assert one(function, event={}, expect={"result": ""})["passed"]


def test_triggers_do_not_fire_and_nothing_is_logged_or_counted(project, things):
    trigger = database_function(project, things, "return 1;", ["insert"])
    function = http_function(project, f"await ctx.db.insertOne('{things}', {{}});")
    assert one(function)["passed"]
    assert function.runs() == [] and function.stats()["runs"] == 0 and trigger.runs() == []


def test_who_may_run_them(project, admin, alice):
    function = http_function(project, "return 1;")
    function.patch(tests=[{"name": "a", "event": {}, "expect": {}}])
    route = f"{function.route}/tests/run"
    refused(alice.post(route), 403)
    refused(project.api_key("functions").post(route), 403)
    refused(project.member(project.role("functions:read", "functions:invoke")).post(route), 403)
    assert ok(project.member(project.role("functions:manage")).post(route))["passed"] == 1
    refused(admin.post("/admin/functions/nothing-here/tests/run"), 404)


def test_a_function_without_tests(project):
    assert http_function(project, "return 1;").run_tests() == {"passed": 0, "failed": 0, "results": []}


def test_what_a_killed_server_leaves_of_a_test_harms_nothing(make_server):
    server = make_server({"SERVICE_WORKERS": "1"}).start()
    project = PlatformUser(server).create_project()
    project.admin.token = project.api_key("admin").token
    things = project.collection()
    code = f"await ctx.db.insertOne('{things}', {{}}); await new Promise((r) => setTimeout(r, event.wait)); return 1;"
    function = http_function(project, code, timeoutMs=60_000)
    function.patch(tests=[{"name": "slow", "event": {"wait": 50_000}, "seed": {things: [{"n": 1}]}, "expect": {}}])
    other = http_function(project, "return 1;")

    def run_tests():
        with pytest.raises(httpx.TransportError):
            function.admin.post(f"{function.route}/tests/run")

    running = threading.Thread(target=run_tests)
    running.start()
    # The test has the only worker.
    wait_until(lambda: project.admin.post(f"{other.route}/invoke", {}).status_code == 503)
    server.process.kill()
    running.join()
    server.kill()
    looked = check_data(server.data)
    assert looked.returncode == 0, looked.stdout + looked.stderr
    server.start()
    assert one(function, event={"wait": 0}, expect={"result": 1})["passed"]
    server.stop()
    looked = check_data(server.data)
    assert looked.returncode == 0, looked.stdout + looked.stderr

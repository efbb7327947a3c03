"""The triggers of functions. docs/functions.md shows the events."""

import concurrent.futures
import json

import pytest

from support.client import OPEN_POLICY, Api, EndUser, PlatformUser, ok, refused, unique
from support.function import Function, database_function, http_function
from support.waiting import wait_until

RETURN_EVENT = "return event;"


def documents(project, collection: str) -> list:
    return ok(project.admin.get(f"/admin/collections/{collection}/documents", params={"limit": 1000}))["documents"]


# ---- after a write


def test_events_of_a_database_trigger(project, admin):
    things = project.collection()
    function = database_function(project, things, RETURN_EVENT)
    route = f"/admin/collections/{things}/documents"
    ok(admin.post(route, {"id": "a", "n": 1}), 201)
    ok(admin.patch(f"{route}/a", {"n": 2}))
    ok(admin.put(f"{route}/a", {"n": 3}))
    ok(admin.delete(f"{route}/a"), 204)
    deleted, replaced, updated, inserted = [run["result"] for run in function.logged(4)]
    for event, name in ((inserted, "insert"), (updated, "update"), (replaced, "replace"), (deleted, "delete")):
        assert (event["type"], event["event"]) == ("database", name)
        assert (event["collection"], event["documentId"]) == (things, "a")
    assert inserted["document"]["n"] == 1 and "previous" not in inserted
    assert (updated["previous"]["n"], updated["document"]["n"]) == (1, 2)
    assert (replaced["previous"]["n"], replaced["document"]["n"]) == (2, 3)
    assert deleted["document"] is None and deleted["previous"]["n"] == 3
    assert {run["trigger"] for run in function.runs()} == {"database"}


def test_only_the_events_that_are_named(project, admin):
    things = project.collection()
    inserts = database_function(project, things, RETURN_EVENT, events=["insert"])
    updates = database_function(project, things, RETURN_EVENT, events=["update"])
    route = f"/admin/collections/{things}/documents"
    ok(admin.post(route, {"id": "a"}), 201)
    ok(admin.patch(f"{route}/a", {"n": 2}))
    ok(admin.put(f"{route}/a", {"n": 3}))
    assert [run["result"]["event"] for run in updates.logged(2)] == ["replace", "update"]
    assert [run["result"]["event"] for run in inserts.logged(1)] == ["insert"]


def test_a_date_is_a_date_to_the_handler(project, admin):
    things = project.collection()
    function = database_function(project, things, "return event.document.createdAt instanceof Date;")
    ok(admin.post(f"/admin/collections/{things}/documents", {}), 201)
    assert function.logged(1)[0]["result"] is True


def test_writes_of_end_users_fire_too(project, alice):
    things = project.collection(policy=OPEN_POLICY)
    function = database_function(project, things, RETURN_EVENT)
    made = alice.create(things, {"n": 1})
    assert function.logged(1)[0]["result"]["document"]["ownerId"] == alice.id == made["ownerId"]


def test_a_disabled_function_hears_nothing_and_later_only_what_comes(project, admin):
    things = project.collection()
    function = database_function(project, things, RETURN_EVENT, enabled=False)
    route = f"/admin/collections/{things}/documents"
    ok(admin.post(route, {"id": "a"}), 201)
    function.patch(enabled=True)
    ok(admin.post(route, {"id": "b"}), 201)
    assert [run["result"]["documentId"] for run in function.logged(1)] == ["b"]


def test_a_handler_that_throws_is_logged_with_its_place_and_not_run_again(project, admin):
    things = project.collection()
    boom = database_function(project, things, "console.log('before', {a: 1});\nthrow new Error('it broke');")
    ok(admin.post(f"/admin/collections/{things}/documents", {}), 201)
    (run,) = boom.logged(1)
    assert run["status"] == "error" and "it broke" in run["error"] and "(3:7)" in run["error"], run["error"]
    assert [line["level"] for line in run["logs"]] == ["log"] and "before" in run["logs"][0]["message"]
    assert (boom.stats()["runs"], boom.stats()["errors"]) == (1, 1)


def test_runs_go_five_deep(project, admin):
    things = project.collection()
    grow = database_function(project, things, f"await ctx.db.insertOne('{things}', {{by: 'run'}});", events=["insert"])
    ok(admin.post(f"/admin/collections/{things}/documents", {"by": "client"}), 201)
    # The change that starts no run may be logged before the run that made it has ended.
    assert sorted(run["status"] for run in grow.logged(6)) == ["skipped"] + ["success"] * 5
    assert len(documents(project, things)) == 6


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_what_waits_runs_after_a_restart(make_server, how):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    project.admin.token = project.api_key("admin").token
    things, marks = project.collection(), project.collection()
    database_function(project, things, f"await ctx.db.insertOne('{marks}', {{of: event.documentId}});", ["insert"])
    ids = [f"d{n}" for n in range(30)]
    for each in ids:
        ok(project.admin.post(f"/admin/collections/{things}/documents", {"id": each}), 201)
    getattr(server, how)()
    server.start()
    wait_until(lambda: set(ids) <= {mark["of"] for mark in documents(project, marks)})


def test_a_handler_that_can_never_settle_is_an_error_at_once(project, admin):
    # The time limits are such that a run that waits until its own limit would fail the test by its status.
    waits = "await ctx.db?.count('nothing', {}).catch(() => 0);\nawait new Promise(() => {});"
    things = project.collection()
    post = database_function(project, things, waits, ["insert"], timeoutMs=60_000)
    ok(admin.post(f"/admin/collections/{things}/documents", {}), 201)
    (run,) = post.logged(1)
    assert (run["status"], run["error"].split(":")[0]) == ("error", "The promise never settles")
    http = http_function(project, waits, timeoutMs=60_000)
    answer = project.server.http.get(f"/api/v1/run/{project.slug}{http.path}")
    assert (answer.status_code, answer.json()) == (500, {"error": "function error"})
    pre = database_function(project, things, waits, ["insert"], timing="pre")
    error = refused(admin.post(f"/admin/collections/{things}/documents", {}), 400, "VALIDATION")
    assert error["message"] == f'the function "{pre.name}" failed, so nothing was written'
    assert len(documents(project, things)) == 1


# ---- before a write


def test_a_pre_hook_sees_the_write_and_who_makes_it(project, alice):
    things = project.collection(policy=OPEN_POLICY)
    see = database_function(
        project, things, "console.log(JSON.stringify({event, auth: ctx.auth, db: typeof ctx.db}));", timing="pre"
    )
    made = alice.create(things, {"n": 1})
    ok(alice.patch(f"/{things}/{made['id']}", {"n": 2}), 204)
    ok(alice.delete(f"/{things}/{made['id']}"), 204)
    deleted, updated, inserted = [json.loads(run["logs"][0]["message"]) for run in see.logged(3)]
    assert inserted["event"]["document"]["n"] == 1 and "previous" not in inserted["event"]
    assert (updated["event"]["previous"]["n"], updated["event"]["document"]["n"]) == (1, 2)
    assert deleted["event"]["document"] is None and deleted["event"]["previous"]["n"] == 2
    for each in (inserted, updated, deleted):
        assert (each["auth"]["kind"], each["auth"]["uid"], each["db"]) == ("user", alice.id, "undefined")


def test_a_pre_hook_looks_up_documents(project, admin):
    things, teams = project.collection(), project.collection()
    ok(admin.post(f"/admin/collections/{teams}/documents", {"id": "red", "size": 3}), 201)
    code = f"""
      const team = await ctx.lookup.get("{teams}", event.document.team);
      const large = await ctx.lookup.findOne("{teams}", {{size: {{$gte: 3}}}});
      if (!team) return {{abort: true, reason: "no such team"}};
      return {{document: {{...event.document, size: team.size, large: large.id}}}};
    """
    database_function(project, things, code, ["insert"], timing="pre")
    route = f"/admin/collections/{things}/documents"
    made = ok(admin.post(route, {"team": "red"}), 201)["document"]
    assert (made["size"], made["large"]) == (3, "red")
    assert refused(admin.post(route, {"team": "blue"}), 400, "VALIDATION")["message"] == "no such team"
    assert len(documents(project, things)) == 1


def test_a_lookup_sees_below_the_policies_and_nothing_of_the_server(project, admin, alice):
    things, secret = project.collection(policy=OPEN_POLICY), project.collection(policy={})
    ok(admin.post(f"/admin/collections/{secret}/documents", {"id": "a", "n": 7}), 201)
    code = f"""
      const found = await ctx.lookup.get("{secret}", "a");
      const refused = [];
      for (const call of [
        () => ctx.lookup.get("__users", "x"),
        () => ctx.lookup.get("{secret}"),
        () => ctx.lookup.get("{secret}", {{$ne: "b"}}),
        () => ctx.lookup.findOne("{secret}", {{$where: "1"}}),
      ]) await call().catch((error) => refused.push(error.code));
      return {{document: {{n: found.n, refused}}}};
    """
    database_function(project, things, code, ["insert"], timing="pre")
    made = alice.create(things, {})
    assert made["n"] == 7 and made["refused"] == ["NOT_FOUND", "VALIDATION", "VALIDATION", "INVALID_FILTER"]


def test_a_hook_has_five_lookups_a_run(project, admin):
    things = project.collection()
    code = f"""
      const codes = [];
      for (let i = 0; i < 7; i++) {{
        try {{ codes.push(await ctx.lookup.get("{things}", "none")); }} catch (error) {{ codes.push(error.code); }}
      }}
      return {{document: {{codes}}}};
    """
    limited = database_function(project, things, code, ["insert"], timing="pre")
    route = f"/admin/collections/{things}/documents"
    for _ in range(2):
        assert ok(admin.post(route, {}), 201)["document"]["codes"] == [None] * 5 + ["LIMIT"] * 2
    # One that is not caught refuses the write.
    limited.patch(code=f'export default async (e, {{lookup}}) => {{ for (;;) await lookup.get("{things}", "x"); }};')
    refused(admin.post(route, {}), 400, "VALIDATION")


def test_lookups_are_for_pre_hooks_alone(project, admin):
    things = project.collection()
    shown = "return [typeof ctx.lookup, Object.keys(ctx).sort().join()];"
    post = database_function(project, things, shown, ["insert"])
    http = http_function(project, shown)
    hook = database_function(project, things, "console.log(Object.keys(ctx.lookup).join());", ["insert"], timing="pre")
    ok(admin.post(f"/admin/collections/{things}/documents", {}), 201)
    assert hook.logged(1)[0]["logs"][0]["message"] == "get,findOne"
    keys = "auth,db,function,integrations,project,storage,variables"
    assert post.logged(1)[0]["result"] == ["undefined", keys]
    assert post.invoke()["result"] == ["undefined", keys]
    assert http.invoke()["result"] == ["undefined", keys]
    assert project.server.http.get(f"/api/v1/run/{project.slug}{http.path}").json()[0] == "undefined"


def test_an_abort_rejects_with_its_reason(project, admin):
    things = project.collection()
    guard = database_function(
        project, things, "if (event.document?.n > 9) return {abort: true, reason: 'n is too large'};", timing="pre"
    )
    route = f"/admin/collections/{things}/documents"
    assert refused(admin.post(route, {"n": 10}), 400, "VALIDATION")["message"] == "n is too large"
    ok(admin.post(route, {"id": "a", "n": 9}), 201)
    refused(admin.patch(f"{route}/a", {"n": 11}), 400, "VALIDATION")
    refused(admin.put(f"{route}/a", {"n": 11}), 400, "VALIDATION")
    assert [each["n"] for each in documents(project, things)] == [9]
    assert "aborted" in {run["status"] for run in guard.logged(4)}


def test_a_document_replaces_the_one_to_be_written(project, admin):
    things = project.collection(schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    change = database_function(
        project,
        things,
        "return {document: {...event.document, n: event.document.n + 1, id: 'other', createdAt: 'never', by: 'hook'}};",
        events=["insert", "update"],
        timing="pre",
    )
    route = f"/admin/collections/{things}/documents"
    made = ok(admin.post(route, {"id": "a", "n": 1}), 201)["document"]
    assert (made["id"], made["n"], made["by"]) == ("a", 2, "hook") and made["createdAt"].endswith("Z")
    assert ok(admin.patch(f"{route}/a", {"n": 5}))["document"]["n"] == 6
    change.patch(code="export default () => ({document: {n: 'five'}});")
    refused(admin.post(route, {"n": 1}), 400, "VALIDATION")
    change.patch(code="export default () => ({document: 'x'});")
    refused(admin.post(route, {"n": 1}), 400, "VALIDATION")


def test_what_a_hook_gives_on_delete_is_ignored(project, admin):
    things = project.collection()
    route = f"/admin/collections/{things}/documents"
    ok(admin.post(route, {"id": "a"}), 201)
    database_function(project, things, "return {document: {n: 1}};", ["delete"], timing="pre")
    ok(admin.delete(f"{route}/a"), 204)
    assert documents(project, things) == []


def test_hooks_go_by_name_and_each_sees_what_the_one_before_made(project, admin):
    things = project.collection()
    for name, suffix in (("z-last", "z"), ("a-first", "a"), ("m-middle", "m")):
        code = f"return {{document: {{...event.document, text: event.document.text + '{suffix}'}}}};"
        database_function(project, things, code, ["insert"], timing="pre", name=name)
    made = ok(admin.post(f"/admin/collections/{things}/documents", {"text": "-"}), 201)["document"]
    assert made["text"] == "-amz"


@pytest.mark.parametrize(
    "code", ["throw new Error('secret detail');", "for (;;);", "await new Promise(() => {});", "null.x;"]
)
def test_whatever_goes_wrong_in_a_hook_refuses_the_write(project, admin, code):
    things = project.collection()
    broken = database_function(project, things, code, timing="pre", timeoutMs=300)
    error = refused(admin.post(f"/admin/collections/{things}/documents", {}), 400, "VALIDATION")
    assert "secret" not in error["message"]
    assert documents(project, things) == []
    assert broken.logged(1)[0]["status"] in ("error", "timeout")


def test_a_hook_has_two_seconds_whatever_it_says(project, admin):
    things = project.collection()
    slow = database_function(project, things, "for (;;);", timing="pre", timeoutMs=60_000)
    refused(admin.post(f"/admin/collections/{things}/documents", {}), 400, "VALIDATION")
    (run,) = slow.logged(1)
    assert run["status"] == "timeout" and run["logs"] == [] and 1_500 < run["durationMs"] < 5_000


def test_hooks_hold_for_documents_that_end_users_write_under_policies(project, alice):
    things = project.collection(policy={**OPEN_POLICY, "create": {"allowedWriteFields": ["title"]}})
    sneak = database_function(
        project, things, "return {document: {...event.document, sneaked: 1}};", ["insert"], timing="pre"
    )
    refused(alice.post(f"/{things}", {"title": "x"}), 403, "FORBIDDEN")
    sneak.patch(code="export default (event) => ({document: {...event.document, ownerId: 'user_x', title: 'y'}});")
    made = alice.create(things, {"title": "x"})
    assert (made["title"], made["ownerId"]) == ("y", alice.id)


def test_what_a_hook_makes_is_evaluated_by_the_policy_again(project, alice):
    policy = {**OPEN_POLICY, "create": {"validate": "document.n < 10"}, "update": {"immutableFields": ["kind"]}}
    things = project.collection(policy=policy)
    change = database_function(
        project, things, "return {document: {...event.document, n: 11}};", ["insert"], timing="pre"
    )
    refused(alice.post(f"/{things}", {"n": 1}), 403, "FORBIDDEN")
    change.patch(enabled=False)
    made = alice.create(things, {"n": 1, "kind": "a"})
    database_function(project, things, "return {document: {...event.document, kind: 'b'}};", ["update"], timing="pre")
    refused(alice.patch(f"/{things}/{made['id']}", {"n": 2}), 403, "FORBIDDEN")
    assert [(each["n"], each["kind"]) for each in documents(project, things)] == [(1, "a")]


def test_all_hooks_of_a_write_have_five_seconds(project, admin):
    things = project.collection()
    slow = "await new Promise((done) => setTimeout(done, 1800));"
    hooks = [database_function(project, things, slow, ["insert"], timing="pre") for _ in range(3)]
    refused(admin.post(f"/admin/collections/{things}/documents", {}), 400, "VALIDATION")
    assert sorted(hook.logged(1)[0]["status"] for hook in hooks) == ["success", "success", "timeout"]
    assert documents(project, things) == []


def test_a_busy_pool_refuses_the_write(make_server):
    server = make_server({"SERVICE_WORKERS": "1"}).start()
    project = PlatformUser(server).create_project()
    things = project.collection()
    monthly = {"type": "cron", "schedule": "@monthly"}
    hold = Function(project, "await new Promise((done) => setTimeout(done, 9000));", monthly)
    hook = database_function(project, things, "return;", ["insert"], timing="pre")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold.invoke)
        route = f"/admin/collections/{things}/documents"
        found = wait_until(lambda: (answer := project.admin.post(route, {})).status_code == 503 and answer)
        refused(found, 503, "FUNCTIONS_BUSY")
        stored = len(documents(project, things))
        assert held.result()["status"] == "success"
    ok(project.admin.post(route, {}), 201)
    assert len(documents(project, things)) == stored + 1
    assert all(run["status"] == "success" for run in hook.runs())


def test_what_each_kind_of_run_is_given(project, admin):
    shown = """
      const asked = Object.keys(ctx).sort().join();
      return [typeof ctx.db, typeof ctx.integrations, ctx.auth === null, ctx.project, ctx.function, asked];
    """
    things = project.collection()
    post = database_function(project, things, shown, ["insert"])
    http = http_function(project, shown)
    ok(admin.post(f"/admin/collections/{things}/documents", {}), 201)
    keys = "auth,db,function,integrations,project,storage,variables"
    assert post.logged(1)[0]["result"] == ["object", "object", True, project.id, post.name, keys]
    assert post.invoke()["result"] == ["object", "object", False, project.id, post.name, keys]
    answer = project.server.http.get(f"/api/v1/run/{project.slug}{http.path}").json()
    assert answer == ["object", "object", True, project.id, http.name, keys.replace("project,", "project,request,")]


# ---- users


def test_a_new_user_by_whichever_way(project, admin):
    greet = Function(project, RETURN_EVENT, {"type": "auth", "event": "userCreated"})
    registered = EndUser(project)
    made = ok(
        admin.post("/admin/users", {"email": f"{unique('u')}@example.com", "password": "correct horse battery"}), 201
    )["user"]
    by_admin, by_register = [run["result"] for run in greet.logged(2)]
    assert by_register["type"] == "auth" and by_register["event"] == "userCreated"
    assert by_register["user"]["id"] == registered.id and by_register["user"]["email"] == registered.email
    assert by_admin["user"]["id"] == made["id"]
    assert not any("password" in key.lower() for key in by_register["user"])
    assert {run["trigger"] for run in greet.runs()} == {"auth"}


def test_a_refused_registration_is_no_new_user(project):
    greet = Function(project, RETURN_EVENT, {"type": "auth", "event": "userCreated"})
    first = EndUser(project)
    refused(project.public().post("/auth/register", {"email": first.email, "password": "correct horse battery"}), 409)
    second = EndUser(project)
    assert {run["result"]["user"]["id"] for run in greet.logged(2)} == {first.id, second.id}


# ---- by hand


def test_invoke_waits_for_the_run(project, admin):
    echo = http_function(project, "console.warn('hi'); return {got: event, auth: ctx.auth.kind};")
    run = echo.invoke({"a": [1, "x"]})
    assert run["status"] == "success" and run["trigger"] == "manual" and run["id"].startswith("run_")
    assert run["result"] == {"got": {"type": "manual", "payload": {"a": [1, "x"]}}, "auth": "member"}
    assert [(line["level"], line["message"]) for line in run["logs"]] == [("warn", "hi")]
    assert set(run) <= {"id", "trigger", "status", "startedAt", "durationMs", "logs", "error", "result"}
    assert echo.runs()[0]["id"] == run["id"]
    assert ok(admin.post(f"{echo.route}/invoke"))["run"]["result"]["got"]["payload"] is None


def test_who_may_invoke(project, admin, alice):
    echo = http_function(project, "return 1;")
    route = f"{echo.route}/invoke"
    assert ok(project.api_key("functions").post(route, {}))["run"]["result"] == 1
    assert ok(project.api_key("admin").post(route, {}))["run"]["result"] == 1
    refused(project.api_key("read", "write").post(route, {}), 403)
    refused(alice.post(route, {}), 403)
    refused(project.member(project.role("functions:read")).post(route, {}), 403)
    assert ok(project.member(project.role("functions:invoke")).post(route, {}))["run"]["result"] == 1
    refused(Api(project.server).post(route, {}), 401)
    refused(admin.post("/admin/functions/nothing-here/invoke", {}), 404)
    refused(admin.post(route, {"payload": 1, "other": 2}), 400, "VALIDATION", "/other")
    refused(admin.post(route, content=b"{", headers={"content-type": "application/json"}), 400, "INVALID_JSON")
    refused(project.api_key("functions").get(f"{echo.route}/logs"), 403)


def test_invoke_reports_errors_and_timeouts(project):
    boom = http_function(project, "console.log('x'); throw new TypeError('no way');")
    run = boom.invoke()
    assert run["status"] == "error" and "no way" in run["error"] and len(run["logs"]) == 1
    slow = http_function(project, "console.log('x'); for (;;);", timeoutMs=200)
    run = slow.invoke()
    assert run["status"] == "timeout" and run["logs"] == [] and "result" not in run
    stats = slow.stats()
    assert (stats["runs"], stats["errors"], stats["timeouts"]) == (1, 0, 1)
    assert stats["lastRunAt"].endswith("Z") and stats["p50Ms"] >= 150 and stats["p95Ms"] >= stats["p50Ms"]


def test_a_pre_hook_by_hand_has_no_bridge(project):
    things = project.collection()
    hook = database_function(project, things, "return [typeof ctx.db, typeof ctx.integrations];", timing="pre")
    assert hook.invoke()["result"] == ["undefined", "undefined"]


def test_the_log_holds_fifty_and_takes_a_limit(project, admin):
    echo = http_function(project, "return event.payload;")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(echo.invoke, range(55)))
    runs = echo.runs()
    assert len(runs) == 50 and len(echo.runs(limit=3)) == 3 and echo.runs(limit=3) == runs[:3]
    assert echo.stats()["runs"] == 55
    refused(admin.get(f"{echo.route}/logs", params={"limit": "x"}), 400, "INVALID_PARAM")
    refused(admin.get("/admin/functions/nothing-here/logs"), 404)


def test_two_hundred_lines_a_run(project):
    chatty = http_function(project, "for (let i = 0; i < 1000; i++) console.debug(i, {i});")
    logs = chatty.invoke()["logs"]
    assert len(logs) == 200 and logs[0]["level"] == "debug" and logs[199]["message"].startswith("199")


def test_a_deleted_function_leaves_nothing(project, admin):
    echo = http_function(project, "return 1;", name=unique("gone"))
    echo.invoke()
    echo.delete()
    refused(admin.get(f"{echo.route}/logs"), 404)
    again = http_function(project, "return 2;", name=echo.name)
    assert again.runs() == [] and again.stats()["runs"] == 0

"""Retries of functions: by their policy, and by hand."""

import concurrent.futures

import pytest

from support.client import Api, EndUser, PlatformUser, ok, refused
from support.function import Function, database_function, http_function
from support.waiting import wait_until

TWICE = {"attempts": 2, "backoffSeconds": 1}
THRICE = {"attempts": 3, "backoffSeconds": 1}


def insert(project, collection: str, **document) -> None:
    ok(project.admin.post(f"/admin/collections/{collection}/documents", document), 201)


def fails_until(marks: str, times: int) -> str:
    """Returns code whose first runs throw."""
    return f"""
      await ctx.db.insertOne("{marks}", {{of: event.documentId}});
      const runs = await ctx.db.count("{marks}", {{of: event.documentId}});
      if (runs < {times}) throw new Error(`attempt ${{runs}}`);
      return {{runs, event}};
    """


# ---- the setting


def test_a_policy_is_part_of_the_function(project, admin):
    things = project.collection()
    function = database_function(project, things, "return 1;", retry=THRICE)
    assert function.made["retry"] == THRICE
    assert ok(admin.get(function.route))["function"]["retry"] == THRICE
    function.patch(retry=TWICE)
    shown = ok(admin.get(function.route))["function"]
    assert shown["retry"] == TWICE and shown["version"] == 1
    function.patch(retry=None)
    assert "retry" not in ok(admin.get(function.route))["function"]
    assert "retry" not in http_function(project, "return 1;").made


@pytest.mark.parametrize(
    "retry,path",
    [
        ({"attempts": 0, "backoffSeconds": 1}, "/retry/attempts"),
        ({"attempts": 11, "backoffSeconds": 1}, "/retry/attempts"),
        ({"attempts": 2.5, "backoffSeconds": 1}, "/retry/attempts"),
        ({"attempts": 2, "backoffSeconds": 0}, "/retry/backoffSeconds"),
        ({"attempts": 2, "backoffSeconds": 3601}, "/retry/backoffSeconds"),
        ({"attempts": 2, "backoffSeconds": "1"}, "/retry/backoffSeconds"),
        ({"attempts": 2}, "/retry/backoffSeconds"),
        ({"backoffSeconds": 2}, "/retry/attempts"),
        ({**TWICE, "factor": 3}, "/retry/factor"),
        ([], "/retry"),
        (3, "/retry"),
    ],
    ids=str,
)
def test_what_is_no_policy(project, admin, retry, path):
    body = {"name": "never", "trigger": {"type": "cron", "schedule": "@daily"}, "code": "export default () => 1;"}
    refused(admin.post("/admin/functions", {**body, "retry": retry}), 400, "VALIDATION", path)
    function = Function(project, "return 1;", body["trigger"], enabled=False)
    refused(admin.patch(function.route, {"retry": retry}), 400, "VALIDATION", path)
    assert "retry" not in ok(admin.get(function.route))["function"]


def test_a_pre_hook_is_not_retried(project, admin):
    things = project.collection()
    trigger = {"type": "database", "collection": things, "events": ["insert"]}
    body = {"name": "never", "trigger": trigger, "code": "export default () => 1;"}
    refused(admin.post("/admin/functions", {**body, "timing": "pre", "retry": TWICE}), 400, "VALIDATION", "/retry")
    post = database_function(project, things, "return 1;", retry=TWICE)
    refused(admin.patch(post.route, {"timing": "pre"}), 400, "VALIDATION", "/retry")
    pre = database_function(project, things, "return;", timing="pre")
    refused(admin.patch(pre.route, {"retry": TWICE}), 400, "VALIDATION", "/retry")
    # A version that was a hook.
    pre.patch(timing="post", retry=TWICE)
    refused(admin.post(f"{pre.route}/rollback", {"version": 1}), 400, "VALIDATION", "/retry")


def test_a_policy_moves_with_the_configuration(owner):
    project = owner.create_project()
    daily = {"type": "cron", "schedule": "@daily"}
    retried = Function(project, "return 1;", {**daily, "timezone": "Europe/Zurich"}, retry=TWICE)
    plain = Function(project, "return 1;", daily)
    document = ok(project.admin.get("/admin/config-export"))
    entries = {each["name"]: each for each in document["functions"]}
    assert entries[retried.name]["retry"] == TWICE
    assert entries[retried.name]["trigger"]["timezone"] == "Europe/Zurich"
    assert "retry" not in entries[plain.name] and "timezone" not in entries[plain.name]["trigger"]
    other = owner.create_project()
    ok(other.admin.post("/admin/config-import", document))
    assert ok(other.admin.get("/admin/config-export"))["functions"] == document["functions"]
    del entries[retried.name]["retry"]
    ok(other.admin.post("/admin/config-import", {**document, "functions": list(entries.values())}))
    assert "retry" not in ok(other.admin.get(f"/admin/functions/{retried.name}"))["function"]
    entries[plain.name]["retry"] = {"attempts": 99, "backoffSeconds": 1}
    answer = other.admin.post("/admin/config-import", {**document, "functions": list(entries.values())})
    refused(answer, 400, "VALIDATION", f"/functions/{list(entries).index(plain.name)}/retry/attempts")


# ---- by policy


def test_a_failed_run_is_tried_again(project):
    things, marks = project.collection(), project.collection()
    function = database_function(project, things, fails_until(marks, 3), ["insert"], retry=THRICE)
    insert(project, things, id="a", n=1)
    third, second, first = function.logged(3)
    assert [run["status"] for run in (first, second, third)] == ["error", "error", "success"]
    assert [run["attempt"] for run in (first, second, third)] == [1, 2, 3]
    assert "retryOf" not in first and second["retryOf"] == first["id"] and third["retryOf"] == second["id"]
    assert {run["trigger"] for run in (first, second, third)} == {"database"}
    assert third["result"]["runs"] == 3 and third["result"]["event"]["document"]["n"] == 1
    # At least a second after the first run, two after the second.
    assert first["startedAt"] < second["startedAt"] < third["startedAt"]
    stats = function.stats()
    assert (stats["runs"], stats["errors"]) == (3, 2)


def test_attempts_end(project):
    things = project.collection()
    function = database_function(project, things, "for (;;);", ["insert"], retry=TWICE, timeoutMs=100)
    insert(project, things)
    assert [(run["status"], run["attempt"]) for run in function.logged(2)] == [("timeout", 2), ("timeout", 1)]
    other = database_function(project, things, "return 1;", ["insert"])
    insert(project, things)
    other.logged(1)
    wait_until(lambda: len(function.runs()) == 4)


def test_a_run_that_ends_its_worker_is_not_tried_again(project):
    things, others = project.collection(), project.collection()
    code = "const all = []; for (;;) all.push(new Array(100_000).fill(all.length));"
    function = database_function(project, things, code, ["insert"], retry=TWICE, timeoutMs=20_000)
    insert(project, things)
    (run,) = function.logged(1)
    assert (run["status"], run["attempt"]) == ("error", 1) and run["error"].startswith("out of memory")
    # A run that throws is retried; by then the other would have been.
    boom = database_function(project, others, "throw new Error('boom');", ["insert"], retry=TWICE)
    insert(project, others)
    boom.logged(2)
    assert len(function.runs()) == 1


def test_runs_that_a_caller_waits_for_are_not_tried_again(project):
    function = http_function(project, "throw new Error('boom');", retry=THRICE)
    assert project.server.http.get(f"/api/v1/run/{project.slug}{function.path}").status_code == 500
    assert function.invoke()["status"] == "error"
    things = project.collection()
    boom = database_function(project, things, "throw new Error('boom');", ["insert"], retry=TWICE)
    insert(project, things)
    boom.logged(2)
    runs = function.runs()
    assert [run["trigger"] for run in runs] == ["manual", "http"] and not any("attempt" in run for run in runs)


def test_new_users_and_files_are_tried_again_too(project, admin):
    marks = project.collection()
    code = f"""
      await ctx.db.insertOne("{marks}", {{of: ctx.function}});
      if (await ctx.db.count("{marks}", {{of: ctx.function}}) < 2) throw new Error("boom");
      return event;
    """
    greet = Function(project, code, {"type": "auth", "event": "userCreated"}, retry=TWICE)
    watch = Function(project, code, {"type": "storage", "event": "fileUploaded"}, retry=TWICE)
    user = EndUser(project)
    ok(admin.post("/admin/storage/buckets", {"name": "retried"}), 201)
    ok(admin.put("/storage/retried/a.txt", content=b"x", headers={"content-type": "text/plain"}), 201)
    for function, trigger in ((greet, "auth"), (watch, "storage")):
        second, first = function.logged(2)
        assert (first["status"], second["status"]) == ("error", "success")
        assert (second["attempt"], second["retryOf"], second["trigger"]) == (2, first["id"], trigger)
    assert greet.runs()[0]["result"]["user"]["id"] == user.id
    assert watch.runs()[0]["result"]["file"]["path"] == "a.txt"


def test_later_runs_of_the_document_wait(project, admin):
    things, marks = project.collection(), project.collection()
    function = database_function(project, things, fails_until(marks, 2), ["insert", "update"], retry=TWICE)
    insert(project, things, id="a")
    ok(admin.patch(f"/admin/collections/{things}/documents/a", {"n": 2}))
    runs = function.logged(3)
    assert [run["status"] for run in runs] == ["success", "success", "error"]
    assert [run["result"]["event"]["event"] for run in runs[:2]] == ["update", "insert"]


@pytest.mark.parametrize("end", ["disable", "delete", "policy"])
def test_what_ends_the_function_ends_its_retries(project, admin, end):
    things, marks, others = project.collection(), project.collection(), project.collection()
    code = f"await ctx.db.insertOne('{marks}', {{}}); throw new Error('boom');"
    function = database_function(project, things, code, ["insert"], retry={"attempts": 10, "backoffSeconds": 1})
    insert(project, things)
    function.logged(1)
    ends = {"disable": lambda: function.patch(enabled=False), "policy": lambda: function.patch(retry=None)}
    ends.get(end, function.delete)()
    # A retry that began before may still end.
    ran = len(ok(admin.get(f"/admin/collections/{marks}/documents"))["documents"]) + 1
    boom = database_function(project, others, "throw new Error('boom');", ["insert"], retry=THRICE)
    insert(project, others)
    boom.logged(3)
    assert len(ok(admin.get(f"/admin/collections/{marks}/documents"))["documents"]) <= ran


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_waiting_retry_survives_a_restart(make_server, how):
    server = make_server().start()
    project = PlatformUser(server).create_project()
    project.admin.token = project.api_key("admin").token
    things, marks = project.collection(), project.collection()
    # The policy is long enough that the retry waits while the server stops.
    function = database_function(
        project, things, fails_until(marks, 2), ["insert"], retry={"attempts": 2, "backoffSeconds": 3}
    )
    insert(project, things, id="a")
    (first,) = function.logged(1)
    # Acknowledged after the end of the first run was committed.
    for _ in range(5):
        insert(project, project.collection())
    getattr(server, how)()
    server.start()
    second = function.logged(2)[0]
    assert (second["status"], second["attempt"], second["retryOf"]) == ("success", 2, first["id"])


# ---- by hand


def retry(function: Function, run: dict | str, api=None):
    id = run if isinstance(run, str) else run["id"]
    return (api or function.admin).post(f"{function.route}/runs/{id}/retry")


def test_by_hand_with_the_code_as_it_is_now(project, admin):
    things = project.collection()
    function = database_function(project, things, "throw new Error('boom');", ["insert"])
    insert(project, things, id="a", n=1)
    (failed,) = function.logged(1)
    function.patch(code="export default (event, ctx) => [event, ctx.auth];")
    run = ok(retry(function, failed))["run"]
    assert (run["status"], run["trigger"], run["attempt"], run["retryOf"]) == ("success", "database", 2, failed["id"])
    event, auth = run["result"]
    assert event["type"] == "database" and event["document"]["n"] == 1 and auth is None
    assert [each["id"] for each in function.runs()] == [run["id"], failed["id"]]
    assert function.stats()["runs"] == 2
    # Also one that succeeded, and while it is disabled; the result is the caller's whatever it is.
    function.patch(code="export default () => { throw new Error('again'); };", enabled=False)
    again = ok(retry(function, run))["run"]
    assert (again["status"], again["attempt"], again["retryOf"]) == ("error", 3, run["id"])
    entries = ok(admin.get("/admin/audit", params={"limit": 1000}))["entries"]
    audited = [each for each in entries if each["target"] == f"functions/{function.name}"]
    assert [each["details"] for each in audited if each["action"] == "function.runRetried"] == [
        {"run": run["id"]},
        {"run": failed["id"]},
    ]


def test_by_hand_every_kind_of_background_run(project, admin):
    greet = Function(project, "return event;", {"type": "auth", "event": "userCreated"})
    watch = Function(project, "return event;", {"type": "storage", "event": "fileUploaded"})
    EndUser(project)
    ok(admin.post("/admin/storage/buckets", {"name": "by-hand"}), 201)
    ok(admin.put("/storage/by-hand/a.txt", content=b"x", headers={"content-type": "text/plain"}), 201)
    for function in (greet, watch):
        first = function.logged(1)[0]
        run = ok(retry(function, first))["run"]
        assert (run["result"], run["trigger"], run["retryOf"]) == (first["result"], first["trigger"], first["id"])


def test_by_hand_after_the_last_attempt(project):
    things, marks = project.collection(), project.collection()
    function = database_function(project, things, fails_until(marks, 3), ["insert"], retry=TWICE)
    insert(project, things, id="a")
    second = function.logged(2)[0]
    run = ok(retry(function, second))["run"]
    assert (run["status"], run["attempt"], run["retryOf"]) == ("success", 3, second["id"])


def test_what_cannot_be_retried(project, admin):
    things = project.collection()
    http = http_function(project, "return 1;")
    project.server.http.get(f"/api/v1/run/{project.slug}{http.path}")
    hook = database_function(project, things, "return;", ["insert"], timing="pre")
    post = database_function(project, things, "return 1;", ["insert"])
    manual = post.invoke()
    insert(project, things)
    database = next(run for run in post.logged(2) if run["trigger"] == "database")
    for function, run in (
        (http, http.runs()[0]),
        (post, manual),
        (hook, hook.logged(1)[0]),
        (post, "run_00000000000000000000"),
        (http, database),
    ):
        refused(retry(function, run), 409, "CONFLICT")
    refused(admin.post(f"/admin/functions/nobody/runs/{database['id']}/retry"), 404, "NOT_FOUND")
    # It leaves the log.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(post.invoke, range(50)))
    refused(retry(post, database), 409, "CONFLICT")


def test_who_may_retry(project, alice):
    things = project.collection()
    function = database_function(project, things, "return 1;", ["insert"])
    insert(project, things)
    (run,) = function.logged(1)
    refused(retry(function, run, project.member(project.role("functions:invoke", "functions:read"))), 403, "FORBIDDEN")
    refused(retry(function, run, project.api_key("functions")), 403, "FORBIDDEN")
    refused(retry(function, run, alice), 403, "FORBIDDEN")
    refused(retry(function, run, Api(project.server)), 401, "UNAUTHENTICATED")
    assert len(function.runs()) == 1
    ok(retry(function, run, project.member(project.role("functions:manage"))))
    ok(retry(function, run, project.api_key("admin")))

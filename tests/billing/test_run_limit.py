"""The plan's limit of function runs in a month: for requests, by hand, in the background, and after the end of a
server."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import pytest

from support.billing import BILLED, OPERATOR, Payer, plan_limit, usage
from support.bucket import Bucket
from support.client import PlatformUser, Project, ok, refused
from support.function import Function, database_function, http_function
from support.server import check_data
from support.waiting import SLOW, wait_until


@pytest.fixture
def make_project(make_payer):
    """Makes projects whose owner has a limit of runs."""
    return lambda runs: make_payer(functionRunsPerMonth=runs).create_project()


def run_limit(max: int) -> str:
    return plan_limit("functionRunsPerMonth", max, max, "function runs in a month")


def refused_run(response, max: int) -> None:
    """Checks that the limit of runs refused it, until the month ends."""
    error = refused(response, 429, "PLAN_LIMIT")
    assert error["message"] == run_limit(max)
    assert 1 <= int(response.headers["retry-after"]) <= 31 * 86_400


def call(project: Project, function: Function):
    return project.public().get(f"/run/{project.slug}{function.path}", project=None)


def insert(project: Project, collection: str, **document) -> None:
    ok(project.admin.post(f"/admin/collections/{collection}/documents", document), 201)


def counts(project: Project, runs: int) -> None:
    """Waits until so many runs are counted: a background run is logged a moment before its job ends and counts it."""
    wait_until(lambda: usage(project)["functionRuns"] == runs, what=lambda: f"{usage(project)} has not {runs} runs")


def statuses(runs: list) -> list[str]:
    return sorted(run["status"] for run in runs)


# ---- requests and runs by hand


def test_requests_past_the_limit(make_project):
    project = make_project(3)
    function = http_function(project, "return 1;")
    for _ in range(3):
        assert ok(call(project, function)) == 1
    refused_run(call(project, function), 3)
    refused_run(call(project, function), 3)
    assert statuses(function.runs()) == ["success"] * 3
    assert function.stats()["runs"] == 3 and usage(project)["functionRuns"] == 3


def test_a_limit_holds_from_the_next_request_on(make_project):
    project = make_project(1)
    function = http_function(project, "return 1;")
    ok(call(project, function))
    refused_run(call(project, function), 1)
    project.owner.pin(functionRunsPerMonth=2)
    ok(call(project, function))
    refused_run(call(project, function), 2)
    project.owner.pin(functionRunsPerMonth=None)
    for _ in range(3):
        ok(call(project, function))
    project.owner.pin(functionRunsPerMonth=5)
    refused_run(call(project, function), 5)
    project.owner.pin(functionRunsPerMonth=6)
    ok(call(project, function))
    refused_run(call(project, function), 6)


def test_runs_by_hand_past_the_limit(make_project):
    project = make_project(2)
    things = project.collection()
    function = database_function(project, things, "return 1;", ["insert"])
    assert function.invoke()["status"] == "success"
    insert(project, things)
    logged = next(run for run in function.logged(2) if run["trigger"] == "database")
    invoke = f"{function.route}/invoke"
    retry = f"{function.route}/runs/{logged['id']}/retry"
    refused_run(project.admin.post(invoke), 2)
    refused_run(project.api_key("functions").post(invoke, {"payload": 1}), 2)
    refused_run(project.admin.post(retry), 2)
    entries = ok(project.admin.get("/admin/audit", params={"limit": 1000}))["entries"]
    assert "function.runRetried" not in [entry["action"] for entry in entries]
    project.owner.pin(functionRunsPerMonth=4)
    assert ok(project.admin.post(retry))["run"]["retryOf"] == logged["id"]
    ok(project.admin.post(invoke))
    refused_run(project.admin.post(invoke), 4)
    assert usage(project)["functionRuns"] == 4


def test_runs_that_fail_count(make_project):
    project = make_project(2)
    function = http_function(project, "throw new Error('boom');")
    for _ in range(2):
        assert project.server.http.get(f"/api/v1/run/{project.slug}{function.path}").status_code == 500
    refused_run(call(project, function), 2)
    assert usage(project)["functionRuns"] == 2


def test_each_project_has_the_whole_limit(make_payer):
    payer = make_payer(functionRunsPerMonth=1)
    for project in (payer.create_project(), payer.create_project()):
        function = http_function(project, "return 1;")
        ok(call(project, function))
        refused_run(call(project, function), 1)


def test_what_matches_no_function_takes_no_run(make_project):
    project = make_project(1)
    function = http_function(project, "return 1;")
    assert project.public().get(f"/run/{project.slug}/nothing", project=None).status_code == 404
    assert project.public().post(f"/run/{project.slug}{function.path}", {}, project=None).status_code == 405
    ok(call(project, function))


# ---- in the background


def test_background_runs_are_skipped(make_project):
    project = make_project(2)
    things = project.collection()
    function = database_function(project, things, "return event.documentId;", ["insert"])
    for number in range(5):
        insert(project, things, id=f"d{number}")
    runs = function.logged(5)
    assert statuses(runs) == ["skipped"] * 3 + ["success"] * 2
    for run in runs:
        if run["status"] == "skipped":
            assert run["error"] == run_limit(2)
            assert run["trigger"] == "database" and run["durationMs"] == 0 and run["logs"] == [] and "result" not in run
    stats = function.stats()
    assert (stats["runs"], stats["errors"], stats["timeouts"]) == (2, 0, 0)
    counts(project, 2)

    # Nothing waits: more runs do not bring back what was skipped, except by hand.
    project.owner.pin(functionRunsPerMonth=4)
    insert(project, things, id="later")
    assert function.logged(6)[0]["result"] == "later"
    skipped = next(run for run in runs if run["status"] == "skipped")
    again = ok(project.admin.post(f"{function.route}/runs/{skipped['id']}/retry"))["run"]
    assert again["status"] == "success" and again["retryOf"] == skipped["id"]
    assert statuses(function.runs()) == ["skipped"] * 3 + ["success"] * 4
    insert(project, things)
    assert function.logged(8)[0]["status"] == "skipped"


def test_new_users_and_uploads_past_the_limit(make_project):
    project = make_project(0)
    users = Function(project, "return 1;", {"type": "auth", "event": "userCreated"})
    files = Function(project, "return 1;", {"type": "storage", "event": "fileUploaded"})
    project.end_user()
    ok(Bucket(project).put("f"), 201)
    for function, trigger in ((users, "auth"), (files, "storage")):
        run = function.logged(1)[0]
        assert (run["trigger"], run["status"], run["error"]) == (trigger, "skipped", run_limit(0))
    assert usage(project)["functionRuns"] == 0


def test_a_further_attempt_past_the_limit(make_project):
    project = make_project(1)
    things = project.collection()
    retry = {"attempts": 3, "backoffSeconds": 1}
    function = database_function(project, things, "throw new Error('boom');", ["insert"], retry=retry)
    insert(project, things)
    skipped, failed = function.logged(2)
    assert (failed["status"], failed["attempt"]) == ("error", 1)
    assert (skipped["status"], skipped["attempt"], skipped["retryOf"]) == ("skipped", 2, failed["id"])
    assert usage(project)["functionRuns"] == 1


# ---- exempt


def test_pre_hooks_are_exempt(make_project):
    project = make_project(0)
    things = project.collection()
    code = "return {document: {...event.document, seen: true}};"
    hook = database_function(project, things, code, ["insert"], timing="pre")
    for _ in range(3):
        made = ok(project.admin.post(f"/admin/collections/{things}/documents", {}), 201)["document"]
        assert made["seen"] is True
    assert len(hook.logged(3)) == 3
    assert usage(project)["functionRuns"] == 0
    refused_run(project.admin.post(f"{hook.route}/invoke"), 0)


def test_stored_tests_are_exempt(make_project):
    project = make_project(0)
    function = http_function(project, "return 1;")
    report = function.run_tests([{"name": "one", "event": {}, "expect": {"result": 1}}])
    assert (report["passed"], report["failed"]) == (1, 0)
    assert usage(project)["functionRuns"] == 0
    refused_run(call(project, function), 0)


# ---- many at once


@pytest.mark.slow
def test_many_at_once_take_exactly_the_limit(make_project):
    project = make_project(0)
    function = http_function(project, "return 1;")
    path = f"/api/v1/run/{project.slug}{function.path}"

    def status(_) -> int:
        return project.server.http.get(path).status_code

    with ThreadPoolExecutor(50) as pool:
        for turn in range(1, 6):
            project.owner.pin(functionRunsPerMonth=20 * turn)
            results = list(pool.map(status, range(100)))
            # A run that found no free worker in time gave its place back.
            assert set(results) <= {200, 429, 503}
            assert results.count(200) <= 20
            left = 20 - results.count(200)
            if 503 not in results:
                assert left == 0
            for _ in range(left):
                ok(call(project, function))
            refused_run(call(project, function), 20 * turn)
            assert usage(project)["functionRuns"] == 20 * turn


@pytest.mark.slow
def test_of_two_hundred_at_once_a_hundred_pass(make_project):
    project = make_project(100)
    function = http_function(project, "return 1;")
    path = f"/api/v1/run/{project.slug}{function.path}"

    def status(_) -> int:
        # A run that found no free worker in time gave its place back, and takes one again.
        while (code := project.server.http.get(path).status_code) == 503:
            pass
        return code

    with ThreadPoolExecutor(200) as pool:
        results = list(pool.map(status, range(200)))
    assert (results.count(200), results.count(429)) == (100, 100)
    refused_run(call(project, function), 100)
    assert usage(project)["functionRuns"] == 100


# ---- the end of a server


@pytest.fixture
def lived_in(make_server):
    """A server that may end, with a project without a limit."""
    server = make_server(BILLED).start()
    return Payer(PlatformUser(server, OPERATOR), functionRunsPerMonth=None).create_project()


def test_a_clean_stop_loses_none(lived_in):
    project = lived_in
    function = http_function(project, "return 1;")
    for expected in (7, 14):
        for _ in range(7):
            ok(call(project, function))
        project.server.stop()
        project.server.start()
        assert usage(project)["functionRuns"] == expected
    project.owner.pin(functionRunsPerMonth=15)
    ok(call(project, function))
    project.server.stop()
    project.server.start()
    refused_run(call(project, function), 15)


@pytest.mark.slow
def test_a_kill_loses_at_most_the_last_second(lived_in):
    project = lived_in
    function = http_function(project, "return 1;")
    total = 0
    for _ in range(2):
        ended = []
        begin = time.monotonic()
        while time.monotonic() < begin + 4 * SLOW:
            ok(call(project, function))
            ended.append(time.monotonic())
        project.server.kill()
        killed = time.monotonic()
        # The log is written each second; the write itself takes a moment.
        written = sum(1 for at in ended if at < killed - 2 * SLOW)
        assert written > 0
        project.server.start()
        counted = usage(project)["functionRuns"]
        assert total + written <= counted <= total + len(ended)
        total = counted
    project.owner.pin(functionRunsPerMonth=total + 2)
    for _ in range(2):
        ok(call(project, function))
    refused_run(call(project, function), total + 2)


def insert_until_killed(project: Project, collection: str, inserted: list) -> None:
    with suppress(httpx.TransportError):
        while True:
            insert(project, collection)
            inserted.append(1)


@pytest.mark.slow
def test_each_background_run_counts_once_across_kills(lived_in):
    project = lived_in
    things = project.collection()
    function = database_function(project, things, "return event.documentId;", ["insert"])
    chance = random.Random(27)

    def documents() -> int:
        """Counts the events of the function, acknowledged or not."""
        return ok(project.admin.get(f"/admin/collections/{things}/documents", params={"limit": 1}))["total"]

    def used() -> int:
        return usage(project)["functionRuns"]

    for _ in range(8):
        inserted: list[int] = []
        wanted = chance.randint(20, 150)
        with ThreadPoolExecutor(4) as pool:
            writers = [pool.submit(insert_until_killed, project, things, inserted) for _ in range(4)]
            try:
                wait_until(lambda: len(inserted) >= wanted or any(each.done() for each in writers), interval=0.001)
            finally:
                project.server.process.kill()
            for each in writers:
                each.result()
        project.server.kill()
        looked = check_data(project.server.data)
        assert looked.returncode == 0, looked.stdout + looked.stderr
        project.server.start()
        assert used() <= documents()
    total = documents()
    wait_until(lambda: used() >= total, 60, lambda: f"{used()} of {total} runs are counted")
    # No run follows: neither one that waits, nor one that is counted late.
    insert(project, things, id="last")
    wait_until(lambda: any(run.get("result") == "last" for run in function.runs()))
    counts(project, total + 1)
    project.server.stop()
    project.server.start()
    assert used() == total + 1
    project.owner.pin(functionRunsPerMonth=total + 2)
    insert(project, things, id="more")
    wait_until(lambda: any(run.get("result") == "more" for run in function.runs()))
    insert(project, things)
    wait_until(lambda: function.runs(limit=1)[0]["status"] == "skipped")
    counts(project, total + 2)

"""Worker processes from outside: they start and end with the server, operators see their sandbox, and a function
affects only its own process."""

import os
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.client import PlatformUser, ok, refused
from support.function import database_function, http_function
from support.server import binary
from support.waiting import wait_until

CONFINED = "no-new-privs seccomp".split()


def children(server) -> list[int]:
    tasks = Path(f"/proc/{server.process.pid}/task")
    found = []
    for task in tasks.iterdir():
        try:
            found += [int(child) for child in (task / "children").read_text().split()]
        except FileNotFoundError:
            continue  # this thread has ended since it was listed
    return found


def runs(pid: int) -> bool:
    """Returns whether the process exists and is not a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rsplit(")", 1)[1].split()[0] not in "ZX"


@pytest.fixture
def started(make_server):
    server = make_server().start()
    wait_until(lambda: ready(server)["checks"]["functions"] == "ok")
    return server


def ready(server) -> dict:
    return server.http.get("/api/v1/ready").json()


def test_ready_says_what_is_in_force(started):
    answer = ready(started)
    assert answer["status"] == "ok" and answer["checks"]["functions"] == "ok"
    words = answer["checks"]["confinement"].split()
    assert set(CONFINED) <= set(words), words
    assert "jit" not in words
    assert answer["checks"]["scheduling"] in ("idle priority", "idle priority, then a new worker", "normal")


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_no_worker_survives_its_server(started, end):
    workers = wait_until(lambda: len(children(started)) >= 2 and children(started))
    getattr(started, end)()
    wait_until(lambda: not any(runs(pid) for pid in workers), 5)


def test_a_worker_that_was_killed_is_replaced(started):
    first = wait_until(lambda: len(children(started)) >= 2 and children(started))
    for pid in first:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: len(set(children(started)) - set(first)) >= 2)
    assert ready(started)["status"] == "ok"


def test_a_run_whose_worker_crashed_is_an_error_and_not_tried_again(started):
    function, route = hanging_at_first(started, signal.SIGSEGV)
    assert [run["status"] for run in function.logged(1)] == ["error"]
    # Runs of one document are in order, so a repeated run of the first change would come before this one.
    ok(function.admin.patch(f"{route}/a", {"n": 1}))
    assert [run.get("result") for run in function.logged(2)] == ["update", None]


def test_a_run_whose_worker_was_killed_from_outside_is_tried_again(started):
    function, _ = hanging_at_first(started, signal.SIGKILL)
    runs = function.logged(2)
    assert [run["status"] for run in runs] == ["success", "error"] and runs[0]["result"] == "insert"


def hanging_at_first(server, ending: signal.Signals) -> tuple:
    """A function after writes whose first run hangs; its worker then gets the signal."""
    project = PlatformUser(server).create_project()
    project.admin.token = project.api_key("admin").token
    things, marks = project.collection(), project.collection()
    function = database_function(
        project,
        things,
        f"if (await ctx.db.count('{marks}', {{}}) > 0) return event.event;\nawait ctx.db.insertOne('{marks}', {{}});\n"
        "await new Promise((done) => setTimeout(done, 60000));",
        timeoutMs=60000,
    )
    route = f"/admin/collections/{things}/documents"
    ok(project.admin.post(route, {"id": "a"}), 201)
    wait_until(lambda: ok(project.admin.get(f"/admin/collections/{marks}/documents"))["documents"])
    workers = children(server)
    for pid in workers:
        os.kill(pid, ending)
    # A signal takes effect when its process runs, and a worker that is still there would get a run.
    wait_until(lambda: not set(workers) & set(children(server)))
    return function, route


@pytest.mark.skipif(os.geteuid() != 0, reason="a worker shows itself to root alone")
def test_a_worker_holds_its_socket_and_nothing_of_the_server(started):
    pid = wait_until(lambda: children(started))[0]
    names = {int(entry.name): os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    assert names[3].startswith("socket:") and names[0] == names[1] == "/dev/null" and names[2].startswith("pipe:")
    own = {number: name for number, name in names.items() if number > 3}
    assert not [name for name in own.values() if name.startswith(("/", "socket:", "pipe:")) and name != "/dev/null"], own
    variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    assert {variable.split(b"=")[0] for variable in variables if variable} <= {b"PATH", b"TZ"}


def test_without_its_program_a_server_serves_all_the_same(make_server, tmp_path, monkeypatch):
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(binary(), alone / "manybase")
    monkeypatch.setenv("MB_SERVER", str(alone / "manybase"))
    server = make_server().start()
    answer = ready(server)
    assert answer["status"] == "ok" and answer["checks"]["functions"] == "no worker has started"


def test_what_nobody_handles_is_in_the_log(project):
    body = """
      setTimeout(() => {}, 20);
      Promise.reject(new TypeError("lost: " + (event.payload as string)));
      await Promise.reject(1).catch(() => {});
      return "well";
    """
    code = "export default async (event: { payload?: unknown }) => {" + body + "};"
    run = http_function(project, code).invoke("mail")
    assert (run["status"], run["result"]) == ("success", "well")
    assert [line["level"] for line in run["logs"]] == ["error"]
    assert run["logs"][0]["message"].startswith("Unhandled rejection: TypeError: lost: mail\nat "), run["logs"]
    assert "(3:" in run["logs"][0]["message"]


def test_a_new_version_runs_next(project):
    function = http_function(project, "return { status: 200, body: 'one' };")
    wait_until(lambda: run(project, function).text == "one")
    for body in ("two", "three"):
        function.patch(code=f"export default () => ({{ status: 200, body: '{body}' }});")
        assert run(project, function).text == body


def run(project, function):
    return project.admin.server.http.get(f"/api/v1/run/{project.id}{function.path}")


def test_a_full_pool_is_busy(make_server):
    server = make_server({"SERVICE_WORKERS": "1"}).start()
    project = PlatformUser(server).create_project()
    begun = project.collection()
    code = f"await ctx.db.insertOne('{begun}', {{}}); await new Promise((done) => setTimeout(done, 4000)); return 'done';"
    slow = http_function(project, code, timeoutMs=6000)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(run, project, slow)
        wait_until(lambda: ok(project.admin.get(f"/admin/collections/{begun}/documents"))["documents"])
        others = list(pool.map(lambda _: run(project, slow), range(3)))
        assert first.result().status_code == 200
    for answer in others:
        refused(answer, 503, "FUNCTIONS_BUSY")
        assert answer.headers["retry-after"] == "1"


HOSTILE = {
    "loop": ("for (;;);", 504),
    "loop that catches": ("for (;;) try { for (;;); } catch {} finally { continue; }", 504),
    "microtasks": ("for (;;) await null;", 504),
    "backtracking": ("return /^(a+)+$/.test('a'.repeat(40) + 'b');", 504),
    "getter": ("return { get x() { for (;;); } };", 504),
    "lines": ("for (;;) console.log('x'.repeat(8000));", 504),
    "parsing": ("return JSON.parse('['.repeat(50000000));", None),
    "memory": ("const all = []; for (;;) all.push(new Array(1000).fill(all.length));", 500),
    "text": ("let s = 'x'; for (;;) s += s + s.length;", 500),
    "buffers": ("const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1));", 500),
    "recursion": ("const f = () => f() + 1; return f();", 500),
    "calls": ("for (let i = 0; i < 5000; i++) ctx.db.count('nowhere', {}).catch(() => {}); return 'left';", None),
    "no end": ("await new Promise(() => {});", 500),
    "large answer": ("return 'x'.repeat(20 << 20);", 500),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_ends_and_others_go_on(project, owner, name):
    code, status = HOSTILE[name]
    hostile = http_function(project, code, timeoutMs=500 if status == 504 else 8000)
    other = owner.create_project()
    calm = http_function(other, "return { status: 200, body: 'calm' };")
    wait_until(lambda: run(other, calm).text == "calm")
    with ThreadPoolExecutor(3) as pool:
        answers = [pool.submit(run, project, hostile) for _ in range(3)]
        for _ in range(5):
            assert run(other, calm).text == "calm"
        for answer in answers:
            found = answer.result().status_code
            assert found == status if status else found in (200, 500, 504), answer.result().text
    assert ok(project.admin.get("/admin/functions")) and run(other, calm).text == "calm"

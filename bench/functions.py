#!/usr/bin/env python3
"""The cost of functions: a warm run, a pre-hook, a first run, an idle worker, and other work next to hostile programs.

    bench/functions.py                the whole table

CPU time is that of the server and its workers together. Everything stays on 127.0.0.1 and is bounded.
"""

import pathlib
import statistics
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import in_parallel, raw_request  # noqa: E402
from run import WORK, Bench, Figures, arguments, good, running  # noqa: E402
from targets import PASSWORD, Manybase, note  # noqa: E402

CONNECTIONS = 64
RUNS = 20_000
FIRST_RUNS = 15  # projects that are new to the workers, of each kind
RATE = 200
RATED = 2_000  # requests of a measured run next to hostile programs: 10 s
NOTES = 500
SETTLE = 2.0
PERSON = {"email": "bench@example.com", "password": PASSWORD}
BOUNDS = {
    "httpCpuUs": 120,
    "preHookCpuUs": 250,
    "firstRunBlankMs": 15,
    "firstRunNoneReadyMs": 120,
    "idleWorkerMiB": 40,
    "p99RiseMs": 20,
    "functionP99RiseMs": 20,
}
# Requests per second relative to those of the empty handler in the same run: 8,000 if that reaches 40,000.
FLOORS = {"httpShareOfEmpty": 0.2}

HELLO = "export default () => ({ status: 200, body: { hello: 'world' } });"
STAMP = "export default (event) => ({ document: { ...event.document, seen: true } });"
HOSTILE = {
    "loop": "export default () => { for (;;); };",
    "microtasks": "export default async () => { for (;;) await null; };",
    "memory": "export default () => { const all = []; for (;;) all.push(new Array(1000).fill(all.length)); };",
    "buffers": "export default () => { const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1)); };",
    "lines": "export default () => { for (;;) console.log('x'.repeat(8000)); };",
    "calls": "export default (event, ctx) => { for (;;) ctx.db.count('open', {}); };",
    "backtracking": "export default () => /^(a+)+$/.test('a'.repeat(40) + 'b');",
    "answer": "export default () => ({ status: 200, body: 'x'.repeat(5 << 20) });",
}
RULES = {operation: {} for operation in ("read", "list", "create", "update", "delete")}


class Server(Manybase):
    def __init__(self, folder, binary, workers=None):
        super().__init__(folder, binary)
        self.workers = workers

    def environment(self):
        workers = {"SERVICE_WORKERS": str(self.workers)} if self.workers else {}
        return {**super().environment(), "SERVICE_AUTH_RATE_LIMIT": "1000/60", **workers}

    def sign_in(self):
        if not getattr(self, "registered", False):
            self.register_first(PERSON)
        self.registered = True
        self.control = self.client.call("POST", "/api/v1/control/auth/login", PERSON)["accessToken"]

    def project_with(self, functions, collections=()):
        """Returns (id, token) of a new project with these http functions and open collections."""
        call = self.client.call
        project = call("POST", "/api/v1/control/projects", {"name": "Bench"}, self.control)["project"]["id"]
        token = call("POST", f"/api/v1/control/projects/{project}/token", {}, self.control)["token"]
        for name in collections:
            call("POST", "/api/v1/admin/collections", {"name": name}, token)
            call("PUT", f"/api/v1/admin/collections/{name}/policy", RULES, token)
        for name, code in functions.items():
            trigger = {"type": "http", "method": "GET", "path": f"/{name}"}
            self.function(token, name, trigger, code)
        return project, token

    def function(self, token, name, trigger, code, timing="post", timeout=1000):
        body = {"name": name, "trigger": trigger, "timing": timing, "code": code, "enabled": True, "timeoutMs": timeout}
        self.client.call("POST", "/api/v1/admin/functions", body, token)

    def key(self, token):
        body = {"name": "bench", "scopes": ["read", "write"]}
        return self.client.call("POST", "/api/v1/admin/api-keys", body, token)["key"]

    def own_memory(self):
        """Returns the largest private memory of a child process in MiB."""
        sizes = []
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                text = pathlib.Path(f"/proc/{child}/smaps_rollup").read_text()
                own = [int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_")]
                sizes.append(sum(own) / 1024)
        return max(sizes)


def checked(run, what):
    if not good(run):
        raise RuntimeError(f"{what}: {run['statuses']}")
    return run


def load(bench, server, requests, count):
    """Runs the load generator; its CPU time is that of server and workers."""
    return checked(bench.load(server.port, server.pid, requests, CONNECTIONS, count, children=True), "a warm run")


def warm(bench, server, result):
    """Measures the http function and the pre-hook, alternating with the empty handler and a create without a hook."""
    project, token = server.project_with({"hello": HELLO}, ("plain", "hooked"))
    hook = {"type": "database", "collection": "hooked", "events": ["insert"]}
    server.function(token, "stamp", hook, STAMP, timing="pre")
    key = server.key(token)
    hello = [raw_request("GET", f"/api/v1/run/{project}/hello")]
    creates = {
        name: [raw_request("POST", f"/api/v1/{name}", key, note(i)) for i in range(1000)] for name in ("plain", "hooked")
    }
    empty, runs, plain, hooked = [], [], [], []
    for _ in range(bench.repeats):
        empty.append(bench.empty(CONNECTIONS))
        runs.append(load(bench, server, hello, RUNS))
        plain.append(load(bench, server, creates["plain"], WORK["create"] // 2))
        hooked.append(load(bench, server, creates["hooked"], WORK["create"] // 2))

    def median(figures, name):
        return statistics.median(figure[name] for figure in figures)

    result.report(emptyPerSecond=median(empty, "perSecond"), httpPerSecond=median(runs, "perSecond"))
    result.report(httpShareOfEmpty=statistics.median(a["perSecond"] / b["perSecond"] for a, b in zip(runs, empty)))
    result.report(httpCpuUs=median(runs, "cpuUsPerRequest"), httpP99Ms=median(runs, "p99Us") / 1000)
    result.report(createCpuUs=median(plain, "cpuUsPerRequest"), preHookCpuUs=median(hooked, "cpuUsPerRequest"))
    result.report(preHookPerSecond=median(hooked, "perSecond"))


def seconds_of(server, path):
    begin = time.perf_counter()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}", timeout=30) as response:
        response.read()
    return time.perf_counter() - begin


def first_runs(server):
    """Returns the median time of the first run of a project in milliseconds."""
    projects = [server.project_with({"hello": HELLO})[0] for _ in range(FIRST_RUNS)]
    times = []
    for project in projects:
        time.sleep(0.6)
        times.append(seconds_of(server, f"/api/v1/run/{project}/hello"))
    return statistics.median(times) * 1000


def ignore_response(path):
    """Sends a request and ignores the response, also a missing one."""
    try:
        with urllib.request.urlopen(path, timeout=30) as response:
            response.read()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        pass


def hostile(server):
    """Runs programs of two projects that loop, grow and flood, until the returned function is called."""
    projects = [server.project_with(HOSTILE)[0] for _ in range(2)]
    stop = threading.Event()

    def loop(project, name):
        while not stop.is_set():
            ignore_response(f"http://127.0.0.1:{server.port}/api/v1/run/{project}/{name}")

    threads = [threading.Thread(target=loop, args=(p, n), daemon=True) for p in projects for n in HOSTILE]
    for thread in threads:
        thread.start()

    def end():
        stop.set()
        for thread in threads:
            thread.join()

    return end


def beside(bench, server, result):
    """Measures the p99 of reads and of a small function of one project at RATE, alone and next to hostile programs."""
    project, token = server.project_with({"hello": HELLO}, ("plain",))
    key = server.key(token)

    def create(i):
        return server.client.call("POST", "/api/v1/plain", note(i), key)["document"]["id"]

    ids = in_parallel(create, range(NOTES))
    work = {
        "reads": [raw_request("GET", f"/api/v1/plain/{note_id}", key) for note_id in ids],
        "functions": [raw_request("GET", f"/api/v1/run/{project}/hello")],
    }
    p99 = {}
    for _ in range(bench.repeats):
        for load_beside in (False, True):
            end = hostile(server) if load_beside else None
            time.sleep(1)
            try:
                for kind, requests in work.items():
                    run = bench.load(server.port, server.pid, requests, 16, RATED, warmup=RATE, rate=RATE)
                    p99.setdefault((kind, load_beside), []).append(checked(run, kind)["p99Us"] / 1000)
            finally:
                if end:
                    end()
    median = {what: statistics.median(figures) for what, figures in p99.items()}
    result.report(p99AloneMs=median["reads", False], p99BesideMs=median["reads", True])
    result.report(functionP99AloneMs=median["functions", False], functionP99BesideMs=median["functions", True])
    result.report(
        p99RiseMs=median["reads", True] - median["reads", False],
        functionP99RiseMs=median["functions", True] - median["functions", False],
    )


def main():
    options = arguments(__doc__)
    result = Figures()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        with running(Server(bench.folder / "server", options.server)) as server:
            time.sleep(SETTLE)
            result.report(idleWorkerMiB=server.own_memory())
            server.sign_in()
            warm(bench, server, result)
            result.report(firstRunBlankMs=first_runs(server))
            server.sign_in()
            beside(bench, server, result)
        # With one worker slot, each project's first run ends the previous worker and starts its own.
        with running(Server(bench.folder / "alone", options.server, workers=1)) as alone:
            alone.sign_in()
            result.report(firstRunNoneReadyMs=first_runs(alone))

    return result.finish(BOUNDS, FLOORS)


if __name__ == "__main__":
    sys.exit(main())

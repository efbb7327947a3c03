#!/usr/bin/env python3
"""The cost of the limits of plans: reads, creates, uploads and function runs with billing, relative to the same without.

    bench/billing.py                the whole table
    bench/billing.py --percent 10   a tenth of the requests (the bounds are for all of them)

Two servers alternate in one run; the limits are set and not reached. CPU time is that of the server, of runs with its
workers; each ratio is the median of those of the turns. The data is in memory where there is room: what a disk costs
differs more from file to file than what is measured, and billing adds no write. Everything stays on 127.0.0.1 and is bounded.
"""

import contextlib
import pathlib
import shutil
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import raw_request  # noqa: E402
from run import Bench, Figures, arguments, good, running  # noqa: E402
from targets import PASSWORD, Manybase, note  # noqa: E402

CONNECTIONS = 16
PERSON = {"email": "bench@example.com", "password": PASSWORD}
COUNTS = {"get": 60_000, "create": 30_000, "upload": 15_000, "run": 20_000}
# The requests of a kind are sent in so many turns, so that both servers have the same share of what else the machine does.
TURNS = 25
MEMORY = pathlib.Path("/dev/shm")
DATA_BYTES = 6 << 30  # of the whole table
NOTES = 1_000
FILES = 1_000
BOUNDS = {f"{kind}Ratio": 1.05 for kind in COUNTS}
LIMITS = {
    "maxProjects": 10,
    "storageBytes": 1 << 40,
    "functionRunsPerMonth": 10**9,
    "vectors": 10**9,
    "realtimeConnections": 10**6,
    "environmentsPerProject": 10,
}
RULES = {operation: {} for operation in ("read", "list", "create", "update", "delete")}
HELLO = "export default () => ({ status: 200, body: { hello: 'world' } });"


class Server(Manybase):
    def __init__(self, folder, binary, billing):
        super().__init__(folder, binary)
        self.billing = billing

    def environment(self):
        # Nothing is ever sent: no user pays, and the comparison of the first start is refused at once.
        billing = {
            "SERVICE_BILLING": "on",
            "SERVICE_BILLING_SECRET_KEY": "sk_test_bench",
            "SERVICE_BILLING_WEBHOOK_SECRET": "whsec_bench",
            "SERVICE_BILLING_API_URL": "http://127.0.0.1:9",
        }
        return {**super().environment(), "SERVICE_OPERATORS": PERSON["email"], **(billing if self.billing else {})}

    def prepare(self):
        """Makes the requests of each kind: `prepared`."""
        self.create_project()
        call, admin = self.client.call, self.admin
        if self.billing:
            control = call("POST", "/api/v1/control/auth/login", PERSON)["accessToken"]
            user = call("GET", "/api/v1/control/me", token=control)["user"]["id"]
            call("PUT", f"/api/v1/control/admin/users/{user}/limits", {"limits": LIMITS}, control)
        call("POST", "/api/v1/admin/collections", {"name": "notes"}, admin)
        call("PUT", "/api/v1/admin/collections/notes/policy", RULES, admin)
        call("POST", "/api/v1/admin/storage/buckets", {"name": "bench"}, admin)
        trigger = {"type": "http", "method": "GET", "path": "/hello"}
        body = {"name": "hello", "trigger": trigger, "timing": "post", "code": HELLO, "enabled": True, "timeoutMs": 1000}
        call("POST", "/api/v1/admin/functions", body, admin)
        # Project tokens live for minutes only.
        key = call("POST", "/api/v1/admin/api-keys", {"name": "bench", "scopes": ["read", "write", "admin"]}, admin)["key"]
        ids = [call("POST", "/api/v1/notes", note(i), key)["document"]["id"] for i in range(NOTES)]
        headers = {"content-type": "application/octet-stream", "content-length": "4096"}
        self.prepared = {
            "get": [raw_request("GET", f"/api/v1/notes/{id}", key) for id in ids],
            "create": [raw_request("POST", "/api/v1/notes", key, note(i)) for i in range(NOTES)],
            "upload": [
                raw_request("PUT", f"/api/v1/storage/bench/f{i}", key, headers=headers) + bytes(4096) for i in range(FILES)
            ],
            "run": [raw_request("GET", f"/api/v1/run/{self.project}/hello")],
        }


def cost(bench, server, kind, count):
    """Returns the CPU microseconds of a request."""
    requests = server.prepared[kind]
    run = bench.load(server.port, server.pid, requests, CONNECTIONS, count, children=kind == "run")
    if not good(run):
        raise RuntimeError(f"{kind}: {run['statuses']}")
    return run["cpuUsPerRequest"]


def data_folder():
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > DATA_BYTES
    return MEMORY if in_memory else HERE.parent / "build"


def main():
    options = arguments(__doc__, percent=100)
    result = Figures()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=data_folder()) as folder, contextlib.ExitStack() as stack:
        bench = Bench(options.build, folder, options.repeats)
        servers = {}
        for name, billing in (("off", False), ("on", True)):
            servers[name] = stack.enter_context(running(Server(bench.folder / name, options.server, billing)))
            servers[name].prepare()
        for kind, whole in COUNTS.items():
            turns = TURNS * options.repeats
            count = max(whole * options.percent // 100 // TURNS, CONNECTIONS)
            costs = {name: [] for name in servers}
            for turn in range(turns):
                # Which one is first alternates too.
                for name in sorted(servers, reverse=turn % 2 == 0):
                    costs[name].append(cost(bench, servers[name], kind, count))
            off, on = (statistics.median(costs[name]) for name in ("off", "on"))
            ratio = statistics.median(b / a for a, b in zip(costs["off"], costs["on"], strict=True))
            result.report(**{f"{kind}OffCpuUs": off, f"{kind}OnCpuUs": on, f"{kind}Ratio": ratio})
    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

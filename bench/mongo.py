#!/usr/bin/env python3
"""The CPU time of our process per request with the data in MongoDB, next to the embedded engine in the same run; and how
soon it responds on /health while the database stalls.

    bench/mongo.py               the whole table

The server of MongoDB's protocol is the one of the tests, on the same machine, so that rates and times are its own more
than ours; CPU times are of our process alone. A request costs more where fewer arrive at once, since each then wakes the
process, so the embedded engine is measured at the rate that the database permits, which the bounds are about, and at its
own. Everything stays on 127.0.0.1 and is bounded.
"""

import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from client import raw_request  # noqa: E402
from run import Bench, Figures, arguments, running  # noqa: E402
from support.mongo_server import MongoServer  # noqa: E402
from targets import Manybase  # noqa: E402

CONNECTIONS = 16  # as many creates are in a group at most
WORK = {"get": 2_000, "list": 500, "create": 800, "patch": 800}
STALL_SECONDS = 5
# CPU time per request as a multiple of the embedded engine's at the same rate, and milliseconds.
BOUNDS = {"getTimes": 4, "createTimes": 3, "listTimes": 3, "healthWhileStalledP99Ms": 50}


class OnMongo(Manybase):
    def __init__(self, folder, binary, database):
        super().__init__(folder, binary)
        self.database = database

    def environment(self):
        return {**super().environment(), "MONGO_URL": self.database.url.replace("/?", "/bench?")}


def compare(bench, embedded, mongo):
    """Measures both, one after the other in each repeat, so that noise affects both alike."""
    figures = {}
    for kind, count in WORK.items():
        ours, same, own = [], [], []
        for _ in range(bench.repeats):
            settle(mongo)
            ours.append(bench.load(mongo.port, mongo.pid, mongo.requests(kind), CONNECTIONS, count))
            for runs, rate in ((same, ours[-1]["perSecond"]), (own, 0)):
                requests = embedded.requests(kind)
                runs.append(bench.load(embedded.port, embedded.pid, requests, CONNECTIONS, count, rate=rate))
        for run in ours + same + own:
            if not all(status.startswith("2") for status in run["statuses"]):
                raise RuntimeError(f"{kind}: {run['statuses']}")
        run, at_same, at_own = (bench.median(runs) for runs in (ours, same, own))
        figures[f"{kind}EmbeddedCpuUs"] = at_same["cpuUsPerRequest"]
        figures[f"{kind}CpuUs"] = run["cpuUsPerRequest"]
        figures[f"{kind}Times"] = run["cpuUsPerRequest"] / at_same["cpuUsPerRequest"]
        figures[f"{kind}EmbeddedAtItsRateCpuUs"] = at_own["cpuUsPerRequest"]
        figures[f"{kind}PerSecond"] = run["perSecond"]
        figures[f"{kind}P99Ms"] = run["p99Us"] / 1000
    return figures


def settle(server):
    """Waits until the database's change stream has caught up: until then, each request asks the database how current the
    server's knowledge is."""
    owner, token = server.tokens[0]
    quick, end = 0, time.monotonic() + 180
    while quick < 20 and time.monotonic() < end:
        began = time.monotonic()
        server.client.call("GET", server.note_path(server.notes[owner][0]), token=token)
        quick = quick + 1 if time.monotonic() - began < 0.02 else 0
        time.sleep(0.05)


def idle(server, seconds=5):
    """Returns the CPU time of a server without requests, in milliseconds per second."""

    def cpu():
        fields = pathlib.Path(f"/proc/{server.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    before = cpu()
    time.sleep(seconds)
    return (cpu() - before) / seconds


def stalled(bench, mongo):
    """Measures /health while the database is stopped and requests that need it wait."""
    mongo.database.process.send_signal(signal.SIGSTOP)
    try:
        other = Bench(bench.binaries, tempfile.mkdtemp(dir=bench.folder), 1)
        waiting = threading.Thread(
            target=other.load, args=(mongo.port, mongo.pid, mongo.requests("get"), 64, 64, 0), daemon=True
        )
        waiting.start()
        time.sleep(0.5)
        health = raw_request("GET", "/api/v1/health")
        run = bench.load(mongo.port, mongo.pid, [health], 1, 100 * STALL_SECONDS, 0, rate=100)
    finally:
        mongo.database.process.send_signal(signal.SIGCONT)
    waiting.join()
    if set(run["statuses"]) != {"200"}:
        raise RuntimeError(f"/health: {run['statuses']}")
    return {"healthWhileStalledP99Ms": run["p99Us"] / 1000}


def main():
    options = arguments(__doc__)
    result = Figures()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        database = MongoServer(bench.folder)
        try:
            with (
                running(Manybase(bench.folder / "embedded", options.server)) as embedded,
                running(OnMongo(bench.folder / "on-mongo", options.server, database)) as mongo,
            ):
                embedded.prepare()
                mongo.prepare()
                for server in (embedded, mongo):
                    # The first request of a session reads the session and its user.
                    for kind in ("warm-get", "first-get"):
                        bench.create(server, server.requests(kind))
                settle(mongo)
                result.report(idleCpuMsPerSecond=idle(mongo))
                result.report(**compare(bench, embedded, mongo))
                result.report(**stalled(bench, mongo))
        finally:
            database.stop()
    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

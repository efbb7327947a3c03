#!/usr/bin/env python3
"""The effect of a million documents on lists, memory, other clients during a scan, and creates during an index build.

    bench/large.py                      all of it
    bench/large.py --documents 200000   the same, smaller (the bounds are for 1,000,000)

The same list of 20 through an index is measured on a server with 10,000 documents and on one with a million,
alternating, so that other load on the machine affects both alike; first with a plain index, then with a covering one.
There is a bound for lists of the same owners with the plain index, and for lists of any owners, whose documents are
scattered over the disk, with the covering one.
Everything stays on 127.0.0.1 and is bounded.
"""

import json
import pathlib
import random
import statistics
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import raw_request  # noqa: E402
from run import Bench, Figures, arguments, good  # noqa: E402
from targets import PASSWORD, Manybase, note  # noqa: E402

PER_OWNER = 20
SMALL = 10_000
ASKED = 500
LISTS = 10_000
BUILD_LIMIT = 900
SETTLE_LIMIT = 120
INDEXES = "/api/v1/admin/collections/notes/indexes"
PERSON = {"email": "bench@example.com", "password": PASSWORD}
READER = {"email": "reader@example.com", "password": PASSWORD}
BOUNDS = {"again": 1.6, "coveringRandom": 3.0, "residentMiB": 250, "p99RiseMs": 10}
FLOORS = {"createsShare": 0.5}


class Filled(Manybase):
    """A server with notes of numbered owners, PER_OWNER each, which every signed-in user may read."""

    def __init__(self, folder, binary, documents):
        super().__init__(folder, binary)
        self.documents = documents
        self.owners = documents // PER_OWNER

    def prepare(self):
        call = self.client.call
        self.register_first(PERSON)
        control = call("POST", "/api/v1/control/auth/login", PERSON)["accessToken"]
        self.project = call("POST", "/api/v1/control/projects", {"name": "Large"}, control)["project"]["id"]
        call("POST", f"/api/v1/auth/register?project={self.project}", READER)
        self.sign_in()
        call("POST", "/api/v1/admin/collections", {"name": "notes"}, self.admin)
        rules = {"read": {}, "list": {}, "create": {}}
        call("PUT", "/api/v1/admin/collections/notes/policy", rules, self.admin)
        call("POST", INDEXES, {"keys": {"owner": 1}}, self.admin)

    def cover(self):
        """Replaces the plain index by a covering one."""
        self.sign_in()
        self.build_index({"keys": {"owner": 1}, "name": "covering", "covering": True})
        end = time.monotonic() + BUILD_LIMIT
        while not self.is_built("covering"):
            if time.monotonic() > end:
                raise RuntimeError(f"the index was not ready after {BUILD_LIMIT} s")
            time.sleep(0.2)
        self.client.call("DELETE", f"{INDEXES}/owner_1", token=self.admin)

    def settle(self):
        """Waits until the server has used almost no CPU for three seconds."""
        quiet, end = 0, time.monotonic() + SETTLE_LIMIT
        while quiet < 3 and time.monotonic() < end:
            before = self.cpu_seconds()
            time.sleep(1)
            quiet = quiet + 1 if self.cpu_seconds() - before < 0.03 else 0

    def build_index(self, body):
        try:
            self.client.call("POST", INDEXES, body, self.admin)
        except (OSError, RuntimeError):
            pass  # the build took longer than a request may; is_built() shows the result

    def is_built(self, name):
        indexes = self.client.call("GET", INDEXES, token=self.admin)["indexes"]
        return any(index["name"] == name and not index.get("building") for index in indexes)

    def sign_in(self):
        """Called before each part, since tokens live for minutes only."""
        call = self.client.call
        control = call("POST", "/api/v1/control/auth/login", PERSON)["accessToken"]
        self.admin = call("POST", f"/api/v1/control/projects/{self.project}/token", {}, control)["token"]
        self.token = call("POST", f"/api/v1/auth/login?project={self.project}", READER)["accessToken"]

    def fill(self, bench):
        """Creates the documents; those of an owner are spread over the collection."""
        for start in range(0, self.documents, 50_000):
            count = min(50_000, self.documents - start)
            bench.load(self.port, self.pid, [self.create(i) for i in range(start, start + count)], 64, count, warmup=0)

    def create(self, i):
        return raw_request("POST", self.create_path(), self.token, {**note(i), "owner": self.owner(i % self.owners)})

    def owner(self, number):
        return f"owner{number:06}"

    def list_of(self, number):
        encoded = urllib.parse.quote(json.dumps({"owner": self.owner(number)}))
        return raw_request("GET", f"/api/v1/notes?limit={PER_OWNER}&filter={encoded}", self.token)

    def scan(self):
        """Runs a list that reads every document and matches none; returns its seconds."""
        encoded = urllib.parse.quote(json.dumps({"body": "none"}))
        begin = time.perf_counter()
        self.client.call("GET", f"/api/v1/notes?limit=1&filter={encoded}", token=self.token)
        return time.perf_counter() - begin


def lists(bench, small, large, repeats):
    """Returns medians of the CPU time per list: among few, among many for the same owners, among many for any owners.
    Waits for compactions first, since they would count as the lists' CPU time."""
    for server in (small, large):
        server.settle()
    small.sign_in()
    large.sign_in()
    rng = random.Random(11)
    spread = rng.sample(range(large.owners), min(ASKED, large.owners))
    kinds = {
        "small": (small, [small.list_of(i % small.owners) for i in range(ASKED)]),
        "again": (large, [large.list_of(i) for i in spread]),
        "random": (large, [large.list_of(rng.randrange(large.owners)) for _ in range(LISTS)]),
    }
    figures = {kind: [] for kind in kinds}
    for _ in range(repeats):
        for kind, (server, requests) in kinds.items():
            run = bench.load(server.port, server.pid, requests, 16, LISTS, warmup=3 * ASKED)
            if not good(run):
                raise RuntimeError(f"{kind}: {run['statuses']}")
            figures[kind].append(run["cpuUsPerRequest"])
    return {kind: statistics.median(values) for kind, values in figures.items()}


def during(work):
    """Repeats `work` on a thread of its own; the returned function ends it and returns the results."""
    stop = threading.Event()
    results = []

    def loop():
        while not stop.is_set():
            results.append(work())

    thread = threading.Thread(target=loop)
    thread.start()

    def end():
        stop.set()
        thread.join()
        return results

    return end


def scans(bench, large, repeats):
    """Returns the p99 of lists at 500 per second in ms, alone and during scans, and the seconds of a scan."""
    large.sign_in()
    requests = [large.list_of(i) for i in range(ASKED)]
    alone, during, seconds = [], [], []
    for _ in range(repeats):
        run = bench.load(large.port, large.pid, requests, 32, 2_500, warmup=500, rate=500)
        alone.append(run["p99Us"] / 1000)
        end = during(large.scan)
        time.sleep(0.2)
        run = bench.load(large.port, large.pid, requests, 32, 2_500, warmup=0, rate=500)
        during.append(run["p99Us"] / 1000)
        seconds += end()
    return statistics.median(alone), statistics.median(during), statistics.median(seconds)


def creates_during_build(bench, large):
    """Returns the creates per second alone and during an index build over all documents, and the build's seconds."""
    large.sign_in()
    first = large.documents
    work = [large.create(first + i) for i in range(20_000)]
    alone = bench.load(large.port, large.pid, work, 64, 20_000, warmup=2_000)["perSecond"]
    index = {"keys": {"stars": 1, "title": 1}, "name": "byStars"}
    begin = time.perf_counter()
    threading.Thread(target=large.build_index, args=(index,), daemon=True).start()
    rates = []
    while not large.is_built("byStars") and time.perf_counter() - begin < BUILD_LIMIT:
        rates.append(bench.load(large.port, large.pid, work, 64, 5_000, warmup=0)["perSecond"])
    if not large.is_built("byStars"):
        raise RuntimeError(f"the index was not ready after {BUILD_LIMIT} s")
    return alone, statistics.median(rates), time.perf_counter() - begin


def main():
    options = arguments(__doc__, documents=1_000_000)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        small = Filled(bench.folder / "small", options.server, SMALL)
        large = Filled(bench.folder / "large", options.server, options.documents)
        try:
            for server in (small, large):
                server.start()
                server.prepare()
                begin = time.perf_counter()
                server.fill(bench)
                print(f"{server.documents} documents in {time.perf_counter() - begin:.0f} s", flush=True)
            result = Figures()
            result.report(residentMiB=large.resident_mib(), emptyUs=bench.empty(16)["cpuUsPerRequest"])
            costs = lists(bench, small, large, options.repeats)
            result.report(**{f"{kind}Us": cost for kind, cost in costs.items()})
            result.report(residentAfterListsMiB=large.resident_mib())
            result.report(again=costs["again"] / costs["small"], random=costs["random"] / costs["small"])
            for server in (small, large):
                server.cover()
            covering = lists(bench, small, large, options.repeats)
            result.report(**{f"covering{kind.title()}Us": cost for kind, cost in covering.items()})
            result.report(residentAfterCoveringMiB=large.resident_mib())
            # Compared with the small server's plain index, so that the option does not lower its own baseline.
            least = min(costs["small"], covering["small"])
            result.report(coveringAgain=covering["again"] / least, coveringRandom=covering["random"] / least)
            alone, during, seconds = scans(bench, large, options.repeats)
            result.report(p99AloneMs=alone, p99DuringScanMs=during, p99RiseMs=during - alone, scanSeconds=seconds)
            result.report(residentAfterScansMiB=large.resident_mib())
            rate, building, seconds = creates_during_build(bench, large)
            result.report(createsPerSecond=rate, createsDuringBuild=building, createsShare=building / rate)
            result.report(buildSeconds=seconds)
            result.report(residentAfterBuildMiB=large.resident_mib())
        finally:
            small.stop()
            large.stop()

    result["residentMiB"] = max(value for name, value in result.items() if name.startswith("resident"))
    return result.finish(BOUNDS, FLOORS)


if __name__ == "__main__":
    sys.exit(main())

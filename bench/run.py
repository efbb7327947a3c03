#!/usr/bin/env python3
"""The load benchmark: fixed work at several connection counts, medians of repeats, and the server's CPU time per
request relative to an empty handler on the same listener in the same run. Everything stays on 127.0.0.1 and is bounded.

    bench/run.py                 the whole table for Manybase
    bench/run.py --peer          also PocketBase on the same work (needs Go)
    bench/run.py --quick         64 connections only, one repeat
"""

import argparse
import contextlib
import json
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import raw_request, write_requests  # noqa: E402
from targets import KINDS, OWNERS, Manybase, PocketBase, get_pocketbase, manybase_commits, note  # noqa: E402

WORK = {"empty": 40_000, "get": 40_000, "list": 15_000, "create": 20_000, "patch": 20_000, "login": 200}
# CPU time per request at 64 connections, as a multiple of that of the empty handler.
BOUNDS = {"get": 3.0, "create": 5.0, "patch": 5.0, "list": 8.0}
TOKENS = 1000


class Bench:
    def __init__(self, binaries, folder, repeats):
        self.binaries = binaries
        self.folder = pathlib.Path(folder)
        self.repeats = repeats

    def create(self, server, requests, connections=16):
        """Runs each of the requests, which create documents, once."""
        run = self.load(server.port, server.pid, requests, connections, len(requests), warmup=0)
        if not good(run):
            raise RuntimeError(f"create: {run['statuses']}")

    def load(self, target_port, pid, requests, connections, count, warmup=None, rate=0, children=False):
        """Runs the load generator with prepared requests, at `rate` per second unless it is 0; returns its figures.
        `children` adds the CPU time of child processes."""
        file = self.folder / "requests"
        write_requests(file, requests)
        done = subprocess.run(
            [self.binaries / "loadgen", "--port", str(target_port), "--pid", str(pid), "--file", file]
            + ["--connections", str(connections), "--requests", str(count)]
            + ["--warmup", str(count // 5 if warmup is None else warmup), "--rate", str(rate)]
            + ["--children", str(int(children))],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)

    def empty(self, connections):
        server = subprocess.Popen([self.binaries / "empty_server"], stdout=subprocess.PIPE, text=True)
        try:
            port = int(server.stdout.readline())
            # The same head as in the other requests, so that only the handler differs.
            request = raw_request("GET", "/api/v1/notes/00000000000000000000", "x" * 420)
            return self.load(port, server.pid, [request], connections, WORK["empty"])
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(10)

    def median(self, runs):
        ordered = sorted(runs, key=lambda r: r["cpuUsPerRequest"])
        middle = dict(ordered[len(ordered) // 2])
        middle["perSecond"] = statistics.median(r["perSecond"] for r in runs)
        middle["p50Us"] = statistics.median(r["p50Us"] for r in runs)
        middle["p99Us"] = statistics.median(r["p99Us"] for r in runs)
        return middle

    def table(self, target, connection_counts):
        """Returns {kind: {connections: figures}}; repeats of all kinds alternate, so that noise affects all alike."""
        runs = {}
        for _ in range(self.repeats):
            for connections in connection_counts:
                if target.name == "manybase":
                    runs.setdefault(("empty", connections), []).append(self.empty(connections))
                for kind in KINDS:
                    count = WORK[kind] if connections > 1 else max(WORK[kind] // 8, 100)
                    requests = target.requests(kind)
                    runs.setdefault((kind, connections), []).append(
                        self.load(target.port, target.pid, requests, connections, count)
                    )
        result = {}
        for (kind, connections), figures in runs.items():
            result.setdefault(kind, {})[connections] = self.median(figures)
        return result


class Figures(dict):
    """The figures of a benchmark, printed as they are measured, rounded to two digits after the point."""

    def report(self, **figures):
        for name, value in figures.items():
            self[name] = round(value, 2)
            print(f"{name}: {self[name]}", flush=True)

    def finish(self, at_most, at_least=None):
        """Prints the figures beyond their bounds ({name: bound}); returns the exit code."""
        missed = {name: bound for name, bound in at_most.items() if self[name] > bound}
        missed |= {name: bound for name, bound in (at_least or {}).items() if self[name] < bound}
        lines = [f"MISSED {name} is {self[name]}, bound {bound}" for name, bound in missed.items()]
        print("\n".join(lines) or "all bounds hold")
        return 1 if missed else 0


@contextlib.contextmanager
def running(server):
    """Starts a server; yields it, and stops it at the end of the block."""
    try:
        server.start()
        yield server
    finally:
        server.stop()


def arguments(doc, **numbers):
    """Parses the common command-line options of benchmarks; `numbers` adds integer options with their defaults."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parent / "build" / "release" / "bin"), help="folder of the binaries")
    parser.add_argument("--server", help="another manybase than the one built")
    for name, value in {**numbers, "repeats": 5}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    # Servers are started in a folder of their own.
    options.build = pathlib.Path(options.build).resolve()
    options.server = str(pathlib.Path(options.server or options.build / "manybase").resolve())
    return options


def good(figures):
    """Returns whether every response was a success."""
    return all(status.startswith("2") for status in figures["statuses"])


def starts(bench, binary):
    """Returns the time to the first response, and resident memory: empty, with 100,000 documents, after a kill."""
    folder = bench.folder / "starts"
    server = Manybase(folder, binary)
    result = {}
    server.start()
    time.sleep(1)
    result["idleMiB"] = round(server.resident_mib(), 1)
    server.prepare()
    server.stop()
    result["startEmptyMs"] = None
    fresh = Manybase(bench.folder / "fresh", binary)
    fresh.start()
    fresh.stop()
    result["startEmptyMs"] = round(statistics.median(restart(fresh) for _ in range(5)) * 1000, 1)
    server.start()
    before = manybase_commits(folder)
    requests = [raw_request("POST", server.create_path(), t, note(i)) for i, (_, t) in enumerate(server.tokens * 5)]
    bench.load(server.port, server.pid, requests, 64, 100_000, warmup=0)
    result["after100kMiB"] = round(server.resident_mib(), 1)
    server.stop()
    after = manybase_commits(folder)
    if after[0] > 0 and after != before:
        result["createsPerSync"] = round(after[1] / after[0], 1)
    result["start100kMs"] = round(statistics.median(restart(server) for _ in range(5)) * 1000, 1)
    killed = []
    for _ in range(5):
        server.start()
        bench.load(server.port, server.pid, requests, 64, 5_000, warmup=0)
        server.stop(kill=True)
        killed.append(server.start())
        server.stop()
    result["startAfterKillMs"] = round(statistics.median(killed) * 1000, 1)
    server.start()
    # Only the token is new: other sessions of the owners have loaded the owners and the documents into the caches.
    bench.load(server.port, server.pid, server.requests("warm-get"), 16, OWNERS, warmup=0)
    first = bench.load(server.port, server.pid, server.requests("first-get"), 16, TOKENS - OWNERS, warmup=0)
    again = bench.load(server.port, server.pid, server.requests("get"), 16, 20_000)
    result["firstUseInGets"] = round(first["cpuUsPerRequest"] / again["cpuUsPerRequest"], 1)
    server.stop()
    return result


def restart(server):
    seconds = server.start()
    server.stop()
    return seconds


def print_table(name, table, floor):
    print(f"\n{name}")
    print(f"{'what':<8}{'conns':>6}{'req/s':>10}{'p50 µs':>10}{'p99 µs':>10}{'CPU µs':>9}{'× empty':>9}  statuses")
    for kind, by_connections in table.items():
        for connections, f in by_connections.items():
            base = floor.get(connections)
            ratio = f"{f['cpuUsPerRequest'] / base:.2f}" if base else ""
            statuses = " ".join(f"{s}:{n}" for s, n in f["statuses"].items())
            print(
                f"{kind:<8}{connections:>6}{f['perSecond']:>10.0f}{f['p50Us']:>10.0f}{f['p99Us']:>10.0f}"
                f"{f['cpuUsPerRequest']:>9.1f}{ratio:>9}  {statuses}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(HERE.parent / "build" / "release" / "bin"), help="folder of the binaries")
    parser.add_argument("--peer", action="store_true", help="measure PocketBase too")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", default=str(HERE / "results" / "last.json"), help="where the figures are written")
    options = parser.parse_args()
    binaries = pathlib.Path(options.build)
    counts = [64] if options.quick else [1, 16, 64, 256]

    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(binaries, folder, 1 if options.quick else 3)
        machine = json.loads(subprocess.check_output([binaries / "machine", folder]))
        result = {"machine": {**machine, "cores": len(open("/proc/cpuinfo").read().split("processor\t:")) - 1}}
        result["machine"]["system"] = platform.release()

        server = Manybase(bench.folder / "manybase", str(binaries / "manybase"))
        server.start()
        try:
            server.prepare()
            result["manybase"] = bench.table(server, counts)
        finally:
            server.stop()
        floor = {c: f["cpuUsPerRequest"] for c, f in result["manybase"]["empty"].items()}
        print_table("Manybase", result["manybase"], floor)
        result["starts"] = starts(bench, str(binaries / "manybase"))
        print("\n" + "\n".join(f"{name}: {value}" for name, value in result["starts"].items()))
        print(f"machine: {json.dumps(result['machine'])}")

        if options.peer:
            peers = HERE / "peers"
            peers.mkdir(exist_ok=True)
            peer = PocketBase(bench.folder / "pocketbase", get_pocketbase(peers))
            peer.start()
            try:
                peer.prepare()
                result["pocketbase"] = bench.table(peer, counts)
            finally:
                peer.stop()
            print_table("PocketBase", result["pocketbase"], floor)

    out = pathlib.Path(options.json)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(result, indent=1) + "\n")

    missed = []
    for kind, bound in BOUNDS.items():
        figures = result["manybase"][kind][64]
        ratio = figures["cpuUsPerRequest"] / floor[64]
        if ratio > bound or not good(figures):
            missed.append(f"{kind} costs {ratio:.2f} empty handlers, bound {bound}")
    limits = {"startEmptyMs": 100, "start100kMs": 100, "startAfterKillMs": 400, "idleMiB": 50, "after100kMiB": 120}
    limits["firstUseInGets"] = 10
    for name, limit in limits.items():
        if result["starts"][name] > limit:
            missed.append(f"{name} is {result['starts'][name]}, bound {limit}")
    if result["starts"].get("createsPerSync", 99) < 12:
        missed.append(f"a sync carries {result['starts']['createsPerSync']} creates, bound 12")
    print("\n" + ("\n".join("MISSED " + line for line in missed) or "all bounds hold"))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

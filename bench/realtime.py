#!/usr/bin/env python3
"""The cost of realtime: idle sockets, and subscribers of one collection during writes.

    bench/realtime.py                   10,000 idle sockets, 1,000 subscribers, 1,000 owners
    bench/realtime.py --sockets 2000 --subscribers 200 --owners 100    smaller (the bounds are for the defaults)

Subscribers, writer and server share the machine. The CPU time per delivery is compared with that of a bare loop that
writes frames of the same size to as many sockets, in the same run. Everything stays on 127.0.0.1 and is bounded.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from run import Figures, arguments, running  # noqa: E402
from sockets import HeldSockets  # noqa: E402
from targets import Manybase  # noqa: E402

WRITES = 200
RATE = 20
FAST_WRITES = 500
SETTLE = 2.0
OPEN = {"read": {}, "create": {}}
OWN = {"read": {"filter": {"for": "$auth.uid"}}, "create": {}}
BOUNDS = {
    "idleMiB": 200,
    "connectSeconds": 60,
    "p50Ms": 15,
    "p99Ms": 35,
    "ackP50Ms": 3,
    "cpuPerDeliveryRatio": 2.5,
    "ownersRatio": 2,
}
FLOORS = {"deliveriesPerSecond": 100_000}


class Server(Manybase):
    """A project with the collections `open`, readable by all users, and `own`, where users see only their documents."""

    def prepare(self):
        self.create_project()
        call = self.client.call
        for name, policy in (("open", OPEN), ("own", OWN)):
            call("POST", "/api/v1/admin/collections", {"name": name}, self.admin)
            call("PUT", f"/api/v1/admin/collections/{name}/policy", policy, self.admin)
        self.reader, self.writer = self.key("read"), self.key("write")

    def key(self, scope):
        return self.client.call("POST", "/api/v1/admin/api-keys", {"name": scope, "scopes": [scope]}, self.admin)["key"]


class Bench:
    def __init__(self, options, folder, server):
        self.options, self.folder, self.server = options, pathlib.Path(folder), server

    def file(self, name, lines):
        path = self.folder / name
        path.write_text("\n".join(lines) + "\n")
        return path

    def load(self, **arguments):
        command = [self.options.build / "socketload", "--port", str(self.server.port), "--pid", str(self.server.pid)]
        return self.run(command, arguments)

    def run(self, command, arguments):
        for name, value in arguments.items():
            command += [f"--{name}", str(value)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        figures = json.loads(done.stdout)
        if figures["deliveries"] != figures["expected"] or figures["disordered"] or figures["strange"]:
            raise RuntimeError(f"not every change arrived once and in order: {figures}")
        return figures

    def idle(self):
        """Returns (seconds to open, MiB above the idle server) of sockets that authenticate and stay idle."""
        time.sleep(SETTLE)
        before = self.server.resident_mib()
        reader = self.file("reader", [self.server.reader])
        with HeldSockets(self.options.build, self.server.port, reader, self.options.sockets) as held:
            time.sleep(SETTLE)
            return held.opened["connectSeconds"], self.server.resident_mib() - before

    def subscribers(self, rate, writes):
        return self.load(
            sockets=self.options.subscribers,
            tokens=self.file("reader", [self.server.reader]),
            writer=self.file("writer", [self.server.writer]),
            collection="open",
            writes=writes,
            rate=rate,
        )

    def bare(self, size, messages):
        """Returns the CPU time per delivery of the bare loop, in nanoseconds."""
        command = [self.options.build / "bare_fanout", "--sockets", str(self.options.subscribers)]
        command += ["--messages", str(messages), "--size", str(size)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        port = int(writer.stdout.readline())
        command = [self.options.build / "socketload", "--port", str(port)]
        self.run(command, {"sockets": self.options.subscribers, "bare": messages})
        return json.loads(writer.communicate()[0])["cpuNanosPerDelivery"]

    def owned(self, people):
        """Returns the CPU microseconds per write of documents that one of these users sees, each with a socket."""
        return self.load(
            sockets=len(people),
            tokens=self.file("people", [token for _, token in people]),
            owners=self.file("owners", [id for id, _ in people]),
            writer=self.file("writer", [self.server.writer]),
            collection="own",
            writes=FAST_WRITES * 2,
        )["cpuMicrosPerWrite"]


def main():
    options = arguments(__doc__, sockets=10_000, subscribers=1_000, owners=1_000)
    result = Figures()
    with tempfile.TemporaryDirectory() as folder:
        with running(Server(pathlib.Path(folder) / "server", options.server)) as server:
            bench = Bench(options, folder, server)
            server.prepare()
            seconds, mebibytes = bench.idle()
            result.report(connectSeconds=seconds, idleMiB=mebibytes)

            paced, fast, ratios = [], [], []
            for _ in range(options.repeats):
                paced.append(bench.subscribers(RATE, WRITES))
                fast.append(bench.subscribers(0, FAST_WRITES))
                bare = bench.bare(round(fast[-1]["bytesPerDelivery"]), FAST_WRITES)
                ratios.append(fast[-1]["cpuNanosPerDelivery"] / bare)
            middle = {name: statistics.median(run[name] for run in paced) for name in ("p50Ms", "p99Ms", "ackP50Ms")}
            result.report(**middle)
            result.report(
                deliveriesPerSecond=statistics.median(run["deliveriesPerSecond"] for run in fast),
                cpuNanosPerDelivery=statistics.median(run["cpuNanosPerDelivery"] for run in fast),
                cpuPerDeliveryRatio=statistics.median(ratios),
            )

            people = server.people(options.owners)
            one, many = [], []
            for _ in range(options.repeats):
                one.append(bench.owned(people[:1]))
                many.append(bench.owned(people))
            result.report(oneOwnerUs=statistics.median(one), manyOwnersUs=statistics.median(many))
            result.report(ownersRatio=statistics.median(many) / statistics.median(one))

    return result.finish(BOUNDS, FLOORS)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The cost of a thousand projects in one process: the start, memory, and the effect of one project's load on another.

    bench/projects.py                  1,000 projects of 20 collections
    bench/projects.py --projects 200   the same, smaller (the bounds are for 1,000)

Each collection has a schema, a policy and an index. One project gets reads and writes in a closed loop, while another
gets 200 requests per second; runs with and without that load alternate, so that other load on the machine affects both
alike. Everything stays on 127.0.0.1 and is bounded.
"""

import pathlib
import statistics
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import in_parallel, raw_request  # noqa: E402
from run import Bench, Figures, arguments, good  # noqa: E402
from targets import PASSWORD, Manybase, address, note  # noqa: E402

COLLECTIONS = 20
NOTES = 500
RATE = 200
RATED = 2_000  # requests of a measured run: 10 s
LOUD = 4_000  # requests of one piece of the other project's load
LOUD_CONNECTIONS = 64
PIECE = 500  # requests of one piece of the preparation
STARTS = 5
SETTLE = 2.0  # seconds after which a server is idle
PERSON = {"email": "bench@example.com", "password": PASSWORD}
READER = {"email": "reader@example.com", "password": PASSWORD}
BOUNDS = {"startSeconds": 1.0, "residentIdleMiB": 150, "p99RiseMs": 10}

RULES = {operation: {} for operation in ("read", "list", "create", "update", "delete")}
SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 200},
        "body": {"type": "string"},
        "stars": {"type": "integer", "minimum": 0, "maximum": 5},
        "done": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["title"],
}


class Crowd(Manybase):
    """A server with many projects; `tokens` are their owners' project tokens, by number."""

    def __init__(self, folder, binary, projects):
        super().__init__(folder, binary)
        self.count = projects

    def sign_in(self):
        """Called before each part, since tokens live for minutes only."""
        call = self.client.call
        self.control = call("POST", "/api/v1/control/auth/login", PERSON)["accessToken"]

    def environment(self):
        # The parts sign in more often than the default limit allows.
        return {**super().environment(), "SERVICE_AUTH_RATE_LIMIT": "1000/60"}

    def token(self, number):
        path = f"/api/v1/control/projects/{self.projects[number]}/token"
        return self.client.call("POST", path, {}, self.control)["token"]

    def prepare(self, bench):
        call = self.client.call
        self.register_first(PERSON)
        self.sign_in()

        def create(number):
            created = call("POST", "/api/v1/control/projects", {"name": f"Project {number}"}, self.control)
            return created["project"]["id"]

        self.projects = in_parallel(create, range(self.count))
        for first in range(0, self.count, 100):
            self.sign_in()
            numbers = range(first, min(first + 100, self.count))
            self.configure(bench, in_parallel(self.token, numbers))

    def configure(self, bench, tokens):
        """Creates the collections of some projects, each step for all of them at once."""
        places = [("/api/v1/admin/collections", f"c{i:02}", token) for i in range(COLLECTIONS) for token in tokens]
        steps = [
            lambda path, name, token: raw_request("POST", path, token, {"name": name}),
            lambda path, name, token: raw_request("PUT", f"{path}/{name}/schema", token, SCHEMA),
            lambda path, name, token: raw_request("PUT", f"{path}/{name}/policy", token, RULES),
            lambda path, name, token: raw_request("POST", f"{path}/{name}/indexes", token, {"keys": {"stars": 1}}),
        ]
        for step in steps:
            work = [step(*place) for place in places]
            for first in range(0, len(work), PIECE):
                piece = work[first : first + PIECE]
                run = bench.load(self.port, self.pid, piece, 32, len(piece), warmup=0)
                if not good(run):
                    raise RuntimeError(f"preparing: {run['statuses']}")

    def settle(self, number):
        """Returns an end user's token and the ids of some notes in a project's first collection."""
        call = self.client.call
        named = {"x-service-project": self.projects[number]}
        sender = {**named, "x-forwarded-for": address(number)}
        call("POST", "/api/v1/auth/register", READER, headers=sender)
        self.notes = getattr(self, "notes", {})
        token = self.reader(number)

        def create(i):
            return call("POST", "/api/v1/c00", note(i), token)["document"]["id"]

        self.notes[number] = in_parallel(create, range(NOTES))

    def reader(self, number):
        headers = {"x-service-project": self.projects[number], "x-forwarded-for": address(10_000 + number)}
        return self.client.call("POST", "/api/v1/auth/login", READER, headers=headers)["accessToken"]

    def reads(self, number):
        token = self.reader(number)
        return [raw_request("GET", f"/api/v1/c00/{note_id}", token) for note_id in self.notes[number]]

    def mixed(self, number):
        """Returns requests: of four, two read a document, one lists, one creates."""
        token = self.reader(number)
        work = []
        for i, note_id in enumerate(self.notes[number]):
            work.append(raw_request("GET", f"/api/v1/c00/{note_id}", token))
            work.append(raw_request("GET", f"/api/v1/c00/{note_id}", token))
            work.append(raw_request("GET", "/api/v1/c00?limit=20", token))
            work.append(raw_request("POST", "/api/v1/c01", token, note(i)))
        return work


def loud(bench, crowd, requests):
    """Runs full load until the returned function is called, which returns the median of its requests per second."""
    stop = threading.Event()
    rates, failures = [], []

    def loop():
        while not stop.is_set():
            run = bench.load(crowd.port, crowd.pid, requests, LOUD_CONNECTIONS, LOUD, warmup=0)
            rates.append(run["perSecond"])
            if not good(run):
                failures.append(run["statuses"])

    thread = threading.Thread(target=loop)
    thread.start()

    def end():
        stop.set()
        thread.join()
        if failures:
            raise RuntimeError(f"the load: {failures[0]}")
        return statistics.median(rates)

    return end


def neighbours(bench, other, crowd, repeats):
    """Returns the p99 in ms of a project at RATE, alone and next to a loaded one, and that load per second."""
    crowd.sign_in()
    loud_one, quiet_one = 0, crowd.count // 2
    for number in (loud_one, quiet_one):
        crowd.settle(number)
    alone, loaded, rates = [], [], []
    for _ in range(repeats):
        quiet, noisy = crowd.reads(quiet_one), crowd.mixed(loud_one)
        for figures, load in ((alone, False), (loaded, True)):
            end = loud(other, crowd, noisy) if load else None
            time.sleep(0.5)
            try:
                run = bench.load(crowd.port, crowd.pid, quiet, 16, RATED, warmup=RATE, rate=RATE)
            finally:
                if end:
                    rates.append(end())
            if not good(run):
                raise RuntimeError(f"at {RATE} a second: {run['statuses']}")
            figures.append(run["p99Us"] / 1000)
    return statistics.median(alone), statistics.median(loaded), statistics.median(rates)


def main():
    options = arguments(__doc__, projects=1_000)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        beside = pathlib.Path(folder) / "beside"
        beside.mkdir()
        crowd = Crowd(bench.folder / "crowd", options.server, options.projects)
        result = Figures()
        try:
            crowd.start()
            begin = time.perf_counter()
            crowd.prepare(bench)
            result.report(prepareSeconds=time.perf_counter() - begin, residentPreparedMiB=crowd.resident_mib())
            crowd.stop()
            starts = []
            for _ in range(STARTS):
                starts.append(crowd.start())
                crowd.stop()
            result.report(startSeconds=statistics.median(starts))
            crowd.start()
            time.sleep(SETTLE)
            result.report(residentIdleMiB=crowd.resident_mib())
            crowd.sign_in()
            tokens = in_parallel(crowd.token, range(crowd.count))
            every = [raw_request("GET", "/api/v1/c00?limit=1", token) for token in tokens]
            run = bench.load(crowd.port, crowd.pid, every, 16, len(every), warmup=0)
            if not good(run):
                raise RuntimeError(f"a list in each project: {run['statuses']}")
            time.sleep(SETTLE)
            result.report(residentAllAskedMiB=crowd.resident_mib())
            alone, during, rate = neighbours(bench, Bench(options.build, beside, 1), crowd, options.repeats)
            result.report(loudPerSecond=rate, p99AloneMs=alone, p99BesideMs=during, p99RiseMs=during - alone)
        finally:
            crowd.stop()

    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

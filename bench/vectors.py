#!/usr/bin/env python3
"""Vector search through the server: the recall of the ten nearest, with and without filters, and the search time.

    bench/vectors.py                    everything
    bench/vectors.py --vectors 10000    the same among fewer (the bounds are for 100,000)

The exact results come from searches with filters that few documents match, which the server compares one by one; the
test suite checks those. Everything stays on 127.0.0.1 and is bounded.
"""

import pathlib
import random
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import in_parallel, raw_request  # noqa: E402
from run import Bench, Figures, arguments, good, running  # noqa: E402
from targets import PASSWORD, Manybase  # noqa: E402

DIMENSIONS = 384
SUBJECTS = 1_000
SPREAD = 0.6  # of a vector around its subject
PART = 4_000  # documents that a search compares one by one
AT_ONCE = 10_000
QUERIES = 60
NEAREST = 10
RATE, RATED = 100, 2_000
FOLLOW_LIMIT = 900
KEEPS = {"tenth": 10, "hundredth": 100, "thousandth": 1_000}
PERSON = {"email": "bench@example.com", "password": PASSWORD}
ITEMS = "/api/v1/admin/collections/items"
RECALL = 0.95
P99_MS = 10


class Vectors(Manybase):
    """A server with documents that hold a vector each, and fields for filters that match a tenth of them, and fewer."""

    def prepare(self):
        call = self.client.call
        self.register_first(PERSON)
        self.log_in()
        self.project = call("POST", "/api/v1/control/projects", {"name": "Vectors"}, self.control)["project"]["id"]
        self.sign_in()
        call("POST", "/api/v1/admin/collections", {"name": "items"}, self.token)
        call("PUT", f"{ITEMS}/policy", {"read": {}, "list": {}, "create": {}}, self.token)
        for field in ("part", *KEEPS):
            call("POST", f"{ITEMS}/indexes", {"keys": {field: 1}}, self.token)
        field = {"name": "place", "dimensions": DIMENSIONS, "metric": "cosine", "mode": "manual"}
        call("PUT", f"{ITEMS}/vector-config", {"fields": [field]}, self.token)

    def log_in(self):
        self.control = self.client.call("POST", "/api/v1/control/auth/login", PERSON)["accessToken"]
        self.since = time.monotonic()

    def sign_in(self):
        """Called before each part, since tokens live for minutes only; logins are limited."""
        if time.monotonic() - self.since > 300:
            self.log_in()
        path = f"/api/v1/control/projects/{self.project}/token"
        self.token = self.client.call("POST", path, {}, self.control)["token"]

    def fill(self, bench, count, subjects, dice):
        for begin in range(0, count, AT_ONCE):
            self.sign_in()
            creates = []
            for number in range(begin, min(begin + AT_ONCE, count)):
                item = {name: number % kept for name, kept in KEEPS.items()}
                item |= {"part": number // PART, "place": around(dice.choice(subjects), dice)}
                creates.append(raw_request("POST", "/api/v1/items", self.token, item))
            run = bench.load(self.port, self.pid, creates, 32, len(creates), warmup=0)
            if not good(run):
                raise RuntimeError(f"creates: {run['statuses']}")

    def index(self, count):
        """Waits until the index holds everything; returns its state."""
        end = time.monotonic() + FOLLOW_LIMIT
        while True:
            self.sign_in()
            index = self.client.call("GET", f"{ITEMS}/vector-config", token=self.token)["indexes"][0]
            if index["state"] == "ready" and index["vectors"] == count:
                return index
            if time.monotonic() > end:
                raise RuntimeError(f"the index was not ready after {FOLLOW_LIMIT} s: {index}")
            time.sleep(1)

    def ask(self, vector, found):
        return raw_request("POST", "/api/v1/items/search", self.token, search_body(vector, found))

    def hits(self, vector, found):
        """Returns [(score, id)]."""
        results = self.client.call("POST", "/api/v1/items/search", search_body(vector, found), self.token)["results"]
        return [(hit["_score"], hit["id"]) for hit in results]

    def recall(self, queries, found, parts):
        """Returns the recall of searches with the filter `found`."""

        def of(vector):
            right = []
            for part in range(parts):
                right += self.hits(vector, {"part": part, **found})
            nearest = {name for _, name in sorted(right, reverse=True)[:NEAREST]}
            return len(nearest & {name for _, name in self.hits(vector, found)}) / len(nearest)

        self.sign_in()
        return statistics.mean(in_parallel(of, queries, workers=2))


def around(subject, dice):
    """Returns a vector near that of the subject."""
    return [round(at + SPREAD * dice.gauss(0, 1), 3) for at in subject]


def search_body(vector, found):
    return {"vector": vector, "limit": NEAREST, "fields": [], "filter": found}


def main():
    options = arguments(__doc__, vectors=100_000)
    result = Figures()
    dice = random.Random(7)
    subjects = [[dice.gauss(0, 1) for _ in range(DIMENSIONS)] for _ in range(SUBJECTS)]
    queries = [around(dice.choice(subjects), dice) for _ in range(QUERIES)]
    parts = -(-options.vectors // PART)
    filters = {"plain": {}, **{name: {name: 0} for name in KEEPS}}
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        with running(Vectors(bench.folder / "vectors", options.server)) as server:
            server.prepare()
            begin = time.perf_counter()
            server.fill(bench, options.vectors, subjects, dice)
            index = server.index(options.vectors)
            result.report(
                fillSeconds=time.perf_counter() - begin,
                bytesPerVector=index["bytes"] / options.vectors,
                residentMiB=server.resident_mib(),
            )
            for name, found in filters.items():
                result.report(**{f"{name}Recall": server.recall(queries, found, parts)})
            for name, found in filters.items():
                server.sign_in()
                requests = [server.ask(vector, found) for vector in queries]
                runs = []
                for _ in range(options.repeats):
                    run = bench.load(server.port, server.pid, requests, 16, RATED, warmup=RATE, rate=RATE)
                    if not good(run):
                        raise RuntimeError(f"searches: {run['statuses']}")
                    runs.append(run)
                result.report(**{f"{name}P50Ms": statistics.median(run["p50Us"] for run in runs) / 1000})
                result.report(**{f"{name}P99Ms": statistics.median(run["p99Us"] for run in runs) / 1000})
            begin = time.perf_counter()
            server.stop()
            server.start()
            server.index(options.vectors)
            result.report(restartSeconds=time.perf_counter() - begin)
    return result.finish({f"{name}P99Ms": P99_MS for name in filters}, {f"{name}Recall": RECALL for name in filters})


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The cost of queries among 100,200 documents: the first page against the list with the same result, page 10,000
against page 1 in the order of an index, and the count of 100,000 matches by an index.

    bench/queries.py             the whole table

Figures that are compared come from runs that alternate. Everything stays on 127.0.0.1 and is bounded.
"""

import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import raw_request  # noqa: E402
from run import Bench, Figures, arguments, good, running  # noqa: E402
from targets import Manybase, list_path, note  # noqa: E402

CONNECTIONS = 16
DOCUMENTS = 100_200
COUNTED = 100_000
FIRST = 20  # documents of the first page
LIMIT = 10  # of the pages of a walk
PAGE = 10_000
REQUESTS = 10_000
COUNTS = 200
BOUNDS = {
    "firstPageToList": 1.1,
    "sortedLateToFirst": 1.2,
    "descendingLateToFirst": 1.2,
    "filteredLateToFirst": 1.2,
    "count100000Ms": 30,
}
QUERIES = {
    "sorted": {"sort": [{"serial": 1}]},
    "descending": {"sort": [{"serial": -1}]},
    "filtered": {"filter": {"kind": "a"}, "sort": [{"serial": 1}]},
}


def prepare(bench, server):
    """Returns the token of a user who may list all documents."""
    server.create_project()
    call, admin = server.client.call, server.admin
    ((_, token),) = server.people(1)
    collection = "/api/v1/admin/collections/notes"
    call("POST", "/api/v1/admin/collections", {"name": "notes"}, admin)
    call("PUT", f"{collection}/policy", {"create": {}, "list": {}}, admin)
    for keys in ({"serial": 1}, {"kind": 1, "serial": 1}):
        call("POST", f"{collection}/indexes", {"keys": keys}, admin)
    bodies = ({**note(i), "serial": i * 7 % DOCUMENTS, "kind": "a" if i < COUNTED else "b"} for i in range(DOCUMENTS))
    bench.create(server, [raw_request("POST", "/api/v1/notes", token, body) for body in bodies])
    time.sleep(5)  # otherwise compactions of what was written would be measured too
    return token


def late_cursor(server, token, body):
    """Returns the cursor of page PAGE, which has LIMIT documents."""
    left, after = LIMIT * (PAGE - 1), {}
    while left > 0:
        page = server.client.call(
            "POST", "/api/v1/notes/query", {**body, **after, "fields": [], "limit": min(left, 1000)}, token
        )
        left -= len(page["documents"])
        after = {"after": page["next"]}
    return after


def alternating(bench, server, requests, count=REQUESTS):
    """Returns the CPU microseconds per request and the median latency of each kind of request, by name."""
    runs = {name: [] for name in requests}
    for _ in range(bench.repeats):
        for name, request in requests.items():
            run = bench.load(server.port, server.pid, [request], CONNECTIONS, count)
            if not good(run):
                raise RuntimeError(f"{name}: {run['statuses']}")
            runs[name].append(run["cpuUsPerRequest"])
    return {name: statistics.median(figures) for name, figures in runs.items()}


def first_page(bench, server, token):
    found = alternating(
        bench,
        server,
        {
            "list": raw_request("GET", list_path("notes", {"kind": "a"}, FIRST), token),
            "query": raw_request("POST", "/api/v1/notes/query", token, {"filter": {"kind": "a"}, "limit": FIRST}),
        },
    )
    return {"listCpuUs": found["list"], "queryCpuUs": found["query"], "firstPageToList": found["query"] / found["list"]}


def late_page(bench, server, token, name, body):
    bodies = {"first": {**body, "limit": LIMIT}}
    bodies["late"] = {**bodies["first"], **late_cursor(server, token, body)}
    for asked in bodies.values():
        if len(server.client.call("POST", "/api/v1/notes/query", asked, token)["documents"]) != LIMIT:
            raise RuntimeError(f"{name}: the page is not full")
    requests = {page: raw_request("POST", "/api/v1/notes/query", token, asked) for page, asked in bodies.items()}
    found = alternating(bench, server, requests)
    return {
        f"{name}FirstCpuUs": found["first"],
        f"{name}LateCpuUs": found["late"],
        f"{name}LateToFirst": found["late"] / found["first"],
    }


def count_matches(server, token):
    times = []
    for _ in range(COUNTS):
        begin = time.perf_counter()
        found = server.client.call("POST", "/api/v1/notes/count", {"filter": {"kind": "a"}}, token)
        times.append((time.perf_counter() - begin) * 1000)
        if found["count"] != COUNTED:
            raise RuntimeError(f"count: {found}")
    return {f"count{COUNTED}Ms": statistics.median(times)}


def main():
    options = arguments(__doc__)
    result = Figures()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        with running(Manybase(bench.folder / "server", options.server)) as server:
            token = prepare(bench, server)
            result.report(**first_page(bench, server, token))
            for name, body in QUERIES.items():
                result.report(**late_page(bench, server, token, name, body))
            result.report(**count_matches(server, token))
    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

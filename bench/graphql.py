#!/usr/bin/env python3
"""The cost of GraphQL: a list of 20 with one relation, compared with the REST list of the same documents with `expand`.

    bench/graphql.py                the whole table

Runs of both alternate. Everything stays on 127.0.0.1 and is bounded.
"""

import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import in_parallel, raw_request  # noqa: E402
from run import Bench, Figures, arguments, good, running  # noqa: E402
from targets import Manybase, note  # noqa: E402

CONNECTIONS = 64
REQUESTS = 20_000
DOCUMENTS = 1_000
AUTHORS = 50
BOUNDS = {"ofRestCpu": 1.5}

RULES = {operation: {} for operation in ("read", "list", "create")}
AUTHOR = {"type": "object", "properties": {"name": {"type": "string"}, "about": {"type": "string"}}}
NOTE = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "body": {"type": "string"},
        "stars": {"type": "integer"},
        "done": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "author": {"type": "string", "x-ref": "authors"},
    },
}
# Every field of the REST response.
FIELDS = "id createdAt updatedAt ownerId"
QUERY = (
    f"query($limit: Int) {{ notes(limit: $limit) {{ {FIELDS} title body stars done tags "
    f"author {{ {FIELDS} name about }} }} }}"
)


def prepare(server):
    """Returns the API key of a new project with notes and their authors."""
    server.create_project()
    call, token = server.client.call, server.admin
    for name, schema in (("authors", AUTHOR), ("notes", NOTE)):
        call("POST", "/api/v1/admin/collections", {"name": name}, token)
        call("PUT", f"/api/v1/admin/collections/{name}/schema", schema, token)
        call("PUT", f"/api/v1/admin/collections/{name}/policy", RULES, token)
    key = call("POST", "/api/v1/admin/api-keys", {"name": "bench", "scopes": ["read", "write"]}, token)["key"]

    def author(i):
        body = {"name": f"Author {i}", "about": "Writes notes about the best of times. " * 3}
        return call("POST", "/api/v1/authors", body, key)["document"]["id"]

    authors = in_parallel(author, range(AUTHORS))
    in_parallel(
        lambda i: call("POST", "/api/v1/notes", {**note(i), "author": authors[i % AUTHORS]}, key), range(DOCUMENTS)
    )
    return key


def check_same_documents(server, key):
    """Raises if the two responses hold different documents."""
    rest = server.client.call("GET", "/api/v1/notes?limit=20&expand=author", token=key)["documents"]
    body = {"query": QUERY, "variables": {"limit": 20}}
    shown = server.client.call("POST", "/api/v1/graphql", body, key)["data"]["notes"]
    if len(rest) != 20 or shown != rest:
        raise RuntimeError(f"GraphQL shows {shown[:1]}, REST {rest[:1]}")


def main():
    options = arguments(__doc__)
    result = Figures()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        with running(Manybase(bench.folder / "server", options.server)) as server:
            key = prepare(server)
            check_same_documents(server, key)
            time.sleep(1)
            requests_by_kind = {
                "rest": [raw_request("GET", "/api/v1/notes?limit=20&expand=author", key)],
                "graphql": [raw_request("POST", "/api/v1/graphql", key, {"query": QUERY, "variables": {"limit": 20}})],
            }
            runs = {kind: [] for kind in requests_by_kind}
            for _ in range(options.repeats):
                for kind, requests in requests_by_kind.items():
                    run = bench.load(server.port, server.pid, requests, CONNECTIONS, REQUESTS)
                    if not good(run):
                        raise RuntimeError(f"{kind}: {run['statuses']}")
                    runs[kind].append(run)
    for kind, figures in runs.items():
        cpu = statistics.median(run["cpuUsPerRequest"] for run in figures)
        second = statistics.median(run["perSecond"] for run in figures)
        result.report(**{f"{kind}CpuUs": cpu, f"{kind}PerSecond": second})
    pairs = zip(runs["graphql"], runs["rest"])
    result.report(ofRestCpu=statistics.median(a["cpuUsPerRequest"] / b["cpuUsPerRequest"] for a, b in pairs))
    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

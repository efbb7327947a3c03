#!/usr/bin/env python3
"""The cost of lists with more conditions than the index has: under a policy that hides nine documents in ten, and by
`$in` of many values, among 100,000 documents.

    bench/lists.py               the whole table

The lists alternate between three policies: over `ownerId`, which the entries of an index always hold; over a field that
the index includes; and over a field that it does not include. Everything stays on 127.0.0.1 and is bounded.
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
OWNERS = 10
GROUPS = 100
VALUES = 1_000
DOCUMENTS = 100_000
COUNTS = {1: 5_000, 32: 3_000, 33: 3_000, 100: 1_500, 1_000: 400}
# CPU microseconds per request.
BOUNDS = {
    "ownerCpuUs": 80,
    "in33CpuUs": 400,
    "in100CpuUs": 1_200,
    "in1000CpuUs": 3_000,
    "rareIn1000CpuUs": 3_000,
}


def prepare(bench, server):
    """Returns the tokens of OWNERS users; each owns every tenth document."""
    server.create_project()
    call, admin = server.client.call, server.admin
    tokens = [token for _, token in server.people(OWNERS)]
    call("POST", "/api/v1/admin/collections", {"name": "notes"}, admin)
    call("PUT", "/api/v1/admin/collections/notes/policy", {"create": {}}, admin)
    bodies = (
        {**note(i), "group": i // OWNERS % GROUPS, "value": i % VALUES, "serial": i, "by": f"p{i % OWNERS}"} for i in range(DOCUMENTS)
    )
    creates = [raw_request("POST", "/api/v1/notes", tokens[i % OWNERS], body) for i, body in enumerate(bodies)]
    bench.create(server, creates)
    return admin, tokens


def reshape(server, admin, rule, indexes):
    """Sets the filter of the policy and replaces the indexes."""
    call = server.client.call
    collection = "/api/v1/admin/collections/notes"
    for index in call("GET", f"{collection}/indexes", token=admin)["indexes"]:
        call("DELETE", f"{collection}/indexes/{index['name']}", token=admin)
    call("PUT", f"{collection}/policy", {"list": {"filter": rule} if rule else {}}, admin)
    for index in indexes:
        call("POST", f"{collection}/indexes", index, admin)
    # Otherwise compactions after the build, and the rewriting of entries, would be measured too.
    time.sleep(5)


def measure(bench, server, requests, count):
    runs = [bench.load(server.port, server.pid, requests, CONNECTIONS, count) for _ in range(bench.repeats)]
    for run in runs:
        if not good(run):
            raise RuntimeError(f"{requests[0][:100]}: {run['statuses']}")
    return {
        "CpuUs": statistics.median(run["cpuUsPerRequest"] for run in runs),
        "P50Us": statistics.median(run["p50Us"] for run in runs),
    }


def policy_lists(bench, server, admin, tokens, includes):
    """Measures the lists for each field of the policy."""
    plain = {"keys": {"group": 1}}
    paths = [list_path("notes", {"group": group}) for group in range(GROUPS)]
    requests = [raw_request("GET", each, token) for each in paths for token in tokens]
    mine = {"owner": ({"ownerId": "$auth.uid"}, plain), "hidden": ({"by": "p7"}, plain)}
    if includes:
        mine["included"] = ({"by": "p7"}, {**plain, "include": ["by"]})
    figures = {}
    for kind, (rule, index) in mine.items():
        reshape(server, admin, rule, [index])
        found = server.client.call("GET", list_path("notes", {"group": 7}), token=tokens[7])["documents"]
        if len(found) != 20 or {note["by"] for note in found} != {"p7"}:
            raise RuntimeError(f"{kind}: {len(found)} documents, {found[:1]}")
        for name, value in measure(bench, server, requests, 5_000).items():
            figures[f"{kind}{name}"] = value
    return figures


def many_values(bench, server, admin, token):
    reshape(server, admin, None, [{"keys": {"value": 1}}, {"keys": {"serial": 1}}])
    figures = {}
    for values, count in COUNTS.items():
        requests = []
        for start in range(0, VALUES, 53):
            wanted = sorted((start + step * 7) % VALUES for step in range(values))
            requests.append(raw_request("GET", list_path("notes", {"value": {"$in": wanted}}), token))
        for name, value in measure(bench, server, requests, count).items():
            figures[f"in{values}{name}"] = value
    # Values that only one document has.
    wanted = [sorted((start + step * 97) % DOCUMENTS for step in range(1_000)) for start in range(20)]
    requests = [raw_request("GET", list_path("notes", {"serial": {"$in": values}}), token) for values in wanted]
    for name, value in measure(bench, server, requests, COUNTS[1_000]).items():
        figures[f"rareIn1000{name}"] = value
    return figures


def main():
    options = arguments(__doc__, includes=1)
    result = Figures()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        with running(Manybase(bench.folder / "server", options.server)) as server:
            admin, tokens = prepare(bench, server)
            result.report(**policy_lists(bench, server, admin, tokens, options.includes))
            result.report(**many_values(bench, server, admin, tokens[0]))
    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

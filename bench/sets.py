#!/usr/bin/env python3
"""The cost of a list under a rule with a set of the caller, beside the same list with the set's values as literals in
the caller's filter: 10,000 end users, each a member of five of 2,000 teams, 100,000 tasks.

    bench/sets.py                the whole table; registering the users takes some minutes

The two alternate in one run, with the users' tokens in rotation. Everything stays on 127.0.0.1 and is bounded.
"""

import pathlib
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import raw_request  # noqa: E402
from run import Bench, Figures, arguments, good, running  # noqa: E402
from targets import Manybase, list_path  # noqa: E402

CONNECTIONS = 16
CALLERS = 10_000
TEAMS = 2_000
EACH = 5
TASKS = 100_000
REQUESTS = 40_000
BOUNDS = {"setPerLiteral": 1.3}


def teams_of(caller):
    return sorted(f"team{(caller * 7 + step * 401) % TEAMS:04}" for step in range(EACH))


def prepare(bench, server, callers):
    """Returns the tokens of the callers."""
    server.create_project()
    call, admin = server.client.call, server.admin
    people = server.people(callers)
    collections = "/api/v1/admin/collections"
    for name in ("memberships", "tasks"):
        call("POST", collections, {"name": name}, admin)
        call("PUT", f"{collections}/{name}/policy", {"admin": {}}, admin)

    def fill(collection, bodies):
        bench.create(server, [raw_request("POST", f"/api/v1/{collection}", admin, body) for body in bodies], CONNECTIONS)

    fill("memberships", ({"userId": user, "teamId": team} for i, (user, _) in enumerate(people) for team in teams_of(i)))
    fill("tasks", ({"teamId": f"team{i % TEAMS:04}", "n": i} for i in range(TASKS)))
    call("POST", f"{collections}/memberships/indexes", {"keys": {"userId": 1}, "covering": True}, admin)
    call("POST", f"{collections}/tasks/indexes", {"keys": {"teamId": 1}}, admin)
    where = {"collection": "memberships", "where": {"userId": "$auth.uid"}, "value": "teamId"}
    call("PUT", "/api/v1/admin/policies/sets/teams", where, admin)
    return [token for _, token in people]


def cost(bench, server, requests):
    run = bench.load(server.port, server.pid, requests, CONNECTIONS, REQUESTS, warmup=len(requests))
    if not good(run):
        raise RuntimeError(f"{requests[0][:100]}: {run['statuses']}")
    return run["cpuUsPerRequest"]


def main():
    options = arguments(__doc__, callers=CALLERS)
    result = Figures()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        with running(Manybase(bench.folder / "server", options.server)) as server:
            tokens = prepare(bench, server, options.callers)

            def policy(rule):
                body = {"list": rule, "admin": {}}
                server.client.call("PUT", "/api/v1/admin/collections/tasks/policy", body, server.admin)

            kinds = {
                "set": ({"filter": {"teamId": {"$in": "$auth.sets.teams"}}}, lambda i: "/api/v1/tasks?limit=20"),
                "literal": ({}, lambda i: list_path("tasks", {"teamId": {"$in": teams_of(i)}})),
            }
            costs = {name: [] for name in kinds}
            for _ in range(bench.repeats):
                for name, (rule, path) in kinds.items():
                    policy(rule)
                    requests = [raw_request("GET", path(i), token) for i, token in enumerate(tokens)]
                    costs[name].append(cost(bench, server, requests))
            medians = {name: statistics.median(each) for name, each in costs.items()}
            result.report(
                setCpuUs=medians["set"],
                literalCpuUs=medians["literal"],
                setPerLiteral=medians["set"] / medians["literal"],
            )
    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

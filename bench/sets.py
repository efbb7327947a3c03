#!/usr/bin/env python3
"""The cost of a list under a rule with a set of the caller, beside the same list with the set's values as literals in
the caller's filter: 10,000 end users, each a member of five of 2,000 teams, 100,000 tasks.

    bench/sets.py                the whole table; registering the users takes some minutes

The two alternate in one run, with the users' tokens in rotation. Everything stays on 127.0.0.1 and is bounded.
"""

import json
import pathlib
import statistics
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import in_parallel, raw_request  # noqa: E402
from run import Bench, Figures, arguments, good, running  # noqa: E402
from targets import PASSWORD, Manybase, address  # noqa: E402

CONNECTIONS = 16
CALLERS = 10_000
TEAMS = 2_000
EACH = 5
TASKS = 100_000
REQUESTS = 40_000
BOUNDS = {"setPerLiteral": 1.3}


def teams_of(caller):
    return sorted(f"team{(caller * 7 + step * 401) % TEAMS:04}" for step in range(EACH))


def fill(bench, server, collection, token, bodies):
    creates = [raw_request("POST", f"/api/v1/{collection}", token, body) for body in bodies]
    run = bench.load(server.port, server.pid, creates, CONNECTIONS, len(creates), warmup=0)
    if not good(run):
        raise RuntimeError(f"create: {run['statuses']}")


def prepare(bench, server, callers):
    """Returns the admin's token and those of the callers."""
    call = server.client.call
    person = {"email": "bench@example.com", "password": PASSWORD}
    server.register_first(person)
    control = call("POST", "/api/v1/control/auth/login", person)["accessToken"]
    project = call("POST", "/api/v1/control/projects", {"name": "Bench"}, control)["project"]["id"]
    admin = call("POST", f"/api/v1/control/projects/{project}/token", {}, control)["token"]

    def caller(i):
        body = {"email": f"p{i}@example.com", "password": PASSWORD}
        headers = {"x-forwarded-for": address(i)}
        user = call("POST", f"/api/v1/auth/register?project={project}", body, headers=headers)["user"]["id"]
        token = call("POST", f"/api/v1/auth/login?project={project}", body, headers=headers)["accessToken"]
        return user, token

    people = in_parallel(caller, range(callers))
    collections = "/api/v1/admin/collections"
    for name in ("memberships", "tasks"):
        call("POST", collections, {"name": name}, admin)
        call("PUT", f"{collections}/{name}/policy", {"admin": {}}, admin)
    memberships = (
        {"userId": user, "teamId": team} for i, (user, _) in enumerate(people) for team in teams_of(i)
    )
    fill(bench, server, "memberships", admin, memberships)
    fill(bench, server, "tasks", admin, ({"teamId": f"team{i % TEAMS:04}", "n": i} for i in range(TASKS)))
    call("POST", f"{collections}/memberships/indexes", {"keys": {"userId": 1}, "covering": True}, admin)
    call("POST", f"{collections}/tasks/indexes", {"keys": {"teamId": 1}}, admin)
    where = {"collection": "memberships", "where": {"userId": "$auth.uid"}, "value": "teamId"}
    call("PUT", "/api/v1/admin/policies/sets/teams", where, admin)
    return admin, [token for _, token in people]


def cost(bench, server, requests):
    run = bench.load(server.port, server.pid, requests, CONNECTIONS, REQUESTS)
    if not good(run):
        raise RuntimeError(f"{requests[0][:100]}: {run['statuses']}")
    return run["cpuUsPerRequest"]


def main():
    options = arguments(__doc__, callers=CALLERS)
    result = Figures()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=HERE.parent / "build") as folder:
        bench = Bench(options.build, folder, options.repeats)
        with running(Manybase(bench.folder / "server", options.server)) as server:
            admin, tokens = prepare(bench, server, options.callers)

            def policy(rule):
                body = {"list": rule, "admin": {}}
                server.client.call("PUT", "/api/v1/admin/collections/tasks/policy", body, admin)

            def literal(i):
                filter = json.dumps({"teamId": {"$in": teams_of(i)}}, separators=(",", ":"))
                return "/api/v1/tasks?limit=20&filter=" + urllib.parse.quote(filter, safe=":,$")

            kinds = {
                "set": ({"filter": {"teamId": {"$in": "$auth.sets.teams"}}}, lambda i: "/api/v1/tasks?limit=20"),
                "literal": ({}, literal),
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

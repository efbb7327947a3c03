#!/usr/bin/env python3
"""The cost of a membership change beside many sockets that follow a collection by a set of their callers.

    bench/memberships.py                   10,000 sockets of 1,000 end users, each a member of five teams
    bench/memberships.py --sockets 1000 --users 100    smaller (the bound is for the defaults)

Measures the server's CPU time per pair of writes, alternately: a membership of one user with a socket and a task, and a
document that concerns nobody and a task. The difference is what the change costs realtime: the socket's set is read
again, and it replays the task from the log. Everything stays on 127.0.0.1 and is bounded.
"""

import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import in_parallel  # noqa: E402
from run import Figures, arguments, running  # noqa: E402
from sockets import HeldSockets  # noqa: E402
from targets import Manybase  # noqa: E402

PAIRS = 300
TEAMS = 200
EACH = 5
BOUNDS = {"changeMs": 1}
MINE = {"filter": {"team": {"$in": "$auth.sets.teams"}}}


class Server(Manybase):
    def prepare(self, users):
        """Returns (id, token) of the users."""
        self.create_project()
        for name in ("memberships", "others", "tasks"):
            self.manage("POST", "collections", {"name": name})
        for name in ("memberships", "others"):
            self.manage("POST", f"collections/{name}/indexes", {"keys": {"user": 1}})
        asked = {"collection": "memberships", "where": {"user": "$auth.uid"}, "value": "team"}
        self.manage("PUT", "policies/sets/teams", asked)
        self.manage("PUT", "collections/tasks/policy", {"read": MINE})

        people = self.people(users)

        def join(number):
            teams = [f"team{(number * 7 + step * 41) % TEAMS}" for step in range(EACH)]
            self.document("memberships", {"user": people[number][0], "team": teams})

        in_parallel(join, range(users))
        return people

    def manage(self, method, path, body):
        return self.client.call(method, f"/api/v1/admin/{path}", body, self.admin)

    def document(self, collection, body):
        return self.manage("POST", f"collections/{collection}/documents", body)["document"]["id"]

    def cost(self, collection, user):
        """Returns the CPU milliseconds per pair of a change in this collection and a task that nobody sees."""
        id = self.document(collection, {"user": user, "team": ["hot"]})
        before = self.cpu_seconds()
        for number in range(PAIRS):
            teams = ["hot", "cold"] if number % 2 else ["hot"]
            self.manage("PATCH", f"collections/{collection}/documents/{id}", {"team": teams})
            self.document("tasks", {"team": "nobody's"})
        time.sleep(0.2)
        cost = (self.cpu_seconds() - before) * 1000 / PAIRS
        # Otherwise the next one would change nothing of the set.
        self.client.call("DELETE", f"/api/v1/admin/collections/{collection}/documents/{id}", token=self.admin)
        return cost


def main():
    options = arguments(__doc__, sockets=10_000, users=1_000)
    result = Figures()
    with tempfile.TemporaryDirectory() as folder, running(Server(pathlib.Path(folder), options.server)) as server:
        (changed, token), *people = server.prepare(options.users + 1)
        changes, others = [], []

        def tokens(name, each):
            file = pathlib.Path(folder) / name
            file.write_text("\n".join(each) + "\n")
            return file

        of_people = tokens("people", [token for _, token in people])
        with (
            HeldSockets(options.build, server.port, of_people, options.sockets, "tasks"),
            HeldSockets(options.build, server.port, tokens("changed", [token]), 1, "tasks"),
        ):
            for _ in range(options.repeats):
                others.append(server.cost("others", changed))
                changes.append(server.cost("memberships", changed))
        change, other = statistics.median(changes), statistics.median(others)
        result.report(pairWithMembershipMs=change, pairWithOtherMs=other, changeMs=change - other)
    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

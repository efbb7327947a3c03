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
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from client import in_parallel  # noqa: E402
from run import Figures, arguments, running  # noqa: E402
from targets import PASSWORD, Manybase, address  # noqa: E402

PAIRS = 300
TEAMS = 200
EACH = 5
BOUNDS = {"changeMs": 1}
MINE = {"filter": {"team": {"$in": "$auth.sets.teams"}}}


class Server(Manybase):
    def prepare(self, users):
        call = self.client.call
        person = {"email": "bench@example.com", "password": PASSWORD}
        self.register_first(person)
        control = call("POST", "/api/v1/control/auth/login", person)["accessToken"]
        project = call("POST", "/api/v1/control/projects", {"name": "Bench"}, control)["project"]["id"]
        self.admin = call("POST", f"/api/v1/control/projects/{project}/token", {}, control)["token"]
        for name in ("memberships", "others", "tasks"):
            self.manage("POST", "collections", {"name": name})
        for name in ("memberships", "others"):
            self.manage("POST", f"collections/{name}/indexes", {"keys": {"user": 1}})
        asked = {"collection": "memberships", "where": {"user": "$auth.uid"}, "value": "team"}
        self.manage("PUT", "policies/sets/teams", asked)
        self.manage("PUT", "collections/tasks/policy", {"read": MINE})

        def one(number):
            body = {"email": f"p{number}@example.com", "password": PASSWORD}
            headers = {"x-forwarded-for": address(number)}
            call("POST", f"/api/v1/auth/register?project={project}", body, headers=headers)
            session = call("POST", f"/api/v1/auth/login?project={project}", body, headers=headers)
            user = session["user"]["id"]
            teams = [f"team{(number * 7 + step * 41) % TEAMS}" for step in range(EACH)]
            self.document("memberships", {"user": user, "team": teams})
            return user, session["accessToken"]

        return in_parallel(one, range(users))

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
        return (self.cpu_seconds() - before) * 1000 / PAIRS


class Sockets:
    """Holds sockets that follow the tasks."""

    def __init__(self, options, server, tokens, count):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".tokens")
        self.file.write("\n".join(tokens) + "\n")
        self.file.flush()
        command = [options.build / "socketload", "--port", str(server.port), "--hold", "1", "--sockets", str(count)]
        command += ["--tokens", self.file.name, "--collection", "tasks"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()
        self.file.close()


def main():
    options = arguments(__doc__, sockets=10_000, users=1_000)
    result = Figures()
    with tempfile.TemporaryDirectory() as folder, running(Server(pathlib.Path(folder), options.server)) as server:
        (changed, token), *people = server.prepare(options.users + 1)
        changes, others = [], []
        with (
            Sockets(options, server, [token for _, token in people], options.sockets),
            Sockets(options, server, [token], 1),
        ):
            for _ in range(options.repeats):
                others.append(server.cost("others", changed))
                changes.append(server.cost("memberships", changed))
        change, other = statistics.median(changes), statistics.median(others)
        result.report(pairWithMembershipMs=change, pairWithOtherMs=other, changeMs=change - other)
    return result.finish(BOUNDS)


if __name__ == "__main__":
    sys.exit(main())

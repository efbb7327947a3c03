#!/usr/bin/env python3
"""Two servers on one database, and what may end or delay each part of it, in rounds under concurrent writes.

    tests/mongo/long_kills.py [--server PATH] [--rounds N] [--seed N] [--data DIR] [--only NAME,...] [--faults NAME,...]

Each round lets writers work at both servers while one fault happens: kill -9 of one server, of both, or of the database;
the database stops for some seconds; connections end in place of commits. Then what ended is started again, `manybase
check` scans the data, the audit chains are computed again, and every check compares what is stored with its ledger of
acknowledged writes. The last line is the result; exit code 0, or 1 if anything was lost, double, incomplete or different
from what was acknowledged.
"""

import base64
import collections
import os
import random
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kill.checks import CHECKS  # noqa: E402
from kill.ledger import Connection, Killed, World  # noqa: E402
from kill.program import Writers, conclude, options_of, prepared, run_rounds  # noqa: E402
from support.client import PlatformUser  # noqa: E402
from support.commands import run  # noqa: E402
from support.mongo_server import MongoServer  # noqa: E402
from support.server import Server  # noqa: E402
from support.waiting import SLOW, wait_until  # noqa: E402

# Those whose modules keep nothing outside the database, and that know no server by its process.
CHOSEN = {"documents", "unique values", "catalogue", "shelves", "users", "live sockets", "hooks"}
# The leases of a killed server last half a minute, and what it delivered then waits for its next attempt.
PATIENCE = 150
# Reads the entries of all audit records from the database, and computes their chains as src/store/chain.h says.
CHAINS = """
import bson, hashlib, json, pymongo, sys
database = pymongo.MongoClient(sys.argv[1])[sys.argv[2]]
problems, last = [], {}
for entry in database["sys_1"].find({"seq": {"$exists": True}}).sort([("_p", 1), ("seq", 1)]):
    project = entry["_p"]
    seq, hash = last.get(project, (0, "0" * 64))
    plain = {key: value for key, value in entry.items() if key not in ("_id", "_v", "_p", "_g", "hash")}
    plain = {"id": entry["_id"][8:], **plain}
    is_hash = hashlib.sha256(bytes.fromhex(entry["prev"]) + bson.encode(plain)).hexdigest()
    if (entry["seq"], entry["prev"], entry["hash"]) != (seq + 1, hash, is_hash):
        problems.append(f"the audit entry {entry['_id']} does not follow entry {seq}")
    last[project] = (entry["seq"], entry["hash"])
for project, (seq, hash) in last.items():
    head = database["chains"].find_one({"_id": f"{project}/1/"})
    if (head["seq"], head["hash"]) != (seq, hash):
        problems.append(f"the audit chain of {project} ends at {seq}, its head says {head['seq']}")
print(json.dumps({"problems": problems[:20], "entries": sum(seq for seq, _ in last.values())}))
"""


class Caller(Connection):
    """A connection to one of the servers. A write of which that does not know the outcome counts as one without a
    response."""

    def call(self, method, path, body=None):
        status, answer = super().call(method, path, body)
        if status == 503 and "outcome" in answer["error"]["message"]:
            raise Killed
        return status, answer


class TwoServers(World):
    """Connections go to the running servers in turn."""

    def use(self, servers: list[Server]) -> None:
        self.servers, self.turn = servers, 0

    def connect(self) -> Connection:
        alive = [server for server in self.servers if server.alive()]
        self.turn += 1
        return Caller(alive[self.turn % len(alive)].port, self.key)


class Rounds:
    def __init__(self, folder: Path, seed: int, only: set[str], faults: list[str]):
        self.mongo_folder = folder / "database"
        self.mongo_folder.mkdir(parents=True)
        # Each commit is in its files before its response: else it loses acknowledged writes when it is killed.
        self.mongo = MongoServer(self.mongo_folder, "--sync-on-commit")
        self.settings = {
            "MONGO_URL": f"mongodb://127.0.0.1:{self.mongo.port}/kills?replicaSet=secantus",
            "SERVICE_SECRET": base64.b64encode(os.urandom(32)).decode(),
            "SERVICE_BASE_URL": "http://127.0.0.1:8080",
            "SERVICE_STORAGE": "off",
            "SERVICE_OUTBOUND_ALLOW": "127.0.0.1",
        }
        self.servers = [Server(folder / name, self.settings) for name in ("a", "b")]
        self.chance = random.Random(seed)
        self.checks = [made for made in (check() for check in CHECKS) if made.name in only]
        for check in self.checks:
            if hasattr(check, "patience"):
                check.patience = PATIENCE
        self.faults = faults
        self.happened: collections.Counter = collections.Counter()
        self.problems: list[str] = []
        self.slowest_write = 0.0  # from a kill to the next acknowledged write

    def prepare(self) -> None:
        for server in self.servers:
            server.start()
        first = self.servers[0]
        project = PlatformUser(first).create_project("Kill rounds")
        key = project.api_key("admin").token
        self.world = TwoServers(project.id, key, first.data, first, first.port, self.chance)
        self.world.use(self.servers)
        for check in self.checks:
            check.prepare(self.world)

    # ---- faults, each with a name of FAULTS

    def kill_server(self) -> None:
        """Writes at the other one must continue."""
        self.chance.choice(self.servers).kill()
        began, before = time.monotonic(), self.world.acknowledged
        wait_until(lambda: self.world.acknowledged > before, 30, "no write after the kill of a server was acknowledged")
        self.slowest_write = max(self.slowest_write, time.monotonic() - began)

    def kill_servers(self) -> None:
        for server in self.servers:
            server.kill()

    def kill_database(self) -> None:
        self.mongo.kill()
        self.mongo.start("--sync-on-commit")

    def stall_database(self) -> None:
        os.kill(self.mongo.process.pid, signal.SIGSTOP)
        self.world.stopping.wait((0.5 + 3 * self.chance.random()) * SLOW)
        os.kill(self.mongo.process.pid, signal.SIGCONT)

    def drop_commits(self) -> None:
        data = {"failCommands": ["commitTransaction"], "closeConnection": True}
        mode = {"times": self.chance.randrange(1, 8)}
        self.mongo.run("admin", {"configureFailPoint": "failCommand", "mode": mode, "data": data})

    FAULTS = {
        "server": kill_server,
        "servers": kill_servers,
        "database": kill_database,
        "stall": stall_database,
        "commits": drop_commits,
    }

    # ---- a round

    def one(self, number: int) -> None:
        # Each of them once before one happens again.
        fault = self.faults[number % len(self.faults)]
        self.happened[fault] += 1
        self.problems += [f"round {number}, {fault}, {each}" for each in self._write_during(fault)]
        self.mongo.run("admin", {"configureFailPoint": "failCommand", "mode": "off"})
        for server in self.servers:
            if not server.alive():
                server.start()
        # The check must not count what a check of a module writes.
        looked = run("check", data=self.servers[0].data, settings=self.settings)
        if looked.returncode != 0:
            self.problems.append(f"round {number}, {fault}, manybase check: {(looked.stdout + looked.stderr)[-2000:]}")
        chains = self.mongo.evaluate(CHAINS, "kills")
        self.problems += [f"round {number}, {fault}, {each}" for each in chains["problems"]]
        if not chains["entries"]:
            self.problems.append("there is no audit entry")
        for check in self.checks:
            # Sockets go to one of the two.
            self.world.port = self.chance.choice(self.servers).port
            self.problems += [f"round {number}, {fault}, {check.name}: {each}" for each in check.verify(self.world)]

    def _write_during(self, fault: str) -> list[str]:
        writers = Writers(self.world, self.checks, self.chance)
        try:
            self.world.stopping.wait((0.3 + self.chance.random()) * SLOW)
            self.FAULTS[fault](self)
            self.world.stopping.wait((0.3 + self.chance.random()) * SLOW)
        finally:
            failures = writers.stop(120)
        return failures

    def run(self, rounds: int) -> None:
        try:
            self.prepare()
            for number in range(1, rounds + 1):
                self.one(number)
                if self.problems:
                    break
                print(f"round {number}: {self.world.acknowledged} writes acknowledged, none lost", flush=True)
            for server in self.servers if not self.problems else []:
                server.stop()
        finally:
            for server in self.servers:
                server.kill()
            self.mongo.kill()


def main() -> int:
    parser = options_of(__doc__, 30)
    parser.add_argument("--only", default=",".join(sorted(CHOSEN)), help="names of checks")
    parser.add_argument("--faults", default=",".join(Rounds.FAULTS), help="those that happen")
    options = parser.parse_args()
    folder = prepared(options)
    began = time.monotonic()
    rounds = Rounds(folder, options.seed, set(options.only.split(",")), options.faults.split(","))
    run_rounds(rounds, lambda: rounds.run(options.rounds))
    happened = ", ".join(f"{count} {fault}" for fault, count in sorted(rounds.happened.items()))
    figures = (
        f"{sum(rounds.happened.values())} rounds ({happened}), the first write after a kill within "
        f"{rounds.slowest_write:.1f} s, {time.monotonic() - began:.0f} s"
    )
    return conclude(rounds, options, folder, "mongo kills", figures)


if __name__ == "__main__":
    sys.exit(main())

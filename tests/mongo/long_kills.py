#!/usr/bin/env python3
"""Two servers on one database, and what may end or delay each part of it, in rounds under concurrent writes.

    tests/mongo/long_kills.py [--server PATH] [--rounds N] [--seed N] [--data DIR] [--only NAME,...] [--faults NAME,...]

Each round lets writers work at both servers while one fault happens: kill -9 of one server, of both, or of the database;
the database stops for some seconds; all connections of one server to it end; connections end in place of commits. With
MANYBASE_TEST_MONGO_URL the database is that server, which is neither killed nor stopped. Then what ended is started again, `manybase
check` scans the data, the audit chains are computed again, and every check compares what is stored with its ledger of
acknowledged writes. The last line is the result; exit code 0, or 1 if anything was lost, double, incomplete or different
from what was acknowledged.
"""

import base64
import collections
import contextlib
import hashlib
import os
import random
import signal
import sys
import time
from pathlib import Path

import bson
import pymongo

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kill.checks import CHECKS  # noqa: E402
from kill.hooks import Hooks  # noqa: E402
from kill.ledger import Connection, Killed, World  # noqa: E402
from kill.program import Writers, conclude, options_of, prepared, run_rounds  # noqa: E402
from support.client import PlatformUser  # noqa: E402
from support.commands import run  # noqa: E402
from support.cut_proxy import CutProxy  # noqa: E402
from support.given_mongo import URL, GivenMongo  # noqa: E402
from support.mongo_server import MongoServer  # noqa: E402
from support.server import Server  # noqa: E402
from support.waiting import SLOW, wait_until  # noqa: E402

# Those whose modules keep nothing outside the database, and that know no server by its process.
CHOSEN = {"documents", "unique values", "catalogue", "shelves", "users", "live sockets", "hooks"}
# The leases of a killed server last half a minute, and what it delivered then waits for its next attempt. So not every
# round waits for all deliveries, but each of so many (not the number of the faults), and the last one.
PATIENCE = 150
WAITS_EVERY = 8
# Of the faults: those that need the database's process, and those that are made between it and the servers.
OF_THE_DATABASE = {"database", "stall"}
THROUGH_PROXIES = {"cuts", "commits"}


def chain_problems(database) -> list[str]:
    """Computes the chains of all audit records from their entries, as src/store/chain.h says."""
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
    return problems[:20] if last else ["there is no audit entry"]


class Caller(Connection):
    """A connection to one of the servers. A write of which that does not know the outcome counts as one without a
    response; a read that a busy database has no time for is repeated."""

    def call(self, method, path, body=None):
        def responds():
            status, answer = super(Caller, self).call(method, path, body)
            return None if method == "GET" and status == 503 else (status, answer)

        status, answer = wait_until(responds, PATIENCE, f"{method} {path} is 503", interval=0.1)
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
        self.given = GivenMongo() if URL else None
        self.name = f"kills{os.urandom(4).hex()}"  # of the database
        if not self.given:
            mongo_folder = folder / "database"
            mongo_folder.mkdir(parents=True)
            # Each commit is in its files before its response: else it loses acknowledged writes when it is killed.
            self.mongo = MongoServer(mongo_folder, "--sync-on-commit")
        self.settings = {
            "MONGO_URL": (self.given or self.mongo).database(self.name),
            "SERVICE_SECRET": base64.b64encode(os.urandom(32)).decode(),
            "SERVICE_BASE_URL": "http://127.0.0.1:8080",
            "SERVICE_STORAGE": "off",
            "SERVICE_OUTBOUND_ALLOW": "127.0.0.1",
        }
        self.proxies: list[CutProxy] = []  # one for each server
        if set(faults) & THROUGH_PROXIES:
            target = self.given.first_host if self.given else ("127.0.0.1", self.mongo.port)
            self.proxies = [CutProxy(target) for _ in "ab"]
        self.servers = [Server(folder / name, self._settings_of(at)) for at, name in enumerate("ab")]
        self.chance = random.Random(seed)
        self.checks = [made for made in (check() for check in CHECKS) if made.name in only]
        for check in self.checks:
            if hasattr(check, "patience"):
                check.patience = PATIENCE
        self.faults = faults
        self.happened: collections.Counter = collections.Counter()
        self.problems: list[str] = []
        self.slowest_write = 0.0  # from a kill to the next acknowledged write
        self.spent: collections.Counter = collections.Counter()  # seconds, by part of a round

    def _settings_of(self, at: int) -> dict:
        if not self.proxies:
            return self.settings
        through = (self.given or GivenMongo(self.mongo.url)).through(self.proxies[at].port, self.name)
        return {**self.settings, "MONGO_URL": through}

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

    def cut_connections(self) -> None:
        for _ in range(3):
            self.chance.choice(self.proxies).cut()
            self.world.stopping.wait(0.3 * SLOW)

    def drop_commits(self) -> None:
        """The commits, or the responses to them."""
        for proxy in self.proxies:
            proxy.lose_commits(self.chance.randrange(1, 8))

    FAULTS = {
        "server": kill_server,
        "servers": kill_servers,
        "database": kill_database,
        "stall": stall_database,
        "cuts": cut_connections,
        "commits": drop_commits,
    }

    # ---- a round

    @contextlib.contextmanager
    def part(self, name: str):
        began = time.monotonic()
        try:
            yield
        finally:
            self.spent[name] += time.monotonic() - began

    def one(self, number: int, is_last: bool) -> None:
        # Each of them once before one happens again.
        fault = self.faults[number % len(self.faults)]
        self.happened[fault] += 1

        def add(problems: list[str]) -> None:
            self.problems.extend(f"round {number}, {fault}, {each}" for each in problems)

        with self.part("writes"):
            add(self._write_during(fault))
            for proxy in self.proxies:
                proxy.lose_commits(0)
        with self.part("starts"):
            for server in self.servers:
                if not server.alive():
                    server.start()
        # The check must not count what a check of a module writes.
        with self.part("manybase check"):
            looked = run("check", data=self.servers[0].data, settings=self.settings)
        if looked.returncode != 0:
            add([f"manybase check: {(looked.stdout + looked.stderr)[-2000:]}"])
        with self.part("chains"):
            with pymongo.MongoClient(self.settings["MONGO_URL"]) as client:
                add(chain_problems(client[self.name]))
        for check in self.checks:
            if isinstance(check, Hooks):
                check.waits = is_last or number % WAITS_EVERY == 0
            # Sockets go to one of the two.
            self.world.port = self.chance.choice(self.servers).port
            with self.part(check.name):
                add([f"{check.name}: {each}" for each in check.verify(self.world)])

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
                self.one(number, number == rounds)
                if self.problems:
                    break
                print(f"round {number}: {self.world.acknowledged} writes acknowledged, none lost", flush=True)
            for server in self.servers if not self.problems else []:
                server.stop()
        finally:
            for server in self.servers:
                server.kill()
            for proxy in self.proxies:
                proxy.close()
            if self.given:
                self.given.drop()
            else:
                self.mongo.kill()


def main() -> int:
    parser = options_of(__doc__, 30)
    parser.add_argument("--only", default=",".join(sorted(CHOSEN)), help="names of checks")
    left_out = (OF_THE_DATABASE if URL else set()) | (set() if not URL or GivenMongo().is_plain else THROUGH_PROXIES)
    possible = [name for name in Rounds.FAULTS if name not in left_out]
    parser.add_argument("--faults", default=",".join(possible), help="those that happen")
    options = parser.parse_args()
    if not set(options.faults.split(",")) <= set(possible):
        parser.error(f"the faults that can be made here: {', '.join(possible)}")
    folder = prepared(options)
    began = time.monotonic()
    rounds = Rounds(folder, options.seed, set(options.only.split(",")), options.faults.split(","))
    run_rounds(rounds, lambda: rounds.run(options.rounds))
    happened = ", ".join(f"{count} {fault}" for fault, count in sorted(rounds.happened.items()))
    spent = ", ".join(f"{seconds:.0f} s {part}" for part, seconds in rounds.spent.most_common())
    figures = (
        f"{sum(rounds.happened.values())} rounds ({happened}), the first write after a kill within "
        f"{rounds.slowest_write:.1f} s, {time.monotonic() - began:.0f} s ({spent})"
    )
    return conclude(rounds, options, folder, "mongo kills", figures)


if __name__ == "__main__":
    sys.exit(main())

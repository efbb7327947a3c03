#!/usr/bin/env python3
"""The crash test: rounds of kill -9 under concurrent writes.

    tests/kill/kill_rounds.py [--server PATH] [--rounds N] [--seed N] [--data DIR] [--only NAME,...] [--redis]

Each round starts the server, lets writers work over keep-alive connections for a moment, and kills it. Then `manybase
check` scans the data, the server is started again, and every check compares the stored state with its ledger. Now and
then the server is killed while it starts. The last line is the result; exit code 0, or 1 if anything was lost,
incomplete or different from what was acknowledged.
"""

import contextlib
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kill.checks import CHECKS  # noqa: E402
from kill.ledger import World  # noqa: E402
from kill.program import Writers, conclude, options_of, prepared, run_rounds  # noqa: E402
from support.client import PlatformUser  # noqa: E402
from support.ports import free_port  # noqa: E402
from support.server import Server, check_data  # noqa: E402
from support.waiting import SLOW  # noqa: E402


class Rounds:
    def __init__(self, folder: Path, seed: int, only: set[str] | None = None, settings: dict | None = None):
        # Webhooks go to a receiver on this machine.
        self.server = Server(folder, {"SERVICE_OUTBOUND_ALLOW": "127.0.0.1", **(settings or {})})
        self.chance = random.Random(seed)
        self.checks = [made for made in (check() for check in CHECKS) if only is None or made.name in only]
        self.problems: list[str] = []
        self.starts_cut = 0
        self.slowest_start = 0.0

    def prepare(self) -> None:
        self.server.start()
        project = PlatformUser(self.server).create_project("Kill rounds")
        self.world = World(
            project.id, project.api_key("admin").token, self.server.data, self.server, self.server.port, self.chance
        )
        for check in self.checks:
            check.prepare(self.world)

    def one(self, number: int) -> None:
        """Writes, kills, checks, starts, compares."""
        self._write_until_killed(number)
        self._look_through(number)
        if self.chance.random() < 0.15:
            # Killed while it starts: an interrupted recovery must be repeatable.
            self.server.spawn()
            time.sleep(self.chance.random() * 0.15 * SLOW)
            self.server.kill()
            self.starts_cut += 1
            self._look_through(number)
        began = time.monotonic()
        self.server.start()
        self.slowest_start = max(self.slowest_start, time.monotonic() - began)
        for check in self.checks:
            for problem in check.verify(self.world):
                self.problems.append(f"round {number}, {check.name}: {problem}")

    def _write_until_killed(self, number: int) -> None:
        writers = Writers(self.world, self.checks, self.chance)
        time.sleep((0.15 + self.chance.random() * 0.45) * SLOW)
        if not self.server.alive():
            writers.failures.append(f"the server ended by itself:\n{self.server.log()}")
        self.server.kill()
        self.problems += [f"round {number}, {failure}" for failure in writers.stop(60)]

    def _look_through(self, number: int) -> None:
        looked = check_data(self.server.data)
        if looked.returncode != 0:
            self.problems.append(
                f"round {number}, manybase check: exit code {looked.returncode}: "
                f"{(looked.stdout + looked.stderr)[-2000:]}"
            )

    def run(self, rounds: int, say=lambda text: None) -> None:
        try:
            self.prepare()
            for number in range(1, rounds + 1):
                self.one(number)
                if self.problems:
                    break
                if number % 10 == 0:
                    say(f"round {number}: {self.world.acknowledged} writes acknowledged, none lost")
            if not self.problems:
                self.server.stop()
                self._look_through(rounds)
        finally:
            self.server.kill()


class Redis:
    """A Redis server without persistence, until the end of the block; yields the `settings` of a server that uses
    it."""

    def __enter__(self):
        port = free_port()
        line = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.settings = {"REDIS_URL": f"redis://127.0.0.1:{port}"}
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def main() -> int:
    parser = options_of(__doc__, 20)
    parser.add_argument("--only", help="names of checks")
    parser.add_argument("--redis", action="store_true", help="with a Redis server, which is not killed")
    options = parser.parse_args()
    folder = prepared(options)
    began = time.monotonic()
    with Redis() if options.redis else contextlib.nullcontext() as redis:
        only = set(options.only.split(",")) if options.only else None
        rounds = Rounds(folder, options.seed, only, redis.settings if redis else None)
        run_rounds(rounds, lambda: rounds.run(options.rounds, lambda text: print(text, flush=True)))
    figures = (
        f"{options.rounds} rounds, {rounds.starts_cut} starts cut, slowest start {rounds.slowest_start:.2f} s, "
        f"{time.monotonic() - began:.0f} s"
    )
    return conclude(rounds, options, folder, "kill rounds", figures)


if __name__ == "__main__":
    sys.exit(main())

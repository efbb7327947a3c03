"""What the programs of kill rounds share: their options, the writers of a round, and how they end."""

import argparse
import os
import random
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from kill.ledger import Killed, World


def options_of(doc: str, rounds: int) -> argparse.ArgumentParser:
    """Returns a parser with the options that all of them have; `rounds` is the default."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", help="the binary (MB_SERVER, else build/release/bin/manybase)")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--data", type=Path, help="a folder to work in, which is kept (a temporary one)")
    return parser


def prepared(options: argparse.Namespace) -> Path:
    """Names the binary to the tests' support; returns the folder to work in."""
    if options.server:
        os.environ["MB_SERVER"] = str(Path(options.server).resolve())
    folder = options.data or Path(tempfile.mkdtemp(prefix="manybase-kill-"))
    print(f"seed {options.seed}, data in {folder}", flush=True)
    return folder


class Writers:
    """The writers of all checks, each in a thread with a connection of its own, from now until stop()."""

    def __init__(self, world: World, checks: list, chance: random.Random):
        self.world = world
        self.failures: list[str] = []
        world.stopping = threading.Event()
        self.threads = [
            threading.Thread(target=self._write, args=(check, write, world.connect(), random.Random(chance.random())))
            for check in checks
            for write in check.writers(world)
        ]
        for thread in self.threads:
            thread.start()

    def _write(self, check, write, connection, chance) -> None:
        try:
            while not self.world.stopping.is_set():
                write(connection, chance)
        except Killed:
            pass
        except Exception as wrong:
            self.failures.append(f"{check.name}: {type(wrong).__name__}: {wrong}")
        finally:
            connection.close()

    def stop(self, seconds: float) -> list[str]:
        """Returns what went wrong; a request that has no response after `seconds` did."""
        self.world.stopping.set()
        for thread in self.threads:
            thread.join(seconds)
        if any(thread.is_alive() for thread in self.threads):
            self.failures.append(f"a request has no response after {seconds} s")
        return self.failures


def run_rounds(rounds, work: Callable[[], None]) -> None:
    """Runs `work`; what it raises is a problem of `rounds`."""
    try:
        work()
    except Exception as wrong:
        rounds.problems.append(f"{type(wrong).__name__}: {wrong}")


def conclude(rounds, options: argparse.Namespace, folder: Path, name: str, figures: str) -> int:
    """Prints the problems and the last line; returns the exit code. The folder is kept where there is a problem."""
    for problem in rounds.problems[:50]:
        print(f"PROBLEM {problem}"[:3000])
    acknowledged = rounds.world.acknowledged if hasattr(rounds, "world") else 0
    print(
        f"{name}: {'FAILED' if rounds.problems else 'ok'}: seed {options.seed}, {acknowledged} writes acknowledged, "
        f"{len(rounds.problems)} problems, {figures}"
    )
    if not rounds.problems and options.data is None:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if rounds.problems else 0

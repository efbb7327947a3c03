"""./test: one release build with its tests, a small sanitized build for the fuzzers, every runner, and one line."""

import os
import sys

import processes
import runners
from processes import BUILD, ROOT, stage
from runners import Tally

SERVER = BUILD / "release" / "bin" / "manybase"
# Whole-server tests that also run with servers on MongoDB every time. ./test long mongo runs all of them.
ON_MONGO = ("tests/test_documents.py", "tests/test_policies.py")


def run() -> int:
    tallies: list[Tally] = []

    def done(tally: Tally | None) -> None:
        if tally is not None:
            tally.show()
            tallies.append(tally)

    broken = processes.build("release", "all", "mongo_suite_test")
    if broken:
        return _close([_failed("release build", broken)])
    broken_fuzz = processes.build("fuzz", "fuzzers")

    stage("Formatting")
    done(runners.single("formatting", [ROOT / "scripts" / "format", "--check"], 300))
    stage("Python")
    ruff = [ROOT / ".venv" / "bin" / "ruff", "check", "--no-cache"]
    done(runners.single("names of Python", ruff, 120))
    stage("Headers")
    done(runners.single("headers", [sys.executable, ROOT / "scripts" / "testing" / "headers.py"], 900))
    # Beside the tests, which often wait.
    fuzz = None if broken_fuzz else runners.FuzzRun(float(os.environ.get("MB_FUZZ_SECONDS", "60")))
    lint = runners.SingleRun("lint", [ROOT / "scripts" / "lint", "--all"], background=True)
    # Next to the others too: the suite on MongoDB often waits for what it has cut off.
    mongo_suite = runners.mongo_suite(SERVER, "test_the_suite_without_its_slow_tests")
    for tally in runners.suite("release"):
        done(tally)
    stage("Differential test")
    done(runners.differential(20_000, 600))
    stage("Catalogue example")
    done(runners.catalogue(SERVER, whole=False, seconds=600))
    stage("MongoDB")
    done(runners.mongo_servers(SERVER, "mongo-quick", ON_MONGO, 600))
    done(mongo_suite.result(1200))
    stage("clang-tidy and fuzzers")
    done(lint.result(1800))
    done(fuzz.result() if fuzz else _failed("fuzz build", broken_fuzz))
    return _close(tallies)


def _failed(name: str, output: str) -> Tally:
    tally = Tally(name)
    tally.fail(f"{name}\n{output}")
    tally.show()
    return tally


def _close(tallies: list[Tally]) -> int:
    passed = sum(tally.passed for tally in tallies)
    failed = sum(tally.failed for tally in tallies)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0

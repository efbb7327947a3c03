"""One function a runner. Each gives a Tally; a runner that crashed or ran nothing counts as one that failed."""

import json
import os
import shlex
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import processes
from processes import BUILD, ROOT

RESULTS = BUILD / "test-results"


@dataclass
class Tally:
    name: str
    passed: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    note: str = ""

    def fail(self, text: str) -> None:
        self.failed += 1
        self.failures.append(text)

    def show(self) -> None:
        skipped = f", {self.note}" if self.note else ""
        print(f"    {self.name}: {self.passed} passed, {self.failed} failed{skipped}", flush=True)
        for failure in self.failures[:60]:
            print("      FAILED " + failure.replace("\n", "\n        "), flush=True)
        if len(self.failures) > 60:
            print(f"      ... and {len(self.failures) - 60} more", flush=True)


class SingleRun:
    """A command that passes by exit code 0; result() waits for it."""

    def __init__(self, name: str, command: list, env: dict | None = None, background: bool = False):
        self.name = name
        self.log = RESULTS / f"{name.replace(' ', '-')}.log"
        self.process = processes.start(command, self.log, env, background=background)

    def result(self, seconds: float) -> Tally:
        tally = Tally(self.name)
        code = processes.finish(self.process, seconds)
        if code == 0:
            tally.passed = 1
        else:
            how = f"ended after {seconds:.0f} s" if code is None else f"exit code {code}"
            tally.fail(f"{self.name}: {how}\n{processes.tail(self.log)}")
        return tally


def single(name: str, command: list, seconds: float, env: dict | None = None) -> Tally:
    return SingleRun(name, command, env).result(seconds)


def unit_tests(preset: str, env: dict | None = None, seconds: float = 600) -> Tally:
    """Every test program that CMake knows of."""
    tally = Tally("unit tests")
    listing = subprocess.run(
        ["ctest", "--test-dir", str(BUILD / preset), "--show-only=json-v1"],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    try:
        programs = [(test["name"], test.get("command")) for test in json.loads(listing.stdout)["tests"]]
    except (ValueError, KeyError):
        tally.fail(f"ctest listed no tests\n{listing.stderr}")
        return tally
    for name, command in programs:
        if command:
            _gtest_program(tally, name, command, preset, env, seconds)
        else:
            tally.fail(f"{name}: its program was not built")
    if not programs:
        tally.fail("there is no unit test program")
    return tally


def _gtest_program(tally: Tally, name: str, command: list, preset: str, env: dict | None, seconds: float) -> None:
    log = RESULTS / preset / f"{name}.log"
    report = RESULTS / preset / f"{name}.json"
    report.unlink(missing_ok=True)
    code = processes.run([*command, f"--gtest_output=json:{report}", "--gtest_color=no"], log, seconds, env)
    if not report.exists():
        how = f"ended after {seconds:.0f} s" if code is None else f"crashed (exit code {code})"
        tally.fail(f"{name}: {how}\n{processes.tail(log)}")
        return
    ran = 0
    failed = 0
    for suite in json.loads(report.read_text()).get("testsuites", []):
        for case in suite["testsuite"]:
            if case.get("result") != "COMPLETED":
                continue
            ran += 1
            if case.get("failures"):
                failed += 1
                tally.fail(f"{name}: {suite['name']}.{case['name']}\n{case['failures'][0]['failure'][:600]}")
            else:
                tally.passed += 1
    if ran == 0:
        tally.fail(f"{name}: ran no test")
    elif code != 0 and failed == 0:
        tally.fail(f"{name}: exit code {code} with every test passed\n{processes.tail(log)}")


class PytestRun:
    """The whole-server tests in the background, in `workers` processes that take one module after another; result() waits
    for it. `tests`: those of these files and folders. MB_PYTEST: further arguments for pytest."""

    def __init__(
        self,
        server: Path,
        label: str,
        env: dict | None = None,
        arguments: list | None = None,
        workers: int = 1,
        tests: tuple[str, ...] = ("tests",),
        name: str = "whole-server tests",
    ):
        self.name = name
        self.log = RESULTS / label / "pytest.log"
        self.report = RESULTS / label / "pytest.xml"
        self.report.unlink(missing_ok=True)
        more = shlex.split(os.environ.get("MB_PYTEST", ""))
        # In the order of the files: by the number of their tests, the journeys, few and long, would be the last.
        shared = ["-n", workers, "--dist", "loadfile", "--no-loadscope-reorder"]
        self.process = processes.start(
            [sys.executable, "-m", "pytest", *tests, "-q", f"--junitxml={self.report}", *shared, *(arguments or []), *more],
            self.log,
            # The workers must name the same tests, also those of a set.
            {"MB_SERVER": str(server), "PYTHONHASHSEED": "0", **(env or {})},
        )

    def result(self, seconds: float = 1500) -> Tally:
        tally = Tally(self.name)
        code = processes.finish(self.process, seconds)
        try:
            cases = list(ElementTree.parse(self.report).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError):
            tally.fail(f"pytest ended without a report (exit code {code})\n{processes.tail(self.log)}")
            return tally
        skipped = 0
        for case in cases:
            broken = case.find("failure") if case.find("failure") is not None else case.find("error")
            if broken is not None:
                tally.fail(f"{case.get('classname')}::{case.get('name')}\n{(broken.get('message') or '')[:600]}")
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                tally.passed += 1
        tally.note = f"{skipped} skipped" if skipped else ""
        if tally.passed + tally.failed == 0:
            tally.fail("pytest ran no test")
        elif code != 0 and tally.failed == 0:
            tally.fail(f"pytest: exit code {code}\n{processes.tail(self.log)}")
        return tally


def suite(
    preset: str,
    env: dict | None = None,
    arguments: list | None = None,
    unit_seconds: float = 600,
    server_seconds: float = 1800,
) -> Iterator[Tally]:
    """Unit and whole-server tests of a build; `unit_seconds` are one program's, `server_seconds` those of the whole-server
    tests once the unit tests are done."""
    # They run next to the unit tests, and two of them a core, since they often wait (for a retry, a timeout, a page).
    server = BUILD / preset / "bin" / "manybase"
    server_tests = PytestRun(server, preset, env, arguments, workers=2 * (os.cpu_count() or 1))
    processes.stage("Unit tests")
    yield unit_tests(preset, env, unit_seconds)
    processes.stage("Whole-server tests")
    yield server_tests.result(server_seconds)


def mongo_suite(server: Path, test: str) -> SingleRun:
    """The suite of all engines on the one on MongoDB: a test of tests/mongo/long_suite.py."""
    command = [sys.executable, "-m", "pytest", f"tests/mongo/long_suite.py::{test}", "-q"]
    return SingleRun("engine on MongoDB", command, {"MB_SERVER": str(server)})


# Whole-server tests that do not get to the store of a server, or choose it themselves.
OF_NO_STORE = ("dashboard", "description", "differential", "kill", "mongo", "screens", "sdk", "speed", "tasks", "upgrade")


def mongo_servers(server: Path, label: str, tests: tuple[str, ...], seconds: float) -> Tally:
    """Whole-server tests with their servers on MongoDB."""
    # That server takes a hundredth of a second for a write, and some fixtures make thousands.
    arguments = ["--timeout=900", *(f"--ignore=tests/{folder}" for folder in OF_NO_STORE)]
    env = {"MB_STORE": "mongo", "MB_SLOW": "4"}
    run = PytestRun(server, label, env, arguments, os.cpu_count() or 1, tests, "whole-server tests on MongoDB")
    return run.result(seconds)


class FuzzRun:
    """All fuzzers, one after another, in the background; result() waits for them."""

    def __init__(self, seconds: float, at_once: int = 1):
        self.seconds = seconds
        self.report = RESULTS / "fuzz.json"
        self.report.unlink(missing_ok=True)
        self.log = RESULTS / "fuzz.log"
        self.process = processes.start(
            [sys.executable, "fuzz/run_fuzzers.py", "--seconds", seconds, "--jobs", at_once, "--report", self.report],
            self.log,
            background=True,
        )

    def result(self) -> Tally:
        tally = Tally("fuzzers")
        code = processes.finish(self.process, self.seconds * 1.5 + 300)
        try:
            fuzzers = json.loads(self.report.read_text())
        except (OSError, ValueError):
            tally.fail(f"the fuzzers ended without a report (exit code {code})\n{processes.tail(self.log)}")
            return tally
        for fuzzer in fuzzers:
            if fuzzer["ok"]:
                tally.passed += 1
            else:
                tally.fail(f"{fuzzer['name']}: {fuzzer['problem']}\n{fuzzer['output']}")
        if not fuzzers:
            tally.fail("there is no fuzzer")
        return tally


def catalogue(server: Path, whole: bool, seconds: float) -> Tally | None:
    """The example application's own test, where it is there: examples/catalogue/test.sh [all]."""
    script = ROOT / "examples" / "catalogue" / "test.sh"
    if not script.exists():
        return None
    return single("catalogue example", [script, *(["all"] if whole else [])], seconds, {"MB_SERVER": str(server)})


def differential(operations: int, seconds: float, *options: str) -> Tally:
    """The embedded engine, or with --mongo the one on MongoDB, compared with an independent implementation of MongoDB's
    semantics."""
    command = [sys.executable, "tests/differential/run.py", "--operations", operations, "--jobs", os.cpu_count() or 1]
    return single(" ".join(["differential", *options]), [*command, *options], seconds)


def pushed_filters(server: str, filters: int, seconds: float) -> Tally:
    """What the engine on MongoDB sends of filters, on a server of another origin: tests/differential/others.py."""
    command = [sys.executable, "tests/differential/pushed.py", "--server", server, "--filters", filters]
    return single(f"filters on {server}", command, seconds)


def timed(work) -> tuple:
    began = time.monotonic()
    result = work()
    return result, time.monotonic() - began

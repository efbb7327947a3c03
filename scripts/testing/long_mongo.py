"""The long runs of the engine on MongoDB, and of databases of projects' owners."""

import os
import sys

import long_work
import processes
import runners
from processes import ROOT
from runners import RESULTS, Tally


def differential() -> list[Tally]:
    operations = int(os.environ.get("MB_DIFFERENTIAL_OPERATIONS", "1000000"))
    return long_work.with_release(lambda _server: runners.differential(operations, 4 * 3600, "--mongo"))


def others() -> list[Tally]:
    if unbuilt := long_work.build_failures("release", "own_suite_test"):
        return unbuilt
    filters = int(os.environ.get("MB_PUSHED_FILTERS", "100000"))
    tallies: list[Tally] = []
    for name in ("mongo-java-server", "ferretdb", "secantusdb"):
        tallies += long_work.with_release(lambda _server, name=name: runners.pushed_filters(name, filters, 7200))
    command = [sys.executable, "-m", "pytest", "tests/mongo/long_others.py", "-q"]
    return tallies + long_work.with_release(
        lambda server: runners.single("suite on mongo-java-server", command, 1800, {"MB_SERVER": str(server)})
    )


def suites() -> list[Tally]:
    programs = ("mongo_suite_test", "own_suite_test", "introspection_suite_test", "own_changes_suite_test")
    if unbuilt := long_work.build_failures("release", *programs):
        return unbuilt
    tallies: list[Tally] = []
    for test in (
        "test_the_suite_of_all_engines",
        "test_reads_without_a_thread_go_through_tls",
        "test_databases_of_owners",
        "test_introspection_of_such_databases",
        "test_changes_of_such_databases",
    ):
        tallies += long_work.with_release(lambda server, test=test: runners.mongo_suite(server, test).result(3600))
    return tallies


def pair() -> list[Tally]:
    command = [sys.executable, "-m", "pytest", "tests/mongo/long_servers.py", "-q"]
    return long_work.with_release(
        lambda server: runners.single("several servers on MongoDB", command, 1800, {"MB_SERVER": str(server)})
    ) + long_work.marked("mongo_pair")


def tests() -> list[Tally]:
    return long_work.with_release(lambda server: runners.mongo_servers(server, "mongo", ("tests",), 7200))


def usual() -> list[Tally]:
    return suites() + pair() + tests()


def kills() -> list[Tally]:
    rounds = os.environ.get("MB_MONGO_KILL_ROUNDS", "60")
    line = [sys.executable, "tests/mongo/long_kills.py", "--rounds", rounds]
    return long_work.with_release(lambda server: runners.single("mongo kills", [*line, "--server", server], 7200))


def real() -> list[Tally]:
    if not os.environ.get("MANYBASE_TEST_MONGO_URL"):
        tally = Tally("MongoDB of one's own")
        tally.fail("name the server in MANYBASE_TEST_MONGO_URL")
        tally.show()
        return [tally]
    command = [sys.executable, "-m", "pytest", "tests/mongo/long_servers.py", "-q"]
    instances = long_work.with_release(
        lambda server: runners.single("several servers on MongoDB", command, 1800, {"MB_SERVER": str(server)})
    )
    return suites() + instances + kills()


def drivers() -> list[Tally]:
    command = [sys.executable, "-m", "pytest", "tests/mongo/long_drivers.py", "-q", "-s"]
    tallies = [runners.single("driver tests on the MongoDB-protocol server", command, 7200)]
    print(processes.tail(RESULTS / "driver-tests-on-the-MongoDB-protocol-server.log", 600))
    return tallies


def bench() -> list[Tally]:
    return long_work.with_release(
        lambda server: runners.single("cost of MongoDB", [sys.executable, ROOT / "bench" / "mongo.py"], 3600)
    )

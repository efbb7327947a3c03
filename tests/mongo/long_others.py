"""What mongo-java-server carries of the suites: databases of projects' owners, as a server without replica set."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from long_suite import OF_THE_MAIN_STORE, run_suite

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "differential"))

from engines import Server

pytestmark = pytest.mark.timeout(1800)

# What it does otherwise than MongoDB, and the tests that show it.
OTHERWISE = {
    # listCollections ignores its filter, so that each second collection of a database seems to exist.
    "listCollections": (
        "AProjectHasAtMostFiftyVectorConfigs",
        "AProjectHoldsAThousandCollections",
        "CollectionsAndProjectsAreApart",
        "NamesThatBecomeOneTypeClash",
        "NestedArraysMatchAlikeWithAnIndex",
        "NestedArraysSortAlikeWithAnIndex",
        "UniqueIndexesRefuseWhatIsTaken",
    ),
    # A document with an array without elements does not equal itself in $expr, so that it is never replaced or deleted.
    "$expr": ("PagesHoldWhatStaysOnceWhileOthersMove",),
    # Equality with arrays, and sorts through them.
    "arrays": ("ArraysInArraysAreValuesOfTheirOwn", "PagesEqualAPlainSortThroughWhateverIndexes"),
    # It has no transactions, so that of a write of two documents one may take effect.
    "transactions": ("AUniqueIndexRefusesWithItsNameAndTheDocument",),
}
# It needs longer for replies of many MiB than the server waits, on a busy machine.
LARGE = ("APageThatIsTooLargeToBeSortedIsASmallerOne",)


@pytest.fixture(scope="module")
def url():
    server = Server()
    try:
        yield f"mongodb://127.0.0.1:{server.port}/"
    finally:
        server.close()


def failed(url: str, program: str, test: str) -> str:
    """Returns the output of a test that fails."""
    done = subprocess.run(
        [Path(os.environ["MB_SERVER"]).parent / program, f"--gtest_filter=*.{test}/*"],
        env={**os.environ, "MANYBASE_TEST_MONGO_URL": url},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert "[ RUN      ]" in done.stdout, f"there is no test {test}"
    assert done.returncode != 0, f"{test} passes: it is to be taken off the list"
    return done.stdout


def test_databases_of_owners(url):
    listed = tuple(test for tests in OTHERWISE.values() for test in tests)
    run_suite(url, OF_THE_MAIN_STORE + listed + LARGE, "own_suite_test")


@pytest.mark.parametrize("test", [test for tests in OTHERWISE.values() for test in tests])
def test_what_it_does_otherwise(url, test):
    failed(url, "own_suite_test", test)


def test_the_engine_refuses_it(url):
    """It is not a replica set, and lacks the command by which drivers ask for that."""
    assert "no such command: 'hello'" in failed(url, "mongo_suite_test", "StaysAfterReopening")

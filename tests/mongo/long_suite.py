"""The suite of all engines on the one on MongoDB: on the server that MANYBASE_TEST_MONGO_URL names, or on the pinned one."""

import os
import subprocess
from pathlib import Path

import pytest

from support.mongo_server import MongoServer

pytestmark = pytest.mark.timeout(3600)

# What the pinned server does otherwise than MongoDB: a compound index through one array has an entry for each pair of
# values, not for each element; an array without elements and one within another array are the same value of a unique
# index; a sort by a path through an array leaves out the elements without the field, which are null.
OTHERWISE = (
    "UniqueTuplesThroughOneArray",
    "ArraysInArraysAreValuesOfTheirOwn",
    "PagesEqualAPlainSortThroughWhateverIndexes",
    "PagesHoldWhatStaysOnceWhileOthersMove",
)

# Those that take most of the time.
SLOW = (
    "AProjectHoldsAThousandCollections",
    "QueriesFindTheSameThroughWhateverIndexes",
    "RecountsUnderWritersAndLimitsLoseNothing",
    "ManyLargeDocumentsAreSkippedInMemory",
    "AWriteHoldsSixteenMebibytes",
    "HiddenFieldsCountInNoLimit",
)


def run_suite(url: str, left_out: tuple[str, ...]) -> None:
    program = Path(os.environ["MB_SERVER"]).parent / "mongo_suite_test"
    chosen = "-" + ":".join(f"*{name}*" for name in left_out) if left_out else "*"
    done = subprocess.run(
        [program, f"--gtest_filter={chosen}"],
        env={**os.environ, "MANYBASE_TEST_MONGO_URL": url},
        capture_output=True,
        text=True,
        timeout=3_000,
    )
    assert done.returncode == 0, "\n".join(done.stdout.splitlines()[-60:]) + done.stderr[-4000:]
    assert "[  PASSED  ]" in done.stdout


def run_on_a_server(folder: Path, left_out: tuple[str, ...]) -> None:
    if url := os.environ.get("MANYBASE_TEST_MONGO_URL"):
        return run_suite(url, left_out)
    server = MongoServer(folder)
    try:
        run_suite(server.url, OTHERWISE + left_out)
    finally:
        server.stop()


def test_the_suite_of_all_engines(tmp_path):
    run_on_a_server(tmp_path, ())


def test_the_suite_without_its_slow_tests(tmp_path):
    """Of ./test; test_the_suite_of_all_engines runs these, too."""
    run_on_a_server(tmp_path, SLOW)

"""The suite of all engines on the one on MongoDB, and on databases of projects' owners: on the server that MANYBASE_TEST_MONGO_URL names, or on the pinned one."""

import os
import subprocess
from pathlib import Path

import pytest

from support.certificates import certificate
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


# What holds on the deployment's own store alone: lists in the order of ids (here it is that of `_id`), a version for each
# write (here one for each content), marks, usage and counters by documents, exclusion of writes that only hold a document,
# unique values that one write exchanges (the server checks each statement), and sizes and names that the server refuses
# otherwise.
OF_THE_MAIN_STORE = (
    "ACounterWithoutARow",
    "ADroppedCollection",
    "ADroppedProject",
    "AMarkChanges",
    "AUniqueValueIsFree",
    "AnAlterationMakes",
    "AnIndexBuiltDuringWrites",
    "ByDescendingId",
    "CollectionsAreListed",
    "EachWriteGives",
    "FieldsThroughOneArray",
    "ListsInOrderOfId",
    "NamesAreUnique",
    "NoReadShows",
    "OfManyWritersThatExpectAVersion",
    "QueriesFindTheSame",
    "QueriesThroughShared",
    "Random",
    "Recount",
    "RefusesDocumentsThatAnIndex",
    "SeveralTargets",
    "SortedPages",
    "Usage",
    "WhatAWriteHolds",
)


def run_suite(url: str, left_out: tuple[str, ...], name: str = "mongo_suite_test", chosen: str = "*") -> None:
    program = Path(os.environ["MB_SERVER"]).parent / name
    done = subprocess.run(
        [program, f"--gtest_filter={chosen}-{':'.join(f'*{name}*' for name in left_out)}"],
        env={**os.environ, "MANYBASE_TEST_MONGO_URL": url},
        capture_output=True,
        text=True,
        timeout=3_000,
    )
    assert done.returncode == 0, "\n".join(done.stdout.splitlines()[-60:]) + done.stderr[-4000:]
    assert "[  PASSED  ]" in done.stdout


def run_on_a_server(folder: Path, left_out: tuple[str, ...], name: str = "mongo_suite_test") -> None:
    if url := os.environ.get("MANYBASE_TEST_MONGO_URL"):
        return run_suite(url, left_out, name)
    server = MongoServer(folder)
    try:
        run_suite(server.url, OTHERWISE + left_out, name)
    finally:
        server.stop()


def test_the_suite_of_all_engines(tmp_path):
    run_on_a_server(tmp_path, ())


def test_the_suite_without_its_slow_tests(tmp_path):
    """Of ./test; test_the_suite_of_all_engines runs these, too."""
    run_on_a_server(tmp_path, SLOW)


def test_reads_without_a_thread_go_through_tls(tmp_path):
    file, key = certificate(tmp_path, "server")
    server = MongoServer(tmp_path, "--tls-cert-file", str(file), "--tls-key-file", str(key))
    try:
        run_suite(f"{server.url}&tls=true&tlsCAFile={file}", OTHERWISE, chosen="DirectReadsTest.*:*Pages*")
    finally:
        server.kill()


def test_databases_of_owners(tmp_path):
    run_on_a_server(tmp_path, OF_THE_MAIN_STORE, "own_suite_test")


def test_introspection_of_such_databases(tmp_path):
    run_on_a_server(tmp_path, (), "introspection_suite_test")


def test_changes_of_such_databases(tmp_path):
    run_on_a_server(tmp_path, (), "own_changes_suite_test")

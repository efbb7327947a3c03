"""Recounts of meters by `manybase check --repair-meters`."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from support.billing import BILLED, OPERATOR, Payer, plan_limit, usage
from support.bucket import Bucket
from support.client import PlatformUser, ok, refused
from support.commands import done, result, run

WRITERS = 4
ROUNDS = 3


def sizes(bucket: Bucket) -> int:
    return sum(file["size"] for file in bucket.list()["files"])


def write_until(stop: Event, bucket: Bucket, writer: int) -> int:
    """Uploads files, replaces them by others of other sizes, and deletes some; returns how many requests were made."""
    number = 0
    while not stop.is_set():
        path = f"{writer}/{number % 5}"
        ok(bucket.put(path, b"x" * (number * 37 % 500)), 201)
        if number % 3 == 0:
            ok(bucket.delete(path), 204)
        number += 1
    return number


@pytest.mark.embedded("files are compared as of one moment, which the MongoDB-protocol server of the tests does not give")
def test_a_recount_while_files_are_uploaded(make_payer, server):
    owner = make_payer()
    bucket = Bucket(owner.create_project())
    stop = Event()
    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(write_until, stop, bucket, writer) for writer in range(WRITERS)]
        try:
            reports = [result(run("check", "--repair-meters", "--json", data=server.data)) for _ in range(ROUNDS)]
        finally:
            stop.set()
        assert all(writer.result() > 0 for writer in writers)
    for report in reports:
        assert report["problems"] == [] and report["corrections"] == [] and report["correctedMeters"] == 0
    ok(bucket.put("last", b"x" * 100), 201)
    stored = sizes(bucket)
    assert usage(bucket.project)["storageBytes"] == stored
    # The limit counts what is stored, no more and no less.
    owner.pin(storageBytes=stored + 50)
    message = refused(bucket.put("more", b"x" * 51), 403, "PLAN_LIMIT")["message"]
    assert message == plan_limit("storageBytes", stored + 50, stored, "bytes of files")
    ok(bucket.put("more", b"x" * 50), 201)
    report = result(run("check", "--json", data=server.data))
    assert report["problems"] == [] and report["corrections"] == []


def test_a_recount_without_a_server(make_server):
    server = make_server(BILLED).start()
    operator = PlatformUser(server, OPERATOR)
    bucket = Bucket(Payer(operator).create_project())
    ok(bucket.put("a", b"x" * 1234), 201)
    ok(bucket.put("b", b"x" * 66), 201)
    server.stop()
    assert done(run("check", "--repair-meters", data=server.data)).endswith("no problems, 0 meters corrected\n")
    report = result(run("check", "--repair-meters", "--json", data=server.data, settings=BILLED))
    assert report["problems"] == [] and report["corrections"] == [] and report["correctedMeters"] == 0
    assert "corrected" not in done(run("check", data=server.data))
    server.start()
    assert usage(bucket.project)["storageBytes"] == 1300

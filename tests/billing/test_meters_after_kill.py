"""kill -9 amid uploads, resumable uploads, deletes, runs and creates with vectors: after the recovery the store has no
problem, and the stored meters equal a recount.

Two rounds; `./test long billing` takes 200 (MB_BILLING_KILL_ROUNDS). A round is about two seconds of load and one of
checks."""

import itertools
import os
import random
import threading
import time

import httpx
import pytest

from support.billing import BILLED, OPERATOR, Payer
from support.bucket import Bucket
from support.client import Api, PlatformUser, ok
from support.function import database_function, http_function
from support.server import check_data
from support.vectors import Space
from support.waiting import SLOW, wait_until

ROUNDS = int(os.environ.get("MB_BILLING_KILL_ROUNDS", "2"))
LOAD_SECONDS = 2.2
# Runs that are not counted in a commit are written each second; the write itself takes a moment.
UNWRITTEN_SECONDS = 2.0
KEPT_UPLOADS = 20  # unfinished ones, from round to round
WITH_VECTOR = {"limit": 1000, "filter": '{"embedding": {"$type": "array"}}'}
TUS = {"tus-resumable": "1.0.0"}
BYTES = {**TUS, "content-type": "application/offset+octet-stream"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90 + 30 * ROUNDS)]


class Load:
    """Writers of one project, a thread each, from start() to the kill of the server. `random` is the round's."""

    def __init__(self, world: "World", seed: int):
        self.world = world
        self.random = random.Random(seed)
        self.stopped = threading.Event()
        self.wrong: list[BaseException] = []
        self.threads = [
            threading.Thread(target=self._loop, args=(step, random.Random(seed + number)))
            for number, step in enumerate(world.steps)
        ]

    def _loop(self, step, rng: random.Random) -> None:
        while not self.stopped.is_set():
            try:
                step(rng)
            except httpx.TransportError:
                return  # the server was killed
            except BaseException as wrong:
                if not self.stopped.is_set():
                    self.wrong.append(wrong)
                return

    def __enter__(self) -> "Load":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()


class Runs:
    """The runs of one project: when each was requested and when its response, or the next event, arrived."""

    def __init__(self):
        self.counted = 0  # by the meter, at the end of the last round
        self.begun = 0  # in this round
        self.ended: list[float] = []
        self.lock = threading.Lock()

    def next_round(self, counted: int) -> None:
        self.counted, self.begun, self.ended = counted, 0, []

    def least(self, killed: float) -> int:
        return self.counted + sum(1 for at in self.ended if at < killed - UNWRITTEN_SECONDS * SLOW)


class World:
    """Projects without limits: `files` with uploads and http runs, `documents` with vectors and background runs."""

    def __init__(self, server):
        self.server = server
        operator = PlatformUser(server, OPERATOR)
        self.payer = Payer(operator, storageBytes=None, functionRunsPerMonth=None, vectors=None)
        self.files, self.documents = self.payer.create_project(), self.payer.create_project()
        self.bucket = Bucket(self.files)
        self.http = http_function(self.files, "return 1;")
        self.space = Space(self.documents)
        self.background = database_function(self.documents, self.space.collection, "return 1;", ["insert"])
        # Project tokens live for minutes only.
        self.key = self.files.api_key("admin", "read", "write")
        self.documents_key = self.documents.api_key("admin", "read", "write")
        self.numbers = itertools.count(1)
        self.uploads: dict[str, int] = {}  # address below /api/v1 -> declared length; those that may be unfinished
        self.beginning = 0  # length of an upload whose beginning has no response yet
        self.lost = 0  # lengths of uploads whose beginning had no response, and that exist
        self.runs, self.events = Runs(), Runs()
        self.steps = [self.put, self.put, self.resumable, self.run, self.run, self.document]

    # ---- the writers

    def put(self, rng: random.Random) -> None:
        path = f"f{rng.randrange(30)}"
        if rng.random() < 0.3:
            assert self.bucket.delete(path, by=self.key).status_code in (204, 404)
        else:
            content = rng.randbytes(rng.randrange(20_000))
            assert self.bucket.put(path, content, by=self.key).status_code in (201, 409)

    def resumable(self, rng: random.Random) -> None:
        length = 1 + rng.randrange(50_000)
        self.beginning = length
        begun = self.key.post(self.bucket.url(f"t{rng.randrange(10)}"), headers={**TUS, "upload-length": str(length)})
        ok(begun, 201)
        address = begun.headers["location"].removeprefix("/api/v1")
        self.uploads[address] = length
        self.beginning = 0
        fate = rng.random()
        if fate < 0.2:
            ok(self.key.delete(address, headers=TUS), 204)
            del self.uploads[address]
        elif fate < 0.8:
            size = length if fate < 0.6 else length // 2
            headers = {**BYTES, "upload-offset": "0"}
            sent = self.key.patch(address, content=rng.randbytes(size), headers=headers)
            assert sent.status_code in (204, 409)

    def run(self, rng: random.Random) -> None:
        runs = self.runs
        with runs.lock:
            runs.begun += 1
        ok(self.files.public().get(f"/run/{self.files.slug}{self.http.path}", project=None))
        with runs.lock:
            runs.ended.append(time.monotonic())

    def document(self, rng: random.Random) -> None:
        """Creates a document, with a vector or without; sometimes deletes it, removes its vector or adds one."""
        id = f"d{next(self.numbers)}"
        vector = {"embedding": [rng.uniform(-1, 1) for _ in range(4)]} if rng.random() < 0.7 else {}
        self.events.begun += 1
        ok(self.documents_key.post(self.space.documents(), {"id": id, **vector}), 201)
        self.events.ended.append(time.monotonic())
        fate = rng.random()
        if fate < 0.7:
            ok(self.documents_key.delete(self.space.documents(id)), 204)
        elif fate < 0.8:
            assert self.documents_key.patch(self.space.documents(id), {"embedding": None}).is_success
        elif fate < 0.9:
            assert self.documents_key.patch(self.space.documents(id), {"embedding": [1, 0, 0, 0]}).is_success

    # ---- the recount

    def used(self, key: Api) -> dict:
        return ok(key.get("/admin/usage"))["usage"]

    def unfinished(self) -> int:
        """The declared lengths of the uploads that wait for more bytes; forgets the others."""
        for address in list(self.uploads):
            found = self.key.call("HEAD", address, headers=TUS)
            assert found.is_success or found.status_code == 404, found
            # One that has become a file is known for a while, with all its bytes.
            if found.status_code == 404 or found.headers["upload-offset"] == found.headers["upload-length"]:
                del self.uploads[address]
            else:
                assert int(found.headers["upload-length"]) == self.uploads[address]
        return sum(self.uploads.values())

    def check_bytes(self) -> None:
        listed = ok(self.key.get(f"/storage/{self.bucket.name}", params={"limit": 1000}))["files"]
        recount = sum(file["size"] for file in listed) + self.unfinished() + self.lost
        stored = self.used(self.key)["storageBytes"]
        # The beginning of an upload whose response was lost may have been committed.
        assert stored in (recount, recount + self.beginning), (stored, recount, self.beginning)
        self.lost += stored - recount
        self.beginning = 0
        # An owner may have 1,000.
        for address in list(self.uploads)[KEPT_UPLOADS:]:
            ok(self.key.delete(address, headers=TUS), 204)
            del self.uploads[address]

    def check_vectors(self) -> None:
        listed, more = 0, True
        while more:
            page = ok(self.documents_key.get(self.space.documents(), params={**WITH_VECTOR, "skip": listed}))
            listed += len(page["documents"])
            more = bool(page["documents"]) and listed < page["total"]
        assert self.used(self.documents_key)["vectors"] == listed

    def check_runs(self, killed: float) -> None:
        counted = self.used(self.key)["functionRuns"]
        assert self.runs.least(killed) <= counted <= self.runs.counted + self.runs.begun
        self.runs.next_round(counted)

    def check_background_runs(self, killed: float) -> None:
        """Runs of inserts from before the kill continue after it; one that was interrupted runs again."""
        seen: list[int] = []

        def settled() -> bool:
            seen.append(self.used(self.documents_key)["functionRuns"])
            return seen[-1] >= self.events.least(killed) and len(seen) > 5 and len(set(seen[-5:])) == 1

        what = f"{self.events.least(killed)} background runs are not counted"
        wait_until(settled, 30, lambda: f"{what}: {seen[-5:]}", interval=0.1)
        again = sum(1 for at in self.events.ended if at >= killed - UNWRITTEN_SECONDS * SLOW)
        assert seen[-1] <= self.events.counted + self.events.begun + again
        self.events.next_round(seen[-1])


@pytest.fixture
def world(make_server):
    return World(make_server(BILLED).start())


def test_meters_equal_a_recount(world):
    server = world.server
    for number in range(ROUNDS):
        with Load(world, seed=number) as load:
            due = time.monotonic() + LOAD_SECONDS * SLOW + load.random.random() * 0.3
            wait_until(lambda due=due, load=load: time.monotonic() >= due or load.wrong, 60, interval=0.01)
            killed = time.monotonic()
            # The client's connections stay open until the threads have ended.
            server.process.kill()
            server.process.wait()
        assert not load.wrong, load.wrong
        server.kill()
        assert world.runs.ended and world.events.ended, f"nothing happened in round {number}"
        checked = check_data(server.data)
        assert checked.returncode == 0, f"round {number}: {checked.stdout}{checked.stderr}"
        server.start()
        world.check_bytes()
        world.check_vectors()
        world.check_runs(killed)
        world.check_background_runs(killed)
    # Not everything was lost, or deleted.
    assert world.runs.counted > 0 and world.events.counted > 0
    assert world.used(world.key)["storageBytes"] > 0 and world.used(world.documents_key)["vectors"] > 0

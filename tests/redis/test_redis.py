"""A server with REDIS_URL: what it reports about Redis, and that nothing is lost when Redis fails."""

import re
import threading

import pytest

from support.client import Api, PlatformUser, ok, unique
from support.mongo_server import MongoServer
from support.own_database import SETTINGS, fresh, made
from support.receiver import Receiver
from support.redis_server import RedisServer
from support.server import Server
from support.waiting import SLOW, wait_until


@pytest.fixture
def redis(tmp_path):
    redis = RedisServer(tmp_path)
    yield redis
    redis.kill()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def with_redis(make_server, redis):
    return make_server({"REDIS_URL": redis.url, "SERVICE_OUTBOUND_ALLOW": "127.0.0.1"}).start()


def until_ready_says(server: Server, state: str) -> None:
    wait_until(lambda: ok(Api(server).get("/ready"))["checks"]["redis"] == state, what=f"/ready does not say {state}")


class Hooked:
    """A collection whose inserts are sent to a receiver."""

    def __init__(self, server: Server, receiver: Receiver, owner: PlatformUser | None = None):
        self.receiver = receiver
        self.project = (owner or PlatformUser(server)).create_project()
        self.collection = self.project.collection()
        self.path = "/" + unique("hook")
        hook = {"name": "hook", "collection": self.collection, "events": ["insert"], "url": receiver.url(self.path)}
        ok(self.project.admin.post("/admin/webhooks", hook), 201)
        self.inserted = 0

    def insert(self, count: int = 5) -> None:
        for _ in range(count):
            ok(self.project.admin.post(f"/admin/collections/{self.collection}/documents", {"n": self.inserted}), 201)
            self.inserted += 1

    def all_arrive(self) -> None:
        def missing() -> set:
            seen = {got.body["document"]["n"] for got in self.receiver.at(self.path)}
            return set(range(self.inserted)) - seen

        wait_until(lambda: not missing(), 60, lambda: f"{sorted(missing())} did not arrive")


def test_ready_says_whether_redis_is_there(with_redis, redis):
    until_ready_says(with_redis, "ok")
    redis.kill()
    until_ready_says(with_redis, "away")
    redis.start()
    until_ready_says(with_redis, "ok")
    redis.pause()
    until_ready_says(with_redis, "away")
    redis.go_on()
    until_ready_says(with_redis, "ok")


def test_without_the_setting_nothing_is_said_of_it(make_server):
    assert "redis" not in ok(Api(make_server().start()).get("/ready"))["checks"]


@pytest.mark.embedded("where servers share a store, jobs wait until Redis is back")
def test_deliveries_go_on_whatever_happens_to_redis(with_redis, redis, receiver):
    until_ready_says(with_redis, "ok")
    hooked = Hooked(with_redis, receiver)
    hooked.insert()
    hooked.all_arrive()
    redis.pause()
    hooked.insert()
    hooked.all_arrive()
    redis.go_on()
    until_ready_says(with_redis, "ok")
    hooked.insert()
    redis.say("FLUSHALL")
    hooked.insert()
    hooked.all_arrive()
    redis.kill()
    hooked.insert()
    hooked.all_arrive()
    redis.start()
    hooked.insert()
    until_ready_says(with_redis, "ok")
    hooked.insert()
    hooked.all_arrive()


def leases(redis: RedisServer) -> set[str]:
    """What is leased: jobs by their ids, and the changes of projects."""
    return set(re.findall(r"manybase:\w+:lease:([\w-]+)", redis.say("KEYS", "*").decode()))


def leased_jobs(redis: RedisServer) -> set[str]:
    return {name for name in leases(redis) if "changes-" not in name}


def test_leases_are_taken_and_given_back(with_redis, redis, receiver):
    until_ready_says(with_redis, "ok")
    hooked = Hooked(with_redis, receiver)
    held = []
    receiver.answers[hooked.path] = [lambda _: held.append(leased_jobs(redis)) or 204]
    hooked.insert(1)
    hooked.all_arrive()
    wait_until(lambda: held, 20)
    assert held[0]
    wait_until(lambda: not leased_jobs(redis), 20, lambda: f"{leases(redis)}")
    # Those for the changes of projects are kept as long as the server runs.
    with_redis.stop()
    assert not leases(redis)


def test_a_stop_gives_back_the_lease_of_copied_changes(make_server, redis, tmp_path):
    mongo = MongoServer(tmp_path)
    try:
        server = make_server({**SETTINGS, "REDIS_URL": redis.url}).start()
        until_ready_says(server, "ok")
        made(PlatformUser(server), fresh(mongo))
        wait_until(lambda: any(name.startswith("own-changes-") for name in leases(redis)), 30)
        server.stop()
        assert not leases(redis)
    finally:
        mongo.stop()


def test_a_killed_server_takes_up_its_own_leases(with_redis, redis, receiver):
    until_ready_says(with_redis, "ok")
    hooked = Hooked(with_redis, receiver)
    killed = threading.Event()
    receiver.answers[hooked.path] = [lambda _: killed.wait(60 * SLOW) and 204, 204]
    hooked.insert(3)
    wait_until(lambda: b":lease:" in redis.say("KEYS", "*"), 20)
    with_redis.kill()
    killed.set()
    receiver.received.clear()
    with_redis.start()
    hooked.all_arrive()


def test_the_address_may_stand_in_a_file(make_server, redis, tmp_path):
    (tmp_path / "url").write_text(redis.url + "\n")
    until_ready_says(make_server({"REDIS_URL_FILE": str(tmp_path / "url")}).start(), "ok")

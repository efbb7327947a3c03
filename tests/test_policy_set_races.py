"""A membership that ends while its member reads and writes: nothing passes that began after the answer to its removal.
MB_RACE_ROUNDS sets the number of rounds."""

import os
import threading
import time

import pytest

from support.client import ok, unique
from support.waiting import SLOW, wait_until

ROUNDS = int(os.environ.get("MB_RACE_ROUNDS", "30"))
IN = {"filter": {"teamId": {"$in": "$auth.sets.teams"}}}


@pytest.fixture(scope="module")
def scene(project):
    memberships = project.collection(policy=None, indexes=[{"keys": {"userId": 1}}])
    where = {"collection": memberships, "where": {"userId": "$auth.uid"}, "value": "teamId"}
    ok(project.admin.put("/admin/policies/sets/teams", where), 204)
    validate = {"validate": "document.teamId in auth.sets.teams"}
    tasks = project.collection(policy={"read": IN, "list": IN, "update": IN, "create": validate})
    return memberships, tasks


def passes_list(user, tasks, team, task) -> bool:
    return any(one["teamId"] == team for one in user.list(tasks))


def passes_read(user, tasks, team, task) -> bool:
    return user.get(f"/{tasks}/{task}").status_code == 200


def passes_update(user, tasks, team, task) -> bool:
    return user.patch(f"/{tasks}/{task}", {"at": unique()}).status_code == 204


def passes_create(user, tasks, team, task) -> bool:
    return user.post(f"/{tasks}", {"teamId": team, "extra": True}).status_code == 201


class Asking(threading.Thread):
    """Asks until it is stopped; holds when each request that passed began."""

    def __init__(self, ask):
        super().__init__()
        self.ask = ask
        self.passed, self.asked = [], 0
        self.stopped = threading.Event()
        self.failure = None

    def run(self):
        try:
            while not self.stopped.is_set():
                began = time.monotonic()
                if self.ask():
                    self.passed.append(began)
                self.asked += 1
        except Exception as failure:  # shown by the test
            self.failure = failure


@pytest.mark.timeout(int((120 + ROUNDS * 4) * SLOW))
def test_nothing_passes_after_a_membership_ended(project, admin, alice, scene):
    memberships, tasks = scene
    documents = f"/admin/collections/{memberships}/documents"
    passed = 0
    for _ in range(ROUNDS):
        team = unique("team")
        task = ok(admin.post(f"/admin/collections/{tasks}/documents", {"teamId": team}), 201)["document"]["id"]
        membership = ok(admin.post(documents, {"userId": alice.id, "teamId": team}), 201)["document"]["id"]
        ways = [passes_list, passes_read, passes_update, passes_create]
        asking = [Asking(lambda way=way: way(alice, tasks, team, task)) for way in ways]
        for each in asking:
            each.start()
        wait_until(lambda: all(each.asked >= 2 or each.failure for each in asking))
        ok(admin.delete(f"{documents}/{membership}"), 204)
        ended = time.monotonic()
        least = [each.asked + 3 for each in asking]
        wait_until(lambda: all(each.asked >= count or each.failure for each, count in zip(asking, least)))
        for each, way in zip(asking, ways):
            each.stopped.set()
            each.join()
            assert each.failure is None, each.failure
            assert [began for began in each.passed if began > ended] == [], way.__name__
            passed += len(each.passed)
        left = ok(admin.get(f"/admin/collections/{tasks}/documents", params={"limit": 1000}))["documents"]
        for one in left:
            ok(admin.delete(f"/admin/collections/{tasks}/documents/{one['id']}"), 204)
    assert passed >= ROUNDS, "each round began as a member"

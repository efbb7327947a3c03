"""A membership that ends while its member reads, writes, uploads and listens: nothing passes that began after the
answer to its removal, and no later change is sent. Signed links, which open their file until they expire, are not
among it. MB_RACE_ROUNDS sets the number of rounds."""

import base64
import json
import os
import threading
import time

import pytest

from support.bucket import Bucket
from support.client import ok, unique
from support.realtime import Live
from support.waiting import SLOW, wait_until

ROUNDS = int(os.environ.get("MB_RACE_ROUNDS", "15"))
IN = {"filter": {"teamId": {"$in": "$auth.sets.teams"}}}
TAGGED = {"filter": {"metadata.team": {"$in": "$auth.sets.teams"}}}
TUS = {"tus-resumable": "1.0.0"}
BYTES = {**TUS, "content-type": "application/offset+octet-stream", "upload-offset": "0"}
CONTENT = b"hello"


class Scene:
    def __init__(self, project):
        self.admin = project.admin
        self.memberships = project.collection(policy=None, indexes=[{"keys": {"userId": 1}}])
        where = {"collection": self.memberships, "where": {"userId": "$auth.uid"}, "value": "teamId"}
        ok(self.admin.put("/admin/policies/sets/teams", where), 204)
        validate = {"validate": "document.teamId in auth.sets.teams"}
        self.tasks = project.collection(policy={"read": IN, "list": IN, "update": IN, "create": validate})
        self.bucket = Bucket(project)
        self.files = f"/storage/{self.bucket.name}"
        create = {"validate": "file.metadata.team in auth.sets.teams"}
        rules = {"read": TAGGED, "list": TAGGED, "create": create, "update": TAGGED, "delete": TAGGED}
        ok(self.admin.patch(f"/admin/storage/buckets/{self.bucket.name}", {"rules": rules}), 204)

    def insert(self, collection: str, document: dict) -> str:
        return ok(self.admin.post(f"/admin/collections/{collection}/documents", document), 201)["document"]["id"]

    def remove(self, collection: str, id: str) -> None:
        ok(self.admin.delete(f"/admin/collections/{collection}/documents/{id}"), 204)

    def put(self, api, path: str, team: str):
        headers = {"content-type": "text/plain", "x-service-metadata": json.dumps({"team": team})}
        return api.put(f"{self.files}/{path}", content=CONTENT, headers=headers)

    def clear(self) -> None:
        """Removes what a round leaves behind, so that lists stay short."""
        documents = f"/admin/collections/{self.tasks}/documents"
        for one in ok(self.admin.get(documents, params={"limit": 1000}))["documents"]:
            self.remove(self.tasks, one["id"])
        for one in ok(self.admin.get(self.files, params={"limit": 1000}))["files"]:
            ok(self.admin.delete(f"{self.files}/{one['path']}"), 204)


class Round:
    """A team with a task and a file, and the requests of its member. Each method that begins with `passes` returns
    whether its request was allowed; what `before_…` returns is its argument, made before the request begins."""

    def __init__(self, scene: Scene, member):
        self.scene, self.member = scene, member
        self.team = unique("team")
        self.task = scene.insert(scene.tasks, {"teamId": self.team})
        ok(scene.put(scene.admin, f"{self.team}/kept", self.team), 201)

    def passes_list(self, _):
        return any(one["teamId"] == self.team for one in self.member.list(self.scene.tasks))

    def passes_read(self, _):
        return self.member.get(f"/{self.scene.tasks}/{self.task}").status_code == 200

    def passes_update(self, _):
        return self.member.patch(f"/{self.scene.tasks}/{self.task}", {"at": unique()}).status_code == 204

    def passes_create(self, _):
        return self.member.post(f"/{self.scene.tasks}", {"teamId": self.team, "extra": True}).status_code == 201

    def passes_file(self, _):
        return self.member.get(f"{self.scene.files}/{self.team}/kept").status_code == 200

    def passes_files(self, _):
        return bool(ok(self.member.get(self.scene.files, params={"prefix": self.team}))["files"])

    def passes_sign(self, _):
        return self.member.get(f"{self.scene.files}/{self.team}/kept", params={"sign": 60}).status_code == 200

    def passes_put(self, _):
        return self.scene.put(self.member, f"{self.team}/{unique()}", self.team).status_code == 201

    def passes_overwrite(self, _):
        return self.scene.put(self.member, f"{self.team}/kept", self.team).status_code in (200, 201)

    def before_upload(self):
        """Begins an upload; returns its address, None where that is refused."""
        tagged = base64.b64encode(json.dumps({"team": self.team}).encode()).decode()
        headers = {**TUS, "upload-length": str(len(CONTENT)), "upload-metadata": f"metadata {tagged}"}
        answer = self.member.post(f"{self.scene.files}/{self.team}/{unique()}", headers=headers)
        return answer.headers["location"].removeprefix("/api/v1") if answer.status_code == 201 else None

    def passes_begin(self, _):
        return self.before_upload() is not None

    def passes_upload(self, address):
        return address and self.member.patch(address, content=CONTENT, headers=BYTES).status_code == 204

    def ways(self):
        for name in dir(self):
            if name.startswith("passes_"):
                yield Asking(getattr(self, name), getattr(self, name.replace("passes_", "before_"), lambda: None))


class Asking(threading.Thread):
    """Asks until it is stopped; holds when each request that passed began."""

    def __init__(self, ask, before):
        super().__init__()
        self.ask, self.before = ask, before
        self.passed, self.asked = [], 0
        self.stopped = threading.Event()
        self.failure = None

    def run(self):
        try:
            while not self.stopped.is_set():
                prepared = self.before()
                began = time.monotonic()
                if self.ask(prepared):
                    self.passed.append(began)
                self.asked += 1
        except Exception as failure:  # shown by the test
            self.failure = failure

    def waits_for(self, count: int) -> bool:
        return self.asked < count and self.failure is None


@pytest.fixture(scope="module")
def scene(project):
    return Scene(project)


@pytest.mark.timeout(int((120 + ROUNDS * 6) * SLOW))
def test_nothing_passes_after_a_membership_ended_beside_requests(scene, alice):
    passed = {}
    for number in range(ROUNDS):
        if number % 20 == 19:
            alice.login()
        team = Round(scene, alice)
        membership = scene.insert(scene.memberships, {"userId": alice.id, "teamId": team.team})
        asking = list(team.ways())
        for each in asking:
            each.start()
        wait_until(lambda: not any(each.waits_for(2) for each in asking))
        scene.remove(scene.memberships, membership)
        ended = time.monotonic()
        least = [each.asked + 3 for each in asking]
        wait_until(lambda: not any(each.waits_for(count) for each, count in zip(asking, least)))
        for each in asking:
            each.stopped.set()
            each.join()
            assert each.failure is None, each.failure
            name = each.ask.__name__
            assert [began for began in each.passed if began > ended] == [], name
            passed[name] = passed.get(name, 0) + len(each.passed)
        scene.clear()
    # Some ways take longer than the membership lasts.
    assert min(passed.values()) > ROUNDS // 10, f"each way was open to the member: {passed}"


class Listener(threading.Thread):
    """Reads a socket of its own until it is stopped."""

    def __init__(self, server, token: str, collection: str, **more):
        super().__init__()
        self.live = Live(server, token)
        self.live.follow(collection, **more)
        self.events: list[dict] = []
        self.others: list[dict] = []
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.is_set():
            try:
                message = self.live.next(0.2)
            except TimeoutError:
                continue
            if message["type"] == "event":
                self.events.append(message["event"])
            else:
                self.others.append(message)

    def saw(self, team: str) -> bool:
        return any(team_of(event) == team for event in self.events)


def team_of(event: dict) -> str:
    return event["documentId"].partition("-")[0]


class Changing(threading.Thread):
    """Inserts, changes and removes tasks of the current team; holds when each change began, by id and event."""

    def __init__(self, scene: Scene):
        super().__init__()
        self.scene, self.team = scene, unique("team")
        self.began: dict[tuple, float] = {}
        self.stopped = threading.Event()
        self.failure = None

    def run(self):
        try:
            while not self.stopped.is_set():
                id = f"{self.team}-{unique()}"
                documents = f"/admin/collections/{self.scene.tasks}/documents"
                self.began[id, "insert"] = time.monotonic()
                ok(self.scene.admin.post(documents, {"id": id, "teamId": self.team}), 201)
                self.began[id, "update"] = time.monotonic()
                ok(self.scene.admin.patch(f"{documents}/{id}", {"n": 1}))
                self.began[id, "delete"] = time.monotonic()
                ok(self.scene.admin.delete(f"{documents}/{id}"), 204)
        except Exception as failure:  # shown by the test
            self.failure = failure


@pytest.mark.timeout(int((120 + ROUNDS * 6) * SLOW))
def test_nothing_is_sent_after_a_membership_ended_beside_changes(server, scene, alice):
    """Sockets stay open from round to round. A change that begins after the answer to the removal is not sent, neither
    at once nor later from the log."""
    changing = Changing(scene)
    listening = [
        Listener(server, alice.token, scene.tasks),
        Listener(server, alice.token, scene.tasks, leave=True),
        Listener(server, alice.token, scene.tasks, filter={"n": {"$exists": True}}, fields=["n"], leave=True),
    ]
    ended = {}

    def arrives(team: str) -> None:
        wait_until(lambda: changing.failure or all(each.saw(team) for each in listening))
        assert changing.failure is None, changing.failure

    try:
        for each in [changing, *listening]:
            each.start()
        for number in range(ROUNDS + 1):
            if number % 20 == 19:
                alice.login()
                for each in listening:
                    each.live.say({"type": "auth", "token": alice.token})
            team = changing.team = unique("team")
            membership = scene.insert(scene.memberships, {"userId": alice.id, "teamId": team})
            arrives(team)
            if number == ROUNDS:
                break  # what a subscription got of this team came after all that it got of the others
            scene.remove(scene.memberships, membership)
            ended[team] = time.monotonic()
            enough = len(changing.began) + 9
            wait_until(lambda: changing.failure or len(changing.began) >= enough)
    finally:
        for each in [changing, *listening]:
            each.stopped.set()
        for each in [changing, *listening]:
            if each.ident is not None:
                each.join()
        for each in listening:
            each.live.close()
    assert changing.failure is None, changing.failure
    for each in listening:
        late = [
            event
            for event in each.events
            if team_of(event) in ended and changing.began[event["documentId"], event["type"]] > ended[team_of(event)]
        ]
        assert late == []
        assert {message["type"] for message in each.others} <= {"reset", "auth_ok"}, each.others
    assert any(message["type"] == "reset" for message in listening[1].others)

"""Concurrent changes by administrators, reads and writes: no response is a 5xx except 503, no state is incomplete, and
the data directory passes the check afterwards."""

import collections
import random
import threading
import time

import pytest

from support.client import OPEN_POLICY, Api, EndUser, PlatformUser, ok, refused, unique
from support.server import check_data
from support.waiting import SLOW, wait_until

SECONDS = 5 * SLOW


class Storm:
    """Threads that each repeat one kind of request until the time is over."""

    def __init__(self):
        self.stop = time.monotonic() + SECONDS
        self.failures: list[str] = []
        self.statuses: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
        self.threads: list[threading.Thread] = []

    def add(self, name: str, action, allowed: set[int], times: int = 1) -> None:
        for number in range(times):
            self.threads.append(threading.Thread(target=self._run, args=(name, action, allowed, number)))

    def _run(self, name, action, allowed, number) -> None:
        chance = random.Random(number)
        while time.monotonic() < self.stop and not self.failures:
            try:
                response = action(chance)
            except Exception as wrong:
                self.failures.append(f"{name}: {type(wrong).__name__}: {wrong}")
                return
            self.statuses[name][response.status_code] += 1
            # 503 is a valid response to a caller that changes one thing faster than it can be changed.
            if response.status_code not in allowed | {503}:
                request = response.request
                self.failures.append(
                    f"{name}: {request.method} {request.url} gave {response.status_code}: {response.text[:500]}"
                )

    def blow(self) -> None:
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join()
        assert not self.failures, "\n".join(self.failures)
        idle = [name for name, counts in self.statuses.items() if not any(status < 300 for status in counts)]
        assert not idle, f"never went well: {idle}, {dict(self.statuses)}"


@pytest.fixture
def scene(make_server):
    server = make_server().start()
    owner = PlatformUser(server)
    project = owner.create_project()
    yield server, owner, project
    server.stop()
    checked = check_data(server.data)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_configuration_changes_under_load(scene):
    server, _, project = scene
    admin = project.admin
    name = project.collection("things", indexes=[{"keys": {"slug": 1}, "unique": True}, {"keys": {"n": 1}}])
    user, key = project.end_user(), project.api_key("read", "write")
    for n in range(50):
        key.create(name, {"id": f"d{n}", "n": n, "slug": f"s{n}", "tags": []})
    base = f"/admin/collections/{name}"
    policies = [OPEN_POLICY, {**OPEN_POLICY, "list": {"filter": {"n": {"$gte": 0}}}}, {"list": {}, "create": {}}]
    schemas = [{"type": "object"}, {"type": "object", "properties": {"n": {"type": "integer"}}}]

    def index(chance):
        which = f"idx{chance.randrange(3)}"
        if chance.random() < 0.5:
            return admin.delete(f"{base}/indexes/{which}")
        keys = chance.choice([{"tags": 1}, {"n": -1, "tags": 1}, {"slug": 1, "n": 1}])
        return admin.post(f"{base}/indexes", {"keys": keys, "name": which})

    storm = Storm()
    document = lambda chance: f"/{name}/d{chance.randrange(50)}"  # noqa: E731
    storm.add("create", lambda chance: user.post(f"/{name}", {"n": 1, "slug": unique("u")}), {201, 403})
    storm.add(
        "patch",
        lambda chance: key.patch(document(chance), {"$inc": {"n": 1}, "$addToSet": {"tags": chance.randrange(5)}}),
        {204, 403},
        3,
    )
    storm.add("get", lambda chance: key.get(document(chance)), {200, 403}, 2)
    storm.add("list", lambda chance: user.get(f"/{name}", params={"filter": '{"n": {"$gt": 20}}'}), {200, 403}, 2)
    storm.add("policy", lambda chance: admin.put(f"{base}/policy", chance.choice(policies)), {204})
    storm.add("schema", lambda chance: admin.put(f"{base}/schema", chance.choice(schemas)), {204})
    storm.add("index", index, {201, 204, 404, 409}, 2)
    storm.blow()
    ok(admin.put(f"{base}/policy", OPEN_POLICY), 204)
    found = {item["id"]: item for item in key.list(name, {"slug": {"$regex": "^s"}}, limit=1000)}
    patched = storm.statuses["patch"][204]
    assert sum(found[f"d{n}"]["n"] for n in range(50)) == sum(range(50)) + patched, "an increment was lost"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_collections_come_go_and_change_names(scene):
    _, _, project = scene
    admin, key = project.admin, project.api_key("admin")
    names = [f"col{n}" for n in range(4)]
    pick = lambda chance: chance.choice(names)  # noqa: E731
    storm = Storm()
    storm.add("make", lambda chance: admin.post("/admin/collections", {"name": pick(chance)}), {201, 409}, 2)
    storm.add("drop", lambda chance: admin.delete(f"/admin/collections/{pick(chance)}"), {204, 404})
    storm.add(
        "rename",
        lambda chance: admin.post(f"/admin/collections/{pick(chance)}/rename", {"to": pick(chance)}),
        {204, 404, 409},
    )
    storm.add("open", lambda chance: admin.put(f"/admin/collections/{pick(chance)}/policy", OPEN_POLICY), {204, 404})
    storm.add(
        "index", lambda c: admin.post(f"/admin/collections/{pick(c)}/indexes", {"keys": {"n": 1}}), {201, 404, 409}
    )
    storm.add("create", lambda c: key.post(f"/{pick(c)}", {"n": c.randrange(5)}), {201, 403, 404}, 4)
    storm.add("list", lambda c: key.get(f"/{pick(c)}", params={"filter": '{"n": 1}'}), {200, 403, 404}, 3)
    storm.add("total", lambda c: key.get(f"/admin/collections/{pick(c)}/documents"), {200, 404}, 2)
    storm.blow()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_people_come_and_go(scene):
    server, owner, project = scene
    collection = project.collection()
    admin = project.admin
    role, enduser_role = project.role("audit:read"), project.enduser_role("data:*:read", "data:*:list")
    second = PlatformUser(server)
    project.member("Owner", second)
    people = [EndUser(project) for _ in range(3)]
    members = f"/control/projects/{project.id}/members"
    extra = PlatformUser(server)

    def change_role(chance):
        permissions = chance.choice([[], ["data:*:list"], ["data:*"]])
        return admin.put(f"/admin/enduser-roles/{enduser_role}", {"permissions": permissions})

    def assign(chance):
        given = chance.choice([{}, {"role": enduser_role}])
        return admin.patch(f"/admin/users/{people[0].id}", {"metadata": given})

    def block(chance):
        return admin.post(f"/admin/users/{people[1].id}/{chance.choice(['block', 'activate', 'deactivate'])}")

    def member(chance):
        if chance.random() < 0.5:
            return owner.post(members, {"email": extra.email, "role": chance.choice(["Viewer", role])})
        return owner.delete(f"{members}/{extra.id}")

    def owners(chance):
        """Two owners demote and promote each other; one of them must stay Owner."""
        who, other = chance.choice([(owner, second), (second, owner)])
        return who.patch(f"{members}/{other.id}", {"role": chance.choice(["Owner", "Admin"])})

    def login(chance):
        return project.public().post("/auth/login", {"email": people[2].email, "password": "correct horse battery"})

    storm = Storm()
    for person in people:
        storm.add("list", lambda chance, person=person: person.get(f"/{collection}"), {200, 401, 403}, 2)
    storm.add("role", change_role, {204})
    storm.add("assign", assign, {204})
    storm.add("block", block, {204})
    storm.add("member", member, {201, 204, 404, 409})
    storm.add("owners", owners, {204, 403, 409}, 2)
    storm.add("login", login, {200, 503})
    storm.add("exchange", lambda chance: extra.post(f"/control/projects/{project.id}/token"), {200, 404})
    storm.add("key", lambda chance: admin.post("/admin/api-keys", {"name": "k", "scopes": ["read"]}), {201, 409})
    storm.blow()
    listed = ok(owner.get(members))["members"]
    assert [item for item in listed if item["role"] == "Owner"], "the project has no Owner"


def test_a_suspended_project_takes_nothing_more(scene):
    """After the response to suspend no write succeeds, not even one that was in progress."""
    _, owner, project = scene
    collection = project.collection()
    key = project.api_key("read", "write")
    taken: list[float] = []
    not_taken: list[float] = []
    stop = threading.Event()

    def write(api: Api):
        while not stop.is_set():
            began = time.monotonic()
            status = api.post(f"/{collection}", {"a": 1}).status_code
            (taken if status == 201 else not_taken).append(began)

    def wait_for_more(responses: list) -> None:
        enough = len(responses) + 20
        wait_until(lambda: len(responses) >= enough)

    threads = [threading.Thread(target=write, args=(key,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            wait_for_more(taken)
            ok(owner.post(f"/control/projects/{project.id}/suspend"), 204)
            suspended = time.monotonic()
            wait_for_more(not_taken)
            resumed = time.monotonic()
            ok(owner.post(f"/control/projects/{project.id}/resume"), 204)
            late = [began for began in taken if suspended < began < resumed - 0.05]
            assert not late, "a write succeeded while suspended"
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def at_once(*actions) -> list:
    """Runs the actions in parallel, starting together; returns their responses in order."""
    barrier = threading.Barrier(len(actions))
    answers: list = [None] * len(actions)

    def run(at: int, action) -> None:
        barrier.wait()
        answers[at] = action()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_a_role_is_deleted_or_handed_out_never_both(scene):
    server, owner, project = scene
    members = f"/control/projects/{project.id}/members"
    people = [PlatformUser(server) for _ in range(3)]
    for person in people:
        project.member("Viewer", person)
    outcomes = collections.Counter()
    for number in range(25):
        role = project.role("audit:read", name=f"passing{number}")
        invited = f"{unique('later')}@example.com"
        deleted, *given = at_once(
            lambda role=role: project.admin.delete(f"/admin/roles/{role}"),
            lambda role=role: owner.patch(f"{members}/{people[0].id}", {"role": role}),
            lambda role=role: owner.patch(f"{members}/{people[1].id}", {"role": role}),
            lambda role=role, invited=invited: owner.post(members, {"email": invited, "role": role}),
        )
        assert deleted.status_code in (204, 409), deleted.text
        assert all(answer.status_code in (201, 204, 400) for answer in given), [answer.text for answer in given]
        having = [item for item in ok(owner.get(members))["members"] if item["role"] == role]
        outcomes[deleted.status_code] += 1
        if deleted.status_code == 204:
            assert not having, "a member has a deleted role"
            assert all(answer.status_code == 400 for answer in given)
        else:
            assert having, "an unused role was not deleted"
            for person in people[:2]:
                ok(owner.patch(f"{members}/{person.id}", {"role": "Viewer"}), 204)
            assert project.admin.delete(f"/admin/roles/{role}").status_code in (204, 409)
    assert outcomes


def test_a_role_promised_by_an_invite_stays(scene):
    _, owner, project = scene
    members = f"/control/projects/{project.id}/members"
    role = project.role("audit:read")
    address = f"{unique('later')}@example.com"
    ok(owner.post(members, {"email": address, "role": role}), 201)
    refused(project.admin.delete(f"/admin/roles/{role}"), 409, "CONFLICT")
    ok(owner.delete(f"{members}/pending/{address}"), 204)
    ok(project.admin.delete(f"/admin/roles/{role}"), 204)


def test_of_names_that_clash_one_is_made(scene):
    _, _, project = scene
    for number in range(10):
        spellings = [f"side-by{number}", f"side_by{number}", f"Side-By{number}", f"SIDE_BY{number}"]
        answers = at_once(
            *(lambda name=name: project.admin.post("/admin/collections", {"name": name}) for name in spellings)
        )
        assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


def test_a_logout_ends_one_session_and_no_other(scene):
    """While other members are added and removed, a remaining member is never refused, and a removed one is refused at
    once."""
    _, _, project = scene
    collection = project.collection()
    staying = [EndUser(project) for _ in range(2)]
    leaving = [EndUser(project) for _ in range(2)]

    def come_and_go(person):
        def act(_chance):
            person.login()
            assert person.get(f"/{collection}").status_code == 200
            left = project.public().post("/auth/logout", {"refreshToken": person.tokens["refreshToken"]})
            assert left.status_code == 204, left.text
            assert person.get(f"/{collection}").status_code == 401, "a token outlived its session"
            return left

        return act

    storm = Storm()
    storm.stop = time.monotonic() + 2 * SLOW
    for person in staying:
        storm.add("stay", lambda chance, person=person: person.get(f"/{collection}"), {200}, 2)
    for person in leaving:
        storm.add("leave", come_and_go(person), {204})
    storm.blow()

"""200 uses at once of what a plan limits to 100: exactly 100 pass. Two rounds of each; `./test long billing` takes 50
(MB_BILLING_ROUNDS). A round takes about a second, of projects about two."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.billing import plan_limit, usage
from support.bucket import Bucket
from support.client import PlatformUser, ok, refused, unique
from support.function import http_function
from support.realtime import Live, is_error
from support.waiting import wait_until

ROUNDS = int(os.environ.get("MB_BILLING_ROUNDS", "2"))
AT_ONCE = 200
LIMIT = 100
# Of a caller whose request met a server that was busy, or lost to others each time that the server repeated it.
ATTEMPTS = 50

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90 + 20 * ROUNDS)]


@pytest.fixture(scope="module")
def pool():
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield pool


def is_busy(response) -> bool:
    return response.status_code == 503 or (
        response.status_code == 409 and "at the same time" in response.json()["error"]["message"]
    )


def patient(call, *arguments):
    """The response to a call, repeated while the server is busy."""
    for _ in range(ATTEMPTS):
        response = call(*arguments)
        if not is_busy(response):
            return response
    raise AssertionError(f"the server was busy {ATTEMPTS} times: {response.text}")


def exactly_the_limit(pool, call, passed: int, refusal: tuple[int, str]) -> None:
    """Checks that of AT_ONCE calls exactly LIMIT get the status `passed`, the others the refusal: its status and the
    message that it begins with."""
    responses = list(pool.map(lambda number: patient(call, number), range(AT_ONCE)))
    count = 0
    for response in responses:
        if response.status_code == passed:
            count += 1
            continue
        message = refused(response, refusal[0], "PLAN_LIMIT")["message"]
        assert message.startswith(refusal[1]), message
    assert count <= LIMIT
    # One that was counted while the server was busy gave its place back, after others had been refused.
    for number in range(AT_ONCE, AT_ONCE + LIMIT - count):
        ok(patient(call, number), passed)
    assert refused(patient(call, 2 * AT_ONCE), refusal[0])["code"] == "PLAN_LIMIT"


def test_uploads(make_payer, pool):
    content = b"x" * 10
    for _ in range(ROUNDS):
        project = make_payer(storageBytes=LIMIT * len(content)).create_project()
        bucket = Bucket(project)
        exactly_the_limit(
            pool, lambda number: bucket.put(f"f{number}", content), 201, (403, "plan limit: storageBytes: the plan Free")
        )
        assert usage(project)["storageBytes"] == LIMIT * len(content)
        assert len(bucket.list(limit=1000)["files"]) == LIMIT


def test_resumable_uploads(make_payer, pool):
    headers = {"tus-resumable": "1.0.0", "upload-length": "10"}
    for _ in range(ROUNDS):
        project = make_payer(storageBytes=LIMIT * 10).create_project()
        bucket = Bucket(project)

        def begin(number: int, bucket=bucket):
            return bucket.project.admin.post(bucket.url(f"f{number}"), headers=headers)

        exactly_the_limit(pool, begin, 201, (403, "plan limit: storageBytes: the plan Free"))
        assert usage(project)["storageBytes"] == LIMIT * 10


def test_runs(make_payer, pool):
    for _ in range(ROUNDS):
        project = make_payer(functionRunsPerMonth=LIMIT).create_project()
        path = f"/run/{project.slug}{http_function(project, 'return 1;').path}"
        exactly_the_limit(
            pool,
            lambda _, project=project, path=path: project.public().get(path, project=None),
            200,
            (429, plan_limit("functionRunsPerMonth", LIMIT, LIMIT, "function runs in a month")),
        )
        assert usage(project)["functionRuns"] == LIMIT


def test_sockets(make_payer, pool):
    for _ in range(ROUNDS):
        project = make_payer(realtimeConnections=LIMIT).create_project()
        opened = []

        def attempt(_, project=project, opened=opened) -> bool:
            live = Live(project.server)
            opened.append(live)
            reply = live.ask({"type": "auth", "token": project.admin.token})
            if reply == {"type": "auth_ok"}:
                return True
            is_error(reply, "CONNECTION_LIMIT")
            return False

        try:
            assert sum(pool.map(attempt, range(AT_ONCE))) == LIMIT
            assert usage(project)["realtimeConnections"] == LIMIT
        finally:
            list(pool.map(lambda live: live.close(), opened))
        wait_until(lambda project=project: usage(project)["realtimeConnections"] == 0)


def test_projects(operator, make_payer, pool):
    for _ in range(ROUNDS):
        user: PlatformUser = make_payer(maxProjects=LIMIT)

        def create(_, user=user):
            return user.post("/control/projects", {"name": unique("Shop ")})

        exactly_the_limit(pool, create, 201, (403, plan_limit("maxProjects", LIMIT, LIMIT, "projects")))
        made = ok(user.get("/control/projects"))["projects"]
        assert len(made) == LIMIT
        for project in made:
            ok(user.delete(f"/control/projects/{project['id']}"), 204)

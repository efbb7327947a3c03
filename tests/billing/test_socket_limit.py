"""The plan's limit of a project's open sockets."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from support.billing import BILLED, OPERATOR, Payer, plan_limit, usage
from support.client import PlatformUser, Project, ok
from support.realtime import Live, is_error
from support.waiting import wait_until

PUBLIC = {"read": {}, "public": {"read": {}}}


@pytest.fixture
def make_project(make_payer):
    """Makes projects whose owner has a limit of sockets."""
    return lambda sockets: make_payer(realtimeConnections=sockets).create_project()


@pytest.fixture
def opened():
    """Sockets that the test leaves open."""
    sockets = []
    yield sockets
    for live in sockets:
        live.close()


def socket_limit(max: int, use: int) -> str:
    return plan_limit("realtimeConnections", max, use, "realtime connections")


def refusal(project: Project) -> str:
    """Checks that a further socket is refused and closed; returns the message."""
    with Live(project.server) as live:
        error = is_error(live.ask({"type": "auth", "token": project.admin.token}), "CONNECTION_LIMIT")
        assert live.closed() == 1008
        return error["message"]


def wait_for_sockets(project: Project, count: int) -> None:
    """The server notices the end of a socket a little later than the client."""
    wait_until(lambda: usage(project)["realtimeConnections"] == count)


def test_one_more_is_refused(make_project, opened):
    project, other = make_project(2), make_project(2)
    opened += [Live(project.server, project.admin.token) for _ in range(2)]
    opened[0].auth(project.admin.token)  # does not count twice
    for _ in range(2):
        assert refusal(project) == socket_limit(2, 2)
    assert usage(project)["realtimeConnections"] == 2
    with Live(other.server, other.admin.token):
        assert usage(other)["realtimeConnections"] == 1


def test_a_closed_socket_makes_way(make_project, opened):
    project = make_project(2)
    opened += [Live(project.server, project.admin.token) for _ in range(2)]
    for _ in range(3):
        opened.pop().close()
        wait_for_sockets(project, 1)
        opened.append(Live(project.server, project.admin.token))
        assert refusal(project) == socket_limit(2, 2)


def test_sockets_that_were_refused_take_nothing(make_project, opened):
    project = make_project(0)
    for _ in range(3):
        assert refusal(project) == socket_limit(0, 0)
    assert usage(project)["realtimeConnections"] == 0
    project.owner.pin(realtimeConnections=1)
    opened.append(Live(project.server, project.admin.token))


def test_a_lowered_limit_closes_none(make_project, opened):
    project = make_project(3)
    posts = project.collection()
    opened += [Live(project.server, project.admin.token) for _ in range(3)]
    project.owner.pin(realtimeConnections=1)
    assert refusal(project) == socket_limit(1, 3)
    for live in opened:
        live.follow(posts)
        live.auth(project.admin.token)
    made = ok(project.admin.post(f"/admin/collections/{posts}/documents", {}), 201)["document"]["id"]
    for live in opened:
        assert live.event()["documentId"] == made
    for _ in range(2):
        opened.pop().close()
    wait_for_sockets(project, 1)
    assert refusal(project) == socket_limit(1, 1)
    project.owner.pin(realtimeConnections=None)
    opened += [Live(project.server, project.admin.token) for _ in range(4)]


def test_half_of_them_without_a_token(make_project, opened):
    project = make_project(3)
    project.collection(policy=PUBLIC)
    query = f"?project={project.id}"
    anonymous = {"type": "auth", "anonymous": True}
    opened.append(Live(project.server, query=query))
    assert opened[0].ask(anonymous) == {"type": "auth_ok"}
    with Live(project.server, query=query) as second:
        is_error(second.ask(anonymous), "CONNECTION_LIMIT")
        assert second.closed() == 1008
    opened += [Live(project.server, project.admin.token) for _ in range(2)]
    assert refusal(project) == socket_limit(3, 3)


def test_the_lower_of_plan_and_instance(make_server, opened):
    server = make_server({**BILLED, "SERVICE_REALTIME_MAX_CONNECTIONS": "2"}).start()
    payer = Payer(PlatformUser(server, OPERATOR), realtimeConnections=5)
    project = payer.create_project()
    opened += [Live(server, project.admin.token) for _ in range(2)]
    message = refusal(project)
    assert message.startswith("plan limit: ") and "realtimeConnections" not in message
    payer.pin(realtimeConnections=1)
    assert refusal(project) == socket_limit(1, 2)
    payer.pin(realtimeConnections=None)
    assert refusal(project) == message


@pytest.mark.slow
def test_many_at_once_take_exactly_the_limit(make_project, opened):
    project = make_project(10)

    def attempt(_) -> bool:
        live = Live(project.server)
        opened.append(live)
        reply = live.ask({"type": "auth", "token": project.admin.token})
        if reply == {"type": "auth_ok"}:
            return True
        is_error(reply, "CONNECTION_LIMIT")
        assert live.closed() == 1008
        return False

    with ThreadPoolExecutor(40) as pool:
        for _ in range(5):
            assert sum(pool.map(attempt, range(40))) == 10
            assert refusal(project) == socket_limit(10, 10)
            assert usage(project)["realtimeConnections"] == 10
            while opened:
                opened.pop().close()
            wait_for_sockets(project, 0)

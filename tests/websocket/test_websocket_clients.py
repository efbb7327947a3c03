"""WebSockets with two independent client libraries."""

import pytest
from websockets.exceptions import ConnectionClosed
from wsproto.events import CloseConnection, Ping

from support.realtime import Live
from support.websocket import WsprotoClient

UNKNOWN = {"type": "hello"}
LONG = "It was the best of times, it was the worst of times. " * 100


@pytest.mark.parametrize("compression", ["deflate", None])
def test_websockets_speaks_and_is_answered(server, compression):
    with Live(server, compression=compression) as live:
        names = [extension.name for extension in live.socket.protocol.extensions]
        assert names == (["permessage-deflate"] if compression else [])
        for _ in range(20):
            assert live.ask(UNKNOWN)["type"] == "error"
        pong = live.socket.ping()
        assert pong.wait(10)


@pytest.mark.parametrize("deflate", [True, False])
def test_wsproto_speaks_and_is_answered(server, deflate):
    with WsprotoClient(server, deflate) as client:
        assert bool(client.extensions) == deflate
        for _ in range(20):
            assert client.ask(UNKNOWN)["type"] == "error"


@pytest.mark.parametrize("deflate", [True, False])
def test_messages_may_come_in_many_frames_and_pieces(server, deflate):
    with WsprotoClient(server, deflate, piece=1) as client:
        assert client.ask({"type": "auth", "token": "é€😀" * 50}, pieces=40)["type"] == "error"
        client.say({"type": "hello"}, pieces=1)
        client.send(Ping(payload=b"are you there"))
        assert client.next()["type"] == "error"
        assert client.ask(UNKNOWN)["type"] == "error"
        assert client.pongs == [b"are you there"]


def test_large_messages_arrive_the_same_deflated_or_not(server, project, admin):
    project.collection("tales")
    token = admin.token
    with (
        Live(server, token) as packed,
        Live(server, token, compression=None) as plain,
        WsprotoClient(server) as other,
    ):
        assert other.ask({"type": "auth", "token": token}) == {"type": "auth_ok"}
        subscribe = {"type": "subscribe", "id": "s", "collection": "tales"}
        assert other.ask(subscribe) == {"type": "subscribed", "id": "s"}
        packed.follow("tales")
        plain.follow("tales")
        for number in range(3):
            admin.create("tales", {"title": f"tale {number}", "text": LONG * (1 + number * 10)})
        for number in range(3):
            events = [packed.next(), plain.next(), other.next()]
            assert events[0] == events[1] == events[2]
            assert events[0]["event"]["document"]["text"] == LONG * (1 + number * 10)


def test_either_side_may_say_goodbye(server):
    with Live(server) as live:
        live.socket.close(4321, "enough")
        assert live.socket.close_code == 4321
    with WsprotoClient(server) as client:
        answer = client.close(3456, "enough")
        assert isinstance(answer, CloseConnection) and answer.code == 3456
        assert client.left()


def test_messages_past_the_limit_end_the_socket(server):
    with Live(server) as live:
        with pytest.raises(ConnectionClosed):
            live.say("x" * (64 * 1024 + 1))
            live.next()
        assert live.closed() == 1009
    with WsprotoClient(server) as client:
        client.say("x" * (200 * 1024), pieces=10)
        assert client.event().code == 1009


def test_stopping_the_server_closes_every_socket_with_a_code(make_server):
    server = make_server().start()
    lives = [Live(server) for _ in range(5)]
    clients = [WsprotoClient(server) for _ in range(5)]
    server.process.terminate()
    for live in lives:
        assert live.closed() == 1001
    for client in clients:
        event = client.event()
        assert event.code == 1001
        client.send(event.response())
        assert client.left()
    assert server.process.wait(20) == 0

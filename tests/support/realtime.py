"""Realtime sockets as apps open them."""

import json
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from support.client import Api, ok
from support.server import Server
from support.waiting import SLOW

PATIENCE = 20


class Live:
    """One socket. `say` sends, `next` waits for a message; an unexpected message fails the test, so none is missed."""

    def __init__(self, server: Server, token: str | None = None, query: str = "", **more):
        self.server = server
        self._opened = connect(
            f"ws://127.0.0.1:{server.port}/api/v1/realtime{query}",
            open_timeout=PATIENCE * SLOW,
            max_size=None,
            max_queue=None,
            proxy=None,
            **more,
        )
        self.socket = self._opened.__enter__()
        if token is not None:
            self.auth(token)

    def __enter__(self) -> "Live":
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        self._opened.__exit__(None, None, None)

    def say(self, message) -> None:
        self.socket.send(message if isinstance(message, str) else json.dumps(message))

    def next(self, seconds: float = PATIENCE) -> dict:
        return json.loads(self.socket.recv(timeout=seconds * SLOW))

    def ask(self, message) -> dict:
        self.say(message)
        return self.next()

    def auth(self, token: str) -> None:
        answer = self.ask({"type": "auth", "token": token})
        assert answer == {"type": "auth_ok"}, answer

    def follow(self, collection: str, id: str = "s", **more) -> None:
        answer = self.ask({"type": "subscribe", "id": id, "collection": collection, **more})
        assert answer == {"type": "subscribed", "id": id}, answer

    def event(self, id: str = "s") -> dict:
        """Returns the `event` of the next message, which must be an event of this subscription, with its position in
        it."""
        message = self.next()
        assert message["type"] == "event" and message["subscription"] == id, message
        return {**message["event"], "position": message["position"]}

    def error(self, code: str, id: str | None = None) -> dict:
        """Checks that the next message is this error; returns it."""
        return is_error(self.next(), code, id)

    def closed(self, seconds: float = PATIENCE) -> int:
        """Reads until the server closes the socket; returns the code."""
        limit = time.monotonic() + seconds * SLOW
        try:
            while time.monotonic() < limit:
                self.socket.recv(timeout=limit - time.monotonic())
        except ConnectionClosed as ended:
            return ended.rcvd.code if ended.rcvd else 1006
        raise AssertionError("the socket was not closed")


def is_error(message: dict, code: str, id: str | None = None) -> dict:
    assert message["type"] == "error" and message["code"] == code, message
    assert message.get("id") == id, message
    assert set(message) == {"type", "code", "message"} | ({"id"} if id is not None else set()), message
    assert isinstance(message["message"], str) and message["message"], message
    return message


class Marker:
    """A collection that all sockets follow in addition: once its document has arrived, all earlier events have
    arrived."""

    def __init__(self, project):
        self.name = project.collection()
        self.admin: Api = project.admin

    def follow(self, live: Live) -> None:
        live.follow(self.name, id="marker")

    def rest(self, live: Live) -> list[dict]:
        """Returns every message that the socket gets for the writes until now."""
        made = ok(self.admin.post(f"/admin/collections/{self.name}/documents", {}), 201)["document"]["id"]
        messages = []
        while True:
            message = live.next()
            if message["type"] == "event" and message["event"]["documentId"] == made:
                return messages
            if message.get("subscription") != "marker":
                messages.append(message)

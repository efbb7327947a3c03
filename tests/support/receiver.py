"""A receiver of webhooks: a real HTTP server that stores its requests and responds as a test says."""

import json
import threading
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from support.http_stand_in import StandInHandler, StandInServer
from support.waiting import end_of_wait


@dataclass
class Received:
    path: str
    headers: dict  # names in lower case
    raw: bytes

    @property
    def body(self) -> dict:
        return json.loads(self.raw)


class Receiver:
    """Listens on 127.0.0.1. `answers[path]` is a list of responses, one after another, the last one for ever: a status,
    or a function of the request that returns one (it may wait; None closes the connection without a response)."""

    def __init__(self, port: int = 0):
        self.received: list[Received] = []
        self.answers: dict[str, list] = {}
        self.connections = 0
        self.changed = threading.Condition()
        receiver = self

        class Handler(StandInHandler):
            def setup(self):
                super().setup()
                with receiver.changed:
                    receiver.connections += 1

            def do_POST(self):
                raw = self.body()
                seen = Received(self.path, self.lower_headers(), raw)
                answer = receiver.take(seen)
                status = answer(seen) if callable(answer) else answer
                if status is None:
                    self.close_connection = True
                    return
                moved = {"location": f"{receiver.http.url}/moved"} if 300 <= status < 400 else {}
                self.reply(status, headers=moved)

        self.http = StandInServer(Handler, port)
        self.port = self.http.server_port

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def take(self, seen: Received):
        with self.changed:
            self.received.append(seen)
            self.changed.notify_all()
            answers = self.answers.get(urlsplit(seen.path).path, [200])
            return answers.pop(0) if len(answers) > 1 else answers[0]

    def at(self, path: str) -> list[Received]:
        with self.changed:
            return [each for each in self.received if urlsplit(each.path).path == path]

    def wait(self, path: str, count: int = 1, seconds: float = 20) -> list[Received]:
        """Waits for the first `count` requests at a path; returns them."""
        limit = end_of_wait(seconds)
        with self.changed:
            while True:
                found = [each for each in self.received if urlsplit(each.path).path == path]
                if len(found) >= count:
                    return found
                left = limit - time.monotonic()
                assert left > 0, f"{len(found)} of {count} arrived at {path}: {[each.raw[:200] for each in found]}"
                self.changed.wait(left)

    def close(self) -> None:
        self.http.close()

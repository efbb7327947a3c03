"""A stand-in for an embeddings endpoint: an OpenAI-compatible server whose vectors depend only on the text."""

import hashlib
import json
import math
import re
import threading

from support.http_stand_in import StandInHandler, StandInServer

DIMENSIONS = 16


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Texts with common words have near vectors."""
    sums = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        for i in range(dimensions):
            sums[i] += digest[i % len(digest)] / 127.5 - 1
    length = math.sqrt(sum(x * x for x in sums)) or 1.0
    return [round(x / length, 6) for x in sums]


class Embeddings:
    """Listens on 127.0.0.1. `answer` may be set to a function of the texts that returns a status (an error then), or
    None for vectors. `gate` blocks calls while it is cleared."""

    def __init__(self, dimensions: int = DIMENSIONS):
        self.dimensions = dimensions
        self.calls: list[list[str]] = []
        self.requests: list[dict] = []
        self.answer = lambda texts: None
        self.gate = threading.Event()
        self.gate.set()
        self.changed = threading.Condition()
        endpoint = self

        class Handler(StandInHandler):
            def do_POST(self):
                body = json.loads(self.body())
                with endpoint.changed:
                    endpoint.calls.append(body["input"])
                    endpoint.requests.append({"authorization": self.headers.get("authorization"), **body})
                    endpoint.changed.notify_all()
                endpoint.gate.wait(30)
                status = endpoint.answer(body["input"])
                if status is None:
                    data = [
                        {"object": "embedding", "index": i, "embedding": vector_of(text, endpoint.dimensions)}
                        for i, text in enumerate(body["input"])
                    ]
                    self.reply(200, {"object": "list", "data": data[::-1], "model": body["model"]})
                else:
                    self.reply(status, {"error": {"message": "no"}})

        self.http = StandInServer(Handler)
        self.url = self.http.url + "/v1/embeddings"

    def settings(self, **more) -> dict:
        return {
            "SERVICE_EMBEDDINGS_URL": self.url,
            "SERVICE_EMBEDDINGS_MODEL": "stand-in",
            "SERVICE_EMBEDDINGS_API_KEY": "key-of-the-test",
            **more,
        }

    def wait(self, calls: int, seconds: float = 20) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.calls) >= calls, seconds), f"{len(self.calls)} calls came"

    def texts(self) -> list[str]:
        with self.changed:
            return [text for call in self.calls for text in call]

    def close(self) -> None:
        self.gate.set()
        self.http.close()
